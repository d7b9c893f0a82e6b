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
from anyhook.approval import ApprovalSystem, ApprovalTimeoutError
from anyhook.coordinator import ModuleCoordinator
from anyhook.display import DisplaySystem
from anyhook.hooks import HookRegistry
from anyhook.interfaces import ApprovalProvider, HookHandler
from anyhook.manifest import load_manifest
from anyhook.models import (
    Allowed,
    ApprovalOption,
    ApprovalRequest,
    ApprovalResponse,
    ContextInjection,
    Halted,
    HookResult,
    ToolResult,
)
from anyhook.session import ModuleLoader, Session

__all__ = [
    "Allowed",
    "ApprovalOption",
    "ApprovalProvider",
    "ApprovalRequest",
    "ApprovalResponse",
    "ApprovalSystem",
    "ApprovalTimeoutError",
    "ContextInjection",
    "DisplaySystem",
    "Halted",
    "HookHandler",
    "HookRegistry",
    "HookResult",
    "ModuleCoordinator",
    "ModuleLoader",
    "Session",
    "ToolResult",
    "__version__",
    "load_manifest",
]
