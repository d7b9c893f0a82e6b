"""Reminds of open tasks after other tools. Structure: state between two events, appended to the last tool's result."""

from amplifier_core import HookResult


class Reminder:
    def __init__(self):
        self.open = []

    async def on_tool_post(self, event, data):
        if data.get("tool_name") == "todo":
            self.open = list((data.get("tool_input") or {}).get("todos", []))
            return HookResult(action="continue")
        if not self.open:
            return HookResult(action="continue")
        return HookResult(
            action="inject_context",
            context_injection="Open: " + ", ".join(self.open),
            ephemeral=True,
            append_to_last_tool_result=True,
            suppress_output=True,
        )


async def mount(coordinator, config=None):
    return coordinator.hooks.register("tool:post", Reminder().on_tool_post, priority=10, name="todo")
