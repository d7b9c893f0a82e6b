"""The types that the package declares: true to the native module, and useful to those who check their code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anyhook.amplifier
from anyhook import HookRegistry

HERE = Path(__file__).parent / "typing"


def check(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_stubs_say_what_the_native_module_has(tmp_path):
    allowed = str(HERE / "stubtest.allow")
    assert check(tmp_path, "mypy.stubtest", "anyhook._core", "--allowlist", allowed) == ""


def test_the_package_satisfies_a_strict_type_checker(tmp_path):
    assert check(tmp_path, "mypy", "--strict", "-p", "anyhook", "--exclude", "amplifier/tree") == ""


def test_amplifiers_names_satisfy_a_strict_type_checker(tmp_path):
    # A type checker takes no path inside of site-packages.
    shutil.copytree(Path(anyhook.amplifier.TREE) / "amplifier_core", tmp_path / "amplifier_core")
    assert check(tmp_path, "mypy", "--strict", "-p", "amplifier_core") == ""


def test_ordinary_code_has_the_types_that_its_author_expects(tmp_path):
    assert check(tmp_path, "mypy", "--strict", str(HERE / "usage.py")) == ""


def test_the_function_that_removes_a_registration_takes_nothing():
    unregister = HookRegistry().register("stop", lambda event, data: None)
    with pytest.raises(TypeError):
        unregister("stop")
