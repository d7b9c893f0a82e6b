"""Modules that are no hooks: their validators, and the tests that they inherit under Amplifier's names."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

import anyhook.amplifier  # noqa: F401
from anyhook import validation

pytest_plugins = ["pytester"]

TOOL = """
from amplifier_core import ToolResult

class Count:
    name, description = "count", "Counts."
    async def execute(self, input):
        return ToolResult(output=len(input))

async def mount(coordinator, config=None):
    await coordinator.mount("tools", Count())
"""
PROVIDER = """
from amplifier_core import ChatResponse, ProviderInfo, TextBlock

class Echo:
    name = "echo"
    def get_info(self):
        return ProviderInfo(id="echo", display_name="Echo")
    async def list_models(self):
        return []
    async def complete(self, request, **given):
        return ChatResponse(content=[TextBlock(text=request.messages[-1].content)])
    def parse_tool_calls(self, response):
        return response.tool_calls or []

async def mount(coordinator, config=None):
    await coordinator.mount("providers", Echo())
"""
LOOP = """
class Loop:
    async def execute(self, prompt, context, providers, tools, hooks, **given):
        await context.add_message({"role": "user", "content": prompt})
        response = await next(iter(providers.values())).complete(None)
        await hooks.emit("prompt:complete", {"prompt": prompt})
        return response.content[0].text

async def mount(coordinator, config=None):
    await coordinator.mount("orchestrator", Loop())
"""
CONTEXT = """
class Context:
    def __init__(self):
        self.messages = []
    async def add_message(self, message):
        self.messages.append(message)
    async def get_messages(self):
        return list(self.messages)
    async def clear(self):
        self.messages.clear()
    def _should_compact(self, tokens, budget):
        return tokens > budget

async def mount(coordinator, config=None):
    await coordinator.mount("context", Context())
"""
KINDS = {
    "tool": (TOOL, "Tool", 8),
    "provider": (PROVIDER, "Provider", 6),
    "orchestrator": (LOOP, "Orchestrator", 7),
    "context": (CONTEXT, "Context", 11),
}


def write(folder, kind, text):
    package = folder / f"amplifier_module_{kind}_x"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(text, encoding="utf-8")
    return package


@pytest.mark.parametrize("kind", KINDS)
def test_a_module_of_each_kind_passes_what_its_class_asks(pytester, monkeypatch, kind):
    text, name, count = KINDS[kind]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([path for path in sys.path if path]))
    write(pytester.path, kind, text)
    pytester.makepyfile(
        test_it=f"""
        import anyhook.amplifier
        from amplifier_core.validation.behavioral import {name}BehaviorTests
        from amplifier_core.validation.structural import {name}StructuralTests

        class TestBehaviour({name}BehaviorTests): ...
        class TestForm({name}StructuralTests): ...
        """
    )
    options = ["-q", "-p", "anyhook.pytest_plugin", "-p", "no:cacheprovider"]
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=count)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda text: text[: text.index("async def mount")] + "async def mount(c, config=None): ...", "mounted nothing"),
        (lambda text: text.replace("execute", "run").replace("get_messages", "run").replace("list_models", "run"), "lacks"),
    ],
)
def test_a_module_that_mounts_nothing_or_less_is_an_error(tmp_path, kind, change, text):
    package = write(tmp_path, kind, change(KINDS[kind][0]))
    validator = getattr(validation, f"{KINDS[kind][1]}Validator")()
    result = asyncio.run(validator.validate(package))
    assert [text in check.message for check in result.errors] == [True]
