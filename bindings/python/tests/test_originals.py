"""The script that plays Amplifier's own tests, and public modules, on this package: here on checkouts that are made up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "originals.py"
TEST = """
import os
import pytest
from amplifier_core._engine import RustHookRegistry

def test_passes():
    assert RustHookRegistry.TOOL_PRE == "tool:pre"

def test_is_strict():
    assert os.environ.get("ANYHOOK_AMPLIFIER_STRICT") == "1"

def test_is_skipped():
    pytest.skip("not here")
"""


def play(*arguments, **variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ANYHOOK_AMPLIFIER")}
    search = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(
        command, env=kept | search | variables, capture_output=True, text=True, check=False
    )


def test_a_checkout_of_the_core_is_a_table_of_its_files(tmp_path):
    for name in ("tests/test_hooks.py", "bindings/python/tests/test_switchover_coordinator.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEST, encoding="utf-8")
    (tmp_path / "tests" / "test_hooks_alias.py").write_text("import nothing_like_it", encoding="utf-8")

    ran = play("--failed", ANYHOOK_AMPLIFIER=str(tmp_path))
    lines = [line for line in ran.stdout.splitlines() if line and not line.startswith("|---")]
    assert ran.returncode == 1
    assert lines[:5] == [
        "| hooks | tests | pass | fail | skip |",
        "| test_hooks | 3 | 1 | 1 | 1 |",
        "    fails: tests.test_hooks.test_is_strict",
        "| test_hooks_alias | 1 | 0 | 1 | 0 |",
        "    fails: .tests.test_hooks_alias",
    ]
    assert "| test_switchover_coordinator | 3 | 1 | 1 | 1 |" in lines

    (tmp_path / "tests" / "test_hooks_alias.py").unlink()
    strict = play("--strict", tmp_path)
    assert strict.returncode == 0 and "| test_hooks | 3 | 2 | 0 | 1 |" in strict.stdout


def test_a_module_is_validated_and_its_own_tests_are_played():
    folder = Path(__file__).parent / "modules" / "hooks-todo"
    ran = play(folder)
    assert "| its own tests | 0 | 0 | 0 | 0 |" in ran.stdout and "PASSED: " in ran.stdout
    assert ran.returncode == 0


def test_without_a_checkout_it_says_how_it_is_called():
    ran = play()
    assert ran.returncode == 2 and "usage: " in ran.stderr
