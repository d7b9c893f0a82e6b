"""What a handler changes in place is seen by that handler only."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import json
from collections import OrderedDict, defaultdict, deque
from types import MappingProxyType, SimpleNamespace

import pytest
from pydantic import BaseModel, ConfigDict

from anyhook import HookResult

pytestmark = pytest.mark.anyio

SAFE = {"command": "ls"}
DANGEROUS = "rm -rf /"
MANY = [{"role": "user", "parts": [{"text": str(at)}]} for at in range(500)]


def command_of(data):
    return data["tool_input"]["command"]


class Watching:
    """A guard that refuses the dangerous command, and keeps what it saw."""

    def __init__(self):
        self.seen = []

    def __call__(self, event, data):
        self.seen.append(command_of(data))
        if command_of(data) == DANGEROUS:
            return HookResult(action="deny", reason="never")
        return HookResult()


def scribbles(event, data):
    data["tool_input"]["command"] = DANGEROUS
    return HookResult()


async def scribbles_and_waits(event, data):
    held = data["tool_input"]
    await asyncio.sleep(0)
    held["command"] = DANGEROUS
    await asyncio.sleep(0)


def scribbles_and_fails(event, data):
    data["tool_input"]["command"] = DANGEROUS
    raise RuntimeError("the handler broke")


def scribbles_and_injects(event, data):
    data["tool_input"]["command"] = DANGEROUS
    return HookResult(action="inject_context", context_injection="read this")


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize(
    "handler", [scribbles, scribbles_and_waits, scribbles_and_fails, scribbles_and_injects]
)
async def test_what_a_handler_writes_in_place_has_no_effect(registry, handler, guarded):
    before, after = Watching(), Watching()
    registry.register("tool:pre", before, priority=1, guard=guarded)
    registry.register("tool:pre", handler, priority=5)
    registry.register("tool:pre", after, priority=9)
    given = {"tool_name": "Bash", "tool_input": dict(SAFE)}
    said = await registry.emit("tool:pre", given)
    assert (command_of(said.data), said.action != "deny") == ("ls", True)
    assert (before.seen, after.seen) == (["ls"], ["ls"])
    assert given == {"tool_name": "Bash", "tool_input": SAFE}


@pytest.mark.parametrize("how", ["the view", "a copy", "the nested value"])
async def test_a_guard_is_asked_again_about_what_was_written_in_place_and_then_said(registry, how):
    def says(event, data):
        data["tool_input"]["command"] = DANGEROUS
        told = {"the view": data, "a copy": dict(data), "the nested value": {**data, "n": 1}}
        return HookResult(action="modify", data=told[how])

    guard = Watching()
    registry.register("tool:pre", guard, priority=1, guard=True)
    registry.register("tool:pre", says, priority=5)
    given = {"tool_name": "Bash", "tool_input": dict(SAFE)}
    said = await registry.emit("tool:pre", given)
    assert (said.action, guard.seen, given["tool_input"]) == ("deny", ["ls", DANGEROUS], SAFE)


async def test_what_a_handler_keeps_of_its_answer_cannot_be_changed_after_the_guard_has_judged_it(registry):
    kept = {"command": "ls -l"}

    async def late(event, data):
        kept["command"] = DANGEROUS
        return HookResult()

    registry.register("tool:pre", Watching(), priority=1, guard=True)
    says = HookResult(action="modify", data={"tool_name": "Bash", "tool_input": kept})
    registry.register("tool:pre", lambda event, data: says, priority=5, name="says")
    registry.register("tool:pre", late, priority=9)
    said = await registry.emit("tool:pre", {"tool_name": "Bash", "tool_input": dict(SAFE)})
    assert command_of(said.data) == "ls -l"


@dataclasses.dataclass
class Call:
    command: str
    options: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    options: list[str]


class Model(BaseModel):
    model_config = ConfigDict(extra="allow")
    options: list[str]


VALUES = {
    "a list": (["a"], lambda value: value.append("b")),
    "a list in a tuple": ((["a"],), lambda value: value[0].append("b")),
    "a set": ({"a"}, lambda value: value.add("b")),
    "bytes": (bytearray(b"a"), lambda value: value.extend(b"b")),
    "a deque": (deque([["a"]]), lambda value: value[0].append("b")),
    "a default dict": (defaultdict(list, a=["a"]), lambda value: value["a"].append("b")),
    "an ordered dict": (OrderedDict(a={"b": 1}), lambda value: value["a"].clear()),
    "a read-only mapping": (MappingProxyType({"a": ["a"]}), lambda value: value["a"].append("b")),
    "a dataclass": (Call("ls", ["a"]), lambda value: value.options.append("b")),
    "a field of one": (Call("ls", ["a"]), lambda value: setattr(value, "command", "b")),
    "a frozen one": (Frozen(["a"]), lambda value: value.options.append("b")),
    "a model": (Model(options=["a"]), lambda value: value.options.append("b")),
    "its extra field": (Model(options=[], more=["a"]), lambda value: value.more.append("b")),
    "a namespace": (SimpleNamespace(a=["a"]), lambda value: value.a.append("b")),
    "a large list": (copy.deepcopy(MANY), lambda value: value[0]["parts"][0].clear()),
}


@pytest.mark.parametrize("place", ["a field", "inside"])
@pytest.mark.parametrize("kind", VALUES)
async def test_every_kind_of_data_is_a_copy_for_each_handler(registry, kind, place):
    value, change = VALUES[kind]
    untouched, seen = copy.deepcopy(value if kind != "a read-only mapping" else dict(value)), []

    def find(data):
        return data["at"] if place == "a field" else data["at"]["x"][0]

    def changes(event, data):
        change(find(data))
        return HookResult()

    def looks(event, data):
        seen.append(find(data))
        return HookResult()

    registry.register("tool:pre", changes, name="first")
    registry.register("tool:pre", looks)
    given = {"at": value if place == "a field" else {"x": [value]}}
    said = await registry.emit("tool:pre", given)
    for found in (seen[0], find(said.data), find(given)):
        assert found == untouched
    assert find(said.data) is value, "a value without a rewrite is the caller's own"


def _through_json(data):
    return json.loads(json.dumps(data))


READS = {
    "by key": lambda data: data["messages"],
    "get": lambda data: data.get("messages"),
    "items": lambda data: dict(data.items())["messages"],
    "values": lambda data: next(value for value in data.values() if isinstance(value, list)),
    "dict": lambda data: dict(data)["messages"],
    "splat": lambda data: {**data}["messages"],
    "call": lambda data: (lambda **fields: fields)(**data)["messages"],
    "copy": lambda data: data.copy()["messages"],
    "copy.copy": lambda data: copy.copy(data)["messages"],
    "deepcopy": lambda data: copy.deepcopy(data)["messages"],
    "or": lambda data: (data | {})["messages"],
    "ror": lambda data: ({} | data)["messages"],
    "pop": lambda data: data.pop("messages"),
    "setdefault": lambda data: data.setdefault("messages", []),
    "update": lambda data: _updated(data)["messages"],
    "a result": lambda data: HookResult(data=data).data["messages"],
    "json": lambda data: _through_json(data)["messages"],
}


def _updated(data):
    made = {}
    made.update(data)
    return made


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("how", READS)
async def test_a_large_field_is_a_copy_however_it_is_read(registry, how, guarded):
    messages, seen = copy.deepcopy(MANY), []

    def scribbles(event, data):
        read = READS[how](data)
        assert read == MANY
        read[0]["parts"][0]["text"] = read[1]["role"] = "forged"
        read.pop()
        return HookResult()

    registry.register("provider:request", scribbles, name="first")
    registry.register("provider:request", lambda e, d: seen.append(d["messages"]) or HookResult())
    if guarded:
        registry.register("tool:pre", lambda e, d: HookResult(), guard=True)
    said = await registry.emit("provider:request", {"messages": messages})
    assert said.data["messages"] is messages and messages == MANY and seen == [MANY]


async def test_a_large_field_that_is_said_again_unchanged_is_no_rewrite(registry):
    registry.register("provider:request", lambda e, d: HookResult(action="modify", data=d))
    registry.register("provider:request", lambda e, d: HookResult(action="modify", data={**d, "n": 1}))
    messages = copy.deepcopy(MANY)
    said = await registry.emit("provider:request", {"messages": messages})
    assert said.data["messages"] is messages and said.data["n"] == 1


@pytest.mark.parametrize("guarded", [True, False])
async def test_data_that_contains_itself_many_times_is_copied_as_it_is(registry, guarded):
    nodes = [{"at": at} for at in range(50)]
    for node in nodes:
        node["all"] = nodes

    def scribbles(event, data):
        for node in data["nodes"]:
            assert node["all"] is data["nodes"]
            node["at"] = "forged"
        return HookResult(action="modify", data={**data, "n": 1})

    registry.register("tool:pre", scribbles, guard=guarded)
    said = await registry.emit("tool:pre", {"nodes": nodes})
    assert [node["at"] for node in nodes] == list(range(50))
    assert said.data["nodes"][0]["at"] == "forged"


async def test_data_that_contains_itself_is_copied_with_its_circle(registry):
    circle = {"tool_input": {"command": "ls"}}
    circle["tool_input"]["up"] = circle

    def scribbles(event, data):
        inside = data["tool_input"]
        assert inside["up"]["tool_input"]["up"] is inside["up"]
        inside["command"] = inside["up"]["tool_input"]["command"] = DANGEROUS
        return HookResult()

    registry.register("tool:pre", scribbles)
    said = await registry.emit("tool:pre", circle)
    assert command_of(said.data) == command_of(circle) == "ls"


async def test_a_handler_that_keeps_its_copy_keeps_it_from_the_next(registry):
    kept = []

    def keeps(event, data):
        kept.append(data["tool_input"])
        return HookResult()

    for name in ("one", "two", "three"):
        registry.register("tool:pre", keeps, name=name)
    await registry.emit("tool:pre", {"tool_input": {"command": "ls"}})
    kept[0]["command"] = DANGEROUS
    assert [one["command"] for one in kept] == [DANGEROUS, "ls", "ls"]


async def test_the_fields_of_a_registry_are_copies_as_well(registry):
    config = {"limits": {"depth": 1}}
    registry.set_default_fields(config=config)

    def scribbles(event, data):
        data["config"]["limits"]["depth"] = 99
        return HookResult()

    registry.register("tool:pre", scribbles)
    said = await registry.emit("tool:pre", {})
    assert said.data["config"] == config == {"limits": {"depth": 1}}


async def test_collected_handlers_are_kept_apart_too(registry):
    def reads(event, data):
        found = command_of(data)
        data["tool_input"]["command"] = DANGEROUS
        return HookResult(data={"found": found})

    registry.register("vote", reads, name="one")
    registry.register("vote", reads, name="two")
    given = {"tool_input": dict(SAFE)}
    assert await registry.emit_and_collect("vote", given) == [{"found": "ls"}] * 2
    assert given["tool_input"] == SAFE
