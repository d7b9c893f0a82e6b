"""Says before each request where the agent is. Structure: an ephemeral injection with the role of the user, a capability."""

from amplifier_core.models import HookResult


async def mount(coordinator, config=None):
    config = config or {}

    async def on_provider_request(event, data):
        folder = coordinator.get_capability("session.working_dir") or config.get("working_dir", ".")
        text = f"<env>\nWorking directory: {folder}\n</env>"
        return HookResult(
            action="inject_context", context_injection=text, context_injection_role="user", ephemeral=True
        )

    return coordinator.hooks.register("provider:request", on_provider_request, priority=0, name="status")
