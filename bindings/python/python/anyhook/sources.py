"""Where modules come from, and importing them from there."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

__all__ = ["GROUP", "ModuleLoadError", "ModuleNotFoundError", "entry_points", "imported", "package"]

GROUP = "amplifier.modules"


class ModuleNotFoundError(LookupError):
    """No module was found where one should be."""


class ModuleLoadError(Exception):
    """A module was found and cannot be loaded."""


def entry_points(project: Path) -> dict[str, str]:
    """Returns the modules that a ``pyproject.toml`` offers: by name, where each is.

    >>> entry_points(Path("no/such/pyproject.toml"))
    {}
    """
    try:
        about = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    points = about.get("project", {}).get("entry-points", {}).get(GROUP, {})
    return {str(name): str(point) for name, point in points.items()}


def imported(path: str | Path, module_id: str | None = None, *, again: bool = True) -> ModuleType:
    """Imports the module of a folder, of a file, or of an importable name.

    In the folder of a project it is the one that ``pyproject.toml`` offers as ``module_id``, else the first, else the only
    package. Without ``again`` a module that is imported already is taken as it is, and one of the same name from elsewhere
    is an error.
    """
    place, name = Path(path), ""
    if place.is_dir():
        place, name = _package(place.resolve(), module_id)
    if not place.exists():
        if str(path).startswith(".") or any(mark in str(path) for mark in "/\\"):
            raise ImportError(f"`{path}` is neither a folder nor a file")
        return importlib.import_module(str(path))
    name = name or place.stem
    file = place / "__init__.py" if place.is_dir() else place
    if not again and name in sys.modules:
        return _same(name, file)
    for old in [old for old in sys.modules if old == name or old.startswith(f"{name}.")]:
        del sys.modules[old]
    _parents(name, place)
    return _load(name, file)


def _load(name: str, file: Path) -> ModuleType:
    search = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"`{file}` is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _same(name: str, file: Path) -> ModuleType:
    module = sys.modules[name]
    if Path(getattr(module, "__file__", None) or "").resolve() != file.resolve():
        told = getattr(module, "__file__", None) or "elsewhere"
        raise ModuleLoadError(f"`{name}` of {file} cannot be loaded beside the one of {told}")
    return module


def _parents(name: str, place: Path) -> None:
    """Imports the packages that a module is in, because its own imports may be relative."""
    steps = name.split(".")[:-1]
    for depth in range(len(steps)):
        folder = place.parents[len(steps) - depth - 1]
        above = ".".join(steps[: depth + 1])
        if above not in sys.modules and (folder / "__init__.py").is_file():
            _load(above, folder / "__init__.py")


def package(folder: Path) -> Path:
    """Finds the package, or the file, of the module in a project's folder."""
    return _package(folder.resolve(), None)[0]


def _package(folder: Path, module_id: str | None) -> tuple[Path, str]:
    """Finds the module in a project's folder, and its name."""
    if (folder / "__init__.py").is_file():
        return folder, folder.name
    points = entry_points(folder / "pyproject.toml")
    chosen = [points[module_id]] if module_id in points else list(points.values())
    for point in chosen:
        name = point.partition(":")[0].strip()
        for base in (folder, folder / "src"):
            place = base / name.replace(".", "/")
            for one in (place, place.with_name(f"{place.name}.py")):
                if (one / "__init__.py").is_file() or one.is_file():
                    return one, name
    found = [*folder.glob("*/__init__.py"), *folder.glob("src/*/__init__.py")]
    found = [file for file in found if not file.parent.name.startswith((".", "test"))]
    if len(found) != 1:
        raise ImportError(f"`{folder}` holds {len(found)} packages, and one is needed")
    return found[0].parent, found[0].parent.name
