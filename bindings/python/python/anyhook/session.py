"""A session: a mount plan becomes mounted modules, and the session's own events are fired."""

from __future__ import annotations

import importlib
import logging
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from anyhook.coordinator import ModuleCoordinator, _settled
from anyhook.hooks import HookRegistry, Mounting
from anyhook.models import HookResult
from anyhook.loader import ModuleLoader, load_plan

__all__ = ["ModuleLoader", "Session"]

logger = logging.getLogger("anyhook.session")

class Session:
    """A session of an agent: its coordinator, the modules of a mount plan, and their end.

    >>> import asyncio
    >>> async def mount(coordinator, config=None):
    ...     async def refuse(event, data):
    ...         return HookResult(action="deny", reason=config["why"])
    ...     coordinator.hooks.register("tool:pre", refuse)
    >>> from anyhook import HookResult
    >>> plan = {"hooks": [{"module": "frozen", "config": {"why": "deploys are frozen"}}]}
    >>> async def main():
    ...     async with Session(plan, modules={"frozen": mount}) as session:
    ...         return await session.emit("tool:pre", {"tool_name": "Bash"})
    >>> asyncio.run(main()).reason
    'deploys are frozen'
    """

    def __init__(
        self,
        config: Mapping[str, Any] | None = None,
        *,
        loader: ModuleLoader | None = None,
        modules: Mapping[str, Callable[..., Any]] | None = None,
        session_id: str | None = None,
        parent_id: str | None = None,
        approval_system: Any = None,
        display_system: Any = None,
        is_resumed: bool = False,
    ) -> None:
        self.session_id = session_id or str(uuid.uuid4())
        self.parent_id = parent_id
        self.config: dict[str, Any] = dict(config or {})
        self.is_resumed = is_resumed
        self.loader = loader or ModuleLoader(modules)
        self.coordinator = ModuleCoordinator(self, approval_system, display_system)
        self.failures: dict[str, BaseException] = {}
        self._has_begun = self._has_ended = False

    @classmethod
    def from_plan(
        cls,
        path: str | Path,
        *,
        modules: Mapping[str, Callable[..., Any]] | None = None,
        **given: Any,
    ) -> Self:
        """Makes the session of a mount plan in a file; sources count from its folder, which also has ``anyhook.lock``."""
        loader = ModuleLoader(modules, base=Path(path).resolve().parent)
        return cls(load_plan(path), loader=loader, **given)

    @property
    def hooks(self) -> HookRegistry:
        """The registry of the session."""
        return self.coordinator.hooks

    async def initialize(self) -> None:
        """Mounts the modules of the plan, then says that the session begins.

        A hook, tool or provider that cannot be mounted is logged and left out; its failure is in ``failures``. An
        orchestrator or context that cannot be mounted is an error.
        """
        if self._has_begun:
            return
        self._has_begun = True
        section = self.config.get("session") or {}
        for kind in ("orchestrator", "context"):
            spec = section.get(kind)
            if spec is not None:
                await self._mount({"module": spec} if isinstance(spec, str) else spec)
        for kind in ("providers", "tools", "hooks"):
            for spec in self.config.get(kind) or ():
                await self._try(kind, spec)
        await self.coordinator.session_ready()
        await self.hooks.emit(self._beginning(), {"session_id": self.session_id})

    def _beginning(self) -> str:
        if self.is_resumed:
            return "session:resume"
        return "session:fork" if self.parent_id else "session:start"

    async def _try(self, kind: str, spec: Mapping[str, Any]) -> None:
        module_id = str(spec.get("module") or "")
        if not module_id:
            logger.warning("an entry of `%s` names no module", kind)
            return
        try:
            await self._mount(spec)
        except Exception as error:
            logger.exception("the module `%s` could not be mounted", module_id)
            self.failures[module_id] = error
            told = {"module_type": kind, "module_id": module_id, "error": str(error)}
            await self.hooks.emit("module:load_failed", told)

    async def _mount(self, spec: Mapping[str, Any]) -> None:
        module_id = spec["module"]
        config = dict(spec.get("config") or {})
        resolver = self.coordinator.get("module-source-resolver")
        mount = self.loader.find(module_id, spec.get("source"), resolver)
        before = self._count()
        mounting = Mounting(spec.get("priority"), config)
        self.coordinator.register_cleanup(mounting)
        with mounting:
            cleanup = await _settled(mount(self.coordinator, config))
        self.coordinator.register_cleanup(cleanup if callable(cleanup) else None)
        ready = getattr(importlib.import_module(mount.__module__), "on_session_ready", None)
        if callable(ready):
            self.coordinator.on_session_ready(module_id, _readying(ready, mounting))
        logger.debug("`%s` registered %d handlers", module_id, self._count() - before)

    def _count(self) -> int:
        return sum(len(all) for all in self.hooks.handlers.values())

    async def emit(self, event: str, data: Mapping[str, Any] | None = None) -> HookResult:
        """Offers an event to the hooks and acts on what they say. A turn begins with ``prompt:submit``."""
        if event == "prompt:submit":
            self.coordinator.reset_turn()
        said = await self.hooks.emit(event, data)
        return await self.coordinator.process_hook_result(said, event)

    async def cleanup(self, reason: str = "done") -> None:
        """Says that the session ends, if it has begun, then runs the cleanups, each once."""
        if self._has_ended:
            return
        self._has_ended = True
        try:
            if self._has_begun:
                told = {"session_id": self.session_id, "reason": reason, "status": self._outcome()}
                await self.hooks.emit("session:end", told)
        finally:
            try:
                await self.coordinator.cleanup()
            finally:
                self.loader.cleanup()

    def _outcome(self) -> str:
        return "cancelled" if self.coordinator.cancellation.is_cancelled else "completed"

    async def __aenter__(self) -> Self:
        await self.initialize()
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.cleanup()


def _readying(ready: Callable[[Any], Any], mounting: Mounting) -> Callable[[Any], Any]:
    """Counts what a module registers when the session is ready as its own, as what it registers in its ``mount``."""

    async def run(coordinator: Any) -> None:
        with mounting:
            await _settled(ready(coordinator))

    return run
