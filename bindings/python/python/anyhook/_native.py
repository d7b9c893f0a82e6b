"""Hands the native half what it needs from Python, and the few cold things that are easier said here."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import logging
from collections.abc import Awaitable, Mapping
from typing import Any

from anyhook import _core
from anyhook.models import Allowed, ContextInjection, Halted, HookResult

logger = logging.getLogger("anyhook.hooks")

_MISSING = object()


class EventData(dict[str, Any]):
    """The data of an event, as one handler sees it: a copy of its own, which also knows the registry.

    ``data.get("hooks")`` and ``data["hooks"]`` are the registry that asks, unless the event has a field of that name. The
    registry is no field: it is in no copy, in no iteration and in nothing that is written as JSON.
    """

    __slots__ = ("_hooks",)
    _hooks: Any

    def get(self, key: Any, default: Any = None, /) -> Any:
        """Returns a field, or the registry for ``hooks``."""
        found = dict.get(self, key, _MISSING)
        if found is not _MISSING:
            return found
        return self._hooks if key == "hooks" else default

    def __missing__(self, key: Any) -> Any:
        if key == "hooks":
            return self._hooks
        raise KeyError(key)

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))


def _failed(name: str, event: str, error: BaseException) -> None:
    logger.error("hook handler `%s` failed for `%s`: %s", name, event, error, exc_info=error)


def _within_asyncio() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


async def _within(awaitable: Awaitable[Any], seconds: float) -> Any:
    if _within_asyncio():
        async with asyncio.timeout(seconds):
            return await awaitable
    import anyio

    with anyio.fail_after(seconds):
        return await awaitable


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
    return kind.model_validate(dict(fields))


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
        "EventData": EventData,
        "blank": dict(HookResult().__dict__),
        "failed": _failed,
        "warn": logger.warning,
        "within": _within,
        "is_cancelling": _is_cancelling,
        "coerced": _coerced,
        "plain": _plain,
    }
)
