"""Every block of Python of the three seed documents is run as it is written, and has the effect that it shows."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import seed_stubs
from pydantic import TypeAdapter, ValidationError

import anyhook.amplifier  # noqa: F401

SEEDS = Path(os.environ.get("ANYHOOK_SEEDS") or Path(__file__).parents[4] / "shared" / "seeds")
TOP = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
RUNNABLE = {"000": 19, "001": 8, "002": 11}
SIGNATURES = {"000": 7, "001": 1, "002": 0}

CHECKS: dict[tuple[str, int], Any] = {}


def effect(seed: str, at: int):
    """Says what a block has to have done: block ``at`` of the document's fenced blocks."""

    def keep(check):
        assert (seed, at) not in CHECKS
        CHECKS[seed, at] = check
        return check

    return keep


def blocks(seed: str) -> dict[int, tuple[str, str]]:
    (file,) = SEEDS.glob(f"{seed}_*.txt")
    found = FENCE.findall(file.read_text(encoding="utf-8"))
    return dict(enumerate(found))


def compiled(source: str):
    """Compiles a block: a module with await in it, or the body of a handler. A bare signature is neither."""
    try:
        return compile(source, "<seed>", "exec", flags=TOP, dont_inherit=True)
    except SyntaxError:
        body = "async def body():\n" + textwrap.indent(source, "    ")
        try:
            return compile(body, "<seed>", "exec", dont_inherit=True)
        except SyntaxError:
            return None


