"""The results of hooks, and the other models that hooks and their callers share."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, Field

__all__ = [
    "Allowed",
    "ApprovalRequest",
    "ApprovalResponse",
    "ContextInjection",
    "Halted",
    "HookResult",
    "ToolResult",
]

Action = Literal["continue", "deny", "modify", "inject_context", "ask_user"]
Role = Literal["system", "user", "assistant"]
Level = Literal["info", "warning", "error"]


_set = object.__setattr__


class ContextInjection(BaseModel):
    """One text for the model, with its settings and the hook that said it.

    >>> ContextInjection(content="the tests are red").role
    'system'
    """

    content: str
    role: Role = "system"
    ephemeral: bool = False
    append_to_last_tool_result: bool = False
    hook_name: str = "unknown"
    event: str = ""


class HookResult(BaseModel):
    """What a hook answers, and what a registry makes of all answers together.

    A handler sets ``action`` and the fields that belong to it. The result of an emit has the gravest action of all handlers
    (deny, then ask_user, then inject_context, then continue), the data as the handlers left it, and every injection in
    ``context_injections``.

    >>> HookResult().action
    'continue'
    >>> HookResult(action="deny", reason="deploys are frozen").reason
    'deploys are frozen'
    >>> HookResult(action="DENY")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    pydantic_core._pydantic_core.ValidationError: 1 validation error for HookResult
    """

    action: Action = "continue"
    data: dict[str, Any] | None = None
    reason: str | None = None

    context_injection: str | None = None
    context_injection_role: Role = "system"
    ephemeral: bool = False

    approval_prompt: str | None = None
    approval_options: list[str] | None = None
    approval_timeout: float = 300.0
    approval_default: Literal["allow", "deny"] = "deny"

    suppress_output: bool = False
    user_message: str | None = None
    user_message_level: Level = "info"
    user_message_source: str | None = None

    append_to_last_tool_result: bool = False
    context_injections: list[ContextInjection] = Field(default_factory=list)

    allowed: ClassVar[bool] = False
    """Whether a ``continue`` also skips the host's own prompt: true of :class:`Allowed` only."""
    halted: ClassVar[bool] = False
    """Whether a ``deny`` also stops the agent: true of :class:`Halted` only."""

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            # A result of nothing but an action is what handlers make most, and there is nothing in it to validate but that
            # word: this costs half of what the validator does.
            action = data.get("action")
            if len(data) == 1 and action.__class__ is str and action in _ACTIONS:
                if self.__class__ is HookResult:
                    fields = _BLANK.copy()
                    fields["action"] = action
                    fields["context_injections"] = []
                    _set(self, "__dict__", fields)
                    _set(self, "__pydantic_fields_set__", {"action"})
                    _set(self, "__pydantic_extra__", None)
                    _set(self, "__pydantic_private__", None)
                    return
            self.__pydantic_validator__.validate_python(data, self_instance=self)

        # Pydantic takes it for its own, and does not go through it where it validates by itself.
        __init__.__pydantic_base_init__ = True


_ACTIONS = frozenset(get_args(Action))
_BLANK: dict[str, Any] = {
    name: field.get_default(call_default_factory=True)
    for name, field in HookResult.model_fields.items()
}


class Allowed(HookResult):
    """A ``continue`` that also skips the host's own prompt.

    >>> Allowed(reason="read-only tools need no prompt").action
    'continue'
    >>> Allowed().allowed
    True
    """

    allowed: ClassVar[bool] = True


class Halted(HookResult):
    """A ``deny`` that also stops the agent.

    >>> (Halted(reason="the budget is spent").action, Halted().halted)
    ('deny', True)
    """

    action: Action = "deny"

    halted: ClassVar[bool] = True


class ToolResult(BaseModel):
    """What a tool came to.

    >>> ToolResult(output={"files": 3}).get_serialized_output()
    '{"files": 3}'
    >>> ToolResult(success=False, error={"message": "no such file"}).output
    'no such file'
    """

    success: bool = True
    output: Any | None = None
    error: dict[str, Any] | None = None

    def model_post_init(self, _context: Any, /) -> None:
        """Takes the text of an error for the output of a tool that failed without one."""
        if not self.success and self.output is None and self.error:
            message = self.error.get("message")
            if message:
                self.output = str(message)

    def get_serialized_output(self) -> str:
        """Returns the output as the model reads it."""
        if self.output is None:
            if self.success:
                return "Success"
            return f"Error: {self.error.get('message', 'Failed')}" if self.error else "Failed"
        if isinstance(self.output, dict | list):
            return json.dumps(self.output, default=str)
        return str(self.output)

    def __str__(self) -> str:
        return self.get_serialized_output()


class ApprovalRequest(BaseModel):
    """A question about one action, for a provider of approvals.

    >>> ApprovalRequest(tool_name="bash", action="rm -r build", risk_level="high").timeout is None
    True
    """

    tool_name: str
    action: str
    details: dict[str, Any] = Field(default_factory=dict)
    risk_level: str
    timeout: float | None = None

    def model_post_init(self, _context: Any, /) -> None:
        """Refuses a timeout that is no time."""
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError("a timeout is more than 0 seconds, or none")


class ApprovalResponse(BaseModel):
    """The answer to an :class:`ApprovalRequest`.

    >>> ApprovalResponse(approved=True).remember
    False
    """

    approved: bool
    reason: str | None = None
    remember: bool = False


_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def _sanitize_for_llm(text: str) -> str:
    """Returns a text without control characters and lone surrogates.

    >>> _sanitize_for_llm("red\\x1b[31m, and a line\\n")
    'red[31m, and a line\\n'
    """
    return _UNPRINTABLE.sub("", text)
