"""The protocols that modules fulfil, by Amplifier's names."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from amplifier_core.message_models import ChatRequest, ChatResponse, ToolCall
from amplifier_core.models import ModelInfo, ProviderInfo
from anyhook.hooks import HookRegistry
from anyhook.interfaces import (
    ApprovalProvider,
    ApprovalRequest,
    ApprovalResponse,
    ContextManager,
    HookHandler,
    Tool,
)

__all__ = [
    "ApprovalProvider",
    "ApprovalRequest",
    "ApprovalResponse",
    "ContextManager",
    "HookHandler",
    "Orchestrator",
    "Provider",
    "Tool",
]


@runtime_checkable
class Provider(Protocol):
    """Answers requests with a model."""

    @property
    def name(self) -> str:
        """The provider's name."""
        ...

    def get_info(self) -> ProviderInfo:
        """Says what it is and needs."""
        ...

    async def list_models(self) -> list[ModelInfo]:
        """Lists its models."""
        ...

    async def complete(self, request: ChatRequest, **kwargs: Any) -> ChatResponse:
        """Answers one request."""
        ...

    def parse_tool_calls(self, response: ChatResponse) -> list[ToolCall]:
        """Finds the calls of tools in an answer."""
        ...


@runtime_checkable
class Orchestrator(Protocol):
    """The loop of an agent."""

    async def execute(
        self,
        prompt: str,
        context: ContextManager,
        providers: dict[str, Provider],
        tools: dict[str, Tool],
        hooks: HookRegistry,
        **kwargs: Any,
    ) -> str:
        """Answers one prompt."""
        ...
