"""Checking a hook module: mounted for real, and every handler asked."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from types import ModuleType
from typing import Any, ClassVar

from anyhook import _native
from anyhook.hooks import HookRegistry, Registered
from anyhook.models import HookResult
from anyhook.testing import TestCoordinator
from anyhook.validation.base import ValidationCheck, ValidationResult
from anyhook.validation.module import ModuleValidator, fail, good

__all__ = ["HookValidator", "sample"]


def sample(event: str) -> list[dict[str, Any]]:
    """Returns data that a handler of an event has to cope with: full, and with nothing in it.

    >>> sample("tool:pre")[0]["tool_name"]
    'write_file'
    """
    full: dict[str, Any] = {"session_id": "test-session", "timestamp": "2025-01-01T00:00:00+00:00"}
    if event.startswith("tool:") or event == "*":
        full |= {
            "tool_name": "write_file",
            "tool_input": {"file_path": "/tmp/example.txt", "content": "text"},
            "tool_result": {"success": True},
        }
    if event.startswith(("prompt:", "execution:")):
        full |= {"prompt": "Say hello.", "response": "Hello."}
    if event.startswith(("provider:", "llm:")):
        full |= {"provider": "example", "messages": [{"role": "user", "content": "Hello."}]}
    return [full, {}]


class HookValidator(ModuleValidator):
    """Checks a hook module, as the contract's list asks.

    The module is mounted once, on a coordinator for tests, its ``on_session_ready`` is called, and every handler that it
    registered is asked with full and with empty data.
    """

    kind: ClassVar[str] = "hook"

    async def _check(
        self, result: ValidationResult, module: ModuleType, coordinator: TestCoordinator
    ) -> None:
        handlers = [one for all in coordinator.hooks.handlers.values() for one in all]
        if not handlers:
            when = "`mount` registered no handler, and neither did `on_session_ready`"
            return fail(result, "protocol_compliance", when)
        good(result, "protocol_compliance", f"{len(handlers)} handlers are registered")
        if result.passed:
            for handler in handlers:
                await self._ask(result, handler)
            self._recommended(result, module, handlers)
        return None

    async def _ask(self, result: ValidationResult, one: Registered) -> None:
        if not _native._takes_two(one.handler):
            return fail(result, "hook_call", f"`{one.name}` does not take an event and its data")
        event = one.event.replace("*", "pre") if one.event != "*" else "tool:pre"
        for data in sample(one.event):
            wrong = await _wrong(one.handler, event, data)
            if wrong is not None:
                what = "full" if data else "empty"
                text = f"`{one.name}` {wrong[0]} about {what} data of `{event}`{wrong[1]}"
                return fail(result, "hook_call", text)
        return good(result, "hook_call", f"`{one.name}` answers `{one.event}`")

    def _recommended(
        self, result: ValidationResult, module: ModuleType, handlers: list[Registered]
    ) -> None:
        odd = sorted({one.name for one in handlers if not 10 <= one.priority <= 90})
        text = f"outside of 10 to 90: {', '.join(odd)}" if odd else "all are between 10 and 90"
        result.add(ValidationCheck("priority", not odd, text, "warning" if odd else "info"))
        try:
            source = inspect.getsource(module)
        except (OSError, TypeError):
            return
        for name, word, what, missing in (
            ("logging", "logg", "it logs", "it does not log"),
            (
                "enabled_events",
                "enabled_events",
                "the events are configurable",
                "no `enabled_events` chooses its events",
            ),
            (
                "contributions",
                "register_contributor",
                "its own events are registered",
                "it registers no events of its own with `register_contributor`",
            ),
        ):
            found = word in source
            text = what if found else missing
            result.add(ValidationCheck(name, found, text, "info" if found else "warning"))


async def _wrong(handler: Any, event: str, data: dict[str, Any]) -> tuple[str, str] | None:
    """Asks one handler as a registry does, and says what is wrong with its answer."""
    found: list[tuple[str, str]] = []

    async def ask(event: str, data: dict[str, Any]) -> HookResult:
        try:
            said = handler(event, data)
            said = await said if isinstance(said, Awaitable) else said
        except Exception as error:
            found.append(("raises", f": {error!r}"))
        else:
            if not isinstance(said, HookResult):
                found.append((f"returns {type(said).__name__}", ""))
        return HookResult()

    registry = HookRegistry()
    registry.register(event, ask)
    await registry.emit(event, data)
    return found[0] if found else None
