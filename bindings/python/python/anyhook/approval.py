"""Who answers when a hook wants a person to decide."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, Protocol, runtime_checkable

__all__ = ["ApprovalSystem", "ApprovalTimeoutError", "Scripted", "grants"]


class ApprovalTimeoutError(Exception):
    """No answer came in time; the question's own default holds."""


@runtime_checkable
class ApprovalSystem(Protocol):
    """Puts a question to a person and returns one of its options. It may be async or not."""

    async def request_approval(
        self, prompt: str, options: list[str], timeout: float, default: Literal["allow", "deny"]
    ) -> str:
        """Returns the option that the person chose."""
        ...


class Scripted:
    """Answers questions as a test says, and keeps what was asked.

    >>> import asyncio
    >>> answers = Scripted("Allow once", "Deny")
    >>> asyncio.run(answers.request_approval("push?", ["Allow once", "Deny"], 300.0, "deny"))
    'Allow once'
    >>> answers.asked
    ['push?']
    """

    def __init__(self, *answers: str | BaseException | Callable[[str], Any]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def request_approval(
        self, prompt: str, options: list[str], timeout: float, default: Literal["allow", "deny"]
    ) -> str:
        """Returns the next answer; an exception among the answers is raised."""
        self.asked.append(prompt)
        if not self.answers:
            raise ApprovalTimeoutError("no answer comes any more")
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = answer(prompt)
            if inspect.isawaitable(answer):
                answer = await answer
        return answer


def grants(option: str) -> bool:
    """Tells whether choosing an option lets the action go on. Every label but three denies, unless it says what it grants.

    >>> [grants(option) for option in ("Allow", "ALLOW ONCE", "allow always", "Approve")]
    [True, True, True, False]
    """
    declared: str | None = getattr(option, "grants", None)
    if declared is not None:
        return declared != "deny"
    return option.lower() in {"allow", "allow once", "allow always"}
