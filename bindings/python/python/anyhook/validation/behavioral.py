"""Checks of a hook module's behaviour, for pytest: inherit from the class, or let the plugin find the module."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, get_args

import pytest

from anyhook.hooks import HookRegistry
from anyhook.models import Action, HookResult
from anyhook.testing import TestCoordinator
from anyhook.validation.hook import sample

__all__ = ["CHECKS", "HookBehaviorTests"]


async def _mounted(module: Any) -> tuple[TestCoordinator, Any]:
    coordinator = TestCoordinator()
    cleanup = await module.mount(coordinator, {})
    ready = getattr(module, "on_session_ready", None)
    if callable(ready):
        coordinator.on_session_ready(module.__name__, ready)
    await coordinator.session_ready()
    return coordinator, cleanup


async def _ended(cleanup: Any) -> None:
    if callable(cleanup):
        done = cleanup()
        if isinstance(done, Awaitable):
            await done


async def _each(module: Any, ask: Callable[[HookRegistry, str], Awaitable[None]]) -> None:
    coordinator, cleanup = await _mounted(module)
    try:
        for event in list(coordinator.hooks.handlers):
            await ask(coordinator.hooks, event.replace("*", "pre") if event != "*" else "tool:pre")
    finally:
        await _ended(cleanup)


class _Told(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


async def mount_registers_handlers(module: Any) -> None:
    """The module mounts, and listens to something."""
    coordinator, cleanup = await _mounted(module)
    listens = bool(coordinator.hooks.handlers)
    await _ended(cleanup)
    assert listens, "`mount` registered no handler"


async def every_handler_returns_a_valid_result(module: Any) -> None:
    """Each event that the module listens to is answered with a valid result."""

    async def ask(hooks: HookRegistry, event: str) -> None:
        for data in sample(event):
            said = await hooks.emit(event, data)
            assert isinstance(said, HookResult)
            assert said.action in get_args(Action)

    await _each(module, ask)


async def no_handler_fails(module: Any) -> None:
    """No handler raises or returns something else, whatever is missing from the data."""

    async def ask(hooks: HookRegistry, event: str) -> None:
        for data in [*sample(event), None]:
            await hooks.emit(event, data)

    told, logger = _Told(), logging.getLogger("anyhook.hooks")
    logger.addHandler(told)
    try:
        await _each(module, ask)
    finally:
        logger.removeHandler(told)
    assert not told.texts, "\n".join(told.texts)


async def cleanup_removes_every_handler(module: Any) -> None:
    """Where the module returns a cleanup, it removes what was registered, and twice is once."""
    coordinator, cleanup = await _mounted(module)
    if callable(cleanup):
        await _ended(cleanup)
        await _ended(cleanup)
        left = [one.name for all in coordinator.hooks.handlers.values() for one in all]
        assert not left, f"it leaves registered: {', '.join(left)}"


CHECKS: dict[str, Callable[[Any], Awaitable[None]]] = {
    check.__name__: check
    for check in (
        mount_registers_handlers,
        every_handler_returns_a_valid_result,
        no_handler_fails,
        cleanup_removes_every_handler,
    )
}


async def _said(coordinator: Any, data: Any) -> list[Any]:
    """Returns the findings about an event without a listener, and about each event with one."""
    handlers = getattr(coordinator.hooks, "handlers", None)
    events = ["test:event", *(handlers if isinstance(handlers, dict) else ())]
    return [await coordinator.hooks.emit(event.replace("*", "pre"), data) for event in events]


class HookBehaviorTests:
    """What every hook module has to do: inherit from it in a test file of the module, with ``pytest-asyncio`` installed.

    The fixtures are the plugin's: ``coordinator`` is one for tests, ``hook_cleanup`` mounts the module there and is what its
    ``mount`` returned. A module's own fixtures of these names take their place. The checks that the plugin runs itself
    (``anyhook_modules``) are stricter: there no handler may fail.
    """

    @pytest.mark.asyncio
    async def test_mount_succeeds(self, hook_cleanup: Any, coordinator: Any) -> None:
        """The module mounts."""
        assert hook_cleanup is None or callable(hook_cleanup)

    @pytest.mark.asyncio
    async def test_handler_returns_hook_result(self, hook_cleanup: Any, coordinator: Any) -> None:
        """Every event is answered with a result."""
        for said in await _said(coordinator, {"data": "test"}):
            assert said is None or isinstance(said, HookResult)

    @pytest.mark.asyncio
    async def test_hook_result_has_valid_action(self, hook_cleanup: Any, coordinator: Any) -> None:
        """Every result has one of the five actions."""
        for said in await _said(coordinator, {"data": "test"}):
            assert said is None or said.action in get_args(Action)

    @pytest.mark.asyncio
    async def test_cleanup_is_callable_if_present(self, hook_cleanup: Any) -> None:
        """What ``mount`` returned can be called, or is nothing."""
        assert hook_cleanup is None or callable(hook_cleanup)

    @pytest.mark.asyncio
    async def test_cleanup_does_not_raise(self, hook_cleanup: Any) -> None:
        """The cleanup does not fail."""
        await _ended(hook_cleanup)

    @pytest.mark.asyncio
    async def test_handler_does_not_crash_on_malformed_data(
        self, hook_cleanup: Any, coordinator: Any
    ) -> None:
        """An event without data is answered."""
        for said in await _said(coordinator, None):
            assert said is None or isinstance(said, HookResult)

    @pytest.mark.asyncio
    async def test_handler_does_not_crash_on_empty_data(
        self, hook_cleanup: Any, coordinator: Any
    ) -> None:
        """An event with empty data is answered."""
        for said in await _said(coordinator, {}):
            assert said is None or isinstance(said, HookResult)
