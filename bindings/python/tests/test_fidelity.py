"""Between Python handlers nothing goes through JSON."""

from __future__ import annotations

import datetime
import decimal
import math
from types import MappingProxyType

import pytest
from pydantic import BaseModel

from anyhook import HookResult

pytestmark = pytest.mark.anyio


class Usage(BaseModel):
    tokens: int = 3


THINGS = {
    "tuple": (1, (2, 3)),
    "decimal": decimal.Decimal("1.10"),
    "datetime": datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC),
    "model": Usage(),
    "nan": math.nan,
    "big": 2**200,
    "surrogate": "\ud800",
    "bytes": b"\xff",
    "set": {1},
    "object": object(),
    "nested": {"usage": Usage(), "list": [object()]},
    "none": None,
}


async def test_every_value_comes_through_as_the_very_same_object(registry):
    seen = []

    async def look(event, data):
        seen.append(dict(data))
        return HookResult(action="modify", data={**data, "step": len(seen)})

    registry.register("tool:pre", look)
    registry.register("tool:pre", look, name="again")
    said = await registry.emit("tool:pre", THINGS)
    for data in [*seen, said.data]:
        assert all(data[key] is value for key, value in THINGS.items())
    assert said.data["step"] == 2


async def test_key_order_is_the_callers_and_then_that_of_whoever_rewrote(registry):
    orders = []

    async def look(event, data):
        orders.append([key for key in data if key != "timestamp"])
        return HookResult()

    async def reverse(event, data):
        return HookResult(action="modify", data=dict(reversed(data.items())))

    async def front(event, data):
        return HookResult(action="modify", data={"new": 1, **data})

    for at, handler in enumerate([look, front, look, reverse, look]):
        registry.register("tool:pre", handler, name=f"{handler.__name__}{at}")
    said = await registry.emit("tool:pre", {"z": 1, "a": 2, "m": 3})
    assert orders == [["z", "a", "m"], ["new", "z", "a", "m"], ["m", "a", "z", "new"]]
    assert [key for key in said.data if key != "timestamp"] == ["m", "a", "z", "new"]


async def test_a_modify_chains_and_survives_an_injection_and_a_question(registry):
    async def redact(event, data):
        return HookResult(action="modify", data={**data, "tool_input": {"body": "[REDACTED]"}})

    async def tell(event, data):
        assert data["tool_input"] == {"body": "[REDACTED]"}
        return HookResult(action="inject_context", context_injection="redacted")

    async def ask(event, data):
        return HookResult(action="ask_user", approval_prompt="send?")

    registry.register("tool:pre", redact)
    registry.register("tool:pre", tell)
    said = await registry.emit("tool:pre", {"tool_input": {"body": "secret"}})
    assert (said.action, said.data["tool_input"]) == ("inject_context", {"body": "[REDACTED]"})
    registry.register("tool:pre", ask)
    said = await registry.emit("tool:pre", {"tool_input": {"body": "secret"}})
    assert (said.action, said.data["tool_input"]) == ("ask_user", {"body": "[REDACTED]"})


async def test_a_modify_says_continue_and_an_empty_one_takes_every_field_away(registry):
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={}))
    said = await registry.emit("tool:pre", {"tool_name": "Read", "draft": 1})
    assert (said.action, list(said.data)) == ("continue", ["timestamp"])


async def test_a_modify_without_data_changes_nothing(registry):
    registry.register("tool:pre", lambda e, d: HookResult(action="modify"))
    said = await registry.emit("tool:pre", {"tool_name": "Read"})
    assert said.data["tool_name"] == "Read"


async def test_d6_infrastructure_cannot_be_rewritten(registry):
    seen = []
    registry.set_default_fields(session_id="s1")
    forged = {"session_id": "s2", "timestamp": "yesterday"}
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={**d, **forged}))
    registry.register("tool:pre", lambda e, d: seen.append(dict(d)) or HookResult())
    said = await registry.emit("tool:pre", {"timestamp": "the caller's"})
    assert said.data["session_id"] == "s1" and said.data["timestamp"].endswith("+00:00")
    assert seen == [said.data]


async def test_each_handler_has_a_shallow_copy_of_its_own(registry):
    nested = {"list": []}
    seen = []

    async def scribble(event, data):
        data["scribble"] = True
        del data["tool_name"]
        data["nested"]["list"].append("shared")
        return HookResult()

    registry.register("tool:pre", scribble)
    registry.register("tool:pre", lambda e, d: seen.append(dict(d)) or HookResult())
    given = {"tool_name": "Read", "nested": nested}
    said = await registry.emit("tool:pre", given)
    assert seen[0]["tool_name"] == "Read" and "scribble" not in seen[0]
    assert said.data["nested"] is nested and nested == {"list": ["shared"]}
    assert given.keys() == {"tool_name", "nested"}, "the caller's mapping is never written to"


@pytest.mark.parametrize(
    ("given", "fields"),
    [(None, {}), (MappingProxyType({"a": 1}), {"a": 1}), (Usage(), {"tokens": 3})],
)
async def test_any_mapping_a_model_or_nothing_is_data(registry, given, fields):
    registry.register("tool:pre", lambda e, d: HookResult())
    said = await registry.emit("tool:pre", given)
    said.data.pop("timestamp")
    assert said.data == fields


@pytest.mark.parametrize("given", [5, "text", [1], object()])
async def test_what_is_no_mapping_is_an_error_when_awaited(registry, given):
    emitted = registry.emit("tool:pre", given)
    with pytest.raises(TypeError, match="an event's data is a mapping"):
        await emitted


async def test_keys_that_are_no_text_reach_the_handlers(registry):
    seen = []
    registry.register("tool:pre", lambda e, d: seen.append(set(d)) or HookResult())
    said = await registry.emit("tool:pre", {1: "one", (1, 2): "two"})
    assert seen == [{1, (1, 2), "timestamp"}]
    assert said.data[1] == "one"


async def test_a_handlers_view_pickles_and_encodes_as_a_dict(registry):
    import copy
    import json
    import pickle

    seen = []
    registry.register("tool:pre", lambda e, d: seen.append(d) or HookResult())
    await registry.emit("tool:pre", {"tool_name": "Read"})
    (view,) = seen
    for made in (pickle.loads(pickle.dumps(view)), copy.copy(view), json.loads(json.dumps(view))):
        assert type(made) is dict and made == view


async def test_the_json_copy_is_made_only_for_hooks_of_another_process(registry, monkeypatch):
    class Loud:
        shown = 0

        def __str__(self):
            Loud.shown += 1
            return "loud"

    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={**d, "x": 1}))
    registry.register("tool:pre", lambda e, d: HookResult(action="deny", data={"loud": d["loud"]}))
    await registry.emit("tool:pre", {"loud": Loud()})
    assert Loud.shown == 0
