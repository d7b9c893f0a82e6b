"""The rows of the page of differences that Python shows by tests of its own."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

from anyhook import Allowed, ApprovalOption, HookRegistry, HookResult, Session, load_manifest
from anyhook.testing import EventRecorder, MockCoordinator, MockTool, TestCoordinator
from anyhook.validation import HookValidator, MountPlanValidator, ValidationResult

pytestmark = pytest.mark.anyio


async def answered(options, answer, **more):
    coordinator = MockCoordinator(approvals=[answer])
    said = HookResult(action="ask_user", approval_prompt="push?", approval_options=options, **more)
    return await coordinator.process_hook_result(said, "tool:pre", "gate")


@pytest.mark.parametrize(
    ("options", "action", "kind"),
    [
        ([ApprovalOption("Approve", grants="proceed")], "continue", HookResult),
        ([ApprovalOption("Approve", grants="allow")], "continue", Allowed),
        ([{"label": "Approve", "grants": "proceed"}], "continue", HookResult),
        ([ApprovalOption("Approve", grants="deny")], "deny", HookResult),
        ([ApprovalOption("Yes", grants="proceed")], "deny", HookResult),
        (["Approve", "Deny"], "deny", HookResult),
        ([ApprovalOption(" approve ", grants="proceed")], "continue", HookResult),
        ([ApprovalOption("Approve", grants="proceed"), "Approve"], "continue", HookResult),
    ],
)
async def test_a_label_grants_what_its_hook_declares(options, action, kind):
    said = await answered(options, "Approve")
    assert (said.action, type(said)) == (action, kind)


async def test_a_label_may_take_away_what_its_words_would_grant():
    assert (await answered([ApprovalOption("Allow", grants="deny")], "Allow")).action == "deny"
    assert (await answered(["Allow"], "Allow")).action == "continue"


async def test_a_choice_for_the_session_is_remembered_for_the_same_choices_only():
    coordinator = MockCoordinator(approvals=["Deploy", "No"])

    async def ask(grants):
        options = [ApprovalOption("Deploy", grants, "session"), "No"]
        said = HookResult(
            action="ask_user", approval_prompt="deploy?", approval_options=options, data={"n": 1}
        )
        return (await coordinator.process_hook_result(said, "tool:pre", "gate")).action

    assert [await ask("proceed"), await ask("proceed"), await ask("allow")] == ["continue", "continue", "deny"]
    assert len(coordinator.approval_system.asked) == 2


async def test_the_choices_of_several_questions_keep_what_they_grant(registry):
    def asks(label):
        options = [ApprovalOption(label, "proceed", "session"), "No"]
        return lambda e, d: HookResult(
            action="ask_user", approval_prompt=label, approval_options=options
        )

    registry.register("tool:pre", asks("Approve"), name="one")
    (alone,) = [await registry.emit("tool:pre", {})]
    assert alone.approval_options[0].as_dict() == {
        "label": "Approve", "grants": "proceed", "remember": "session"
    }
    registry.register("tool:pre", asks("Approve"), name="two")
    together = (await registry.emit("tool:pre", {})).approval_options
    assert [getattr(one, "grants", None) for one in together] == ["proceed", None]


def test_a_choice_is_a_text_that_survives_every_way_of_writing_it():
    import copy
    import pickle

    option = ApprovalOption("Approve", grants="proceed", remember="session")
    said = HookResult(action="ask_user", approval_options=[option, "No"])
    again = HookResult.model_validate_json(said.model_dump_json()).approval_options
    for one in (copy.copy(option), pickle.loads(pickle.dumps(option)), again[0]):
        assert (one, one.grants, one.remember) == ("Approve", "proceed", "session")
    assert said.model_dump()["approval_options"] == ["Approve", "No"] and type(again[1]) is str
    for wrong in ({"grants": "everything"}, {"remember": "for life"}):
        with pytest.raises(ValueError, match="is no"):
            ApprovalOption("Approve", **wrong)


async def test_a_field_is_read_and_rewritten_under_each_of_its_names(registry):
    seen = []

    def rewrites(event, data):
        seen.append((data["tool_name"], data.get("tool_input"), data["input"], data["tool_result"]))
        assert "tool_result" in data and "tool_output" not in data and data.get("nothing", 3) == 3
        return HookResult(action="modify", data={**data, "tool_result": "[one file]"})

    def reads(event, data):
        seen.append((data["result"], data["tool_result"], data.get("output"), dict(data)["result"]))
        return HookResult()

    registry.register("tool:post", rewrites, matcher="Bash")
    registry.register("tool:post", reads)
    told = {"name": "Bash", "arguments": {"command": "ls"}, "result": "a.txt"}
    said = await registry.emit("tool:post", told)
    assert seen == [
        ("Bash", {"command": "ls"}, {"command": "ls"}, "a.txt"),
        ("[one file]", "[one file]", None, "[one file]"),
    ]
    assert said.data["result"] == "[one file]", "the program reads its own name"
    assert "tool_result" not in said.data and told["result"] == "a.txt"


@pytest.mark.parametrize("how", ["another name", "in place"])
async def test_a_guard_sees_what_is_rewritten_under_another_name(registry, how):
    def guard(event, data):
        dangerous = data["tool_input"]["command"] == "rm -rf /"
        return HookResult(action="deny" if dangerous else "continue")

    def rewrites(event, data):
        if how == "in place":
            data["arguments"]["command"] = "rm -rf /"
        else:
            data["arguments"] = {"command": "rm -rf /"}
        return HookResult(action="modify", data=data)

    registry.register("tool:pre", guard, priority=1, guard=True)
    registry.register("tool:pre", rewrites, priority=2)
    said = await registry.emit("tool:pre", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert said.action == "deny"


def module(name, priority=50, events=("prompt:submit",), cleanup=None):
    async def mount(coordinator, config=None):
        for event in events:
            say = lambda e, d: HookResult(action="inject_context", context_injection=name)  # noqa: E731
            coordinator.hooks.register(event, say, priority, name)
        return cleanup

    return mount


async def test_a_mount_without_a_cleanup_leaves_nothing_behind():
    plan = {"hooks": [{"module": "plain"}, {"module": "late"}, {"module": "fails"}]}

    async def fails(coordinator, config=None):
        await module("half")(coordinator)
        raise RuntimeError("the second half is missing")

    async def late(coordinator, config=None):
        async def registers():
            await module("task")(coordinator)

        await asyncio.create_task(registers())

    session = Session(plan, modules={"plain": module("plain"), "late": late, "fails": fails})
    session.hooks.register("prompt:submit", lambda e, d: HookResult(), name="the program's own")
    async with session:
        listed = session.hooks.list_handlers("prompt:submit")["prompt:submit"]
        assert listed == ["the program's own", "plain", "task", "half"]
    assert session.hooks.list_handlers("prompt:submit") == {"prompt:submit": ["the program's own"]}


@pytest.mark.parametrize(
    ("late", "early", "order"),
    [({}, {}, ["early", "late"]), ({"priority": 5}, {}, ["late", "early"]), ({}, {"priority": 95}, ["late", "early"])],
)
async def test_a_priority_beside_the_module_wins_over_its_own(late, early, order):
    plan = {"hooks": [{"module": "late", **late}, {"module": "early", **early}]}
    modules = {"late": module("late", 90), "early": module("early", 10)}
    async with Session(plan, modules=modules) as session:
        assert session.hooks.list_handlers("prompt:submit")["prompt:submit"] == order


async def test_a_priority_that_is_no_number_leaves_the_module_out_and_says_so():
    plan = {"hooks": [{"module": "one", "priority": "5"}]}
    async with Session(plan, modules={"one": module("one")}) as session:
        assert "a priority is a whole number, not '5'" in str(session.failures["one"])




def says(**fields):
    return lambda event, data: HookResult(**fields)


async def test_texts_are_stored_and_every_question_is_put():
    coordinator, stored = MockCoordinator(approvals=["Allow"]), []
    await coordinator.mount("context", SimpleNamespace(add_message=stored.append))
    hooks = coordinator.hooks
    hooks.register("tool:pre", says(action="inject_context", context_injection="read this"), name="a")
    hooks.register("tool:pre", says(action="ask_user", approval_prompt="push?"), name="b")
    hooks.register("tool:pre", says(action="ask_user", approval_prompt="to main?"), name="c")
    heard = await hooks.emit("tool:pre", {})
    said = await coordinator.process_hook_result(heard, "tool:pre")
    assert (said.action, [one["content"] for one in stored]) == ("continue", ["read this"])
    (asked,) = coordinator.approval_system.asked
    assert "push?" in asked and "to main?" in asked


@pytest.mark.parametrize(("answer", "action"), [("Allow", "inject_context"), ("Deny", "deny")])
@pytest.mark.parametrize("ephemeral", [True, False])
async def test_a_text_that_is_not_stored_is_left_beside_a_question(ephemeral, answer, action):
    coordinator = MockCoordinator(approvals=[answer])
    text = {"context_injection": "write tests", "context_injection_role": "user", "ephemeral": ephemeral}
    coordinator.hooks.register("tool:pre", says(action="inject_context", **text), name="todo")
    coordinator.hooks.register("tool:pre", says(action="ask_user", approval_prompt="write?"), name="gate")
    heard = await coordinator.hooks.emit("tool:pre", {"tool_name": "Write"})
    said = await coordinator.process_hook_result(heard, "tool:pre")
    assert {name: getattr(said, name) for name in text} == text
    assert (said.action, [one.hook_name for one in said.context_injections]) == (action, ["todo"])


async def test_what_was_modified_is_what_the_caller_gets_beside_anything_else(registry):
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={**d, "tool_input": "[one]"}))
    registry.register("tool:pre", says(action="inject_context", context_injection="read this"), name="b")
    registry.register("tool:pre", says(action="ask_user", approval_prompt="push?"), name="c")
    said = await registry.emit("tool:pre", {"tool_input": "x"})
    assert (said.action, said.data["tool_input"]) == ("ask_user", "[one]")


async def test_an_event_has_the_time_of_its_emit_and_no_other_addition(registry):
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={**d, "timestamp": "never"}))
    said = await registry.emit("tool:pre", {"tool_name": "Read", "timestamp": "long ago"})
    assert set(said.data) == {"tool_name", "timestamp"} and said.data["timestamp"].endswith("+00:00")
    assert (await registry.emit("tool:post", {"tool_name": "Read"})).data == {"tool_name": "Read"}


def test_every_handler_is_listed_with_and_without_a_name(registry):
    registry.register("tool:pre", says())
    registry.register("tool:pre", says(), name="mine")
    assert registry.list_handlers("tool:pre") == {"tool:pre": ["<lambda>", "mine"]}


async def prints(event, data):
    print("before")
    print("warned", file=sys.stderr)
    await asyncio.sleep(0)
    print("after")
    return HookResult(suppress_output=data["quiet"])


@pytest.mark.parametrize("quiet", [True, False])
async def test_suppress_output_hides_the_hooks_own_output_and_nothing_else(registry, capsys, quiet):
    def loud(event, data):
        print("loud")
        return HookResult()

    registry.register("tool:post", prints)
    registry.register("tool:post", loud)
    streams = sys.stdout, sys.stderr
    said = await registry.emit("tool:post", {"quiet": quiet, "tool_result": "a.txt"})
    assert (sys.stdout, sys.stderr) == streams
    print("tool")
    print("tool", file=sys.stderr)
    printed = capsys.readouterr()
    assert printed.out == ("" if quiet else "before\nafter\n") + "loud\ntool\n"
    assert printed.err == ("" if quiet else "warned\n") + "tool\n"
    assert said.suppress_output is quiet and said.data["tool_result"] == "a.txt"


async def test_what_others_print_while_a_handler_waits_is_theirs(registry, capsys):
    async def waits(event, data):
        print("hidden")
        await asyncio.sleep(0.02)
        return HookResult(suppress_output=True)

    registry.register("tool:post", waits)
    emitting = asyncio.ensure_future(registry.emit("tool:post", {}))
    await asyncio.sleep(0.01)
    print("theirs")
    await emitting
    assert capsys.readouterr().out == "theirs\n"


async def test_what_a_handler_prints_before_it_fails_or_flushes_is_shown(registry, capsys):
    def fails(event, data):
        print("failing")
        raise RuntimeError("broken")

    def asks(event, data):
        print("allow?", flush=True)
        print("hidden")
        return HookResult(suppress_output=True)

    registry.register("tool:post", fails)
    registry.register("tool:post", asks)
    await registry.emit("tool:post", {})
    assert capsys.readouterr().out == "failing\nallow?\n"


async def test_a_flush_of_one_stream_shows_nothing_of_the_other(registry, capsys):
    def asks(event, data):
        print("hidden")
        print("allow?", file=sys.stderr, flush=True)
        return HookResult(suppress_output=True)

    registry.register("tool:post", asks)
    await registry.emit("tool:post", {})
    assert capsys.readouterr() == ("", "allow?\n")


async def test_what_a_logger_prints_about_a_failure_is_shown(registry, capsys):
    def fails(event, data):
        raise RuntimeError("broken")

    class Prints(logging.Handler):
        def emit(self, record):
            print(record.getMessage(), file=sys.stderr)

    logger, handler = logging.getLogger("anyhook"), Prints()
    logger.addHandler(handler)
    try:
        registry.register("tool:post", fails)
        await registry.emit("tool:post", {})
    finally:
        logger.removeHandler(handler)
    assert "fails" in capsys.readouterr().err


async def test_a_handler_may_redirect_what_it_prints(registry, capsys):
    import contextlib
    import io

    got = []

    async def redirects(event, data):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            print("one")
            await asyncio.sleep(0)
            print("two")
            got.append(text.getvalue())
        print("three")
        await registry.emit("inner", {})
        return HookResult()

    registry.register("tool:post", redirects)
    registry.register("inner", lambda e, d: print("inner") or HookResult())
    await registry.emit("tool:post", {})
    print("four")
    assert got == ["one\ntwo\n"]
    assert sorted(capsys.readouterr().out.split()) == ["four", "inner", "three"]


async def test_a_message_beside_a_question_is_shown():
    coordinator = MockCoordinator(approvals=["Allow"])
    said = HookResult(action="ask_user", approval_prompt="push?", user_message="this is production")
    await coordinator.process_hook_result(said, "tool:pre", "gate")
    assert coordinator.messages == [("this is production", "info", "hook:gate")]


def test_the_test_coordinator_of_the_seed_shows_its_handlers():
    coordinator = TestCoordinator()
    coordinator.hooks.register("tool:pre", says(), name="mine")
    assert [one.name for one in coordinator.hooks.handlers["tool:pre"]] == ["mine"]


def test_the_seeds_command_validates_a_module(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "mine"\n[project.entry-points."amplifier.modules"]\nhooks-mine = "mine:mount"\n'
    )
    module = tmp_path / "mine"
    module.mkdir()
    code = """
    '''Says nothing.'''
    from anyhook import HookResult
    __amplifier_module_type__ = 'hook'
    async def mount(coordinator, config=None):
        async def look(event, data):
            return HookResult()
        return coordinator.hooks.register('tool:pre', look, name='mine')
    """
    (module / "__init__.py").write_text(textwrap.dedent(code))
    command = [sys.executable, "-m", "anyhook", "module", "validate", str(tmp_path), "--type", "hook"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


async def test_a_failure_is_heard_under_both_of_its_names(registry):
    heard = []
    for event in ("error:tool", "tool:error", "error:provider", "error:orchestration"):
        registry.register(event, lambda e, d, event=event: heard.append(event) or HookResult(), name=event)
    for event in ("tool:error", "provider:error", "error:orchestration"):
        await registry.emit(event, {})
    assert heard == ["error:tool", "tool:error", "error:provider", "error:orchestration"]


async def test_a_recorder_finds_events_by_each_of_their_names(registry):
    recorder = EventRecorder()
    registry.register(HookRegistry.ERROR_TOOL, recorder.record)
    await registry.emit(HookRegistry.ERROR_TOOL, {})
    for name in (HookRegistry.ERROR_TOOL, "tool:error", "PostToolUseFailure"):
        assert [event for event, _ in recorder.get_events(name)] == ["tool:error"]
    assert recorder.get_events(HookRegistry.ERROR_PROVIDER) == []


async def test_the_approval_module_reads_the_keys_of_its_documentation(tmp_path):
    file = tmp_path / "hooks.json"
    config = {"patterns": ["sudo"], "auto_approve": ["make test"], "default_action": "continue"}
    hook = {"type": "builtin", "module": "approval", "config": config}
    hooks = {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}
    file.write_text(json.dumps({"version": 1, "hooks": hooks}))
    registry = load_manifest(file).registry

    async def action(command):
        data = {"tool_name": "Bash", "tool_input": {"command": command}}
        return (await registry.emit("tool:pre", data)).action

    assert [await action(one) for one in ("make test", "sudo ls", "ls")] == ["continue", "ask_user", "continue"]


async def test_a_plain_matcher_is_a_list_of_exact_names_and_anything_else_a_pattern(registry):
    heard = []
    for matcher in ("Write|Edit", ".*Write"):
        registry.register(
            "tool:pre", lambda e, d, m=matcher: heard.append(m) or HookResult(), name=matcher, matcher=matcher
        )
    await registry.emit("tool:pre", {"tool_name": "TodoWrite"})
    await registry.emit("tool:pre", {"tool_name": "Write"})
    assert heard == [".*Write", "Write|Edit", ".*Write"]


async def test_a_compaction_can_be_refused(registry):
    registry.register("pre-compact", says(action="deny", reason="the plan is not saved yet"))
    assert (await registry.emit("context:pre_compact", {})).action == "deny"


async def test_a_rewrite_keeps_the_session_it_is_in(registry):
    seen = []
    registry.set_default_fields(session_id="s1")
    registry.register("tool:pre", lambda e, d: HookResult(action="modify", data={"only": 1, "session_id": "s2"}))
    registry.register("tool:pre", lambda e, d: seen.append(dict(d)) or HookResult(), priority=200)
    await registry.emit("tool:pre", {"tool_name": "Read"})
    assert (set(seen[0]), seen[0]["session_id"]) == ({"only", "session_id", "timestamp"}, "s1")


async def test_what_others_said_stays_beside_a_refusal(registry):
    registry.register("tool:pre", says(action="inject_context", context_injection="read this"), priority=10)
    registry.register("tool:pre", says(action="deny"), priority=20)
    said = await registry.emit("tool:pre", {})
    assert (said.action, [one.content for one in said.context_injections]) == ("deny", ["read this"])
    assert "gave no reason" in said.reason


async def test_an_empty_text_for_the_model_says_nothing(registry):
    registry.register("tool:pre", says(action="inject_context", context_injection="", context_injection_role="user"))
    assert (await registry.emit("tool:pre", {})).action == "continue"
    registry.register("tool:pre", says(action="inject_context", context_injection="read this"), priority=200)
    said = await registry.emit("tool:pre", {})
    assert (said.context_injection, said.context_injection_role) == ("read this", "system")


@pytest.mark.parametrize("ephemeral", [True, False])
async def test_a_text_is_appended_only_where_it_is_ephemeral(registry, ephemeral):
    text = {"context_injection": "read this", "append_to_last_tool_result": True, "ephemeral": ephemeral}
    registry.register("tool:post", says(action="inject_context", **text))
    registry.register("tool:post", says(action="inject_context", **text))
    said = await registry.emit("tool:post", {})
    assert said.append_to_last_tool_result is ephemeral


async def test_what_one_handler_says_of_appending_comes_back_as_it_was_set(registry):
    registry.register(
        "tool:post",
        says(action="inject_context", context_injection="read this", append_to_last_tool_result=True),
    )
    assert (await registry.emit("tool:post", {})).append_to_last_tool_result


@pytest.mark.parametrize("at", [0, 1])
async def test_the_result_says_that_the_output_of_one_of_several_is_hidden(registry, at):
    for n in range(2):
        text = says(action="inject_context", context_injection="read this", suppress_output=n == at)
        registry.register("tool:post", text, name=str(n))
    assert (await registry.emit("tool:post", {})).suppress_output


def test_a_plan_of_hooks_alone_is_valid():
    result = MountPlanValidator().validate({"hooks": [{"module": "my-hook", "prority": 5}]})
    assert result.passed and isinstance(result, ValidationResult)
    assert [check.message for check in result.warnings] == [
        "`hooks[0].prority` is not read; did you mean `priority`?"
    ]


async def test_a_session_of_hooks_alone_begins_and_ends():
    heard = []

    async def mount(coordinator, config=None):
        coordinator.hooks.register("session:*", lambda event, data: heard.append((event, data.get("status"))))

    async with Session({"hooks": [{"module": "mine"}]}, modules={"mine": mount}) as session:
        assert session.failures == {}
    assert heard == [("session:start", None), ("session:end", "completed")]


async def test_a_session_that_never_began_does_not_end():
    heard = []
    session = Session()
    session.hooks.register("session:*", lambda event, data: heard.append(event))
    await session.cleanup()
    assert heard == []


async def test_a_session_that_was_cancelled_says_so_at_its_end():
    heard = []
    async with Session() as session:
        session.hooks.register("session:end", lambda event, data: heard.append(data["status"]))
        await session.coordinator.request_cancel()
    assert heard == ["cancelled"]


def test_isinstance_tells_a_tool_by_what_the_documents_name():
    from anyhook.interfaces import Tool

    assert isinstance(MockTool("read"), Tool) and not isinstance(object(), Tool)


def test_of_the_names_of_version_two_only_those_of_hooks_are_here():
    program = """
        import anyhook.amplifier
        from amplifier_core import hooks, loader, models
        print(hasattr(hooks, "ContextInjection"), hasattr(models, "Pricing"), hasattr(loader, "module_failure_reason"))
    """
    run = [sys.executable, "-c", textwrap.dedent(program)]
    said = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.split() == ["True", "False", "False"]


def test_a_place_that_is_not_there_is_named_by_the_validator():
    result = asyncio.run(HookValidator().validate("./nowhere"))
    assert "`./nowhere` is neither a folder nor a file" in result.errors[0].message
