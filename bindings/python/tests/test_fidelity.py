"""Between Python handlers nothing goes through JSON."""

from __future__ import annotations

import datetime
import decimal
import math
from types import MappingProxyType

import pytest
from pydantic import BaseModel

from anyhook import HookResult, load_manifest

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


CHANGEABLE = {"model", "set", "nested"}


async def test_every_value_comes_through_and_what_cannot_be_changed_is_the_very_same_object(registry):
    seen = []

    async def look(event, data):
        seen.append(dict(data))
        return HookResult(action="modify", data={**data, "step": len(seen)})

    registry.register("tool:pre", look)
    registry.register("tool:pre", look, name="again")
    said = await registry.emit("tool:pre", THINGS)
    assert all(said.data[key] is value for key, value in THINGS.items())
    for data in seen:
        assert all(data[key] is value for key, value in THINGS.items() if key not in CHANGEABLE)
        assert all(type(data[key]) is type(THINGS[key]) for key in CHANGEABLE)
        assert {key: data[key] for key in CHANGEABLE} == {key: THINGS[key] for key in CHANGEABLE}
        assert data["nested"]["list"][0] is THINGS["nested"]["list"][0], "a live object is everybody's"
    assert said.data["step"] == 2


async def test_key_order_is_the_callers_and_then_that_of_the_handler_that_rewrote(registry):
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


async def test_infrastructure_cannot_be_rewritten(registry):
    seen = []
    registry.set_default_fields(session_id="s1")
    forged = {"session_id": "s2", "timestamp": "yesterday"}
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={**d, **forged}))
    registry.register("tool:pre", lambda e, d: seen.append(dict(d)) or HookResult())
    said = await registry.emit("tool:pre", {"timestamp": "the caller's"})
    assert said.data["session_id"] == "s1" and said.data["timestamp"].endswith("+00:00")
    assert seen == [said.data]


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


async def test_data_that_contains_itself_many_times_reaches_a_hook_of_another_process(registry, tmp_path):
    file = tmp_path / "hooks.json"
    file.write_text(
        '{"version": 1, "hooks": {"pre-tool-use": [{"hooks": ['
        '{"type": "rule", "when": "tool_name == \'Bash\'", "then": {"deny": "frozen"}}]}]}}'
    )
    load_manifest(file, registry)
    nodes = [{"at": at} for at in range(4)]
    for node in nodes:
        node["all"] = nodes
    said = await registry.emit("tool:pre", {"tool_name": "Bash", "tool_input": {}, "nodes": nodes})
    assert said.action == "deny"



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
