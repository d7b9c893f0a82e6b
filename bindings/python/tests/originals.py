"""Plays Amplifier's own tests, and public hook modules, on this package: a table of files with how many tests pass.

    ANYHOOK_AMPLIFIER=~/src/amplifier-core python tests/originals.py
    python tests/originals.py --strict ~/src/amplifier-core ~/src/amplifier-module-hooks-redaction

Each path is a checkout. In that of `amplifier-core` the files of the lists below are played; of a module its own tests, after
`python -m anyhook module validate`. With `--strict` Amplifier's own ways hold where they differ and a program may depend on
them. Nothing of a checkout is changed, and nothing of it belongs to this repository. The tests may need more than this
package: `pip install pytest pytest-asyncio` and what a module depends on, without `amplifier-core`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import anyhook.amplifier

PACKAGE = str(Path(anyhook.__file__).parents[1])
HOOKS = """
tests/test_hooks tests/test_hooks_alias tests/test_hooks_timestamp tests/test_emit_and_collect_returns_dicts
tests/test_all_events_from_engine tests/test_event_taxonomy tests/test_events_provider_retry
tests/test_events_provider_throttle tests/test_e2e_smoke_script bindings/python/tests/test_switchover_hooks
bindings/python/tests/test_emit_json_sanitize bindings/python/tests/test_event_constants
""".split()
COORDINATION = """
tests/test_process_hook_result tests/test_contribution_channels tests/test_hook_validation_debug
tests/test_approval_provider_bridge tests/test_display_service_bridge tests/test_context_manager_bridge
tests/test_module_coordinator_import tests/test_rust_to_dict bindings/python/tests/test_pydantic_model_dump_guard
bindings/python/tests/test_switchover_coordinator
""".split()
BESIDE = """
bindings/python/tests/test_cancellation_token bindings/python/tests/test_capabilities_constants
tests/test_cancellation_resilience tests/test_message_models tests/test_llm_errors tests/test_retry
tests/test_interfaces tests/test_pristine_validation_imports tests/test_resolver_public_api
""".split()


def main() -> int:
    """Prints a table for each checkout; ends with 1 if a test failed, with 2 if there is nothing to play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true", help="where they differ, Amplifier's own ways")
    parser.add_argument("--failed", action="store_true", help="name the tests that fail")
    parser.add_argument("checkouts", nargs="*", type=Path)
    given = parser.parse_args()
    named = os.environ.get("ANYHOOK_AMPLIFIER")
    checkouts = given.checkouts or ([Path(named)] if named else [])
    if not checkouts:
        parser.print_usage(sys.stderr)
        return 2
    failed = 0
    for checkout in checkouts:
        is_core = (checkout / "bindings" / "python" / "tests").is_dir()
        failed += (core if is_core else module)(checkout.resolve(), given)
    return 1 if failed else 0


def core(checkout: Path, given: argparse.Namespace) -> int:
    """Plays the files of the lists that the checkout has."""
    failed = 0
    for title, files in (("hooks", HOOKS), ("coordination", COORDINATION), ("beside hooks", BESIDE)):
        print(f"\n| {title} | tests | pass | fail | skip |\n|---|---|---|---|---|")
        total = [0, 0, 0]
        for name in files:
            if not (checkout / f"{name}.py").is_file():
                continue
            row, tests = played(checkout, [f"{name}.py"], given)
            total = [one + other for one, other in zip(total, row, strict=True)]
            print(line(Path(name).name, row))
            show(tests, given)
        print(line("**all**", total))
        failed += total[1]
    return failed


def module(checkout: Path, given: argparse.Namespace) -> int:
    """Validates a module, and plays its own tests."""
    command = [sys.executable, "-m", "anyhook", "module", "validate", "--quiet", str(checkout)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(given))
    row, tests = played(checkout, [], given)
    print(f"\n| {checkout.name} | tests | pass | fail | skip |\n|---|---|---|---|---|\n{line('its own tests', row)}")
    print((checked.stdout + checked.stderr).strip().splitlines()[-1])
    show(tests, given)
    return row[1] + checked.returncode


def environment(given: argparse.Namespace) -> dict[str, str]:
    """The surroundings in which `amplifier_core` is this package's."""
    path = os.pathsep.join([anyhook.amplifier.TREE, PACKAGE, os.environ.get("PYTHONPATH", "")])
    strict = {"ANYHOOK_AMPLIFIER_STRICT": "1"} if given.strict else {}
    return os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"} | strict


def played(
    checkout: Path, files: list[str], given: argparse.Namespace
) -> tuple[list[int], list[str]]:
    """Plays tests in a process of their own, and returns how many pass, fail and are skipped, and those that fail."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "-p", "no:cacheprovider", "-p", "anyhook.pytest_plugin"]
        options += ["--import-mode=importlib", "-o", "anyhook_modules=false", f"--junit-xml={report}"]
        command = [sys.executable, "-m", "pytest", *options, *files]
        subprocess.run(command, cwd=checkout, capture_output=True, check=False, env=environment(given))
        if not report.is_file():
            return [0, 1, 0], ["pytest could not be started"]
        return counted(ElementTree.parse(report).iter("testcase"))


def counted(cases: Iterator[ElementTree.Element]) -> tuple[list[int], list[str]]:
    """Counts the cases of a report."""
    row, failed = [0, 0, 0], []
    for case in cases:
        kinds = {child.tag for child in case}
        at = 1 if kinds & {"failure", "error"} else 2 if "skipped" in kinds else 0
        row[at] += 1
        if at == 1:
            failed.append(f"{case.get('classname')}.{case.get('name')}")
    return row, failed


def line(name: str, row: list[int]) -> str:
    """Writes one line of a table."""
    return f"| {name} | {sum(row)} | {row[0]} | {row[1]} | {row[2]} |"


def show(tests: list[str], given: argparse.Namespace) -> None:
    """Names the tests that fail, where that was asked for."""
    for test in tests if given.failed else ():
        print(f"    fails: {test}")


if __name__ == "__main__":
    sys.exit(main())
