"""Keeps file tools inside of the workspace. Structure: an import that survives without the core, a guard on paths."""

from pathlib import Path

try:
    from amplifier_core.models import HookResult
except ImportError:  # The module's own tests run without the core too.
    HookResult = None


class Boundary:
    def __init__(self, root):
        self.root = Path(root).resolve()

    async def __call__(self, event, data):
        for key in ("file_path", "path"):
            named = (data.get("tool_input") or {}).get(key)
            if named and not (self.root / named).resolve().is_relative_to(self.root):
                return HookResult(action="deny", reason=f"{named} is outside of {self.root}")
        return HookResult(action="continue")


async def mount(coordinator, config=None):
    boundary = Boundary((config or {}).get("root", "."))
    handle = coordinator.hooks.register("tool:pre", boundary, priority=5, name="boundary")
    return {"name": "boundary", "cleanup": handle}["cleanup"]
