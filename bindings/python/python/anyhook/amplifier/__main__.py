"""``python -m anyhook.amplifier``: which ``amplifier_core`` an environment has, and programs that import it."""

from __future__ import annotations

import argparse
import runpy
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from anyhook.amplifier import TREE, install, is_ours, which

PTH = "anyhook-amplifier.pth"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command, and returns its exit code: 0 where ``amplifier_core`` is Anyhook's afterwards, as was asked."""
    parser = argparse.ArgumentParser(prog="python -m anyhook.amplifier")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("which", help="say whose amplifier_core an import gives; 1 where it is not Anyhook's")
    enable = commands.add_parser("enable", help="make amplifier_core importable in every process of this environment")
    enable.add_argument("--shadow", action="store_true", help="also where Amplifier is installed")
    commands.add_parser("disable", help="undo `enable`")
    run = commands.add_parser("run", help="run a program that imports amplifier_core")
    run.add_argument("--shadow", action="store_true", help="also where Amplifier is installed")
    run.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    run.add_argument("program", help="a script, or with -m the name of a module")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    if given.command == "run":
        return _run(given)
    if given.command != "disable" and not getattr(given, "shadow", False):
        install()
    if given.command == "enable":
        return _enable(given.shadow)
    if given.command == "disable":
        _file().unlink(missing_ok=True)
        print(f"removed {_file()}")
        return 0
    print(f"amplifier_core is {which()}")
    return 0 if is_ours() else 1


def _run(given: argparse.Namespace) -> int:
    install(shadow=given.shadow)
    sys.argv = [given.program, *given.arguments]
    if given.module:
        sys.path.insert(0, "")
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(given.program, run_name="__main__")
    return 0


def _file() -> Path:
    return Path(sysconfig.get_paths()["purelib"]) / PTH


def _enable(shadow: bool) -> int:
    """Writes a file that Python reads when it starts, and that type checkers read too."""
    if not shadow and not is_ours():
        print(f"amplifier_core is {which()}; `enable --shadow` takes its place", file=sys.stderr)
        return 1
    first = f"sys.path.insert(0, {TREE!r}); " if shadow else ""
    watch = f"import os, sys; {first}os.path.isdir({TREE!r}) and __import__('anyhook_amplifier')"
    try:
        _file().write_text(f"{TREE}\n{watch}\n", encoding="utf-8")
    except OSError as error:
        print(f"{_file()} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    install(shadow=shadow)
    print(f"amplifier_core is {which()}\nwrote {_file()}; `python -m anyhook.amplifier disable` removes it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
