"""The results of hooks, and the other models that hooks and their callers share."""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BaseModel, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from anyhook._data import whole
from anyhook.compat import is_strict

__all__ = [
    "Allowed",
    "ApprovalOption",
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


Grants = Literal["proceed", "allow", "deny"]
Remember = Literal["once", "session", "always"]

_set = object.__setattr__


class ApprovalOption(str):
    """A choice of a question that says what it grants; it is the text that the person reads.

    ``proceed`` lets the action go on, ``allow`` skips the host's own prompt as well, ``deny`` refuses. A choice that is
    remembered for the ``session`` is not asked for again about the same action. A plain text grants something only if it is
    Allow, Allow once or Allow always.

    >>> option = ApprovalOption("Deploy it", grants="proceed")
    >>> option, option.grants, option.remember
    ('Deploy it', 'proceed', 'once')
    """

    grants: Grants
    remember: Remember

    def __new__(cls, label: str, grants: Grants = "deny", remember: Remember = "once") -> Self:
        """Makes a choice of its label and of what it grants."""
        if grants not in get_args(Grants):
            raise ValueError(f"`{grants}` is nothing that a choice grants: {', '.join(get_args(Grants))}")
        if remember not in get_args(Remember):
            raise ValueError(f"`{remember}` is no time: {', '.join(get_args(Remember))}")
        option = super().__new__(cls, label)
        option.grants, option.remember = grants, remember
        return option

    def __getnewargs__(self) -> tuple[str, Grants, Remember]:  # type: ignore[override]
        return str(self), self.grants, self.remember

    def as_dict(self) -> dict[str, str]:
        """Returns the fields, as JSON has them."""
        return {"label": str(self), "grants": self.grants, "remember": self.remember}

    @classmethod
    def _read(cls, value: Any) -> ApprovalOption:
        if isinstance(value, cls):
            return value
        if isinstance(value, dict) and value.keys() <= {"label", "grants", "remember"}:
            return cls(**value)
        raise ValueError("a choice is a text, or says its label and what it grants")

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(cls.as_dict, when_used="json")
        read = core_schema.no_info_plain_validator_function(cls._read, serialization=written)
        return core_schema.json_or_python_schema(read, read, serialization=written)


class UnknownArgument(TypeError):
    """An argument that no result has. A handler that meant to refuse refuses all the same."""

    def __init__(self, text: str, *, refuses: bool = False) -> None:
        super().__init__(text)
        self.refuses = refuses


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
    approval_options: list[Annotated[ApprovalOption | str, Field(union_mode="left_to_right")]] | None = None
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
            if "data" in data:
                data["data"] = whole(data["data"])
            if not data.keys() <= _BLANK.keys() and not is_strict():
                _refuse_unknown(self.__class__, data)
            self.__pydantic_validator__.validate_python(data, self_instance=self)

        # Pydantic takes it for its own, and does not go through it where it validates by itself.
        __init__.__pydantic_base_init__ = True


_ACTIONS = frozenset(get_args(Action))
_BLANK: dict[str, Any] = {
    name: field.get_default(call_default_factory=True)
    for name, field in HookResult.model_fields.items()
}


def _refuse_unknown(kind: type[HookResult], data: dict[str, Any]) -> None:
    if kind.model_config.get("extra") in {"allow", "forbid"}:
        return
    known = set(kind.model_fields)
    known |= {field.alias for field in kind.model_fields.values() if field.alias}
    for name in data:
        if name not in known:
            like = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean `{like[0]}`?" if like else ""
            refuses = data.get("action") in ("deny", "ask_user")
            raise UnknownArgument(f"a {kind.__name__} has no `{name}`{hint}", refuses=refuses)


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
