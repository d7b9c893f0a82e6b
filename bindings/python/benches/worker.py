"""Times emits of one subject: reads a case as JSON from each line of standard input, writes nanoseconds per emit."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time

BATCH = 0.02


def payload(kind: str) -> dict:
    """Makes the data of an event."""
    if kind == "small":
        return {"tool_name": "Write", "tool_input": {"file_path": "src/app.py"}, "call": 7}
    if kind == "64 KiB":
        return {"tool_name": "Write", "tool_input": {"file_path": "a", "content": "x" * 65_536}}
    messages = [{"role": "user", "content": f"message {n}", "tokens": n} for n in range(500)]
    return {"provider": "example", "messages": messages}


def amplifier(case: dict, registry_of, result_of):
    """Makes the emit of a registry with Amplifier's interface."""
    prebuilt = result_of(action="continue")

    async def builds(event, data):
        return result_of(action="continue")

    async def returns(event, data):
        return prebuilt

    async def waits(event, data):
        await asyncio.sleep(0)
        return prebuilt

    registry = registry_of()
    handler = {"built": builds, "prebuilt": returns, "suspends": waits}[case["result"]]
    for at in range(case["handlers"]):
        registry.register("tool:pre", handler, 0, f"hook-{at}")
    data = payload(case["payload"])

    async def emits(count: int) -> None:
        emit = registry.emit
        for _ in range(count):
            await emit("tool:pre", data)

    return emits


def with_pluggy(case: dict):
    """Makes the call of as many plugins."""
    import pluggy

    spec, impl = pluggy.HookspecMarker("bench"), pluggy.HookimplMarker("bench")
    prebuilt = object()

    class Spec:
        @spec
        def tool_pre(self, event, data):
            """A hook."""

    class Plugin:
        @impl
        def tool_pre(self, event, data):
            return prebuilt

    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for _ in range(case["handlers"]):
        manager.register(Plugin())
    data = payload(case["payload"])

    async def emits(count: int) -> None:
        call = manager.hook.tool_pre
        for _ in range(count):
            call(event="tool:pre", data=data)

    return emits


def bare(case: dict):
    """Makes a loop over coroutines, which decides nothing and protects nothing."""
    prebuilt = object()

    async def returns(event, data):
        return prebuilt

    async def waits(event, data):
        await asyncio.sleep(0)
        return prebuilt

    handlers = [waits if case["result"] == "suspends" else returns] * case["handlers"]
    data = payload(case["payload"])

    async def emit(event, data):
        said = None
        for handler in handlers:
            said = await handler(event, data)
        return said

    async def emits(count: int) -> None:
        for _ in range(count):
            await emit("tool:pre", data)

    return emits


def subject(name: str):
    """Returns what makes the emits of a subject."""
    if name == "anyhook":
        from anyhook import HookRegistry, HookResult

        return lambda case: amplifier(case, HookRegistry, HookResult)
    if name == "amplifier":
        from amplifier_core.hooks import HookRegistry
        from amplifier_core.models import HookResult

        return lambda case: amplifier(case, HookRegistry, HookResult)
    return {"pluggy": with_pluggy, "bare": bare}[name]


async def timed(emits) -> float:
    """Times as many emits as fill a batch."""
    count = 1
    while True:
        began = time.process_time()
        await emits(count)
        took = time.process_time() - began
        if took >= BATCH or count >= 1 << 20:
            return took / count * 1e9
        count = max(count * 2, int(count * BATCH / max(took, 1e-9) * 1.1))


def main() -> None:
    """Answers cases until there are no more."""
    logging.disable(logging.CRITICAL)
    made = subject(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        print(asyncio.run(timed(made(json.loads(line)))), flush=True)


main()
