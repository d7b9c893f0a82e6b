"""Runs hook modules that were written for Amplifier, unchanged.

Importing this package makes ``amplifier_core`` importable where Amplifier is not installed. Where it is, nothing is shadowed
unless :func:`install` is told to.

>>> import anyhook.amplifier
>>> from amplifier_core.hooks import HookRegistry
>>> HookRegistry.TOOL_PRE
'tool:pre'
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType

import anyhook
from anyhook import _core, events

__all__ = ["install", "is_ours"]

NAME = "amplifier_core"

_TREE = {
    "approval": "anyhook.approval",
    "coordinator": "anyhook.coordinator",
    "display": "anyhook.display",
    "events": "anyhook.events",
    "hooks": "anyhook.hooks",
    "interfaces": "anyhook.interfaces",
    "loader": "anyhook.session",
    "models": "anyhook.models",
    "session": "anyhook.amplifier._session",
    "testing": "anyhook.testing",
    "validation": "anyhook.validation",
    "validation.base": "anyhook.validation.base",
    "validation.hook": "anyhook.validation.hook",
    "validation.mount_plan": "anyhook.validation.mount_plan",
    "validation.behavioral": "anyhook.validation.behavioral",
    "validation.structural": "anyhook.validation.structural",
}

# Only with pytest can it be imported.
_LAZY = {"pytest_plugin": "anyhook.pytest_plugin"}


class _Finder:
    """Finds what is imported only when somebody asks for it."""

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        target = _LAZY.get(name.removeprefix(f"{NAME}."))
        if target is None or not name.startswith(f"{NAME}.") or not is_ours():
            return None
        return importlib.machinery.ModuleSpec(name, _Alias(target))


class _Alias(importlib.abc.Loader):
    """Loads a module by another name."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Makes a module of that name with the same contents."""
        return _copy(spec.name, importlib.import_module(self._target))

    def exec_module(self, _module: ModuleType) -> None:
        """Has nothing left to do."""


def is_ours() -> bool:
    """Tells whether ``amplifier_core`` is this package's.

    >>> is_ours()
    True
    """
    return getattr(sys.modules.get(NAME), "__anyhook__", False)


def install(*, shadow: bool = False) -> bool:
    """Makes ``amplifier_core`` importable, and tells whether it is this package's now.

    With ``shadow`` it also takes the place of an installed Amplifier.

    >>> install()
    True
    """
    if is_ours():
        return True
    if not shadow and importlib.util.find_spec(NAME) is not None:
        return False
    for name in [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]:
        del sys.modules[name]
    root = _root()
    sys.modules[NAME] = root
    for name, target in _TREE.items():
        module = _copy(f"{NAME}.{name}", importlib.import_module(target))
        sys.modules[module.__name__] = module
        parent, _, last = module.__name__.rpartition(".")
        setattr(sys.modules[parent], last, module)
    engine = _engine()
    sys.modules[engine.__name__] = engine
    root._engine = engine  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder())
    return True


def _copy(name: str, of: ModuleType) -> ModuleType:
    """Makes a module with the contents of another one: the classes are the same, the module's name is Amplifier's."""
    module = ModuleType(name, of.__doc__)
    module.__dict__.update({k: v for k, v in vars(of).items() if k not in _OWN})
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=hasattr(of, "__path__"))
    if hasattr(of, "__path__"):
        module.__path__ = []
    return module


_OWN = {"__name__", "__spec__", "__loader__", "__package__", "__path__", "__file__", "__cached__"}


def _root() -> ModuleType:
    from anyhook import approval, coordinator, display, interfaces, models, session, testing
    from anyhook.amplifier._session import AmplifierSession

    root = ModuleType(NAME, "Amplifier's names, by anyhook.")
    root.__path__ = []
    root.__spec__ = importlib.machinery.ModuleSpec(NAME, None, is_package=True)
    root.__dict__["__anyhook__"] = True
    root.__dict__["__version__"] = anyhook.__version__
    root.__dict__["RUST_AVAILABLE"] = True
    for module in (approval, coordinator, display, interfaces, models, session, testing):
        for name in module.__all__:
            setattr(root, name, getattr(module, name))
    root.HookRegistry = anyhook.HookRegistry  # type: ignore[attr-defined]
    root.AmplifierSession = AmplifierSession  # type: ignore[attr-defined]
    return root


def _engine() -> ModuleType:
    from anyhook.coordinator import ModuleCoordinator

    engine = ModuleType(f"{NAME}._engine", "The native half, by Amplifier's names.")
    engine.__spec__ = importlib.machinery.ModuleSpec(engine.__name__, None)
    engine.__dict__.update({k: v for k, v in vars(events).items() if k.isupper()})
    engine.__dict__.update(
        __version__=anyhook.__version__,
        RUST_AVAILABLE=True,
        RustHookRegistry=anyhook.HookRegistry,
        RustCoordinator=ModuleCoordinator,
        RustUnregisterFn=_core.Unregister,
    )
    return engine


install()
