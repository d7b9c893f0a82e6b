"""A plugin for pytest: fixtures for hooks, the cases of hook packages, and checks of hook modules.

``hook_registry`` is an empty registry and ``fire`` offers it an event. Nothing is collected unasked: with the setting
``anyhook_cases`` the files in ``tests/cases`` of a ``hooks.json`` package are, and with ``anyhook_modules`` a
``pyproject.toml`` that offers a hook among the entry points ``amplifier.modules``.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option and the setting."""
    group = parser.getgroup("anyhook")
    group.addoption("--module-path", default=None, help="folder of the hook module under test")
    parser.addini("anyhook_modules", "check hook modules that pyproject.toml offers", "bool", False)
    parser.addini("anyhook_cases", "run the cases of hooks.json packages", "bool", False)


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
    from anyhook.sources import imported

    before = dict(sys.modules)
    module = imported(folder, point)
    # The tests of the module may have imported it by its name: that one stays the one of this name.
    same = (name for name in before if f"{name}.".startswith(f"{module.__name__}."))
    sys.modules.update({name: before[name] for name in same})
    return module


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
    """The package of the module under test: of ``--module-path``, or of the nearest project that offers one."""
    from anyhook.sources import entry_points, package

    given = request.config.getoption("--module-path")
    if given:
        return Path(given)
    for folder in request.path.parents:
        if entry_points(folder / "pyproject.toml") or [*folder.glob("amplifier_module_*/__init__.py")]:
            return package(folder)
    pytest.skip("no module is here: give --module-path")


@pytest.fixture
def hook_module(module_path: Path) -> Any:
    """The module under test, imported."""
    return _module(module_path)


_KINDS = {"provider": "provider", "tool": "tool", "hook": "hook", "loop": "orchestrator"}
_KINDS |= {"orchestrator": "orchestrator", "context": "context"}


@pytest.fixture
def module_type(module_path: Path) -> str:
    """The kind of the module under test, by its package's name."""
    name = module_path.name.removeprefix("amplifier_module_")
    return next((kind for word, kind in _KINDS.items() if name.startswith(word)), "hook")


@pytest.fixture
def is_module_context(module_path: Path) -> bool:
    """Whether a module is under test."""
    return True


@pytest.fixture
def coordinator() -> Any:
    """A coordinator for tests."""
    from anyhook.testing import TestCoordinator

    return TestCoordinator()


async def _mounted(module_path: Path, coordinator: Any) -> tuple[Any, Callable[[], Any]]:
    """Mounts a module as a session does; returns its cleanup, and what calls that once."""
    module = _module(module_path)
    cleanup = await module.mount(coordinator, {})
    cleanup = cleanup if callable(cleanup) else None
    ready = getattr(module, "on_session_ready", None)
    if callable(ready):
        coordinator.on_session_ready(module.__name__, ready)
    if hasattr(coordinator, "session_ready"):
        await coordinator.session_ready()

    async def end() -> None:
        done = cleanup() if cleanup is not None else None
        if isinstance(done, Awaitable):
            await done

    return cleanup, end


async def _hook_cleanup(module_path: Path, coordinator: Any) -> AsyncIterator[Any]:
    """What ``mount`` of the module under test returned; the module is mounted on ``coordinator``."""
    cleanup, end = await _mounted(module_path, coordinator)
    yield cleanup
    await end()


def _hook_cleanup_without_a_loop(module_path: Path, coordinator: Any) -> Iterator[Any]:
    """What ``mount`` of the module under test returned; the module is mounted on ``coordinator``."""
    cleanup, end = asyncio.run(_mounted(module_path, coordinator))
    yield cleanup
    asyncio.run(end())


def _of(point: str) -> Any:
    async def held(module_path: Path, coordinator: Any) -> AsyncIterator[Any]:
        """What the module under test mounted."""
        _, end = await _mounted(module_path, coordinator)
        there = coordinator.mount_points[point]
        one = next(iter(there.values()), None) if isinstance(there, dict) else there
        assert one is not None, f"`mount` mounted nothing as `{point}`"
        yield one
        await end()

    return held


try:
    from pytest_asyncio import fixture as _with_a_loop
except ImportError:
    hook_cleanup: Any = pytest.fixture(_hook_cleanup_without_a_loop, name="hook_cleanup")
else:
    hook_cleanup = _with_a_loop(_hook_cleanup, name="hook_cleanup")
    tool_module = _with_a_loop(_of("tools"), name="tool_module")
    provider_module = _with_a_loop(_of("providers"), name="provider_module")
    orchestrator_module = _with_a_loop(_of("orchestrator"), name="orchestrator_module")
    context_module = _with_a_loop(_of("context"), name="context_module")


@pytest.fixture
def mock_deps() -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    """What a loop works with: a context, a provider, a tool, and hooks that record."""
    import anyhook.amplifier  # noqa: F401
    from anyhook.testing import EventRecorder, MockContextManager, MockTool

    class Provider:
        name = "mock"

        async def complete(self, _request: Any, **_given: Any) -> Any:
            models = importlib.import_module("amplifier_core.message_models")
            return models.ChatResponse(content=[models.TextBlock(text="Mock response")])

        def parse_tool_calls(self, _response: Any) -> list[Any]:
            return []

    tools = {"test_tool": MockTool("test_tool", "test result")}
    return MockContextManager(), {"default": Provider()}, tools, EventRecorder()
