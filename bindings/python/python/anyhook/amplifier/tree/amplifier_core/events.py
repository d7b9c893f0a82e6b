"""The names of events, by Amplifier's names.

``ERROR_TOOL`` and ``ERROR_PROVIDER`` are second names of events that are listed already: they can be imported, and are not
listed again.
"""

from __future__ import annotations

from anyhook import events as _events
from anyhook.events import *  # noqa: F403

del ERROR_TOOL, ERROR_PROVIDER  # noqa: F821


def __getattr__(name: str) -> str:
    if name in {"ERROR_TOOL", "ERROR_PROVIDER"}:
        return str(getattr(_events, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
