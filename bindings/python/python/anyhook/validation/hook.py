"""Checking a hook module: mounted for real, and every handler asked."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import tomllib
from collections.abc import Awaitable
from pathlib import Path
from types import ModuleType
from typing import Any

from anyhook import _native
from anyhook.hooks import Registered
from anyhook.models import HookResult
from anyhook.testing import TestCoordinator
from anyhook.validation.base import Severity, ValidationCheck, ValidationResult

__all__ = ["HookValidator", "sample"]

GROUP = "amplifier.modules"


def sample(event: str) -> list[dict[str, Any]]:
    """Returns data that a handler of an event has to cope with: full, and with nothing in it.

    >>> sample("tool:pre")[0]["tool_name"]
    'write_file'
    """
    full: dict[str, Any] = {"session_id": "test-session", "timestamp": "2025-01-01T00:00:00+00:00"}
    if event.startswith("tool:") or event == "*":
        full |= {
            "tool_name": "write_file",
            "tool_input": {"file_path": "/tmp/example.txt", "content": "text"},
            "tool_result": {"success": True},
        }
    if event.startswith(("prompt:", "execution:")):
        full |= {"prompt": "Say hello.", "response": "Hello."}
    if event.startswith(("provider:", "llm:")):
        full |= {"provider": "example", "messages": [{"role": "user", "content": "Hello."}]}
    return [full, {}]


class HookValidator:
    """Checks a hook module, as the contract's list asks.

    The module is mounted once, on a coordinator for tests, and every handler that it registers is asked with full and with
    empty data. What the contract requires is an error, what it recommends is a warning.
    """

    async def validate(
        self,
        module_path: str | Path,
        entry_point: str | None = None,
        config: dict[str, Any] | None = None,
    ) -> ValidationResult:
        """Checks the module of a folder, of a file, or of an importable name."""
        result = ValidationResult("hook", str(module_path))
        module = self._import(result, str(module_path), entry_point)
        mount = self._mount(result, module) if module is not None else None
        if module is None or mount is None:
            return result
        self._ready(result, module)
        self._declared(result, Path(module_path))
        coordinator = TestCoordinator()
        cleanup = await self._protocol(result, mount, coordinator, dict(config or {}))
        if result.passed:
            handlers = [one for all in coordinator.hooks.handlers.values() for one in all]
            for handler in handlers:
                await self._ask(result, handler)
            self._recommended(result, module, handlers)
            await self._cleanup(result, coordinator, cleanup)
        return result

    def _import(
        self, result: ValidationResult, path: str, entry_point: str | None
    ) -> ModuleType | None:
        try:
            module = _imported(path, entry_point)
        except Exception as error:
            _fail(result, "module_importable", f"it cannot be imported: {error!r}")
            return None
        _pass(result, "module_importable", f"`{module.__name__}` was imported")
        return module

    def _mount(self, result: ValidationResult, module: ModuleType) -> Any:
        mount = getattr(module, "mount", None)
        if not callable(mount):
            _fail(result, "mount_exists", "there is no function `mount`")
            return None
        _pass(result, "mount_exists", "`mount` is there")
        if not inspect.iscoroutinefunction(mount):
            _fail(result, "mount_signature", "`mount` is no `async def`")
            return None
        if not _takes(mount, 2):
            _fail(result, "mount_signature", "`mount` takes a coordinator and a config")
            return None
        _pass(result, "mount_signature", "`mount` takes a coordinator and a config")
        return mount

    def _ready(self, result: ValidationResult, module: ModuleType) -> None:
        ready = getattr(module, "on_session_ready", None)
        if ready is None:
            return
        if inspect.iscoroutinefunction(ready) and _takes(ready, 1):
            _pass(result, "on_session_ready_async", "it is async and takes the coordinator")
        else:
            _fail(result, "on_session_ready_async", "it has to be async and take the coordinator")

    def _declared(self, result: ValidationResult, path: Path) -> None:
        folders = [path, *path.resolve().parents[:2]]
        project = next((f / "pyproject.toml" for f in folders if (f / "pyproject.toml").is_file()), None)
        points = {}
        if project is not None:
            about = tomllib.loads(project.read_text(encoding="utf-8"))
            points = about.get("project", {}).get("entry-points", {}).get(GROUP, {})
        if points:
            _pass(result, "entry_point", f"{', '.join(points)} among `{GROUP}`")
        else:
            text = f"no pyproject.toml offers it among the entry points `{GROUP}`"
            _fail(result, "entry_point", text, "warning")

    async def _protocol(
        self, result: ValidationResult, mount: Any, coordinator: TestCoordinator, config: dict[str, Any]
    ) -> Any:
        try:
            cleanup = await mount(coordinator, config)
        except Exception as error:
            _fail(result, "protocol_compliance", f"`mount` failed: {error!r}")
            return None
        if coordinator.hooks.handlers:
            _pass(result, "protocol_compliance", "`mount` registered handlers")
        else:
            _fail(result, "protocol_compliance", "`mount` registered no handler")
        return cleanup

    async def _ask(self, result: ValidationResult, one: Registered) -> None:
        if not _native._takes_two(one.handler):
            return _fail(result, "hook_call", f"`{one.name}` does not take an event and its data")
        event = one.event.replace("*", "pre") if one.event != "*" else "tool:pre"
        for data in sample(one.event):
            what = "full" if data else "empty"
            try:
                said = one.handler(event, _native.EventData(data))
                said = await said if isinstance(said, Awaitable) else said
            except Exception as error:
                text = f"`{one.name}` raises about {what} data of `{event}`: {error!r}"
                return _fail(result, "hook_call", text)
            if not isinstance(said, HookResult):
                text = f"`{one.name}` returns {type(said).__name__} about {what} data of `{event}`"
                return _fail(result, "hook_call", text)
        return _pass(result, "hook_call", f"`{one.name}` answers `{one.event}`")

    def _recommended(
        self, result: ValidationResult, module: ModuleType, handlers: list[Registered]
    ) -> None:
        odd = sorted({one.name for one in handlers if not 10 <= one.priority <= 90})
        text = f"outside of 10 to 90: {', '.join(odd)}" if odd else "all are between 10 and 90"
        result.add(ValidationCheck("priority", not odd, text, "warning" if odd else "info"))
        try:
            source = inspect.getsource(module)
        except (OSError, TypeError):
            return
        for name, word, what in (
            ("logging", "logg", "it logs"),
            ("enabled_events", "enabled_events", "the events are configurable"),
            ("contributions", "register_contributor", "its own events are registered"),
        ):
            found = word in source
            text = what if found else f"`{word}` does not occur in it"
            result.add(ValidationCheck(name, found, text, "info" if found else "warning"))

    async def _cleanup(
        self, result: ValidationResult, coordinator: TestCoordinator, cleanup: Any
    ) -> None:
        if not callable(cleanup):
            return _fail(result, "cleanup", "`mount` returns no cleanup function", "warning")
        try:
            done = cleanup()
            if isinstance(done, Awaitable):
                await done
        except Exception as error:
            return _fail(result, "cleanup", f"the cleanup failed: {error!r}")
        left = [one.name for all in coordinator.hooks.handlers.values() for one in all]
        if left:
            return _fail(result, "cleanup", f"it leaves registered: {', '.join(left)}", "warning")
        return _pass(result, "cleanup", "it removes every handler")


def _pass(result: ValidationResult, name: str, text: str) -> None:
    result.add(ValidationCheck(name, True, text))


def _fail(result: ValidationResult, name: str, text: str, severity: Severity = "error") -> None:
    result.add(ValidationCheck(name, False, text, severity))


def _takes(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def _imported(path: str, entry_point: str | None) -> ModuleType:
    place = Path(path)
    if place.is_dir():
        place = _package(place, entry_point)
    if not place.exists():
        return importlib.import_module(path)
    file = place / "__init__.py" if place.is_dir() else place
    name = place.stem
    search = [str(place)] if place.is_dir() else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"`{file}` is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _package(folder: Path, entry_point: str | None) -> Path:
    """Finds the package in a project's folder."""
    if (folder / "__init__.py").is_file():
        return folder
    named = []
    project = folder / "pyproject.toml"
    if project.is_file():
        about = tomllib.loads(project.read_text(encoding="utf-8"))
        points = about.get("project", {}).get("entry-points", {}).get(GROUP, {})
        chosen = [points[entry_point]] if entry_point in points else list(points.values())
        named = [point.partition(":")[0].replace(".", "/") for point in chosen]
    for name in named:
        for base in (folder, folder / "src"):
            for place in (base / name, base / f"{name}.py"):
                if (place / "__init__.py").is_file() or place.is_file():
                    return place
    found = [*folder.glob("*/__init__.py"), *folder.glob("src/*/__init__.py")]
    found = [file for file in found if not file.parent.name.startswith((".", "test"))]
    if len(found) == 1:
        return found[0].parent
    raise ImportError(f"`{folder}` holds {len(found)} packages, and one is needed")
