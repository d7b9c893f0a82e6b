"""``anyhook-python module validate ./my-hook --type hook``, or ``python -m anyhook`` instead of the first word."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
from collections.abc import Sequence
from typing import Any

from anyhook import validation
from anyhook.loader import load_plan
from anyhook.validation import MountPlanValidator, ValidationResult

KINDS = {
    "hook": validation.HookValidator,
    "tool": validation.ToolValidator,
    "provider": validation.ProviderValidator,
    "orchestrator": validation.OrchestratorValidator,
    "context": validation.ContextValidator,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command, and returns its exit code: 0 all is well, 1 something is wrong, 2 it could not be looked at."""
    program = "The program `anyhook` comes with the wheels of a release; from a checkout: cargo install --path crates/cli"
    parser = argparse.ArgumentParser(prog="anyhook-python", epilog=program)
    module = parser.add_subparsers(dest="what", required=True).add_parser(
        "module", help="work with modules"
    )
    validate = module.add_subparsers(dest="command", required=True).add_parser(
        "validate", help="check a module as its contract asks"
    )
    validate.add_argument("path", help="folder, file or importable name")
    validate.add_argument("-t", "--type", default="hook", choices=[*KINDS, "mount_plan"])
    validate.add_argument("--config", default="{}", help="its configuration, as JSON")
    validate.add_argument("-e", "--entry-point", default=None)
    validate.add_argument("-o", "--output", default="human", choices=["human", "json"])
    validate.add_argument("-q", "--quiet", action="store_true", help="write only what failed")
    given = parser.parse_args(arguments)
    try:
        result = _validated(given)
    except (OSError, ValueError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(_as_json(result) if given.output == "json" else _as_text(result, given.quiet))
    return 0 if result.passed else 1


def _validated(given: Any) -> ValidationResult:
    # A module that a validation imports knows Amplifier's names.
    import anyhook.amplifier  # noqa: F401

    if given.type == "mount_plan":
        return MountPlanValidator().validate(load_plan(given.path))
    validator = KINDS[given.type]()
    return asyncio.run(validator.validate(given.path, given.entry_point, json.loads(given.config)))


def _as_json(result: ValidationResult) -> str:
    told = dataclasses.asdict(result) | {"passed": result.passed, "summary": result.summary()}
    return json.dumps(told, indent=2)


def _as_text(result: ValidationResult, quiet: bool) -> str:
    marks = {"error": "error", "warning": "warning", "info": "info"}
    lines = []
    for check in (one for one in result.checks if not (quiet and one.passed)):
        mark = "ok" if check.passed else marks[check.severity]
        lines.append(f"{mark:>7}  {check.name}: {check.message}")
    return "\n".join([*lines, result.summary()])


if __name__ == "__main__":
    sys.exit(main())
