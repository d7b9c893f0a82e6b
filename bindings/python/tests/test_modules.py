"""Hook modules with the structures of public ones, used as they are: in a plan, by their folder, and by the inherited tests.

Nothing in them knows Anyhook; the table in `docs/python.md` says which public module each has its structure from.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import anyhook.amplifier  # noqa: F401
from anyhook import Session
from anyhook.approval import Scripted
from anyhook.testing import MockContextManager, RecordingDisplay
from anyhook.validation import HookValidator

pytest_plugins = ["pytester"]

MODULES = Path(__file__).parent / "modules"
NAMES = sorted(folder.name for folder in MODULES.iterdir() if (folder / "pyproject.toml").is_file())
KEY = "AKIAABCDEFGHIJKLMNOP"
CONTRACT = """
from amplifier_core.validation.behavioral import HookBehaviorTests
from amplifier_core.validation.structural import HookStructuralTests

class TestBehaviour(HookBehaviorTests): ...
class TestForm(HookStructuralTests): ...
"""


def played(name, act, config=None, **given):
    """Mounts one module by its folder in a session, and returns what is done there."""
    hook = {"module": name, "source": str(MODULES / name), "config": config or {}}

    async def main():
        async with Session({"hooks": [hook]}, **given) as session:
            assert session.failures == {}
            return await act(session)

    return asyncio.run(main())


def tool(name="bash", **more):
    return {"tool_name": name, "tool_call_id": "1", "tool_input": {"command": "ls"}, **more}


def test_there_are_twelve():
    assert len(NAMES) == 12


@pytest.mark.parametrize("name", NAMES)
def test_each_validates_without_an_error(name):
    result = asyncio.run(HookValidator().validate(MODULES / name))
    assert [check.message for check in result.errors] == []
    assert result.passed and len(result.checks) > 6


def test_each_passes_the_eight_tests_that_its_original_inherits(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([path for path in sys.path if path]))
    for name in NAMES:
        folder = pytester.path / f"amplifier-module-{name}"
        shutil.copytree(MODULES / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests").mkdir()
        (folder / "tests" / "test_contract.py").write_text(CONTRACT, encoding="utf-8")
    options = ["-p", "anyhook.pytest_plugin", "-p", "no:cacheprovider"]
    ran = pytester.runpytest_subprocess("-q", "--import-mode=importlib", *options, "--pyargs", *NAMED)
    ran.assert_outcomes(passed=8 * len(NAMES))


NAMED = [f"amplifier-module-{name}/tests" for name in NAMES]


def test_hooks_ask_grants_what_its_provider_approves_and_refuses_without_one():
    async def act(session):
        from amplifier_core import ApprovalResponse

        class Provider:
            async def request_approval(self, request):
                return ApprovalResponse(approved=request.tool_name == "bash", reason="never")

        alone = await session.emit("tool:pre", tool())
        session.coordinator.get_capability("approval.register_provider")(Provider())
        both = [await session.emit("tool:pre", tool(name)) for name in ("bash", "rm")]
        return [(one.action, one.reason) for one in (alone, *both)]

    said = played("hooks-ask", act, {"tools": ["bash", "rm"]}, approval_system=Scripted())
    assert said == [("deny", "no one approves"), ("continue", None), ("deny", "never")]


def test_hooks_redact_masks_nested_data_of_any_event_and_keeps_ids():
    async def act(session):
        data = {"session_id": KEY, "messages": [{"content": f"key {KEY}"}]}
        return [(await session.emit(event, data)).data for event in ("llm:request", "tool:error")]

    for data in played("hooks-redact", act):
        assert data["messages"] == [{"content": "key [REDACTED:AWS]"}] and data["session_id"] == KEY


def test_hook_command_refuses_by_exit_code_and_by_a_models_answer():
    async def act(session):
        from amplifier_core.message_models import ChatResponse, TextBlock

        class Provider:
            name = "scripted"

            async def complete(self, request, **_):
                return ChatResponse(content=[TextBlock(text="BLOCK")])

        await session.coordinator.mount("providers", Provider())
        return (await session.emit("tool:pre", tool())).reason

    command = f"{sys.executable} -c \"import json, sys; d = json.load(sys.stdin); sys.exit(d['tool_name'] + ' is frozen')\""
    command = command.replace("sys.exit(", "sys.stderr.write(").replace("frozen')", "frozen'); sys.exit(2)")
    assert played("hook-command", act, {"command": command}) == "bash is frozen"
    assert played("hook-command", act, {"prompt": "Is it safe?"}) == "the model refuses"


def test_hooks_status_is_left_to_the_caller_for_one_request():
    async def act(session):
        context = MockContextManager()
        await session.coordinator.mount("context", context)
        session.coordinator.register_capability("session.working_dir", "/srv/shop")
        said = await session.emit("provider:request", {"provider": "x"})
        return said.action, said.context_injection, said.context_injection_role, said.ephemeral, context.messages

    text = "<env>\nWorking directory: /srv/shop\n</env>"
    assert played("hooks-status", act) == ("inject_context", text, "user", True, [])


def test_hooks_todo_reminds_after_other_tools_only():
    async def act(session):
        todo = tool("todo", tool_input={"todos": ["write the test"]})
        said = [await session.emit("tool:post", data) for data in (tool(), todo, tool())]
        return [(one.context_injection, one.append_to_last_tool_result) for one in said]

    assert played("hooks-todo", act) == [(None, False), (None, False), ("Open: write the test", True)]


def test_hooks_log_hears_what_others_contribute_because_it_registers_last(tmp_path):
    file = tmp_path / "log.jsonl"

    async def act(session):
        await session.hooks.emit("span:exported", {})

    async def spans(coordinator, config=None):
        coordinator.register_contributor("observability.events", "spans", lambda: ["span:exported"])

    async def main():
        hooks = [{"module": "hooks-log", "source": str(MODULES / "hooks-log"), "config": {"file": str(file)}}]
        async with Session({"hooks": [*hooks, {"module": "spans"}]}, modules={"spans": spans}, session_id="s") as it:
            await act(it)
        return it.hooks.list_handlers()

    left = asyncio.run(main())
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["session:start", "span:exported", "session:end"]
    assert {line["session_id"] for line in lines} == {"s"} and not any(left.values())


def test_hooks_shorten_rewrites_the_result_and_counts():
    async def act(session):
        said = await session.emit("tool:post", tool(tool_result={"output": "x" * 9}))
        counts = await session.coordinator.collect_contributions("status.counts")
        return said.data["tool_result"]["output"], counts

    assert played("hooks-shorten", act, {"max_length": 4}) == ("xxxx... (truncated 5 chars)", [{"shortened": 1}])


def test_hooks_spans_pairs_what_begins_and_ends():
    async def act(session):
        for event in ("execution:start", "tool:pre", "tool:post", "execution:end"):
            await session.emit(event, tool() if event.startswith("tool") else {})
        return session.coordinator.get_capability("spans.ended")()

    ended = [("tool:pre", "s", "tool:post"), ("execution:start", "s", "execution:end")]
    assert played("hooks-spans", act, session_id="s") == ended


def test_hooks_queue_has_sent_everything_when_the_session_is_over():
    sent: list[object] = []

    async def act(session):
        for at in range(3):
            await session.emit("prompt:submit", {"prompt": at})

    played("hooks-queue", act, {"sent": sent})
    assert sent == [("prompt:submit", 0), ("prompt:submit", 1), ("prompt:submit", 2)]


def test_hooks_boundary_refuses_what_leads_outside(tmp_path):
    async def act(session):
        paths = ["a.txt", "x/../a.txt", "../a.txt", "/etc/passwd"]
        said = [await session.emit("tool:pre", tool("edit", tool_input={"file_path": path})) for path in paths]
        return [one.action for one in said]

    assert played("hooks-boundary", act, {"root": str(tmp_path)}) == ["continue", "continue", "deny", "deny"]


def test_hooks_stream_shows_blocks_under_their_kind():
    display = RecordingDisplay()

    async def act(session):
        for kind in ("text", "thinking", "tool_call"):
            await session.emit("content_block:end", {"block": {"type": kind, "text": f"some {kind}"}})

    played("hooks-stream", act, {"show_thinking": False}, display_system=display)
    assert display.messages == [("some text", "info", "hook:text")]


def test_hooks_broadcast_passes_on_until_the_session_is_cancelled():
    async def act(session):
        heard, sent = [], []

        async def subscriber(event, data):
            heard.append((event, data["tool_name"]))

        session.coordinator.get_capability("broadcast.subscribe")(subscriber)
        session.hooks.register("broadcast:sent", lambda event, data: sent.append(data["of"]))
        await session.emit("tool:pre", tool())
        await session.coordinator.request_cancel()
        await session.emit("tool:post", tool())
        return heard, sent

    assert played("hooks-broadcast", act) == ([("tool:pre", "bash")], ["tool:pre"])
