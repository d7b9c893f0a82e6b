"""Where messages for the person go."""

from __future__ import annotations

import sys
from typing import Literal, Protocol, runtime_checkable

__all__ = ["DisplaySystem", "StandardError"]


@runtime_checkable
class DisplaySystem(Protocol):
    """Shows messages to a person. ``show_message`` may be async."""

    def show_message(
        self, message: str, level: Literal["info", "warning", "error"], source: str = "hook"
    ) -> None:
        """Shows one message."""
        ...


class StandardError:
    """Writes messages to standard error.

    >>> import io
    >>> out = io.StringIO()
    >>> StandardError(out).show_message("3 files changed", "info", "hook:format")
    >>> out.getvalue()
    'info: hook:format: 3 files changed\\n'
    """

    def __init__(self, to: object = None) -> None:
        self._to = to

    def show_message(
        self, message: str, level: Literal["info", "warning", "error"], source: str = "hook"
    ) -> None:
        """Writes one line for each line of the message."""
        to = self._to or sys.stderr
        for line in message.splitlines() or [""]:
            print(f"{level}: {source}: {line}", file=to)  # type: ignore[arg-type]
