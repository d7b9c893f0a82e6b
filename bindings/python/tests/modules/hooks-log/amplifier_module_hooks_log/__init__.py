"""Writes every event as a line of JSON. Structure: `mount` registers nothing, `on_session_ready` registers for what all contribute."""

import json
from pathlib import Path

from amplifier_core.events import ALL_EVENTS
from amplifier_core.models import HookResult

_CONFIG = {}


async def mount(coordinator, config=None):
    _CONFIG.clear()
    _CONFIG.update(config or {})
    return None


async def on_session_ready(coordinator):
    file = Path(_CONFIG["file"]) if "file" in _CONFIG else None

    async def handler(event, data):
        if file is not None:
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"event": event, "session_id": data.get("session_id")}) + "\n")
        return HookResult(action="continue")

    events = list(ALL_EVENTS)
    for contribution in await coordinator.collect_contributions("observability.events"):
        events += [event for event in contribution if event not in events]
    for event in events:
        coordinator.register_cleanup(coordinator.hooks.register(event, handler, priority=100, name="log"))
