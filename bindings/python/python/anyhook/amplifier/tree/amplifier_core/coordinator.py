"""The coordinator, by Amplifier's name."""

from __future__ import annotations

from amplifier_core._engine import RustCoordinator as ModuleCoordinator

__all__ = ["ModuleCoordinator"]
