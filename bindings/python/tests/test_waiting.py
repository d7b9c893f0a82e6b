"""Who answers late is refused, on every event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import time
import warnings

import pytest

from anyhook import HookRegistry, HookResult
from anyhook.testing import MockCoordinator


class Slow:
    """An approver that says yes too late."""

    def __init__(self, takes, answer="Allow"):
        self.takes, self.answer = takes, answer

    def request_approval(self, prompt, options, timeout, default):
        time.sleep(self.takes)
        return self.answer


class Blocking(Slow):
    """The same with an async method, which holds the event loop up."""

    async def request_approval(self, prompt, options, timeout, default):
        time.sleep(self.takes)
        return self.answer


class Patient(Slow):
    """The same, waiting as it should."""

    async def request_approval(self, prompt, options, timeout, default):
        await asyncio.sleep(self.takes)
        return self.answer


async def asked(approver, timeout, default="deny"):
    coordinator, heard = MockCoordinator(), []
    coordinator.approval_system = approver
    coordinator.hooks.register("approval:*", lambda e, d: heard.append(e) or HookResult())
    said = HookResult(
        action="ask_user", approval_prompt="push?", approval_timeout=timeout, approval_default=default
    )
    began = time.monotonic()
    result = await coordinator.process_hook_result(said, "tool:pre")
    took = time.monotonic() - began
    await asyncio.sleep(approver.takes + 0.1)
    return result, took, heard


@pytest.mark.parametrize("kind", [Slow, Blocking, Patient])
def test_an_approval_that_comes_too_late_is_refused_and_never_granted_afterwards(kind):
    result, _, heard = asyncio.run(asked(kind(0.3), 0.05))
    assert (result.action, result.reason) == (
        "deny", "Approval timeout: denied by default: push?"
    )
    assert heard == ["approval:required", "approval:decision", "approval:timeout", "approval:denied"]


@pytest.mark.parametrize("default", ["deny", "allow"])
def test_an_approver_that_fails_was_not_too_late(default):
    class Broken(Slow):
        def request_approval(self, prompt, options, timeout, default):
            raise OSError("no screen")

    _, _, heard = asyncio.run(asked(Broken(0.0), 30, default))
    last = "approval:granted" if default == "allow" else "approval:denied"
    assert heard == ["approval:required", "approval:decision", last]


@pytest.mark.parametrize("kind", [Slow, Blocking, Patient])
def test_an_approval_in_time_is_granted(kind):
    assert asyncio.run(asked(kind(0.0), 30))[0].action == "continue"


def test_an_approver_that_is_not_async_does_not_hold_the_loop_up():
    result, took, _ = asyncio.run(asked(Slow(1.5), 0.05))
    assert result.action == "deny" and took < 1.2


def test_a_program_does_not_wait_for_an_approver_that_never_answers():
    code = """
    import asyncio, threading
    from anyhook import HookResult, ModuleCoordinator

    class Never:
        def request_approval(self, *question):
            threading.Event().wait()

    said = HookResult(action="ask_user", approval_prompt="push?", approval_timeout=0.05)
    coordinator = ModuleCoordinator(None, Never())
    print(asyncio.run(coordinator.process_hook_result(said, "tool:pre")).action)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "deny\n"


TRIO = """
import sys
sys.modules["anyio"] = None  # It is not installed.
import time, trio, warnings
warnings.simplefilter("error")
from anyhook import HookRegistry, HookResult, ModuleCoordinator

async def main():
    registry = HookRegistry()
    async def quick(event, data):
        await trio.sleep(0)
        return HookResult(data={"vote": "aye"})
    async def slow(event, data):
        await trio.sleep(60)
    registry.register("vote", quick)
    registry.register("vote", slow, timeout=0.05)
    print(await registry.emit_and_collect("vote", {}))
    print((await registry.emit("vote", {})).action)
    coordinator = ModuleCoordinator()
    class Approver:
        def request_approval(self, *question):
            time.sleep(takes)
            return "Allow"
    coordinator.approval_system = Approver()
    said = HookResult(action="ask_user", approval_prompt="push?", approval_timeout=0.5)
    for takes in (0, 2):
        print((await coordinator.process_hook_result(said, "tool:pre")).action)

trio.run(main)
"""


def test_trio_needs_no_anyio():
    pytest.importorskip("trio")
    ran = subprocess.run([sys.executable, "-c", TRIO], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines() == ["[{'vote': 'aye'}]", "continue", "continue", "deny"], ran.stderr
    assert "never awaited" not in ran.stderr


def test_a_handler_that_is_too_slow_is_told_in_one_line(caplog):
    registry = HookRegistry()

    async def slow(event, data):
        await asyncio.sleep(60)

    registry.register("vote", slow)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asyncio.run(registry.emit_and_collect("vote", {}, 0.05)) == []
    (record,) = caplog.records
    assert record.getMessage() == "hook handler `slow` failed for `vote`: no answer within 0.05 seconds"
    assert record.exc_info is None
