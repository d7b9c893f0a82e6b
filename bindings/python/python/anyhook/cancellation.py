"""Stopping a session together: after the tools that run, or at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any

__all__ = ["CancellationState", "CancellationToken"]

logger = logging.getLogger("anyhook.cancellation")


class CancellationState(Enum):
    """How much was asked for."""

    NONE = "none"
    GRACEFUL = "graceful"
    IMMEDIATE = "immediate"


class CancellationToken:
    """Says whether a session is to stop, and which tools it waits for.

    ``graceful`` lets the tools that run come to their end, ``immediate`` does not. Nothing is stopped by force: code that
    works looks at the token. A child (the token of an agent that this one started) is told whatever its parent is told.

    >>> token = CancellationToken()
    >>> token.register_tool_start("call-1", "bash")
    >>> token.request_graceful(), token.state, token.running_tool_names
    (True, 'graceful', ['bash'])
    >>> token.request_graceful()
    False
    """

    def __init__(self) -> None:
        self._state = CancellationState.NONE
        self._tools: dict[str, str] = {}
        self._children: list[CancellationToken] = []
        self._callbacks: list[Callable[[], Awaitable[None] | None]] = []

    @property
    def state(self) -> str:
        """``none``, ``graceful`` or ``immediate``."""
        return self._state.value

    @property
    def is_cancelled(self) -> bool:
        """Whether anybody asked to stop."""
        return self._state is not CancellationState.NONE

    @property
    def is_graceful(self) -> bool:
        """Whether the tools that run may come to their end."""
        return self._state is CancellationState.GRACEFUL

    @property
    def is_immediate(self) -> bool:
        """Whether nothing is waited for."""
        return self._state is CancellationState.IMMEDIATE

    @property
    def running_tools(self) -> set[str]:
        """The ids of the calls that run."""
        return set(self._tools)

    @property
    def running_tool_names(self) -> list[str]:
        """The names of the tools that run."""
        return list(self._tools.values())

    def request_graceful(self) -> bool:
        """Asks to stop after the tools that run; false where that was asked for already."""
        if self.is_cancelled:
            return False
        self._state = CancellationState.GRACEFUL
        for child in list(self._children):
            child.request_graceful()
        return True

    def request_cancellation(self) -> None:
        """Asks to stop after the tools that run."""
        self.request_graceful()

    def request_immediate(self) -> bool:
        """Asks to stop at once; false where that was asked for already."""
        if self.is_immediate:
            return False
        self._state = CancellationState.IMMEDIATE
        for child in list(self._children):
            child.request_immediate()
        return True

    def reset(self) -> None:
        """Begins anew: nothing is requested, and no tool runs."""
        self._state = CancellationState.NONE
        self._tools.clear()

    def register_tool_start(self, tool_call_id: str, tool_name: str) -> None:
        """Notes that a tool runs."""
        self._tools[tool_call_id] = tool_name

    def register_tool_complete(self, tool_call_id: str) -> None:
        """Notes that it came to its end."""
        self._tools.pop(tool_call_id, None)

    def register_child(self, child: CancellationToken) -> None:
        """Passes on to a child what this token is told, and what it was told already."""
        self._children.append(child)
        if self.is_immediate:
            child.request_immediate()
        elif self.is_graceful:
            child.request_graceful()

    def unregister_child(self, child: CancellationToken) -> None:
        """Stops to pass anything on to a child."""
        self._children = [one for one in self._children if one is not child]

    def on_cancel(self, callback: Callable[[], Awaitable[None] | None]) -> None:
        """Has a function called by :meth:`trigger_callbacks`; it may be async."""
        self._callbacks.append(callback)

    async def trigger_callbacks(self) -> None:
        """Calls every function of :meth:`on_cancel`, whatever fails. What ends the program is raised after the last."""
        fatal: BaseException | None = None
        for callback in list(self._callbacks):
            try:
                done: Any = callback()
                if isinstance(done, Awaitable):
                    await done
            except (Exception, asyncio.CancelledError):
                logger.exception("a function of `on_cancel` failed")
            except BaseException as error:
                fatal = fatal or error
        if fatal is not None:
            raise fatal
