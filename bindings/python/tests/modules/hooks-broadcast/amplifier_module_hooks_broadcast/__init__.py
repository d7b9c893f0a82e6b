"""Passes events on to its subscribers. Structure: a capability, events emitted inside of a handler, cancellation."""

from amplifier_core.models import HookResult


async def mount(coordinator, config=None):
    subscribers = []
    coordinator.register_capability("broadcast.subscribe", subscribers.append)
    events = (config or {}).get("enabled_events", ["tool:*"])

    async def handler(event, data):
        if coordinator.cancellation.is_cancelled or event.startswith("broadcast:"):
            return HookResult(action="continue")
        for subscriber in list(subscribers):
            await subscriber(event, dict(data))
        await data.get("hooks").emit("broadcast:sent", {"of": event, "to": len(subscribers)})
        return HookResult(action="continue")

    handles = [coordinator.hooks.register(event, handler, priority=80, name="broadcast") for event in events]

    def cleanup():
        while handles:
            handles.pop()()

    return cleanup
