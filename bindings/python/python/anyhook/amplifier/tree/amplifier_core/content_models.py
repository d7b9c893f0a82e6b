"""Parts of a response, as events tell them.

>>> TextContent(text="done").to_dict()
{'type': 'text', 'text': 'done'}
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = [
    "ContentBlock",
    "ContentBlockType",
    "TextContent",
    "ThinkingContent",
    "ToolCallContent",
    "ToolResultContent",
]


class ContentBlockType(StrEnum):
    """The kinds of parts."""

    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"


@dataclass
class ContentBlock:
    """One part."""

    type: ContentBlockType
    raw: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Describes it as JSON can."""
        told = {k: v for k, v in vars(self).items() if k not in {"type", "raw", "error"}}
        error = getattr(self, "error", None)
        return {"type": self.type.value, **told, **({"error": error} if error else {})}


@dataclass
class TextContent(ContentBlock):
    """Text of a model."""

    type: ContentBlockType = ContentBlockType.TEXT
    text: str = ""


@dataclass
class ThinkingContent(ContentBlock):
    """What a model thought."""

    type: ContentBlockType = ContentBlockType.THINKING
    text: str = ""


@dataclass
class ToolCallContent(ContentBlock):
    """A call of a tool that a model wants."""

    type: ContentBlockType = ContentBlockType.TOOL_CALL
    id: str = ""
    name: str = ""
    arguments: dict[str, Any] | None = None


@dataclass
class ToolResultContent(ContentBlock):
    """What a call of a tool came to."""

    type: ContentBlockType = ContentBlockType.TOOL_RESULT
    tool_call_id: str = ""
    output: Any = None
    error: str | None = None
