"""The package around the registry: results, sessions, manifests, hosts, Amplifier's names, the pytest plugin."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pydantic import ValidationError

import anyhook
from anyhook import HookRegistry, HookResult, ModuleCoordinator, Session, events, hosts, load_manifest
from anyhook.approval import ApprovalTimeoutError, Scripted
from anyhook.models import ApprovalRequest, ContextInjection, _sanitize_for_llm
from anyhook.testing import (
    EventRecorder,
    MockContextManager,
    MockCoordinator,
    MockTool,
    ScriptedOrchestrator,
    TestCoordinator,
    wait_for,
)

pytest_plugins = ["pytester"]

SEED_FIELDS = {
    "action": "continue",
    "data": None,
    "reason": None,
    "context_injection": None,
    "context_injection_role": "system",
    "ephemeral": False,
    "approval_prompt": None,
    "approval_options": None,
    "approval_timeout": 300.0,
    "approval_default": "deny",
    "suppress_output": False,
    "user_message": None,
    "user_message_level": "info",
    "append_to_last_tool_result": False,
}


def test_a_result_has_the_fields_and_defaults_of_the_seed():
    later = {"user_message_source": None, "context_injections": []}
    assert HookResult().model_dump() == SEED_FIELDS | later


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "DENY"},
        {"context_injection_role": "tool"},
        {"approval_default": "maybe"},
        {"user_message_level": "loud"},
        {"data": []},
        {"data": {1: 2}},
        {"approval_options": "Allow"},
        {"ephemeral": 2},
    ],
)
def test_a_result_is_validated_as_the_seed_says(wrong):
    with pytest.raises(ValidationError):
        HookResult(**wrong)


def test_an_emitted_result_is_a_model_like_any_other():
    registry = HookRegistry()
    registry.register("tool:pre", lambda e, d: HookResult(action="deny", reason="no"))
    said = asyncio.run(registry.emit("tool:pre", {}))
    assert HookResult.model_validate(said.model_dump()) == said.model_copy()
    assert json.loads(said.model_dump_json())["reason"] == "no"
    assert "reason='no'" in repr(said)


def test_every_constant_is_a_row_of_the_catalogue_and_every_event_of_seed_000_is_one():
    rows = {name for name, _ in anyhook._core.event_rows()}
    names = {name: value for name, value in vars(events).items() if name.isupper()}
    del names["ALL_EVENTS"]
    canonical = {anyhook._core.canonical_name(value) for value in names.values()}
    assert canonical <= rows | {"context:pre_compact"}
    assert set(events.ALL_EVENTS) == set(names.values())
    constants = {k: v for k, v in vars(HookRegistry).items() if k.isupper()}
    assert len(constants) == 16
    assert {anyhook._core.canonical_name(v) for v in constants.values()} <= canonical


class Answering:
    """A handler by its form alone: it inherits from nothing of ours."""

    async def __call__(self, event, data):
        return HookResult()


def test_isinstance_tells_a_handler_from_what_is_none():
    import anyhook.amplifier  # noqa: F401
    from amplifier_core.interfaces import HookHandler as theirs
    from anyhook.interfaces import HookHandler

    async def function(event, data):
        return HookResult()

    for protocol in (HookHandler, theirs):
        told = [isinstance(one, protocol) for one in (function, Answering(), Answering, object(), "check", None, 42)]
        assert told == [True, True, True, False, False, False, False]


def test_sanitizing_keeps_what_people_write():
    assert _sanitize_for_llm("a\x00b\td\n\x9f\ud800é") == "ab\td\né"


def test_an_approval_request_with_no_time_is_refused():
    with pytest.raises(ValidationError, match="more than 0 seconds"):
        ApprovalRequest(tool_name="x", action="y", risk_level="low", timeout=0)


# Acting on results


def injecting(text, **given):
    return HookResult(action="inject_context", context_injection=text, **given)


def asking(**given):
    return HookResult(action="ask_user", approval_prompt="push?", **given)


def with_context(**session):
    coordinator = MockCoordinator(config={"session": session})
    context = MockContextManager()
    asyncio.run(coordinator.mount("context", context))
    return coordinator, context


def test_a_text_is_stored_with_its_hook_and_told():
    coordinator, context = with_context()
    recorder = EventRecorder()
    coordinator.hooks.register("hook:context_injection", recorder.record)
    said = injecting("red\x1b[31m", context_injection_role="user", user_message="hm")
    left = asyncio.run(coordinator.process_hook_result(said, "tool:post", "linter"))
    (message,) = context.messages
    assert (message["role"], message["content"]) == ("user", "red")
    assert message["metadata"]["hook_name"] == "linter"
    assert (left.action, left.context_injections) == ("continue", [])
    assert coordinator.messages == [("hm", "info", "hook:linter")]
    ((_, told),) = recorder.events
    assert (told["hook_name"], told["stored"], told["injection_size"]) == ("linter", True, 3)


def test_an_ephemeral_text_is_left_to_the_caller():
    coordinator, context = with_context()
    left = asyncio.run(
        coordinator.process_hook_result(injecting("todo", ephemeral=True), "tool:pre", "todo")
    )
    assert (context.messages, left.context_injection, left.ephemeral) == ([], "todo", True)


def test_a_text_that_is_not_stored_is_left_to_the_caller():
    left = asyncio.run(TestCoordinator().process_hook_result(injecting("kept"), "tool:pre", "h"))
    assert left.context_injection == "kept"


def test_a_text_over_the_limit_becomes_its_first_lines_and_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    coordinator, context = with_context(injection_size_limit=400)
    whole = "".join(f"line {n}\n" for n in range(200))
    asyncio.run(coordinator.process_hook_result(injecting(whole), "tool:post", "linter"))
    text = context.messages[0]["content"]
    assert len(text.encode()) <= 400 and text.startswith("line 0\nline 1\n")
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert str(file) in text and file.read_text(encoding="utf-8") == whole
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_documented_limits_are_the_defaults_and_none_is_no_limit():
    assert ModuleCoordinator().injection_size_limit == 10_240
    assert ModuleCoordinator().injection_budget_per_turn == 10_000
    coordinator, context = with_context(injection_size_limit=None, injection_budget_per_turn=None)
    text = "long " * 20_000
    asyncio.run(coordinator.process_hook_result(injecting(text), "tool:post", "h"))
    assert context.messages[0]["content"] == text


@pytest.mark.parametrize(("strict", "stored"), [(False, 2), (True, 1)])
def test_over_the_budget_of_a_turn_a_text_is_told_or_refused_where_strict(strict, stored):
    coordinator, context = with_context(injection_budget_per_turn=5, strict=strict)
    recorder = EventRecorder()
    coordinator.hooks.register("policy:violation", recorder.record)
    for _ in range(2):
        said = injecting("four tokens.....")
        asyncio.run(coordinator.process_hook_result(said, "tool:post", "h"))
    assert (len(context.messages), len(recorder.events)) == (stored, 1)
    coordinator.reset_turn()
    asyncio.run(coordinator.process_hook_result(injecting("again"), "tool:post", "h"))
    assert len(context.messages) == stored + 1


@pytest.mark.parametrize(
    ("answer", "default", "action"),
    [
        ("Allow", "deny", "continue"),
        ("ALLOW ONCE", "deny", "continue"),
        ("Deny", "allow", "deny"),
        ("Approve", "allow", "deny"),
        (ApprovalTimeoutError("late"), "deny", "deny"),
        (ApprovalTimeoutError("late"), "allow", "continue"),
        (RuntimeError("no screen"), "deny", "deny"),
        (lambda prompt: 5, "deny", "deny"),
    ],
)
def test_the_answer_settles_the_question_and_the_default_holds_on_failure(
    answer, default, action
):
    coordinator = MockCoordinator(approvals=[answer])
    said = asking(approval_default=default, user_message="a release")
    left = asyncio.run(coordinator.process_hook_result(said, "tool:pre", "careful"))
    assert left.action == action
    assert coordinator.approval_system.asked == ["push?"]
    assert coordinator.messages == [("a release", "info", "hook:careful")]


def test_the_timeout_is_kept_here():
    class Slow:
        async def request_approval(self, prompt, options, timeout, default):
            await asyncio.get_running_loop().create_future()

    coordinator = ModuleCoordinator(approval_system=Slow())
    said = asking(approval_timeout=0.001)
    left = asyncio.run(coordinator.process_hook_result(said, "tool:pre", "h"))
    assert left.reason == "Approval timeout: denied by default: push?"


def test_no_person_to_ask_is_a_refusal():
    left = asyncio.run(ModuleCoordinator().process_hook_result(asking(), "tool:pre", "h"))
    assert (left.action, left.reason) == ("deny", "No approval system is there to ask: push?")


def test_allow_always_serves_this_exact_action_and_no_other():
    coordinator = MockCoordinator(approvals=["Allow always", "Deny", "Deny"])

    def ask(data):
        said = asking(data=data)
        return asyncio.run(coordinator.process_hook_result(said, "tool:pre", "h")).action

    push = {"tool_input": {"command": "git push"}, "timestamp": "1"}
    assert [ask(push), ask(push | {"timestamp": "2"})] == ["continue", "continue"]
    assert ask({"tool_input": {"command": "git push --force"}}) == "deny"
    assert ask(None) == "deny", "an action that is not known is asked about each time"
    assert len(coordinator.approval_system.asked) == 3


def test_each_step_of_an_approval_is_an_event_and_a_hook_may_refuse_but_not_approve():
    coordinator, recorder = MockCoordinator(approvals=["Allow"]), EventRecorder()
    coordinator.hooks.register("approval:*", recorder.record)
    asyncio.run(coordinator.process_hook_result(asking(), "tool:pre", "h"))
    names = [name for name, _ in recorder.events]
    assert names == ["approval:required", "approval:decision", "approval:granted"]
    coordinator.hooks.register(
        "approval:required", lambda e, d: HookResult(action="deny", reason="frozen")
    )
    left = asyncio.run(coordinator.process_hook_result(asking(), "tool:pre", "h"))
    assert (left.action, left.reason) == ("deny", "frozen")
    assert len(coordinator.approval_system.asked) == 1


def test_a_display_that_fails_or_waits_changes_nothing():
    class Broken:
        async def show_message(self, message, level, source="hook"):
            raise OSError("no screen")

    coordinator = ModuleCoordinator(display_system=Broken())
    said = HookResult(user_message="hm")
    assert asyncio.run(coordinator.process_hook_result(said, "tool:pre", "h")) is said


# What modules share


def test_mount_points_hold_what_is_mounted():
    coordinator = MockCoordinator()

    async def main():
        await coordinator.mount("tools", MockTool("read"))
        await coordinator.mount("orchestrator", "loop")
        await coordinator.unmount("orchestrator")
        with pytest.raises(ValueError, match="not mounted"):
            await coordinator.mount("hooks", object())
        with pytest.raises(ValueError, match="Unknown mount point"):
            await coordinator.mount("planner", object())

    asyncio.run(main())
    assert list(coordinator.get("tools")) == ["read"] and coordinator.get("orchestrator") is None
    assert coordinator.get("hooks") is coordinator.hooks is coordinator.mount_points["hooks"]
    assert [one["name"] for one in coordinator.mount_history] == [None, None]


def test_cleanups_run_newest_first_each_once_whatever_fails():
    coordinator, done = ModuleCoordinator(), []

    async def last():
        done.append("last")

    def broken():
        done.append("broken")
        raise ValueError

    def ends():
        done.append("ends")
        raise KeyboardInterrupt

    for cleanup in (lambda: done.append("first"), None, broken, ends, last):
        coordinator.register_cleanup(cleanup)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(coordinator.cleanup())
    asyncio.run(coordinator.cleanup())
    assert done == ["last", "ends", "broken", "first"]


def test_a_contributor_that_fails_is_skipped():
    coordinator = ModuleCoordinator()

    async def later():
        return "later"

    for name, callback in [("a", lambda: 1 / 0), ("b", later), ("c", lambda: None)]:
        coordinator.register_contributor("channel", name, callback)
    assert asyncio.run(coordinator.collect_contributions("channel")) == ["later"]
    assert asyncio.run(coordinator.collect_contributions("nobody")) == []


# A session


def test_a_session_mounts_the_plan_and_ends_before_the_cleanups():
    heard = []

    async def mount(coordinator, config=None):
        recorder = EventRecorder()
        remove = coordinator.hooks.register("session:*", recorder.record)

        def cleanup():
            heard.extend(name for name, _ in recorder.events)
            remove()

        return cleanup

    async def broken(coordinator, config=None):
        raise RuntimeError("no such config")

    async def main():
        plan = {"hooks": [{"module": "good"}, {"module": "bad"}, {"module": "none"}, {}]}
        modules = {"good": mount, "bad": broken}
        async with Session(plan, modules=modules, session_id="s1") as session:
            assert sorted(session.failures) == ["bad", "none"]
            said = await session.emit("session:config", {})
            assert said.data["session_id"] == "s1"
        assert not session.hooks.handlers

    asyncio.run(main())
    assert heard == ["session:start", "session:config", "session:end"]


def test_a_session_acts_on_results_and_a_prompt_begins_a_turn():
    async def mount(coordinator, config=None):
        coordinator.hooks.register("tool:pre", lambda e, d: asking())

    async def main():
        answers = Scripted("Allow")
        plan = {"hooks": [{"module": "ask"}]}
        session = Session(plan, modules={"ask": mount}, approval_system=answers)
        async with session:
            session.coordinator._current_turn_injections = 7
            await session.emit("prompt:submit", {"prompt": "go"})
            assert session.coordinator._current_turn_injections == 0
            said = await session.emit("tool:pre", {"tool_name": "Bash"})
            assert (said.action, said.data["tool_name"]) == ("continue", "Bash")

    asyncio.run(main())


def test_modules_of_installed_packages_are_found_by_their_entry_point(tmp_path, monkeypatch):
    package = tmp_path / "my_hook.py"
    package.write_text(
        "async def mount(coordinator, config=None):\n"
        "    coordinator.hooks.register('tool:pre', lambda e, d: None, name='mine')\n",
        encoding="utf-8",
    )
    about = tmp_path / "my_hook-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-hook\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text("[amplifier.modules]\nmy-hook = my_hook:mount\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "my-hook" in anyhook.ModuleLoader().discover()

    async def main():
        async with Session({"hooks": [{"module": "my-hook"}]}) as session:
            return session.hooks.list_handlers("tool:pre")

    assert asyncio.run(main()) == {"tool:pre": ["mine"]}


def test_a_scripted_orchestrator_fires_the_events_of_a_turn():
    import anyhook.amplifier  # noqa: F401
    from amplifier_core.session import AmplifierSession

    async def main():
        session = AmplifierSession()
        recorder = EventRecorder()
        session.hooks.register("prompt:*", recorder.record)
        await session.coordinator.mount("orchestrator", ScriptedOrchestrator(["hello"]))
        assert await session.execute("hi") == "hello"
        assert [name for name, _ in recorder.get_events()] == ["prompt:submit", "prompt:complete"]
        assert recorder.get_events("prompt:submit")[0][1]["prompt"] == "hi"
        recorder.clear()
        assert await wait_for(lambda: not recorder.events)
        assert not await wait_for(lambda: False, timeout=0.0)

    asyncio.run(main())


# Packages of hooks.json


def package(folder: Path, command: str, event: str = "pre-tool-use") -> Path:
    file = folder / "hooks" / "hooks.json"
    file.parent.mkdir(parents=True)
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command, "name": "mine"}]}
    file.write_text(json.dumps({"version": 1, "hooks": {event: [entry]}}), encoding="utf-8")
    return file


BASH = {"tool_name": "Bash", "tool_input": {"command": "npm i"}, "object": object()}


def test_a_package_of_hooks_json_runs_from_python(tmp_path):
    registry = HookRegistry()
    loaded = load_manifest(package(tmp_path, "echo frozen >&2; exit 2"), registry)
    assert (loaded.events, loaded.names) == (["tool:pre"], ["mine"])
    said = asyncio.run(registry.emit("tool:pre", BASH))
    assert (said.action, said.reason) == ("deny", "frozen")
    assert asyncio.run(registry.emit("tool:pre", {"tool_name": "Read"})).action == "continue"
    loaded()
    assert asyncio.run(registry.emit("tool:pre", BASH)).action == "continue"


def test_a_command_rewrites_one_field_and_the_others_stay_pythons(tmp_path):
    answer = {"hookSpecificOutput": {"updatedInput": {"command": "pnpm i"}}}
    answer["hookSpecificOutput"]["additionalContext"] = "use pnpm"
    file = package(tmp_path, f"echo '{json.dumps(answer)}'")
    registry = load_manifest(file).registry
    said = asyncio.run(registry.emit("tool:pre", BASH))
    assert said.data["tool_input"] == {"command": "pnpm i"}
    assert said.data["object"] is BASH["object"]
    assert (said.action, said.context_injection) == ("inject_context", "use pnpm")


def test_a_package_is_asked_again_when_a_python_handler_rewrites_the_input_after_it(tmp_path):
    file = package(tmp_path, "grep -q forbidden && exit 2 || exit 0")
    registry = load_manifest(file).registry

    async def rewrite(event, data):
        return HookResult(action="modify", data={**data, "tool_input": {"command": "forbidden"}})

    registry.register("tool:pre", rewrite, priority=10)
    assert asyncio.run(registry.emit("tool:pre", BASH)).action == "deny"


def test_a_manifest_that_cannot_be_used_says_where(tmp_path):
    file = tmp_path / "hooks.json"
    file.write_text('{"version": 1,\n "hooks": {"pre-tool-use": ]}}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"hooks.json:2:\d+"):
        load_manifest(file)
    with pytest.raises(ValueError, match="cannot be read"):
        load_manifest(tmp_path / "nothing.json")


# Hosts


PAYLOAD = json.dumps(
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
)


@pytest.mark.parametrize("host", ["claude-code", "codex-cli", "universal"])
def test_a_hosts_payload_is_read_and_answered(host):
    event = hosts.decode(host, PAYLOAD)
    assert (event.name, event.data["tool_name"]) == ("tool:pre", "Bash")
    reply = hosts.encode(event, HookResult(action="deny", reason="no shell here"))
    assert "no shell here" in reply.stdout + reply.stderr and reply.losses == []


def test_what_a_host_cannot_be_told_becomes_graver_and_is_a_loss():
    event = hosts.decode("codex-cli", PAYLOAD)
    said = HookResult(action="ask_user", approval_prompt="run it?", data=event.data)
    reply = hosts.encode(event, said)
    assert reply.losses and "deny" in reply.stdout + reply.stderr


def test_an_unknown_host_is_an_error():
    with pytest.raises(ValueError, match="`emacs` is no host"):
        hosts.decode("emacs", PAYLOAD)
    assert len(hosts.names()) > 10


# Validation

MODULE = """
import logging
from amplifier_core.models import HookResult

