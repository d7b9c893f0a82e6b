"""What tests of hooks need: a coordinator, a recorder, mocks, and ways to wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Any
from unittest.mock import AsyncMock

from anyhook import _core
from anyhook.approval import Scripted
from anyhook.coordinator import ModuleCoordinator
from anyhook.hooks import HookRegistry
from anyhook.models import HookResult, ToolResult

__all__ = [
    "EventRecorder",
    "MockContextManager",
    "MockCoordinator",
    "MockTool",
    "RecordingDisplay",
    "ScriptedOrchestrator",
    "TestCoordinator",
    "create_test_coordinator",
    "fire",
    "wait_for",
]


class RecordingDisplay:
    """Keeps the messages that hooks showed, as (message, level, source)."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, str]] = []

    def show_message(self, message: str, level: str, source: str = "hook") -> None:
        """Keeps one message."""
        self.messages.append((message, level, source))


class MockCoordinator(ModuleCoordinator):
    """A real coordinator that keeps what was mounted, what was shown and what was asked.

    ``approvals`` are the answers that questions get, in order; without any, a question is not answered in time.

    >>> import asyncio
    >>> coordinator = MockCoordinator(approvals=["Allow once"])
    >>> said = HookResult(action="ask_user", approval_prompt="push?")
    >>> asyncio.run(coordinator.process_hook_result(said, "tool:pre")).action
    'continue'
    >>> coordinator.approval_system.asked
    ['push?']
    """

    __test__ = False

    def __init__(
        self, *, approvals: Iterable[Any] = (), config: dict[str, Any] | None = None
    ) -> None:
        display = RecordingDisplay()
        super().__init__(None, Scripted(*approvals), display, config=config, session_id="test-session")
        self.messages = display.messages
        self.mount_history: list[dict[str, Any]] = []
        self.unmount_history: list[dict[str, Any]] = []

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        """Mounts, and keeps that it was done."""
        await super().mount(mount_point, module, name)
        self.mount_history.append({"mount_point": mount_point, "module": module, "name": name})

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        """Unmounts, and keeps that it was done."""
        await super().unmount(mount_point, name)
        self.unmount_history.append({"mount_point": mount_point, "name": name})


TestCoordinator = MockCoordinator


class EventRecorder:
    """Keeps the events that it is told of; it can be registered as a handler.

    >>> import asyncio
    >>> recorder, registry = EventRecorder(), HookRegistry()
    >>> _ = registry.register("tool:*", recorder.record, name="recorder")
    >>> _ = asyncio.run(registry.emit("tool:pre", {"tool_name": "Read"}))
    >>> [event for event, data in recorder.get_events()]
    ['tool:pre']
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    async def record(self, event: str, data: dict[str, Any]) -> HookResult:
        """Keeps an event, and goes on."""
        self.events.append((event, dict(data)))
        return HookResult(action="continue")

    emit = record
    __call__ = record

    def get_events(self, event_type: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events of one name, in any spelling, or all."""
        if event_type is None:
            return list(self.events)
        name = _core.canonical_name
        return [(event, data) for event, data in self.events if name(event) == name(event_type)]

    def clear(self) -> None:
        """Forgets them."""
        self.events.clear()


class MockTool:
    """A tool that returns what it was told to, and counts its calls.

    >>> import asyncio
    >>> asyncio.run(MockTool("read", output="3 lines").execute({})).output
    '3 lines'
    """

    def __init__(self, name: str = "mock_tool", output: Any = "Success") -> None:
        self.name = name
        self.description = f"Mock tool: {name}"
        self.output = output
        self.execute = AsyncMock(side_effect=self._execute)

    @property
    def call_count(self) -> int:
        """How often it was used."""
        return self.execute.call_count

    async def _execute(self, input: dict[str, Any]) -> ToolResult:
        return ToolResult(success=True, output=self.output)


class MockContextManager:
    """A conversation in memory, whose methods are mocks that work."""

    def __init__(self, messages: Iterable[dict[str, Any]] = ()) -> None:
        self.messages: list[dict[str, Any]] = list(messages)
        self.add_message = AsyncMock(side_effect=self.messages.append)
        self.get_messages = AsyncMock(side_effect=lambda: list(self.messages))
        self.get_messages_for_request = AsyncMock(side_effect=lambda **_: list(self.messages))
        self.clear = AsyncMock(side_effect=self.messages.clear)


class ScriptedOrchestrator:
    """Answers prompts with the given texts, in order, and fires the events of a turn."""

    def __init__(self, responses: Iterable[str]) -> None:
        self.responses = list(responses)
        self.prompts: list[str] = []

    async def execute(
        self, prompt: str, context: Any, providers: Any, tools: Any, hooks: HookRegistry
    ) -> str:
        """Answers one prompt."""
        said = await hooks.emit("prompt:submit", {"prompt": prompt})
        if said.action == "deny":
            return f"Operation denied: {said.reason}"
        self.prompts.append(prompt)
        response = self.responses.pop(0) if self.responses else "DONE"
        await hooks.emit("prompt:complete", {"prompt": prompt, "response": response})
        return response


def create_test_coordinator(**given: Any) -> MockCoordinator:
    """Makes a coordinator for a test."""
    return MockCoordinator(**given)


async def wait_for(
    condition: Callable[[], bool], timeout: float = 1.0, interval: float = 0.01
) -> bool:
    """Waits until a condition holds, and tells whether it did in time."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= end:
            return False
        await asyncio.sleep(interval)
    return True


async def fire(handler: Any, event: str, data: dict[str, Any] | None = None) -> HookResult:
    """Asks one handler as a registry would, and returns what the registry makes of it.

    >>> import asyncio
    >>> async def refuse(event, data):
    ...     return {"action": "deny", "reason": "no"}
    >>> asyncio.run(fire(refuse, "PreToolUse", {"tool_name": "Bash"})).reason
    'no'
    """
    registry = HookRegistry()
    registry.register(event, handler)
    return await registry.emit(event, data)
