"""Runs a shell command about each tool. Structure: JSON on standard input, exit code 2 refuses, prompts go to a provider."""

import asyncio
import json

from amplifier_core import HookResult
from amplifier_core.message_models import ChatRequest, Message


class Bridge:
    def __init__(self, coordinator, config):
        self.coordinator = coordinator
        self.command = config.get("command")
        self.prompt = config.get("prompt")

    async def on_tool_pre(self, event, data):
        if self.command:
            return await self.by_command(event, data)
        if self.prompt:
            return await self.by_prompt(data)
        return HookResult(action="continue")

    async def by_command(self, event, data):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_shell(self.command, stdin=pipe, stdout=pipe, stderr=pipe)
        payload = json.dumps({"hook_event_name": event, **data}, default=str).encode()
        _, told = await process.communicate(payload)
        if process.returncode == 2:
            return HookResult(action="deny", reason=told.decode().strip())
        return HookResult(action="continue")

    async def by_prompt(self, data):
        providers = self.coordinator.get("providers") or {}
        for provider in providers.values():
            content = f"{self.prompt}\n{json.dumps(data, default=str)}"
            request = ChatRequest(messages=[Message(role="user", content=content)])
            response = await provider.complete(request)
            if response.content[0].text == "BLOCK":
                return HookResult(action="deny", reason="the model refuses")
        return HookResult(action="continue")


async def mount(coordinator, config=None):
    bridge = Bridge(coordinator, config or {})
    return coordinator.hooks.register("tool:pre", bridge.on_tool_pre, priority=50, name="hook-command")
