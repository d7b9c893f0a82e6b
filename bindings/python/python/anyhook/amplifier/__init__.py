"""Runs hook modules that were written for Amplifier, unchanged.

Importing this package makes ``amplifier_core`` importable in this process. ``python -m anyhook.amplifier enable`` does it for
every process of an environment: subprocesses, pytest, a type checker. An installed Amplifier stays the one that is used,
and a warning says so, unless it is shadowed on purpose.

>>> import anyhook.amplifier
>>> from amplifier_core.hooks import HookRegistry
>>> HookRegistry.TOOL_PRE
'tool:pre'
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

__all__ = ["install", "is_ours", "which"]

NAME = "amplifier_core"
TREE = str(Path(__file__).parent / "tree")


def is_ours() -> bool:
    """Tells whether ``amplifier_core`` is Anyhook's in this process.

    >>> is_ours()
    True
    """
    return which().startswith("Anyhook's")


def which() -> str:
    """Says whose ``amplifier_core`` an import gives in this process, and from where.

    >>> which().partition(" in ")[0]
    "Anyhook's"
    """
    watcher = _watcher()
    used, theirs = watcher.both()
    if used is None:
        return "no package's"
    if watcher.is_ours(used):
        return f"Anyhook's in {used}" + (f", instead of the installed one in {theirs}" if theirs else "")
    return f"Amplifier's in {used}"


def install(*, shadow: bool = False) -> bool:
    """Makes ``amplifier_core`` importable, and tells whether it is Anyhook's now.

    Where an Amplifier is installed it stays, with a warning, unless ``shadow`` is given.

    >>> install()
    True
    """
    watcher = _watcher()
    if shadow and not _is_first():
        _forget()
        sys.path[:] = [TREE, *(path for path in sys.path if path != TREE)]
    elif TREE not in sys.path:
        sys.path.append(TREE)
    importlib.invalidate_caches()
    watcher.watch()
    if not is_ours():
        watcher.warn()
    return is_ours()


def _is_first() -> bool:
    return NAME in sys.modules and is_ours()


def _forget() -> None:
    for name in [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]:
        del sys.modules[name]


def _watcher() -> Any:
    if TREE not in sys.path:
        sys.path.append(TREE)
    return importlib.import_module("anyhook_amplifier")


# While `python -m anyhook.amplifier` imports this package, its own command has not said yet what it wants.
if sys.argv[:1] != ["-m"]:
    install()
