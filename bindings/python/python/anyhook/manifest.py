"""Running a package of ``hooks.json`` from Python."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from anyhook import _core, _native
from anyhook.hooks import HookRegistry

__all__ = ["Loaded", "load_manifest"]


class Loaded:
    """A package that is registered; calling it takes it out again."""

    def __init__(self, registry: HookRegistry, package: _core.Package) -> None:
        self.registry = registry
        self.events: list[str] = package.events
        self.names: list[str] = package.names
        self._handles: list[Callable[[], None]] = []

    def __call__(self) -> None:
        while self._handles:
            self._handles.pop()()

    def __repr__(self) -> str:
        return f"<hooks of {', '.join(self.events)}>"


def load_manifest(
    path: str | os.PathLike[str],
    registry: HookRegistry | None = None,
    *,
    priority: int = 0,
    timeout: float | None = None,
) -> Loaded:
    """Registers the hooks of a ``hooks.json`` package, each for its event.

    The caller who names the file trusts it. The hooks run on a thread beside the event loop, as they would under ``anyhook run``:
    those of one priority side by side, within the event's budget (``timeout`` seconds, else 30), each asked again when another
    one rewrites the input. Together they count as a guard: they are asked again when a Python handler rewrites the input
    after them, and if they cannot be asked on a gate, it stays shut.

    >>> import asyncio, pathlib, tempfile
    >>> place = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(place.name, "hooks.json")
    >>> _ = file.write_text('{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": ['
    ...     '{"type": "command", "command": "echo frozen >&2; exit 2"}]}]}}')
    >>> loaded = load_manifest(file)
    >>> asyncio.run(loaded.registry.emit("tool:pre", {"tool_name": "Bash", "tool_input": {}})).reason
    'frozen'
    >>> place.cleanup()
    """
    registry = registry if registry is not None else HookRegistry()
    package = _core.Package(os.fspath(path))
    loaded = Loaded(registry, package)
    for event in package.events:
        handle = registry._register(
            event, _asking(package, timeout), priority, os.fspath(path), guard=True
        )
        loaded._handles.append(handle)
    return loaded


def _asking(package: _core.Package, timeout: float | None) -> Callable[..., Any]:
    async def ask(event: str, data: dict[str, Any]) -> Any:
        return await _native._beside(package.ask, event, data, timeout)

    return ask
