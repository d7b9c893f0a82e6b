"""Masks secrets in every event. Structure: one handler for all events of the catalogue, `modify` with nested data."""

import re
from typing import Any

from amplifier_core.events import ALL_EVENTS
from amplifier_core.models import HookResult

SECRET = re.compile(r"AKIA[0-9A-Z]{16}")
KEPT = {"session_id", "turn_id", "parent_id"}


def mask(value: Any) -> Any:
    if isinstance(value, str):
        return SECRET.sub("[REDACTED:AWS]", value)
    if isinstance(value, dict):
        return {key: inner if key in KEPT else mask(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [mask(inner) for inner in value]
    return value


async def mount(coordinator, config=None):
    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        masked = mask(dict(data))
        if masked == dict(data):
            return HookResult(action="continue")
        return HookResult(action="modify", data=masked)

    priority = (config or {}).get("priority", 10)
    handles = [coordinator.hooks.register(e, handler, priority=priority, name="redact") for e in ALL_EVENTS]
    return lambda: [handle() for handle in handles]
