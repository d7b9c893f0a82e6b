"""What the checks of all kinds of modules have in common, and the kinds that are no hooks."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Awaitable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from anyhook.sources import GROUP, imported
from anyhook.testing import TestCoordinator
from anyhook.validation.base import Severity, ValidationCheck, ValidationResult

__all__ = [
    "ContextValidator",
    "ModuleValidator",
    "OrchestratorValidator",
    "ProviderValidator",
    "ToolValidator",
]


class ModuleValidator:
    """Checks a module: it can be imported, its ``mount`` fits and mounts what its kind asks for.

    What the contract requires is an error, what it recommends is a warning.
    """

    kind: ClassVar[str] = "module"
    point: ClassVar[str] = ""
    members: ClassVar[tuple[str, ...]] = ()
    methods: ClassVar[tuple[str, ...]] = ()

    async def validate(
        self,
        module_path: str | Path,
        entry_point: str | None = None,
        config: dict[str, Any] | None = None,
    ) -> ValidationResult:
        """Checks the module of a folder, of a file, or of an importable name."""
        result = ValidationResult(self.kind, str(module_path))
        module = self._import(result, str(module_path), entry_point)
        mount = self._mount(result, module) if module is not None else None
        if module is None or mount is None:
            return result
        self._declared(result, Path(module_path))
        coordinator = TestCoordinator()
        try:
            cleanup = await mount(coordinator, dict(config or {}))
        except Exception as error:
            fail(result, "protocol_compliance", f"`mount` failed: {error!r}")
            return result
        await self._ready(result, module, coordinator)
        await self._check(result, module, coordinator)
        if result.passed:
            await self._cleanup(result, coordinator, cleanup)
        return result

    def _import(
        self, result: ValidationResult, path: str, entry_point: str | None
    ) -> ModuleType | None:
        try:
            module = imported(path, entry_point)
        except Exception as error:
            fail(result, "module_importable", f"it cannot be imported: {error!r}")
            return None
        good(result, "module_importable", f"`{module.__name__}` was imported")
        return module

    def _mount(self, result: ValidationResult, module: ModuleType) -> Any:
        mount = getattr(module, "mount", None)
        if not callable(mount):
            fail(result, "mount_exists", "there is no function `mount`")
            return None
        good(result, "mount_exists", "`mount` is there")
        if not inspect.iscoroutinefunction(mount):
            fail(result, "mount_signature", "`mount` is no `async def`")
            return None
        if not _takes(mount, 2):
            fail(result, "mount_signature", "`mount` takes a coordinator and a config")
            return None
        good(result, "mount_signature", "`mount` takes a coordinator and a config")
        return mount

    def _declared(self, result: ValidationResult, path: Path) -> None:
        folders = [path, *path.resolve().parents[:2]]
        project = next((f / "pyproject.toml" for f in folders if (f / "pyproject.toml").is_file()), None)
        points = {}
        if project is not None:
            about = tomllib.loads(project.read_text(encoding="utf-8"))
            points = about.get("project", {}).get("entry-points", {}).get(GROUP, {})
        if points:
            good(result, "entry_point", f"{', '.join(points)} among `{GROUP}`")
        else:
            text = f"no pyproject.toml offers it among the entry points `{GROUP}`"
            fail(result, "entry_point", text, "warning")

    async def _ready(
        self, result: ValidationResult, module: ModuleType, coordinator: TestCoordinator
    ) -> None:
        """Does what a session does when every module is mounted: handlers that are registered then count too."""
        ready = getattr(module, "on_session_ready", None)
        if ready is not None:
            if not (inspect.iscoroutinefunction(ready) and _takes(ready, 1)):
                text = "it has to be async and take the coordinator"
                return fail(result, "on_session_ready_async", text)
            good(result, "on_session_ready_async", "it is async and takes the coordinator")
            coordinator.on_session_ready(module.__name__, ready)
        failed: list[str] = []
        event = "module:on_session_ready_failed"
        heard = coordinator.hooks.register(event, lambda _event, data: failed.append(data["error"]))
        await coordinator.session_ready()
        heard()
        for text in failed:
            fail(result, "on_session_ready", f"it failed beside no other module: {text}", "warning")
        return None

    async def _check(
        self, result: ValidationResult, module: ModuleType, coordinator: TestCoordinator
    ) -> None:
        held = coordinator.mount_points.get(self.point)
        mounted = list(held.values()) if isinstance(held, dict) else [held]
        if not mounted or mounted == [None]:
            return fail(result, "protocol_compliance", f"`mount` mounted nothing as `{self.point}`")
        for one in mounted:
            lacks = [name for name in self.members if not hasattr(one, name)]
            lacks += [name for name in self.methods if not callable(getattr(one, name, None))]
            if lacks:
                fail(result, "protocol_compliance", f"what is mounted lacks {', '.join(lacks)}")
            else:
                good(result, "protocol_compliance", f"what is mounted is a {self.kind}")
        return None

    async def _cleanup(
        self, result: ValidationResult, coordinator: TestCoordinator, cleanup: Any
    ) -> None:
        if not callable(cleanup):
            return fail(result, "cleanup", "`mount` returns no cleanup function", "warning")
        try:
            done = cleanup()
            if isinstance(done, Awaitable):
                await done
        except Exception as error:
            return fail(result, "cleanup", f"the cleanup failed: {error!r}")
        left = [one.name for all in coordinator.hooks.handlers.values() for one in all]
        if left:
            return fail(result, "cleanup", f"it leaves registered: {', '.join(left)}", "warning")
        return good(result, "cleanup", "it removes every handler")


class ToolValidator(ModuleValidator):
    """Checks a module with a tool."""

    kind, point = "tool", "tools"
    members, methods = ("name", "description"), ("execute",)


class ProviderValidator(ModuleValidator):
    """Checks a module with a provider of models."""

    kind, point = "provider", "providers"
    members, methods = ("name",), ("get_info", "list_models", "complete", "parse_tool_calls")


class OrchestratorValidator(ModuleValidator):
    """Checks a module with the loop of an agent."""

    kind = point = "orchestrator"
    methods = ("execute",)


class ContextValidator(ModuleValidator):
    """Checks a module that holds a conversation."""

    kind = point = "context"
    methods = ("add_message", "get_messages", "clear")


def good(result: ValidationResult, name: str, text: str) -> None:
    """Adds a check that holds."""
    result.add(ValidationCheck(name, True, text))


def fail(result: ValidationResult, name: str, text: str, severity: Severity = "error") -> None:
    """Adds a check that does not hold."""
    result.add(ValidationCheck(name, False, text, severity))


def _takes(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True
