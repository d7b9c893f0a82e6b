"""Finding modules, by Amplifier's names."""

from __future__ import annotations

from anyhook.session import ModuleLoader

__all__ = ["ModuleLoader", "ModuleValidationError"]


class ModuleValidationError(Exception):
    """A module that does not keep its contract."""