logger = logging.getLogger(__name__)

async def mount(coordinator, config=None):
    config = config or {}
    events = config.get("enabled_events", ["tool:pre"])

    async def check(event, data):
        return HookResult()

    handles = [coordinator.hooks.register(one, check, priority=20) for one in events]
    coordinator.register_contributor("observability.events", "mine", lambda: ["mine:seen"])
    logger.info("mounted")

    def cleanup():
        for handle in handles:
            handle()

    return cleanup
"""

PROJECT = '[project]\nname = "x"\n[project.entry-points."amplifier.modules"]\nmy-hook = "my_hook:mount"\n'


def project(folder: Path, module: str) -> Path:
    (folder / "my_hook").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "my_hook" / "__init__.py").write_text(textwrap.dedent(module), encoding="utf-8")
    return folder


def validate(folder):
    command = ["-m", "anyhook", "module", "validate", str(folder), "--type", "hook", "-o", "json"]
    ran = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    told = json.loads(ran.stdout)
    failed = {check["name"] for check in told["checks"] if not check["passed"]}
    return ran.returncode, failed


def test_a_module_that_does_all_that_is_asked_validates_without_a_finding(tmp_path):
    assert validate(project(tmp_path, MODULE)) == (0, set())


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("x = 1", "mount_exists"),
        ("1/0", "module_importable"),
        ("def mount(coordinator, config=None): ...", "mount_signature"),
        ("async def mount(coordinator): ...", "mount_signature"),
        ("async def mount(coordinator, config=None): ...", "protocol_compliance"),
        (
            "async def mount(c, config=None):\n    c.hooks.register('tool:pre', 42)",
            "protocol_compliance",
        ),
        (
            "async def mount(c, config=None):\n"
            "    c.hooks.register('tool:pre', lambda e, d: d['tool_name'])",
            "hook_call",
        ),
    ],
)
def test_a_module_with_a_fault_does_not_validate(tmp_path, broken, found):
    code, failed = validate(project(tmp_path, broken))
    assert code == 1 and found in failed


def test_what_is_only_recommended_is_a_warning(tmp_path):
    module = MODULE.replace("return cleanup", "return None").replace("priority=20", "priority=99")
    code, failed = validate(project(tmp_path, module))
    assert (code, failed) == (0, {"cleanup", "priority"})


# The pytest plugin


@pytest.fixture
def plugin(pytester, monkeypatch):
    """A pytest of its own, with the plugin."""
    for name in ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    asked = ["-o", "anyhook_cases=true", "-o", "anyhook_modules=true"]
    import os

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))

    def run(*arguments, unasked=False):
        options = ["-p", "anyhook.pytest_plugin", *([] if unasked else asked)]
        return pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider", *options, *arguments)

    return run


def test_the_fixtures_offer_a_registry_and_fire(pytester, plugin):
    pytester.makepyfile(
        """
        import asyncio
        from anyhook import HookResult

        def refuse(event, data):
            return HookResult(action="deny", reason="no")

        def test_fire(hook_registry, fire):
            hook_registry.register("tool:pre", refuse)
            assert fire("PreToolUse", {"tool_name": "Bash"}).reason == "no"

            async def main():
                return await fire("tool:pre")

            assert asyncio.run(main()).action == "deny"

        def test_the_rest(coordinator):
            assert coordinator.session_id == "test-session"
        """
    )
    plugin().assert_outcomes(passed=2)


def test_the_plugin_has_amplifiers_name_too(pytester, plugin):
    pytester.makeconftest("import anyhook.amplifier\npytest_plugins = ['amplifier_core.pytest_plugin']")
    pytester.makepyfile("def test_it(hook_registry): ...")
    plugin().assert_outcomes(passed=1)


def test_cases_of_a_package_are_collected_and_a_failure_shows_its_page(pytester, plugin):
    package(pytester.path, "echo frozen >&2; exit 2")
    cases = pytester.path / "hooks" / "tests" / "cases"
    cases.mkdir(parents=True)
    fixture = pytester.path / "hooks" / "tests" / "fixtures" / "deploy.json"
    fixture.parent.mkdir()
    payload = {"hookEventName": "pre-tool-use", "toolName": "Bash"}
    payload["toolInput"] = {"command": "make deploy"}
    fixture.write_text(json.dumps(payload), encoding="utf-8")
    for name, code in [("refuses", 2), ("is-wrong-about-it", 0)]:
        text = f"""\
            name: {name}
            event: pre-tool-use
            hook-index: 0
            input:
              fixture: fixtures/deploy.json
            expected:
              exit-code: {code}
            """
        (cases / f"{name}.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    ran = plugin("hooks")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*is-wrong-about-it*"])


def test_a_project_that_offers_a_hook_is_checked(pytester, plugin):
    project(pytester.path, "import anyhook.amplifier\n" + MODULE)
    plugin().assert_outcomes(passed=5)
    broken = "async def mount(c, config=None):\n    c.hooks.register('tool:pre', lambda e, d: 5)\n"
    (pytester.path / "my_hook" / "__init__.py").write_text(broken, encoding="utf-8")
    ran = plugin()
    ran.assert_outcomes(passed=3, failed=2)
    ran.stdout.fnmatch_lines(["*`<lambda>` returns int about full data of `tool:pre`*"])


def test_nothing_is_collected_unasked(pytester, plugin):
    project(pytester.path, "import anyhook.amplifier\n" + MODULE)
    cases = pytester.path / "hooks" / "tests" / "cases"
    cases.mkdir(parents=True)
    (cases / "broken.yaml").write_text("name: [", encoding="utf-8")
    pytester.makepyfile("def test_mine(hook_registry): ...")
    plugin(unasked=True).assert_outcomes(passed=1)


def test_the_classes_of_checks_can_be_inherited(pytester, plugin):
    project(pytester.path, "import anyhook.amplifier\n" + MODULE)
    pytester.makepyfile(
        test_mine="""
        from anyhook.validation.behavioral import HookBehaviorTests
        from anyhook.validation.structural import HookStructuralTests

        class TestBehaviour(HookBehaviorTests): ...
        class TestForm(HookStructuralTests): ...
        """
    )
    plugin("test_mine.py").assert_outcomes(passed=8)


def test_the_module_that_a_test_imported_stays_the_one_of_its_name(pytester, plugin):
    project(pytester.path, "import anyhook.amplifier\n" + MODULE)
    pytester.makepyfile(
        test_mine="""
        import sys
        import my_hook

        def test_it(hook_cleanup):
            assert hook_cleanup is not None and sys.modules["my_hook"] is my_hook
        """
    )
    pytester.syspathinsert()
    plugin("test_mine.py").assert_outcomes(passed=1)


def test_context_injections_of_a_handler_are_taken_as_they_are():
    both = [ContextInjection(content="a", role="user"), ContextInjection(content="b", ephemeral=True)]
    registry = HookRegistry()
    registry.register(
        "tool:post", lambda e, d: HookResult(action="inject_context", context_injections=both)
    )
    said = asyncio.run(registry.emit("tool:post", {}))
    assert [(one.content, one.role, one.ephemeral) for one in said.context_injections] == [
        ("a", "user", False),
        ("b", "system", True),
    ]
    assert said.context_injection == "a\n\nb"
