"""A plugin for pytest: fixtures for hooks, the cases of hook packages, and checks of hook modules.

``hook_registry`` is an empty registry and ``fire`` offers it an event; files in ``tests/cases`` of a ``hooks.json`` package
are collected, and so is a ``pyproject.toml`` that offers a hook among the entry points ``amplifier.modules``.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option and the setting."""
    group = parser.getgroup("anyhook")
    group.addoption("--module-path", default=None, help="folder of the hook module under test")
    parser.addini("anyhook_modules", "check hook modules that pyproject.toml offers", "bool", True)
    parser.addini("anyhook_cases", "run the cases of hooks.json packages", "bool", True)


def pytest_configure(config: pytest.Config) -> None:
    """Names the marker."""
    text = "module_validation: a check that every hook module has to pass"
    config.addinivalue_line("markers", text)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collects the files of cases, and the projects that offer hooks."""
    if _holds_cases(file_path) and parent.config.getini("anyhook_cases"):
        return CaseFile.from_parent(parent, path=file_path)
    if (
        file_path.name == "pyproject.toml"
        and parent.config.getini("anyhook_modules")
        and _hook_points(file_path)
    ):
        return HookProject.from_parent(parent, path=file_path)
    return None


def _holds_cases(file: Path) -> bool:
    folders = file.parent.name, file.parent.parent.name
    return file.suffix in {".yaml", ".yml"} and folders == ("cases", "tests")


def _hook_points(project: Path) -> dict[str, str]:
    try:
        about = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    points = about.get("project", {}).get("entry-points", {}).get("amplifier.modules", {})
    return {name: point for name, point in points.items() if "hook" in f"{name} {point}".lower()}


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterable[pytest.Item]:
        """Reads the cases; a file with something wrong in it is an error."""
        from anyhook import _core

        cases = _core.Cases(str(self.path))
        problems = cases.problems()
        if problems:
            raise self.CollectError("\n".join(problems))
        for at, (name, line) in enumerate(cases.names()):
            yield CaseItem.from_parent(self, name=name, cases=cases, at=at, line=line)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, cases: Any, at: int, line: int, **given: Any) -> None:
        super().__init__(**given)
        self._cases, self._at, self._line = cases, at, line

    def runtest(self) -> None:
        """Runs it."""
        outcome, reason, page = self._cases.run(self._at)
        if outcome == "skip":
            pytest.skip(reason or "skipped")
        if outcome == "xfail":
            pytest.xfail(reason or "known")
        if outcome != "pass":
            raise CaseFailed(page)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Shows the page of the failure instead of our own lines."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Says where the case is written."""
        return self.path, self._line - 1, f"case: {self.name}"


class CaseFailed(AssertionError):
    """A case that does not hold."""


class HookProject(pytest.File):
    """A project that offers a hook module."""

    def collect(self) -> Iterable[pytest.Item]:
        """Lists the checks."""
        from anyhook.validation.behavioral import CHECKS
        from anyhook.validation.structural import the_validator_finds_no_error

        for point in _hook_points(self.path):
            form = the_validator_finds_no_error
            yield self._item(point, form.__name__, form, takes_path=True)
            for name, check in CHECKS.items():
                yield self._item(point, name, check, takes_path=False)

    def _item(self, point: str, name: str, check: Any, *, takes_path: bool) -> pytest.Item:
        given = {"check": check, "point": point, "takes_path": takes_path}
        item = ModuleItem.from_parent(self, name=f"{point}::{name}", **given)
        item.add_marker(pytest.mark.module_validation)
        return item


class ModuleItem(pytest.Item):
    """One check of one module."""

    def __init__(self, *, check: Any, point: str, takes_path: bool, **given: Any) -> None:
        super().__init__(**given)
        self._check, self._point, self._takes_path = check, point, takes_path

    def runtest(self) -> None:
        """Runs it."""
        folder = self.path.parent
        asyncio.run(self._check(folder if self._takes_path else _module(folder, self._point)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Shows what does not hold."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


def _module(folder: Path, point: str | None = None) -> Any:
    from anyhook.validation.hook import _imported

    return _imported(str(folder), point)


@pytest.fixture
def hook_registry() -> Any:
    """An empty registry."""
    from anyhook import HookRegistry

    return HookRegistry()


@pytest.fixture
def fire(hook_registry: Any) -> Callable[..., Any]:
    """Offers an event to ``hook_registry``: to be awaited in an async test, the result itself in another one."""

    def offer(event: str, data: dict[str, Any] | None = None) -> Any:
        emitted = hook_registry.emit(event, data)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(emitted)
        return emitted

    return offer


@pytest.fixture
def module_path(request: pytest.FixtureRequest) -> Path:
    """The folder of the module under test: ``--module-path``, or the nearest project that offers a hook."""
    given = request.config.getoption("--module-path")
    if given:
        return Path(given)
    for folder in request.path.parents:
        if _hook_points(folder / "pyproject.toml"):
            return folder
    pytest.skip("no hook module is here: give --module-path")


@pytest.fixture
def hook_module(module_path: Path) -> Any:
    """The module under test, imported."""
    return _module(module_path)


@pytest.fixture
def module_type(module_path: Path) -> str:
    """The kind of the module under test."""
    return "hook"


@pytest.fixture
def coordinator() -> Any:
    """A coordinator for tests."""
    from anyhook.testing import TestCoordinator

    return TestCoordinator()


@pytest.fixture
def hook_cleanup() -> Iterable[list[Callable[[], Any]]]:
    """A list of functions to call when the test is over, the newest first."""
    cleanups: list[Callable[[], Any]] = []
    yield cleanups
    while cleanups:
        cleanups.pop()()
