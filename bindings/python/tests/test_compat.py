"""The switch that does as Amplifier does."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from anyhook import HookResult, ModuleCoordinator
from anyhook.compat import is_strict, strict
from anyhook.testing import MockCoordinator

pytestmark = pytest.mark.anyio

GIVEN = {"cost": Decimal("1.23"), "at": datetime(2024, 1, 1, 12), "pair": (1, 2)}


async def seen_by_a_handler(registry, given):
    seen = []
    registry.register("cost", lambda e, d: seen.append(dict(d)) or HookResult())
    await registry.emit("cost", given)
    await registry.emit_and_collect("cost", given)
    for data in seen:
        data.pop("timestamp", None)
    return seen


async def test_handlers_see_the_callers_types_unless_the_switch_is_on(registry):
    assert await seen_by_a_handler(registry, GIVEN) == [GIVEN, GIVEN]


async def test_strict_handlers_see_json(registry):
    with strict():
        seen = await seen_by_a_handler(registry, GIVEN)
    assert seen == [{"cost": "1.23", "at": "2024-01-01 12:00:00", "pair": [1, 2]}] * 2


class Model(BaseModel):
    cost: Decimal = Decimal(1)


class Like:
    def model_dump(self):
        return {"cost": Decimal(1)}


@pytest.mark.parametrize("given", [Model(), Like()])
async def test_what_has_a_model_dump_is_data(registry, given):
    assert await seen_by_a_handler(registry, given) == [{"cost": Decimal(1)}] * 2
    with strict():
        assert (await seen_by_a_handler(registry, given))[-1] == {"cost": "1"}


def injected(size):
    return HookResult(action="inject_context", context_injection="x" * size)


def coordinator(**limits):
    return ModuleCoordinator(SimpleNamespace(config={"session": limits}))


async def test_a_text_over_the_limit_is_cut_unless_the_switch_is_on():
    left = await coordinator(injection_size_limit=200).process_hook_result(injected(9_000), "tool:post")
    assert len(left.context_injection.encode()) <= 200
    with strict(), pytest.raises(ValueError, match="exceeds 10 characters: it has 20"):
        await coordinator(injection_size_limit=10).process_hook_result(injected(20), "tool:post")


async def test_strict_counts_characters_where_else_bytes_are_counted():
    spent = []
    said = HookResult(action="inject_context", context_injection="é" * 10)
    for on in (False, True):
        with strict(on):
            one = coordinator(injection_size_limit=20 - 10 * on)
            assert await one.process_hook_result(said, "tool:post") is said
            spent.append(one._current_turn_injections)
    assert spent == [5, 2]


async def test_strict_has_no_limits_of_its_own():
    with strict():
        left = await coordinator().process_hook_result(injected(90_000), "tool:post")
        assert (coordinator().injection_size_limit, coordinator().injection_budget_per_turn) == (None, None)
    assert len(left.context_injection) == 90_000
    assert coordinator().injection_size_limit == 10_240


async def test_strict_shows_no_message_beside_a_question():
    said = HookResult(action="ask_user", approval_prompt="push?", user_message="this is production")
    shown = []
    for on in (False, True):
        with strict(on):
            one = MockCoordinator(approvals=["Allow"])
            await one.process_hook_result(said, "tool:pre")
            shown.append(len(one.messages))
    assert shown == [1, 0]


def test_an_unknown_argument_is_an_error_with_the_name_that_was_meant():
    with pytest.raises(TypeError, match="a HookResult has no `raeson`; did you mean `reason`"):
        HookResult(action="deny", raeson="no")
    with strict():
        assert HookResult(action="deny", raeson="no").reason is None


@pytest.mark.parametrize(
    ("fields", "action"),
    [({"action": "deny"}, "deny"), ({"action": "ask_user"}, "deny"), ({"action": "continue"}, "continue")],
)
async def test_a_handler_that_misspells_an_argument_of_a_refusal_refuses(registry, fields, action):
    async def misspells(event, data):
        return HookResult(**fields, raeson="no")

    registry.register("tool:pre", misspells)
    assert (await registry.emit("tool:pre", {})).action == action


def test_a_subclass_says_itself_what_arguments_it_takes():
    class Scored(HookResult):
        score: int = 0

    class Open(HookResult, extra="allow"):
        pass

    assert (Scored(score=3).score, Open(anything=1).anything) == (3, 1)
    with pytest.raises(TypeError, match="a Scored has no `skore`; did you mean `score`"):
        Scored(skore=3)


def test_the_switch_is_taken_from_the_environment_and_put_back_after_a_block():
    with strict():
        with strict(False):
            assert not is_strict()
        assert is_strict()
    assert not is_strict()
    code = "from anyhook.compat import is_strict; print(is_strict())"
    environment = os.environ | {"ANYHOOK_AMPLIFIER_STRICT": "1"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n"


def test_the_aliases_of_events_are_no_events_of_their_own():
    from anyhook import events

    listed = [name for name in dir(events) if name.isupper() and name != "ALL_EVENTS"]
    assert sorted(getattr(events, name) for name in listed) == sorted(events.ALL_EVENTS)
    assert (events.ERROR_TOOL, events.ERROR_PROVIDER) == ("tool:error", "provider:error")
