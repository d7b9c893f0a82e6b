"""What a type checker says of ordinary code: checked, never run."""

from __future__ import annotations

from typing import Any, assert_type

from anyhook import ApprovalOption, HookRegistry, HookResult, Session
from anyhook._core import Unregister

registry = HookRegistry()


@registry.register(HookRegistry.TOOL_PRE, priority=10, guard=True)
async def no_shell(event: str, data: dict[str, Any]) -> HookResult:
    return HookResult(action="deny", reason="no shell")


def audit(event: str, data: dict[str, Any]) -> HookResult:
    return HookResult()


async def use() -> None:
    assert_type(registry.register("tool:*", audit, matcher="Bash", timeout=1.0), Unregister)
    assert_type(await no_shell("tool:pre", {}), HookResult)
    assert_type(await registry.emit("tool:pre", {"tool_name": "Bash"}), HookResult)
    assert_type(await registry.emit_and_collect("my:vote"), list[Any])
    assert_type(registry.list_handlers(), dict[str, list[str]])
    assert_type((await registry.emit("stop")).reason, str | None)
    async with Session({"session": {}}) as session:
        assert_type(session.coordinator.hooks, HookRegistry)
        assert_type(session.hooks, HookRegistry)
        assert_type(await session.emit("tool:pre", {"tool_name": "Bash"}), HookResult)


registry.register("stop", audit, gaurd=True)  # type: ignore[call-overload]
registry.register("stop", audit, on_fault="shrug")  # type: ignore[call-overload]
HookResult(action="refuse")  # type: ignore[arg-type]
HookResult(action="deny", raeson="no")  # type: ignore[call-arg]
HookResult(action="ask_user", approval_options=["No", ApprovalOption("Push", grants="proceed")])
ApprovalOption("Push", grants="everything")  # type: ignore[arg-type]


def of_one(event: str) -> HookResult:
    return HookResult()


def of_text(event: str, data: str) -> HookResult:
    return HookResult()


async def says_a_number(event: str, data: dict[str, Any]) -> int:
    return 5


registry.register("stop", of_one)  # type: ignore[arg-type]
registry.register("stop", of_text)  # type: ignore[arg-type]
registry.register("stop", says_a_number)  # type: ignore[arg-type]
registry.register("stop", lambda event, data: None)
registry.register("stop", lambda event, data: {"action": "continue"})


@registry.register("stop")  # type: ignore[type-var]
def also_of_one(event: str) -> HookResult:
    return HookResult()
