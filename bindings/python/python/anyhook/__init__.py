"""Lifecycle hooks for AI agents.

>>> import asyncio
>>> from anyhook import HookRegistry, HookResult
>>> registry = HookRegistry()
>>> @registry.register("tool:pre")
... async def read_only(event, data):
...     if data.get("tool_name") == "Write":
...         return HookResult(action="deny", reason="this session is read-only")
...     return HookResult()
>>> asyncio.run(registry.emit("tool:pre", {"tool_name": "Write"})).action
'deny'
"""

from anyhook._core import __version__
from anyhook.hooks import HookRegistry
from anyhook.models import Allowed, ContextInjection, Halted, HookResult

__all__ = [
    "Allowed",
    "ContextInjection",
    "Halted",
    "HookRegistry",
    "HookResult",
    "__version__",
]
