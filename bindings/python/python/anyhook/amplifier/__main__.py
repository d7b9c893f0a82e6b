"""``python -m anyhook.amplifier run script.py``: runs a program that imports ``amplifier_core``."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence

from anyhook.amplifier import install


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a script or a module with Amplifier's names in place."""
    parser = argparse.ArgumentParser(prog="python -m anyhook.amplifier")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a program that imports amplifier_core")
    run.add_argument("--shadow", action="store_true", help="also where Amplifier is installed")
    run.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    run.add_argument("program", help="a script, or with -m the name of a module")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    install(shadow=given.shadow)
    sys.argv = [given.program, *given.arguments]
    if given.module:
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(given.program, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
