"""What the pages say about Python is true."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


def test_the_start_on_the_page_of_the_package_can_be_copied_and_run(capsys):
    page = HERE.parent / "README.md"
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert len(blocks) == 1
    exec(compile(blocks[0], str(page), "exec", dont_inherit=True), {"__name__": "__main__"})
    assert "this session is read-only" in capsys.readouterr().out


def test_the_plan_on_the_page_about_python_can_be_copied_and_run(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    (block,) = (block for block in BLOCK.findall(text) if "from_plan" in block)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "docs/python.md", "exec", dont_inherit=True), {"__name__": "__main__"})
    assert capsys.readouterr().out == "no shell in this house\n"


def test_the_page_about_python_names_every_module_that_is_played():
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    _, about = page.split("CI runs these modules unchanged")
    named = re.findall(r"`(hook[\w-]+)`", about.split("\n\n")[0])
    assert sorted(named) == sorted(folder.name for folder in (HERE / "modules").iterdir())


def blocks_of_the_page():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return BLOCK.findall(text)


@pytest.mark.parametrize("block", blocks_of_the_page(), ids=lambda block: block.splitlines()[0])
def test_the_examples_of_the_page_about_python_can_be_copied_and_run(block, tmp_path):
    file = tmp_path / "test_example.py"
    file.write_text(block, encoding="utf-8")
    command = [sys.executable, str(file)]
    if "def test_" in block:
        options = ["-q", "-p", "no:cacheprovider", "-p", "anyhook.pytest_plugin"]
        command = [sys.executable, "-m", "pytest", *options, str(file)]
    path = os.pathsep.join(one for one in sys.path if one)
    ran = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said
    for line in re.findall(r"# prints: (.+)", block):
        assert line in ran.stdout.splitlines(), said


def test_every_row_of_the_conformance_page_names_a_test_that_exists():
    page = (ROOT / "docs" / "reference" / "python-conformance.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    tests = "".join(file.read_text(encoding="utf-8") for file in HERE.glob("test_*.py"))
    defined = set(re.findall(r"def (test_\w+)", tests))
    assert len(rows) > 30
    for row in rows:
        assert row.count(" | ") == 4, row
        named = set(re.findall(r"`(test_\w+)`", row))
        assert named and named <= defined, row


def test_a_result_of_an_action_alone_is_what_the_validator_makes():
    from anyhook import HookResult

    for action in ("continue", "deny", "modify", "inject_context", "ask_user"):
        quick, slow = HookResult(action=action), HookResult.model_validate({"action": action})
        assert quick == slow and quick.model_fields_set == slow.model_fields_set
        assert quick.__dict__ == slow.__dict__ and repr(quick) == repr(slow)
        assert quick.context_injections is not HookResult(action=action).context_injections


def test_a_view_that_a_handler_keeps_is_its_own_for_ever(registry):
    from anyhook import HookResult

    kept = []

    def keeps(event, data):
        data["by"] = len(kept)
        kept.append(data)
        return HookResult()

    async def scribbles(event, data):
        data["scribble"] = True
        return HookResult()

    for handler in (scribbles, keeps, scribbles, keeps, scribbles):
        registry.register("tool:pre", handler)
    said = asyncio.run(registry.emit("tool:pre", {"tool_name": "Read"}))
    assert [data["by"] for data in kept] == [0, 1]
    assert all("scribble" not in data for data in [*kept, said.data])