class Ran:
    """A block that was run: its names, and what it registered."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def __getattr__(self, name: str) -> Any:
        return self.names[name]

    async def ask(self, handler: str, event: str, data: dict[str, Any]) -> Any:
        """Offers an event to a registry where a handler of the block is registered."""
        registry = self.names["HookRegistry"]()
        registry.register(event, self.names[handler])
        return await registry.emit(event, data)


async def run(seed: str, at: int, **given: Any) -> Ran:
    """Runs the blocks of a document up to one, each with the names of those before it, as a reader would."""
    from amplifier_core.coordinator import ModuleCoordinator
    from amplifier_core.hooks import HookRegistry
    from amplifier_core.models import HookResult

    names: dict[str, Any] = {k: v for k, v in vars(seed_stubs).items() if not k.startswith("__")}
    names |= {"HookRegistry": HookRegistry, "HookResult": HookResult}
    names |= {"ModuleCoordinator": ModuleCoordinator, "coordinator": ModuleCoordinator()}
    names |= {"registry": HookRegistry()}
    names |= DEFINED.get((seed, at), {})
    for helper in NEEDS.get((seed, at), ()):
        exec(compiled(blocks(seed)[helper][1]), names)
    names |= given
    code = compiled(blocks(seed)[at][1])
    assert code is not None, f"{seed}#{at} is no code"
    result = eval(code, names)
    if inspect.iscoroutine(result):
        await result
    return Ran(names)


# Where a block uses what an earlier one defined.
NEEDS = {("001", 8): (2,), ("002", 11): (2,)}
DEFINED: dict[tuple[str, int], dict[str, Any]] = {}

TOOL = {"tool_name": "Write", "tool_input": {"file_path": "/srv/production/app.py"}}


@effect("000", 0)
async def _(seed, at):
    ran = await run(seed, at)
    assert ran.registry.list_handlers("tool:post") == {"tool:post": ["my_hook"]}


@effect("000", 1)
async def _(seed, at, capsys):
    ran = await run(seed, at)
    assert ran.result.action == "continue"
    assert capsys.readouterr().out == "Tool executed: calculator\n"


@effect("000", 3)
async def _(seed, at):
    ran = await run(seed, at)
    assert ran.registry.list_handlers("tool:pre") == {"tool:pre": []}
    said = await ran.ask("security_check", "tool:pre", {"tool_name": "dangerous_tool"})
    assert (said.action, said.reason) == ("deny", "Tool blocked by security policy")


@effect("000", 5)
async def _(seed, at):
    ran = await run(seed, at)
    assert [one.priority for one in ran.registry.handlers["session:start"]] == [5]


@effect("000", 7)
async def _(seed, at):
    from amplifier_core.hooks import HookRegistry
    from amplifier_core.testing import EventRecorder

    registry, recorder = HookRegistry(), EventRecorder()
    registry.register("tool:pre", recorder.record)
    await run(seed, at, registry=registry)
    ((_, data),) = recorder.events
    assert data.pop("timestamp").endswith("+00:00")
    told = {"session_id": "sess_123", "user_id": "user_456", "environment": "production"}
    assert data == told | {"tool_name": "calculator"}


@effect("000", 9)
async def _(seed, at, capsys):
    from amplifier_core.hooks import HookRegistry
    from amplifier_core.models import HookResult

    registry = HookRegistry()

    async def refuse(event, data):
        return HookResult(action="deny", reason=f"{data['file_path']} is private")

    registry.register("tool:post", refuse)
    await run(seed, at, registry=registry)
    assert capsys.readouterr().out == "Operation blocked: /tmp/data.txt is private\n"


@effect("000", 11)
async def _(seed, at):
    from amplifier_core.hooks import HookRegistry
    from amplifier_core.models import HookResult

    registry = HookRegistry()
    for tool, confidence in (("weather_api", 0.9), ("web_search", 0.3)):

        async def suggest(event, data, tool=tool, confidence=confidence):
            assert tool in data["available_tools"]
            return HookResult(data={"tool": tool, "confidence": confidence})

        registry.register("decision:tool_resolution", suggest)
    ran = await run(seed, at, registry=registry)
    assert ran.tool_scores == {"weather_api": 0.9, "web_search": 0.3}


@effect("000", 13)
async def _(seed, at):
    from amplifier_core.hooks import HookRegistry

    registry = HookRegistry()
    registered = [("tool:pre", 2, "validator"), ("tool:pre", 1, "security")]
    registered += [("tool:post", 1, "audit"), ("tool:post", 2, "metrics")]
    for event, priority, name in registered:
        registry.register(event, seed_stubs.my_handler, priority=priority, name=name)
    ran = await run(seed, at, registry=registry)
    pre = {"tool:pre": ["security", "validator"]}
    assert (ran.all_handlers, ran.tool_handlers) == (pre | {"tool:post": ["audit", "metrics"]}, pre)


@effect("000", 14)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.registry.emit("tool:pre", {"tool_name": "dangerous_tool"})
    assert (said.action, said.reason) == ("deny", "Tool not allowed")
    replies = await ran.registry.emit_and_collect("decision:tool_resolution", {})
    assert replies == [{"recommended_tool": "calculator"}]
    assert inspect.iscoroutinefunction(ran.validate_tool), "the decorator returns the function"


@effect("000", 16)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("security_validator", "tool:pre", {"tool_name": "rm"})
    assert said.reason == "Tool rm blocked by security policy"
    said = await ran.ask("security_validator", "tool:pre", {"tool_name": "ls"})
    assert said.data["security_validated"] is True


@effect("000", 17)
async def _(seed, at):
    ran = await run(seed, at)
    assert ran.modified_data == {"tool_name": "Write", "validated": True}
    assert ran.result.context_injection == "Security scan completed successfully"


@effect("000", 18)
async def _(seed, at):
    ran = await run(seed, at)
    for tool_name, linter_errors, action in (
        ("rm", [], "deny"),
        ("ls", ["E501"], "inject_context"),
        ("ls", [], "continue"),
    ):
        ran.names |= {"tool_name": tool_name, "linter_errors": linter_errors}
        assert (await ran.body()).action == action


@effect("000", 19)
async def _(seed, at, caplog):
    ran = await run(seed, at)
    with caplog.at_level("INFO"):
        await ran.ask("audit_hook", "tool:post", {"tool_name": "Write", "tool_result": {"success": True}})
    assert caplog.messages == ["Tool completed: Write (success=True)"]


@effect("000", 20)
async def _(seed, at):
    ran = await run(seed, at)
    data = {"tool_name": "Write", "tool_input": {"file_path": "/etc/passwd"}}
    said = await ran.ask("security_hook", "tool:pre", data)
    assert said.reason == "Access denied: /etc/passwd is in a protected directory"


@effect("000", 21)
async def _(seed, at):
    ran = await run(seed, at)
    data = {"tool_name": "SendEmail", "tool_input": {"body": "1234-5678-9012-3456", "to": "x"}}
    said = await ran.ask("sanitize_hook", "tool:pre", data)
    assert said.data["tool_input"] == {"body": "[REDACTED]", "to": "x"}
    assert data["tool_input"]["body"] == "1234-5678-9012-3456", "the caller's data is its own"


@effect("000", 22)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("linter_hook", "tool:post", TOOL)
    assert said.context_injection.endswith("E501 in /srv/production/app.py")
    assert (said.user_message, said.user_message_level) == ("Found linting issues", "warning")


@effect("000", 23)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("todo_hook", "tool:pre", TOOL)
    assert (said.context_injection, said.ephemeral) == ("Current todos:\n- write the tests", True)


@effect("000", 24)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("production_guard_hook", "tool:pre", TOOL)
    assert said.approval_prompt == "Allow write to production file: /srv/production/app.py?"
    assert said.approval_options == ["Allow once", "Allow always", "Deny"]


@effect("000", 25)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("progress_hook", "tool:post", {"files_processed": 3})
    assert (said.user_message, said.suppress_output) == ("Processed 3 files successfully", True)


@effect("001", 0)
async def _(seed, at):
    from amplifier_core.models import HookResult as ours

    theirs = (await run(seed, at)).HookResult
    assert theirs is not ours, "the block defines the class"
    for name, field in theirs.model_fields.items():
        mine = ours.model_fields[name]
        if name == "approval_options":
            # An option may also say what it grants: what the seed takes is taken alike, and what it refuses is refused.
            both = [TypeAdapter(one.annotation) for one in (mine, field)]
            for given in (None, [], ["Publish", "No"]):
                assert both[0].validate_python(given) == both[1].validate_python(given)
            for given in ([7], "Publish", [None], 7):
                for one in both:
                    with pytest.raises(ValidationError):
                        one.validate_python(given)
        else:
            assert mine.annotation == field.annotation
        if not field.is_required():
            assert mine.get_default() == field.get_default()


@effect("001", 2)
async def _(seed, at):
    ran = await run(seed, at)
    (one,) = ran.registry.handlers["tool:post"]
    assert (one.name, one.priority) == ("linter_feedback", 10)
    said = await ran.registry.emit("tool:post", TOOL)
    assert said.user_message == "Found linting issues in /srv/production/app.py"


@effect("001", 3)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("validation_hook", "tool:post", {"tool_result": {"errors": ["a", "b"]}})
    assert said.context_injection == "Validation errors:\na\nb"


@effect("001", 4)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("production_protection_hook", "tool:pre", TOOL)
    assert (said.action, said.reason) == (
        "ask_user",
        "Production file requires explicit user approval",
    )


@effect("001", 5)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("progress_hook", "tool:post", {"files_processed": 2})
    assert (said.action, said.user_message) == ("continue", "Processed 2 files")


@effect("001", 6)
async def _(seed, at):
    ran = await run(seed, at)
    grave = {"issues": {"critical": ["no tests"], "warnings": []}}
    said = await ran.ask("comprehensive_hook", "tool:post", grave)
    assert said.context_injection == "Critical issues:\nno tests"
    light = {"issues": {"critical": [], "warnings": ["long"]}}
    said = await ran.ask("comprehensive_hook", "tool:post", light)
    assert (said.action, said.user_message) == ("continue", "Found 1 warnings")


@effect("001", 7)
async def _(seed, at):
    ran = await run(seed, at)
    said = await ran.ask("safe_hook", "tool:post", {"issues": "two"})
    assert said.context_injection == "Issues found: two"
    said = await ran.ask("safe_hook", "tool:post", {})
    assert (said.action, said.user_message_level) == ("continue", "error")


@effect("001", 8)
async def _(seed, at):
    ran = await run(seed, at)
    await ran.test_linter_hook()
    assert [mark.name for mark in ran.test_linter_hook.pytestmark] == ["asyncio"]


@effect("002", 0)
async def _(seed, at):
    from amplifier_core.interfaces import HookHandler

    ran = await run(seed, at)
    assert isinstance(seed_stubs.my_handler, ran.HookHandler)
    theirs = inspect.signature(ran.HookHandler.__call__)
    assert list(theirs.parameters) == list(inspect.signature(HookHandler.__call__).parameters)


@effect("002", 1)
async def _(seed, at):
    from amplifier_core import models

    made = []

    def keep(**fields):
        made.append(models.HookResult(**fields))

    await run(seed, at)
    source = blocks(seed)[at][1].split("\n", 1)[1]
    exec(source, {"HookResult": keep})
    actions = [one.action for one in made]
    assert actions == ["continue", "deny", "inject_context", "ask_user"]


@effect("002", 2)
async def _(seed, at):
    ran = await run(seed, at)
    cleanup = await ran.mount(ran.coordinator, {})
    names = ran.coordinator.hooks.list_handlers()
    assert names == {"tool:pre": ["my_validation_hook"], "tool:post": ["my_validation_hook"]}
    cleanup()
    assert not ran.coordinator.hooks.handlers


@effect("002", 4)
async def _(seed, at):
    ran = await run(seed, at)
    assert ran.registry is ran.coordinator.hooks
    assert ran.registry.list_handlers("tool:post") == {"tool:post": ["my_handler"]}


@effect("002", 6)
async def _(seed, at):
    from amplifier_core.testing import EventRecorder

    ran, recorder = await run(seed, at), EventRecorder()
    ran.registry.register("my-hook:debug", recorder.record)
    ran.registry.register("tool:pre", ran.my_handler)
    said = await ran.registry.emit("tool:pre", {"tool_name": "Write"})
    ((_, data),) = recorder.events
    assert (data["event"], data["details"]) == ("tool:pre", "Processing...")
    assert "hooks" not in said.data


@effect("002", 7)
async def _(seed, at):
    ran = await run(seed, at)
    given = await ran.coordinator.collect_contributions("observability.events")
    assert given == [["my-hook:validation_failed", "my-hook:approved"]]


@effect("002", 8)
async def _(seed, at):
    ran = await run(seed, at)
    assert await ran.mount(ran.coordinator, {"blocked_paths": ["/srv"]}) is None
    data = {"tool_name": "write_file", "tool_input": {"file_path": "/srv/app.py"}}
    said = await ran.coordinator.hooks.emit("tool:pre", data)
    assert (said.action, said.reason) == ("deny", "Access to /srv is not allowed")


@effect("002", 9)
async def _(seed, at):
    ran = await run(seed, at)
    await ran.mount(ran.coordinator)
    data = {"tool_name": "write_file", "tool_input": {"file_path": "app.py"}}
    said = await ran.coordinator.hooks.emit("tool:pre", data)
    assert (said.action, said.approval_prompt) == ("ask_user", "Allow writing to app.py?")


@effect("002", 10)
async def _(seed, at, caplog):
    ran = await run(seed, at)
    said = await ran.ask("safe_handler", "tool:pre", {})
    assert (said.action, caplog.messages) == ("continue", ["Hook error: the disk is full"])


@effect("002", 11)
async def _(seed, at):
    ran = await run(seed, at)
    await ran.test_hook_handler()
    await ran.test_hook_registration()
    assert ran.TestCoordinator().session_id == "test-session"


@effect("002", 12)
async def _(seed, at):
    ran = await run(seed, at)
    assert ran.events == [("tool:pre", {"tool_name": "write_file"})]


def _here() -> bool:
    if SEEDS.is_dir():
        return True
    print(f"skipped: the seed documents are not here ({SEEDS.name})")
    return False


pytestmark = pytest.mark.skipif(not _here(), reason="the seed documents are not here")


@pytest.mark.parametrize(("seed", "at"), sorted(CHECKS), ids=lambda value: str(value))
def test_a_block_of_a_seed_runs_and_has_its_effect(seed, at, capsys, caplog):
    check = CHECKS[seed, at]
    given = {"capsys": capsys, "caplog": caplog}
    wants = {name: given[name] for name in inspect.signature(check).parameters if name in given}
    asyncio.run(check(seed, at, **wants))


def test_every_runnable_block_of_the_seeds_has_its_check():
    for seed in RUNNABLE:
        python = {at: text for at, (kind, text) in blocks(seed).items() if kind == "python"}
        runnable = {at for at, text in python.items() if compiled(text) is not None}
        assert {at for found, at in CHECKS if found == seed} == runnable
        assert (len(runnable), len(python) - len(runnable)) == (RUNNABLE[seed], SIGNATURES[seed])


# What the pages import nowhere: typing, pydantic and pytest. None of it is Amplifier's.
IMPORTS = ("Any", "BaseModel", "Callable", "Literal", "Protocol", "pytest", "runtime_checkable")

# The seven blocks that need a name which neither they nor the blocks before them in their document say.
LEFT_OUT = {
    ("000", 5): {"session_logger"},
    ("000", 17): {"original_data"},
    ("001", 2): {"registry"},
    ("002", 0): {"HookResult"},
    ("002", 2): {"ModuleCoordinator"},
    ("002", 4): {"coordinator", "my_handler"},
    ("002", 7): {"coordinator"},
}


def missing(code: Any, names: dict[str, Any]) -> set[str]:
    """Runs a block, and returns what it was given because it could not do without."""
    from amplifier_core import HookRegistry, HookResult, ModuleCoordinator

    known = vars(seed_stubs) | {"HookResult": HookResult, "ModuleCoordinator": ModuleCoordinator}
    known |= {"registry": HookRegistry(), "coordinator": ModuleCoordinator()}
    lacking: set[str] = set()
    while True:
        lent = {name: known[name] for name in lacking}
        said = names | lent
        try:
            result = eval(code, said)
            if inspect.iscoroutine(result):
                asyncio.run(result)
        except NameError as error:
            assert error.name not in lacking
            lacking.add(error.name)
            continue
        names |= {name: value for name, value in said.items() if value is not lent.get(name)}
        return lacking


def test_each_document_runs_from_top_to_bottom_and_seven_blocks_need_a_name_that_it_leaves_out():
    lacking = {}
    for seed in RUNNABLE:
        names: dict[str, Any] = {name: vars(seed_stubs)[name] for name in IMPORTS}
        for at, (kind, text) in blocks(seed).items():
            code = compiled(text) if kind == "python" else None
            if code is not None and (lacks := missing(code, names)):
                lacking[seed, at] = lacks
    assert lacking == LEFT_OUT


def test_the_mount_plan_of_seed_002_is_a_valid_one():
    import yaml
    from amplifier_core.validation import MountPlanValidator

    (plan,) = (text for kind, text in blocks("002").values() if kind == "yaml")
    assert MountPlanValidator().validate(yaml.safe_load(plan)).passed


def test_the_stubs_are_short_and_have_none_of_our_names():
    source = Path(seed_stubs.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 60
    ours = {"anyhook", "amplifier", "HookRegistry", "HookResult", "Coordinator", "EventRecorder"}
    assert not [name for name in ours if name in source]


def test_the_quick_validation_command_of_seed_002_checks_a_module(tmp_path, capsys):
    from anyhook.__main__ import main

    (command,) = (text.split() for kind, text in blocks("002").values() if kind == "bash")
    (point,) = (text for kind, text in blocks("002").values() if kind == "toml")
    example = next(
        text for kind, text in blocks("002").values() if "blocked_paths = config" in text
    )
    folder = tmp_path / "my-hook"
    (folder / "my_hook").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(point, encoding="utf-8")
    (folder / "my_hook" / "__init__.py").write_text(example, encoding="utf-8")
    assert command[0] == "amplifier" and command[3] == "./my-hook"
    assert main([*command[1:3], str(folder), *command[4:], "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True
