"""What goes to a model and comes back from it: messages, requests, responses.

>>> message = Message(role="assistant", content=[{"type": "text", "text": "done"}])
>>> message.content[0].text
'done'
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from amplifier_core.models import Cost

__all__ = [
    "ChatRequest",
    "ChatResponse",
    "ContentBlockUnion",
    "Degradation",
    "ImageBlock",
    "Message",
    "ReasoningBlock",
    "RedactedThinkingBlock",
    "ResponseFormat",
    "ResponseFormatJson",
    "ResponseFormatJsonSchema",
    "ResponseFormatText",
    "TextBlock",
    "ThinkingBlock",
    "ToolCall",
    "ToolCallBlock",
    "ToolResultBlock",
    "ToolSpec",
    "Usage",
]


class Open(BaseModel):
    """Something that may have more fields than are known here; they are kept."""

    model_config = ConfigDict(extra="allow")


class Block(Open):
    """A part of a message."""

    visibility: Literal["internal", "developer", "user"] | None = None


class TextBlock(Block):
    """Text."""

    type: Literal["text"] = "text"
    text: str


class ThinkingBlock(Block):
    """What a model thought, with the signature that has to stay with it."""

    type: Literal["thinking"] = "thinking"
    thinking: str
    signature: str | None = None
    content: list[Any] | None = None


class RedactedThinkingBlock(Block):
    """What a model thought and does not show."""

    type: Literal["redacted_thinking"] = "redacted_thinking"
    data: str


class ToolCallBlock(Block):
    """A call of a tool that a model wants."""

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    input: dict[str, Any]


class ToolResultBlock(Block):
    """What a call of a tool came to."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str
    output: Any


class ImageBlock(Block):
    """A picture."""

    type: Literal["image"] = "image"
    source: dict[str, Any]


class ReasoningBlock(Block):
    """What a model reasoned, in parts and as a summary."""

    type: Literal["reasoning"] = "reasoning"
    content: list[Any]
    summary: list[Any]


ContentBlockUnion = Annotated[
    TextBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ToolCallBlock
    | ToolResultBlock
    | ImageBlock
    | ReasoningBlock,
    Field(discriminator="type"),
]


class Message(Open):
    """One message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "function", "tool"]
    content: str | list[ContentBlockUnion]
    name: str | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] | None = None


class ToolSpec(Open):
    """A tool, as a model is told of it."""

    name: str
    parameters: dict[str, Any]
    description: str | None = None


class ResponseFormatText(BaseModel):
    """The answer is text."""

    type: Literal["text"] = "text"


class ResponseFormatJson(BaseModel):
    """The answer is JSON."""

    type: Literal["json"] = "json"


class ResponseFormatJsonSchema(BaseModel):
    """The answer is JSON of a schema."""

    model_config = ConfigDict(populate_by_name=True)

    type: Literal["json_schema"] = "json_schema"
    json_schema: dict[str, Any] = Field(serialization_alias="schema")
    strict: bool | None = None


ResponseFormat = ResponseFormatText | ResponseFormatJson | ResponseFormatJsonSchema


class ChatRequest(Open):
    """What a provider is asked."""

    messages: list[Message]
    tools: list[ToolSpec] | None = None
    response_format: ResponseFormat | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    conversation_id: str | None = None
    stream: bool | None = False
    metadata: dict[str, Any] | None = None
    model: str | None = None
    tool_choice: str | dict[str, Any] | None = None
    stop: list[str] | None = None
    reasoning_effort: str | None = None
    timeout: float | None = None


class ToolCall(Open):
    """A call of a tool that a response asks for."""

    id: str
    name: str
    arguments: dict[str, Any]


class Usage(Open, Cost):
    """How much a response took."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


class Degradation(Open):
    """What was wanted of the form of a response, and what it became."""

    requested: str
    actual: str
    reason: str


class ChatResponse(Open):
    """What a provider answers."""

    content: list[ContentBlockUnion]
    tool_calls: list[ToolCall] | None = None
    usage: Usage | None = None
    degradation: Degradation | None = None
    finish_reason: str | None = None
    metadata: dict[str, Any] | None = None
