"""The protocols that modules and their surroundings fulfil."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from anyhook.models import ApprovalRequest, ApprovalResponse, HookResult, ToolResult

__all__ = [
    "ApprovalProvider",
    "ApprovalRequest",
    "ApprovalResponse",
    "ContextManager",
    "HookHandler",
    "Tool",
]


@runtime_checkable
class HookHandler(Protocol):
    """What a registry asks.

    >>> async def audit(event, data):
    ...     return HookResult()
    >>> isinstance(audit, HookHandler)
    True
    """

    async def __call__(self, event: str, data: dict[str, Any]) -> HookResult:
        """Answers an event."""
        ...


@runtime_checkable
class ApprovalProvider(Protocol):
    """Answers typed questions about actions."""

    async def request_approval(self, request: ApprovalRequest) -> ApprovalResponse:
        """Decides about one action."""
        ...


@runtime_checkable
class ContextManager(Protocol):
    """Holds the conversation of a session."""

    async def add_message(self, message: dict[str, Any]) -> None:
        """Adds a message."""
        ...

    async def get_messages(self) -> list[dict[str, Any]]:
        """Returns the messages."""
        ...

    async def clear(self) -> None:
        """Removes the messages."""
        ...


@runtime_checkable
class Tool(Protocol):
    """Something that the agent can use."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def description(self) -> str:
        """What it is for, as the model reads it."""
        ...

    async def execute(self, input: dict[str, Any]) -> ToolResult:
        """Runs it."""
        ...
