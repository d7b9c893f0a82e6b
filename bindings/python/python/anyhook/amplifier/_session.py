"""A session by Amplifier's name."""

from __future__ import annotations

from anyhook.session import Session

__all__ = ["AmplifierSession"]


class AmplifierSession(Session):
    """A session of an agent, whose orchestrator answers prompts."""

    async def execute(self, prompt: str) -> str:
        """Has the mounted orchestrator answer a prompt."""
        await self.initialize()
        coordinator = self.coordinator
        orchestrator = coordinator.get("orchestrator")
        if orchestrator is None:
            raise RuntimeError("no orchestrator is mounted")
        coordinator.reset_turn()
        answer: str = await orchestrator.execute(
            prompt=prompt,
            context=coordinator.get("context"),
            providers=coordinator.get("providers"),
            tools=coordinator.get("tools"),
            hooks=coordinator.hooks,
        )
        return answer
