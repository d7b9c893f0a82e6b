"""Hands the native half what it needs from Python, and the few cold things that are easier said here."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import dataclasses
import inspect
import logging
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from anyhook import _core
from anyhook._data import EventData as EventData
from anyhook._data import UnreadData, isolated, whole
from anyhook.models import (
    Allowed,
    ApprovalOption,
    ContextInjection,
    Halted,
    HookResult,
    UnknownArgument,
)

logger = logging.getLogger("anyhook.hooks")

def _failed(name: str, event: str, error: BaseException) -> None:
    if isinstance(error, TooSlow):
        logger.error("hook handler `%s` failed for `%s`: %s", name, event, error)
        return
    logger.error("hook handler `%s` failed for `%s`: %s", name, event, error, exc_info=error)


def _within_asyncio() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


class TooSlow(TimeoutError):
    """The person did not answer in time."""


async def _within(awaitable: Awaitable[Any], seconds: float) -> Any:
    late = TooSlow(f"no answer within {seconds:g} seconds")
    if _within_asyncio():
        try:
            async with asyncio.timeout(seconds) as limit:
                return await awaitable
        except TimeoutError:
            if limit.expired():
                raise late from None
            raise
    with _trio().move_on_after(seconds):
        return await awaitable
    raise late


async def _beside(work: Callable[..., Any], *given: Any) -> Any:
    """Runs blocking work on a thread, under whichever loop there is. Who is cancelled does not wait for it, and neither
    does the end of the program.
    """
    if not _within_asyncio():
        return await _trio().to_thread.run_sync(work, *given, abandon_on_cancel=True)
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(set_one: Callable[[Any], None], value: Any) -> None:
        if not done.done():
            set_one(value)

    def run() -> None:
        set_one: Callable[[Any], None] = done.set_result
        value: Any = None
        try:
            value = context.run(work, *given)
        except BaseException as error:
            set_one, value = done.set_exception, error
        with contextlib.suppress(RuntimeError):  # The loop has ended meanwhile.
            loop.call_soon_threadsafe(settle, set_one, value)

    threading.Thread(target=run, name="anyhook", daemon=True).start()
    return await done


def _trio() -> Any:
    trio = sys.modules.get("trio")
    if trio is None:
        raise RuntimeError("the event loop is neither asyncio's nor trio's")
    return trio


def _is_cancelling() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


def _coerced(fields: Mapping[str, Any]) -> HookResult:
    action = fields.get("action")
    if not isinstance(action, str):
        raise TypeError("a dict is a result only where it says its action")
    kind: type[HookResult] = HookResult
    if action == "deny" and fields.get("halted") is True:
        kind = Halted
    elif action == "continue" and fields.get("allowed") is True:
        kind = Allowed
    return kind.model_validate({name: whole(value) for name, value in fields.items()})


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, bytes | bytearray):
        return value.decode(errors="replace")
    return str(value)


def _takes_two(handler: Any) -> bool:
    try:
        signature = inspect.signature(handler)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind("", {})
    except TypeError:
        return False
    return True


_core.install(
    {
        "HookResult": HookResult,
        "Allowed": Allowed,
        "Halted": Halted,
        "ContextInjection": ContextInjection,
        "ApprovalOption": ApprovalOption,
        "UnknownArgument": UnknownArgument,
        "EventData": EventData,
        "UnreadData": UnreadData,
        "isolated": isolated,
        "blank": dict(HookResult().__dict__),
        "failed": _failed,
        "warn": logger.warning,
        "within": _within,
        "is_cancelling": _is_cancelling,
        "coerced": _coerced,
        "plain": _plain,
    }
)
