"""``python -m anyhook module validate ./my-hook --type hook``."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anyhook.validation import HookValidator, MountPlanValidator, ValidationResult


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command, and returns its exit code: 0 all is well, 1 something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m anyhook")
    module = parser.add_subparsers(dest="what", required=True).add_parser(
        "module", help="work with modules"
    )
    validate = module.add_subparsers(dest="command", required=True).add_parser(
        "validate", help="check a module as its contract asks"
    )
    validate.add_argument("path", help="folder, file or importable name")
    validate.add_argument("-t", "--type", default="hook", choices=["hook", "mount_plan"])
    validate.add_argument("-e", "--entry-point", default=None)
    validate.add_argument("-o", "--output", default="human", choices=["human", "json"])
    given = parser.parse_args(arguments)
    result = _validated(given)
    print(_as_json(result) if given.output == "json" else _as_text(result))
    return 0 if result.passed else 1


def _validated(given: Any) -> ValidationResult:
    # A module that a validation imports knows Amplifier's names.
    import anyhook.amplifier  # noqa: F401

    if given.type == "mount_plan":
        return MountPlanValidator().validate(json.loads(Path(given.path).read_text("utf-8")))
    return asyncio.run(HookValidator().validate(given.path, given.entry_point))


def _as_json(result: ValidationResult) -> str:
    told = dataclasses.asdict(result) | {"passed": result.passed, "summary": result.summary()}
    return json.dumps(told, indent=2)


def _as_text(result: ValidationResult) -> str:
    marks = {"error": "error", "warning": "warning", "info": "info"}
    lines = []
    for check in result.checks:
        mark = "ok" if check.passed else marks[check.severity]
        lines.append(f"{mark:>7}  {check.name}: {check.message}")
    return "\n".join([*lines, result.summary()])


if __name__ == "__main__":
    sys.exit(main())
