"""Finding the modules that a mount plan names, and reading plans."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from anyhook import _core
from anyhook.sources import GROUP, ModuleNotFoundError, entry_points, imported

__all__ = ["ModuleLoader", "load_plan"]

SECTIONS = ("providers", "tools", "hooks")


class ModuleLoader:
    """Finds the ``mount`` function of a module.

    A module with a source comes from there: a folder, ``git+https://HOST/REPOSITORY@REF`` (pinned in ``anyhook.lock`` of
    ``base``), or the name of an installed package. Without one it is looked for among what was given, among the entry
    points of installed packages, and by its package's name.

    >>> async def mount(coordinator, config=None):
    ...     coordinator.hooks.register("tool:pre", lambda event, data: None, name="mine")
    >>> ModuleLoader({"my-hook": mount}).find("my-hook") is mount
    True
    """

    def __init__(
        self, given: Mapping[str, Callable[..., Any]] | None = None, *, base: str | Path = "."
    ) -> None:
        self.given = dict(given or {})
        self.base = Path(base)

    def discover(self) -> list[str]:
        """Lists the modules that installed packages offer."""
        return sorted(point.name for point in importlib.metadata.entry_points(group=GROUP))

    def find(self, module_id: str, source: Any = None, resolver: Any = None) -> Callable[..., Any]:
        """Returns a module's ``mount``, or raises ``LookupError``.

        ``resolver`` is asked first: what a session has mounted as ``module-source-resolver``.
        """
        if resolver is not None:
            folder = resolver.resolve(module_id, source).resolve()
            return _mount(imported(folder, module_id, again=False), module_id)
        if source is not None:
            return self._from(module_id, source)
        if module_id in self.given:
            return self.given[module_id]
        found = self._installed(module_id) or self._by_name(module_id)
        if found is None:
            text = f"no installed package offers the module `{module_id}`: say with `source` where it comes from"
            raise ModuleNotFoundError(text)
        return found

    def cleanup(self) -> None:
        """Ends the loader's work; there is nothing to undo."""

    def _from(self, module_id: str, source: Any) -> Callable[..., Any]:
        text = _text(source)
        found = _core.source(text, self.base.resolve())
        if found is None:
            of_package = self._installed(module_id, text) or self._by_name(text)
            if of_package is None:
                raise ModuleNotFoundError(f"no installed package is called `{text}`")
            return of_package
        folder, kind, _commit = found
        if kind == "package":
            raise ModuleNotFoundError(f"`{folder}` is a package of hooks: load it with `load_manifest`")
        return _mount(imported(folder, module_id, again=False), module_id, entry_points(folder / "pyproject.toml"))

    def _installed(self, module_id: str, package: str | None = None) -> Callable[..., Any] | None:
        for point in importlib.metadata.entry_points(group=GROUP, name=module_id):
            if package is None or (point.dist is not None and _same(point.dist.name, package)):
                found: Callable[..., Any] = point.load()
                return found
        return None

    def _by_name(self, module_id: str) -> Callable[..., Any] | None:
        name = module_id.replace("-", "_")
        for package in (f"amplifier_module_{name}", name):
            try:
                module = importlib.import_module(package)
            except ImportError as error:
                if error.name != package:
                    raise
                continue
            mount: Callable[..., Any] | None = getattr(module, "mount", None)
            if callable(mount):
                return mount
        return None


def _same(one: str, other: str) -> bool:
    return one.lower().replace("-", "_") == other.lower().replace("-", "_")


def _text(source: Any) -> str:
    """Writes a source as one text: a mapping has its kind and its parts."""
    if isinstance(source, str):
        return source
    if isinstance(source, Mapping):
        kind = source.get("type")
        if kind == "git" and isinstance(source.get("url"), str):
            ref, below = source.get("ref") or source.get("rev"), source.get("subdirectory")
            end = f"@{ref}" if ref else ""
            return f"git+{source['url'].removeprefix('git+')}{end}" + (f"#subdirectory={below}" if below else "")
        for name in {"file": ("path",), "package": ("package", "name")}.get(str(kind), ()):
            if isinstance(source.get(name), str):
                return str(source[name]) if kind == "package" else f"{source[name]}/."
    raise ModuleNotFoundError(f"`{source!r}` is no source: write a folder, `git+https://…@REF` or a package's name")


def _mount(
    module: ModuleType, module_id: str, points: Mapping[str, str] | None = None
) -> Callable[..., Any]:
    point = (points or {}).get(module_id, "")
    name = point.partition(":")[2].strip() or "mount"
    mount: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(mount):
        raise ModuleNotFoundError(f"`{module.__name__}` has no function `{name}`")
    return mount


def load_plan(path: str | Path) -> dict[str, Any]:
    """Reads a mount plan in YAML or JSON, by the end of its name. YAML needs the extra ``yaml``.

    >>> load_plan("plan.toml")
    Traceback (most recent call last):
    ValueError: `plan.toml` is no mount plan: its name ends in .yaml, .yml or .json
    """
    path = Path(path)
    if path.suffix == ".json":
        plan = json.loads(path.read_text(encoding="utf-8"))
    elif path.suffix in {".yaml", ".yml"}:
        try:
            import yaml
        except ImportError:
            text = f"`{path.name}` is YAML: install PyYAML, with `pip install pyyaml`"
            raise ImportError(text, name="yaml") from None
        try:
            plan = yaml.safe_load(path.read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise ValueError(f"`{path}` is no YAML: {' '.join(str(error).split())}") from error
    else:
        raise ValueError(f"`{path}` is no mount plan: its name ends in .yaml, .yml or .json")
    if not isinstance(plan, dict):
        raise ValueError(f"`{path}` is no mount plan: a mount plan is a mapping")
    return plan
