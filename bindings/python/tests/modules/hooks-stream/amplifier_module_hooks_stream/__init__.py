"""Shows what a model says and thinks. Structure: a class that mounts itself, content blocks, messages for the person."""

from amplifier_core.content_models import TextContent, ThinkingContent
from amplifier_core.models import HookResult


class Stream:
    KINDS = {"text": TextContent, "thinking": ThinkingContent}

    def __init__(self, coordinator, config):
        self.coordinator, self.show_thinking = coordinator, config.get("show_thinking", True)
        self.handles = []

    def mount(self):
        for event in ("content_block:start", "content_block:end"):
            method = getattr(self, f"on_{event.rpartition(':')[2]}")
            self.handles.append(self.coordinator.hooks.register(event, method, name=f"stream-{event}"))
        return self.unmount

    def unmount(self):
        while self.handles:
            self.handles.pop()()

    async def on_start(self, event, data):
        return HookResult(action="continue")

    async def on_end(self, event, data):
        block = data.get("block") or {}
        kind = self.KINDS.get(block.get("type"))
        if kind is None or (kind is ThinkingContent and not self.show_thinking):
            return HookResult(action="continue")
        said = kind(text=block.get("text", ""))
        return HookResult(
            action="continue", user_message=said.to_dict()["text"], user_message_source=said.type.value
        )


async def mount(coordinator, config=None):
    return Stream(coordinator, config or {}).mount()
