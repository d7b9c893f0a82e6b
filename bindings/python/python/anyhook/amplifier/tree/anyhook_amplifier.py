"""Says once in each process which ``amplifier_core`` is used, where an installed Amplifier is there too.

This file lies beside our ``amplifier_core`` and stands alone, because every start of the interpreter imports it where
``python -m anyhook.amplifier enable`` was called.
"""

from __future__ import annotations

import sys

NAME = "amplifier_core"
TOLD: list[str] = []
HERE = __file__.rpartition("anyhook_amplifier")[0].rstrip("/\\")


def both():  # type: ignore[no-untyped-def]
    """Returns where ``amplifier_core`` would be imported from, and where else one is; ``None`` where there is none."""
    from importlib.machinery import PathFinder

    loaded = getattr(sys.modules.get(NAME), "__spec__", None)
    used = loaded or PathFinder.find_spec(NAME, sys.path)
    theirs = PathFinder.find_spec(NAME, [path for path in sys.path if path != HERE])
    return used and (used.origin or ""), theirs and (theirs.origin or "")


def is_ours(origin):  # type: ignore[no-untyped-def]
    """Tells whether a file is one of ours."""
    return bool(origin) and origin.startswith(HERE)


class Watch:
    """Looks on while ``amplifier_core`` is imported, and finds nothing itself."""

    def find_spec(self, name, _path=None, _target=None):  # type: ignore[no-untyped-def]
        """Warns where there are two."""
        if name == NAME:
            sys.meta_path.remove(self)
            warn()


def warn():  # type: ignore[no-untyped-def]
    """Says once which one is used, where there are two."""
    used, theirs = both()
    if TOLD or theirs is None or used is None:
        return
    import warnings

    if is_ours(used):
        text = f"`{NAME}` is Anyhook's here, and not the installed one in {theirs}"
    else:
        text = (
            f"`{NAME}` is the installed one in {theirs} here, and not Anyhook's: none of Anyhook's guarantees holds for it. "
            "`python -m anyhook.amplifier enable --shadow` takes Anyhook's"
        )
    TOLD.append(text)
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def watch():  # type: ignore[no-untyped-def]
    """Begins to look on, once."""
    if NAME not in sys.modules and not any(type(one).__name__ == "Watch" for one in sys.meta_path):
        sys.meta_path.insert(0, Watch())


watch()
