"""The process around it: it ends well, it does not leak, and copes with threads."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from anyhook import HookRegistry, HookResult

EXIT = """
import asyncio
from anyhook import HookRegistry, HookResult

registry = HookRegistry()

@registry.register("tool:pre")
async def handler(event, data):
    await asyncio.sleep(0)
    return HookResult(action="modify", data={**data, "seen": True})

async def main():
    waiting = asyncio.ensure_future(registry.emit("tool:pre", {}))
    said = await registry.emit("tool:pre", {"tool_name": "Read"})
    assert said.data["seen"]
    assert await registry.emit_and_collect("tool:pre", {}) == [{"seen": True}]
    return waiting

asyncio.run(main())
"""

RUNS = int(os.environ.get("ANYHOOK_EXIT_RUNS", "20"))


def test_a_script_that_emits_and_exits_never_crashes(tmp_path):
    """20 times here, or as often as ANYHOOK_EXIT_RUNS says."""
    script = tmp_path / "script.py"
    script.write_text(EXIT, encoding="utf-8")
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    left = RUNS
    while left:
        batch = min(left, 4)
        left -= batch
        running = [subprocess.Popen([sys.executable, str(script)], **given) for _ in range(batch)]
        for process in running:
            out, err = process.communicate()
            assert (process.returncode, out, err) == (0, "", "")


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


async def _churn(count: int) -> None:
    registry = HookRegistry()
    for _ in range(count):

        async def handler(event, data):
            return HookResult(data={"of": registry and 1})

        remove = registry.register("tool:pre", handler)
        await registry.emit("tool:pre", {"tool_name": "Read"})
        remove()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells its memory so")
def test_ten_thousand_registrations_and_drops_do_not_leak():
    asyncio.run(_churn(2_000))
    gc.collect()
    tracemalloc.start()
    try:
        grown, more = zip(*(_growth() for _ in range(2)), strict=True)
    finally:
        tracemalloc.stop()
    # One leaked handler has more than 150 bytes: 10,000 of them would be 1.5 MB, in each round. A table of the interpreter
    # that is doubled once is no leak.
    assert min(grown) < 150_000
    assert min(more) < 4_000_000


def _growth() -> tuple[int, int]:
    before, resident = tracemalloc.get_traced_memory()[0], _resident()
    asyncio.run(_churn(10_000))
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before, _resident() - resident


def test_registries_with_their_handlers_are_dropped():
    def one():
        registry = HookRegistry()
        registry.register("tool:pre", lambda event, data: HookResult(data={"r": repr(registry)}))
        asyncio.run(registry.emit("tool:pre", {}))

    one()
    gc.collect()
    before = sum(isinstance(each, HookRegistry) for each in gc.get_objects())
    for _ in range(50):
        one()
    gc.collect()
    assert sum(isinstance(each, HookRegistry) for each in gc.get_objects()) == before
