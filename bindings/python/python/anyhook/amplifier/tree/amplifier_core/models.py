"""The results of hooks and what describes modules, by Amplifier's names."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, Field, field_serializer, field_validator

from anyhook.models import (
    Allowed,
    ApprovalRequest,
    ApprovalResponse,
    ContextInjection,
    Halted,
    HookResult,
    ToolResult,
    _sanitize_for_llm,
)

__all__ = [
    "Allowed",
    "ApprovalRequest",
    "ApprovalResponse",
    "ConfigField",
    "ContextInjection",
    "Halted",
    "HookResult",
    "ModelInfo",
    "ModuleInfo",
    "ProviderInfo",
    "SessionStatus",
    "ToolResult",
    "_sanitize_for_llm",
]


class ModelInfo(BaseModel):
    """One model of a provider."""

    id: str
    display_name: str
    context_window: int
    max_output_tokens: int
    capabilities: list[str] = Field(default_factory=list)
    defaults: dict[str, Any] = Field(default_factory=dict)


class ConfigField(BaseModel):
    """One thing that a provider has to be told, and the question for it."""

    id: str
    display_name: str
    field_type: Literal["text", "secret", "choice", "boolean"] = "text"
    prompt: str
    env_var: str | None = None
    choices: list[str] | None = None
    required: bool = True
    default: str | None = None
    show_when: dict[str, str] | None = None
    requires_model: bool = False


class ProviderInfo(BaseModel):
    """What a provider says of itself."""

    id: str
    display_name: str
    credential_env_vars: list[str] = Field(default_factory=list)
    capabilities: list[str] = Field(default_factory=list)
    defaults: dict[str, Any] = Field(default_factory=dict)
    config_fields: list[ConfigField] = Field(default_factory=list)


class ModuleInfo(BaseModel):
    """What a module says of itself."""

    id: str
    name: str
    version: str
    type: Literal["orchestrator", "provider", "tool", "context", "hook", "resolver"]
    mount_point: str
    description: str
    config_schema: dict[str, Any] | None = None


class Cost(BaseModel):
    """Money, never as a float: ``None`` is an unknown price, and none is zero."""

    cost_usd: Decimal | None = None

    @field_validator("cost_usd", mode="before")
    @classmethod
    def _no_float(cls, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError("`cost_usd` is a Decimal, and a float is none")
        return value

    @field_serializer("cost_usd", when_used="always")
    def _as_text(self, value: Decimal | None) -> str | None:
        return None if value is None else str(value)


class SessionStatus(Cost):
    """How a session stands."""

    session_id: str
    started_at: datetime = Field(default_factory=datetime.now)
    ended_at: datetime | None = None
    status: Literal["running", "completed", "failed", "cancelled"] = "running"
    total_messages: int = 0
    tool_invocations: int = 0
    tool_successes: int = 0
    tool_failures: int = 0
    total_input_tokens: int = 0
    total_output_tokens: int = 0
    last_activity: datetime | None = None
    last_error: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Describes it as JSON can."""
        return self.model_dump(mode="json", exclude_none=True)
