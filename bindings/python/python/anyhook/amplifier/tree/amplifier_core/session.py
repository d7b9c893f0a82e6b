"""A session, by Amplifier's name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from amplifier_core.models import SessionStatus
from anyhook.session import ModuleLoader, Session

__all__ = ["AmplifierSession"]


class AmplifierSession(Session):
    """A session of an agent, whose orchestrator answers prompts."""

    def __init__(
        self,
        config: Mapping[str, Any] | None = None,
        loader: ModuleLoader | None = None,
        session_id: str | None = None,
        parent_id: str | None = None,
        approval_system: Any = None,
        display_system: Any = None,
        is_resumed: bool = False,
    ) -> None:
        super().__init__(
            config,
            loader=loader,
            session_id=session_id,
            parent_id=parent_id,
            approval_system=approval_system,
            display_system=display_system,
            is_resumed=is_resumed,
        )
        self.coordinator.loader = self.loader
        self.status = SessionStatus(session_id=self.session_id)

    @property
    def initialized(self) -> bool:
        """Whether the modules are mounted."""
        return self._has_begun

    async def execute(self, prompt: str) -> str:
        """Has the mounted orchestrator answer a prompt."""
        await self.initialize()
        coordinator = self.coordinator
        orchestrator = coordinator.get("orchestrator")
        if orchestrator is None:
            raise RuntimeError("No orchestrator module mounted")
        coordinator.reset_turn()
        given = {
            "prompt": prompt,
            "context": coordinator.get("context"),
            "providers": coordinator.get("providers"),
            "tools": coordinator.get("tools"),
            "hooks": coordinator.hooks,
        }
        if _takes(orchestrator.execute, "coordinator"):
            given["coordinator"] = coordinator
        try:
            answer: str = await orchestrator.execute(**given)
        except BaseException as error:
            await self._end({"error": str(error) or repr(error)})
            raise
        await self._end({})
        return answer

    def _outcome(self) -> str:
        status: str = self.status.status
        return super()._outcome() if status == "running" else status

    async def _end(self, told: dict[str, Any]) -> None:
        token, status = self.coordinator.cancellation, self.status
        status.last_error = {"message": told["error"]} if told else None
        status.status = "failed" if told else "completed"
        if token.is_cancelled:
            status.status = "cancelled"
            told = {"was_immediate": token.is_immediate, **told}
            await self.coordinator.hooks.emit("cancel:completed", told)


def _takes(function: Any, name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
