"""Where modules come from, by Amplifier's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from anyhook.sources import ModuleLoadError, ModuleNotFoundError

__all__ = [
    "FileSystemModuleSource",
    "ModuleLoadError",
    "ModuleNotFoundError",
    "ModuleSource",
    "ModuleSourceResolver",
]


class ModuleSource(ABC):
    """One place that a module comes from."""

    @abstractmethod
    def resolve(self) -> Path:
        """Returns the folder that the module can be imported from."""


class ModuleSourceResolver(Protocol):
    """Finds the source of a module; a session asks the one that is mounted as ``module-source-resolver``."""

    def resolve(
        self, module_id: str, source_hint: Any = None, profile_hint: Any = None
    ) -> ModuleSource:
        """Finds the source of a module."""
        ...


class FileSystemModuleSource:
    """Folders in which modules are looked for."""

    def __init__(self, paths: Iterable[str] | None = None) -> None:
        self._paths = list(paths or ())
        self._bundle_mappings: dict[str, str] = {}

    def get_module_paths(self) -> list[str]:
        """Returns the folders."""
        return list(self._paths)

    def get_mention_mappings(self) -> dict[str, str]:
        """Returns the paths of names that texts mention."""
        return dict(self._bundle_mappings)
