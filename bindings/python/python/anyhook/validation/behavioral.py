"""Checks of a hook module's behaviour, for pytest: inherit from the class, or let the plugin find the module."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, get_args

from anyhook.hooks import HookRegistry
from anyhook.models import Action, HookResult
from anyhook.testing import TestCoordinator
from anyhook.validation.hook import sample

__all__ = ["CHECKS", "HookBehaviorTests"]


async def _mounted(module: Any) -> tuple[TestCoordinator, Any]:
    coordinator = TestCoordinator()
    return coordinator, await module.mount(coordinator, {})


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


class HookBehaviorTests:
    """What every hook module has to do: inherit from it in a test file of the module.

    Unlike a test that emits an event of its own, these ask every handler about the event that it registered for. The fixture
    ``hook_module`` is the plugin's.
    """

    def test_mount_registers_handlers(self, hook_module: Any) -> None:
        """The module mounts, and listens to something."""
        asyncio.run(mount_registers_handlers(hook_module))

    def test_every_handler_returns_a_valid_result(self, hook_module: Any) -> None:
        """Each event that the module listens to is answered with a valid result."""
        asyncio.run(every_handler_returns_a_valid_result(hook_module))

    def test_no_handler_fails(self, hook_module: Any) -> None:
        """No handler raises, whatever is missing from the data."""
        asyncio.run(no_handler_fails(hook_module))

    def test_cleanup_removes_every_handler(self, hook_module: Any) -> None:
        """Where the module returns a cleanup, it removes what was registered."""
        asyncio.run(cleanup_removes_every_handler(hook_module))
