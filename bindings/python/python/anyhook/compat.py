"""The switch for programs that need what Amplifier itself does, where this package does something else.

The page ``docs/reference/differences.md`` lists the differences, and which of them the switch takes away. No switch opens a
gate that would be shut.

>>> from anyhook.compat import is_strict, strict
>>> with strict():
...     is_strict()
True
>>> is_strict()
False
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

__all__ = ["is_strict", "strict"]

_state = {"strict": os.environ.get("ANYHOOK_AMPLIFIER_STRICT", "").lower() in {"1", "true", "yes"}}


class strict:
    """Does as Amplifier does, in the whole process: from now on, or for as long as a ``with`` block runs.

    The environment variable ``ANYHOOK_AMPLIFIER_STRICT=1`` does the same, for programs that this one starts as well.
    """

    def __init__(self, on: bool = True) -> None:
        self._before = _state["strict"]
        _state["strict"] = on

    def __enter__(self) -> strict:
        return self

    def __exit__(self, *_raised: object) -> None:
        _state["strict"] = self._before


def is_strict() -> bool:
    """Tells whether the switch is on."""
    return _state["strict"]


def _as_json(data: Any) -> dict[str, Any]:
    """Returns data as it is after a way through JSON: a decimal and a date are text, a tuple is a list."""
    fields = _plain(data) if not isinstance(data, Mapping) and data is not None else dict(data or {})
    made: dict[str, Any] = json.loads(json.dumps(fields, default=_plain))
    return made


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else str(value)
