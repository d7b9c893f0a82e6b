"""Shortens long results of tools. Structure: a sync handler that rewrites one field, counted in a contribution."""

from amplifier_core import HookResult
from amplifier_core.utils import truncate_values


async def mount(coordinator, config=None):
    longest = (config or {}).get("max_length", 80)
    counted = {"shortened": 0}

    def on_tool_post(event, data):
        result = data.get("tool_result")
        short = truncate_values(result, longest)
        if short == result:
            return HookResult(action="continue")
        counted["shortened"] += 1
        return HookResult(action="modify", data={**data, "tool_result": short})

    coordinator.register_contributor("status.counts", "hooks-shorten", lambda: dict(counted))
    return coordinator.hooks.on("tool:post", on_tool_post, 20, "shorten")
