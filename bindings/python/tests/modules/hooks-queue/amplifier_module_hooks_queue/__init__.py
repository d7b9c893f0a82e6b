"""Sends events in the background. Structure: `mount` starts a task, handlers only queue, the cleanup waits for the rest."""

import asyncio

from amplifier_core import HookResult


async def mount(coordinator, config=None):
    queue = asyncio.Queue()
    sent = (config or {}).get("sent", [])

    async def drain():
        while True:
            item = await queue.get()
            await asyncio.sleep(0)
            sent.append(item)
            queue.task_done()

    task = asyncio.create_task(drain())

    async def handler(event, data):
        queue.put_nowait((event, data.get("prompt")))
        return HookResult(action="continue")

    events = ("prompt:submit", "prompt:complete")
    handles = [coordinator.hooks.register(event, handler, priority=95, name="queue") for event in events]

    async def cleanup():
        for handle in handles:
            handle()
        await queue.join()
        task.cancel()

    return cleanup
