"""Who shows messages, by Amplifier's name."""

from __future__ import annotations

from anyhook.display import DisplaySystem

__all__ = ["DisplaySystem"]
