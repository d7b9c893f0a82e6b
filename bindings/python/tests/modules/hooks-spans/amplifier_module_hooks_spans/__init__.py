"""Makes spans of pairs of events. Structure: handlers in a table, events of its own contributed, an async cleanup."""

import asyncio

from amplifier_core.events import EXECUTION_END, EXECUTION_START, TOOL_ERROR, TOOL_POST, TOOL_PRE
from amplifier_core.models import HookResult


class Spans:
    def __init__(self):
        self.running, self.ended = {}, []

    async def begin(self, event, data):
        self.running[data.get("tool_call_id", event.partition(":")[0])] = (event, data.get("session_id"))
        return HookResult(action="continue")

    async def end(self, event, data):
        begun = self.running.pop(data.get("tool_call_id", event.partition(":")[0]), None)
        if begun is not None:
            self.ended.append((*begun, event))
        return HookResult(action="continue")


async def mount(coordinator, config=None):
    spans = Spans()
    table = {
        EXECUTION_START: spans.begin,
        EXECUTION_END: spans.end,
        TOOL_PRE: spans.begin,
        TOOL_POST: spans.end,
        TOOL_ERROR: spans.end,
    }
    handles = [coordinator.hooks.register(e, h, priority=90, name="spans") for e, h in table.items()]
    coordinator.register_capability("spans.ended", lambda: list(spans.ended))
    coordinator.register_contributor("observability.events", "hooks-spans", lambda: ["span:exported"])

    async def cleanup():
        await asyncio.sleep(0)
        for handle in handles:
            handle()

    return cleanup
