"""Reading what agents send to hooks, and writing what they read.

>>> from anyhook import HookResult, hosts
>>> payload = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}'
>>> event = hosts.decode("claude-code", payload)
>>> (event.name, event.data["tool_name"])
('tool:pre', 'Bash')
>>> reply = hosts.encode(event, HookResult(action="deny", reason="no shell here"))
>>> "no shell here" in reply.stdout, reply.exit
(True, 0)
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from anyhook import _core
from anyhook.models import HookResult

__all__ = ["HostEvent", "Reply", "decode", "encode", "names"]


@dataclass(frozen=True, slots=True)
class HostEvent:
    """An event as a host sent it: its canonical name and its data."""

    host: str
    name: str
    data: dict[str, Any]
    payload: bytes = field(repr=False)
    hint: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a host reads, and what could not be said to it."""

    stdout: str
    stderr: str
    exit: int
    losses: list[dict[str, Any]]


def names() -> list[str]:
    """Lists the ids of all hosts.

    >>> "claude-code" in names()
    True
    """
    return _core.hosts()


def decode(host: str, payload: str | bytes, event: str | None = None) -> HostEvent:
    """Reads a payload of a host. ``event`` names the event where the payload does not. Raises ``ValueError``.

    >>> decode("claude-code", '{"tool_name": ')
    Traceback (most recent call last):
    ValueError: 1:14: it ends before the JSON is complete
    """
    raw = payload.encode() if isinstance(payload, str) else payload
    name, data = _core.decode(host, raw, event)
    return HostEvent(host, name, data, raw, event)


def encode(event: HostEvent, result: HookResult) -> Reply:
    """Writes a result as the event's host reads it.

    What the host cannot be told becomes something graver, never something softer, and stands in ``losses``. ``data`` of the
    result is the event's whole data, changed; none means that nothing was changed.
    """
    said = result.model_dump(mode="json")
    if said["data"] is None:
        said["data"] = None if result.action == "deny" else event.data
    if result.halted:
        said["halted"] = True
    if result.allowed:
        said["allowed"] = True
    stdout, stderr, code, losses = _core.encode(event.host, event.payload, event.hint, said)
    return Reply(stdout, stderr, code, [json.loads(loss) for loss in losses])
