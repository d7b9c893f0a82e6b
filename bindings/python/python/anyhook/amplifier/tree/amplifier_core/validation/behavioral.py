"""What modules of each kind have to do, by Amplifier's names: inherit from the class of the kind in a test of the module.

The fixtures are those of ``anyhook.pytest_plugin``; the tests need ``pytest-asyncio``.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from amplifier_core.message_models import ChatResponse, TextBlock
from amplifier_core.models import ProviderInfo, ToolResult
from anyhook.validation.behavioral import HookBehaviorTests

__all__ = [
    "ContextBehaviorTests",
    "HookBehaviorTests",
    "OrchestratorBehaviorTests",
    "ProviderBehaviorTests",
    "ToolBehaviorTests",
]

_BUGS = (AttributeError, TypeError, KeyError)
_MESSAGE = {"role": "user", "content": "Hello"}


async def _called(function: Any, *given: Any, **named: Any) -> Any:
    """Calls what may be async; an error that says that the input is wrong is an answer, and a bug is none."""
    try:
        said = function(*given, **named)
        return await said if inspect.isawaitable(said) else said
    except _BUGS as error:
        pytest.fail(f"it fails with a bug: {error!r}")
    except Exception as error:
        return error


@pytest.mark.asyncio
class ToolBehaviorTests:
    """What a module with a tool has to do."""

    async def test_mount_succeeds(self, tool_module: Any) -> None:
        """The module mounts a tool."""
        assert tool_module is not None

    async def test_tool_has_name(self, tool_module: Any) -> None:
        """The tool has a name."""
        assert isinstance(tool_module.name, str) and tool_module.name

    async def test_tool_has_description(self, tool_module: Any) -> None:
        """The tool says what it is for."""
        assert isinstance(tool_module.description, str) and tool_module.description

    async def test_tool_has_execute_method(self, tool_module: Any) -> None:
        """The tool can be run."""
        assert callable(tool_module.execute)

    async def test_execute_returns_tool_result(self, tool_module: Any) -> None:
        """It returns a result."""
        assert isinstance(await tool_module.execute({"_tool_call_id": "1"}), ToolResult)

    async def test_tool_result_has_required_fields(self, tool_module: Any) -> None:
        """The result says whether it succeeded, and what came out."""
        result = await tool_module.execute({"_tool_call_id": "2"})
        assert hasattr(result, "success") and hasattr(result, "output")

    async def test_invalid_input_returns_error_result(self, tool_module: Any) -> None:
        """Wrong input is answered too."""
        said = await _called(tool_module.execute, {})
        assert isinstance(said, ToolResult | Exception)


@pytest.mark.asyncio
class ProviderBehaviorTests:
    """What a module with a provider of models has to do."""

    async def test_mount_succeeds(self, provider_module: Any) -> None:
        """The module mounts a provider."""
        assert provider_module is not None

    async def test_get_info_returns_valid_provider_info(self, provider_module: Any) -> None:
        """The provider says what it is."""
        about = provider_module.get_info()
        assert isinstance(about, ProviderInfo) and about.id and about.display_name

    async def test_list_models_returns_list(self, provider_module: Any) -> None:
        """It lists its models."""
        assert isinstance(await provider_module.list_models(), list)

    async def test_provider_has_name_attribute(self, provider_module: Any) -> None:
        """It has a name."""
        assert isinstance(provider_module.name, str) and provider_module.name

    async def test_parse_tool_calls_returns_list(self, provider_module: Any) -> None:
        """It finds the calls of tools in a response."""
        response = ChatResponse(content=[TextBlock(text="Hello")])
        assert isinstance(provider_module.parse_tool_calls(response), list)


@pytest.mark.asyncio
class OrchestratorBehaviorTests:
    """What a module with the loop of an agent has to do."""

    async def _answer(self, loop: Any, deps: Any, prompt: str) -> Any:
        context, providers, tools, hooks = deps
        given = {"context": context, "providers": providers, "tools": tools, "hooks": hooks}
        return await _called(loop.execute, prompt=prompt, **given)

    async def test_mount_succeeds(self, orchestrator_module: Any) -> None:
        """The module mounts a loop."""
        assert orchestrator_module is not None

    async def test_orchestrator_has_execute_method(self, orchestrator_module: Any) -> None:
        """The loop can be run."""
        assert callable(orchestrator_module.execute)

    async def test_execute_returns_string(self, orchestrator_module: Any, mock_deps: Any) -> None:
        """A prompt is answered."""
        said = await self._answer(orchestrator_module, mock_deps, "Test prompt")
        assert isinstance(said, str) and said

    async def test_execute_with_empty_prompt(self, orchestrator_module: Any, mock_deps: Any) -> None:
        """An empty prompt is answered, or refused."""
        said = await self._answer(orchestrator_module, mock_deps, "")
        assert isinstance(said, str | Exception)

    async def test_orchestrator_uses_provider(self, orchestrator_module: Any, mock_deps: Any) -> None:
        """The loop runs with the provider that it is given."""
        assert isinstance(await self._answer(orchestrator_module, mock_deps, "Test"), str)

    async def test_orchestrator_updates_context(self, orchestrator_module: Any, mock_deps: Any) -> None:
        """The loop keeps what was said."""
        await self._answer(orchestrator_module, mock_deps, "Test message")
        assert mock_deps[0].add_message.called


@pytest.mark.asyncio
class ContextBehaviorTests:
    """What a module that holds a conversation has to do."""

    async def test_mount_succeeds(self, context_module: Any) -> None:
        """The module mounts a context."""
        assert context_module is not None

    async def test_context_has_required_methods(self, context_module: Any) -> None:
        """The context has its three methods."""
        names = ("add_message", "get_messages", "clear")
        assert all(callable(getattr(context_module, name, None)) for name in names)

    async def test_message_round_trip(self, context_module: Any) -> None:
        """What is added comes back."""
        await context_module.add_message(_MESSAGE)
        assert any(one.get("content") == "Hello" for one in await context_module.get_messages())

    async def test_multiple_messages(self, context_module: Any) -> None:
        """All of what is added comes back."""
        for role in ("user", "assistant", "user"):
            await context_module.add_message(_MESSAGE | {"role": role})
        assert len(await context_module.get_messages()) >= 3

    async def test_clear_removes_messages(self, context_module: Any) -> None:
        """Nothing is left after ``clear``."""
        await context_module.add_message(_MESSAGE)
        await context_module.clear()
        assert await context_module.get_messages() == []

    async def test_get_messages_for_request_returns_messages(self, context_module: Any) -> None:
        """What a model is sent has the messages."""
        await context_module.add_message(_MESSAGE)
        if hasattr(context_module, "get_messages_for_request"):
            assert len(await context_module.get_messages_for_request()) >= 1

    async def test_internal_should_compact_returns_bool(self, context_module: Any) -> None:
        """Whether to compact is a yes or a no."""
        method = getattr(context_module, "_should_compact", None)
        if method is not None:
            needed = [one for one in inspect.signature(method).parameters.values() if one.default is one.empty]
            if len(needed) not in (0, 2):
                pytest.skip("`_should_compact` takes something else")
            assert isinstance(await _called(method, *(100_000, 200_000)[: len(needed)]), bool)

    async def test_internal_compact_does_not_crash(self, context_module: Any) -> None:
        """Compacting nothing is no bug."""
        if hasattr(context_module, "_compact_internal"):
            await _called(context_module._compact_internal)

    async def test_add_invalid_message_does_not_crash(self, context_module: Any) -> None:
        """A message without anything is added or refused."""
        await _called(context_module.add_message, {})

    async def test_get_messages_never_returns_none(self, context_module: Any) -> None:
        """The messages are a list."""
        assert isinstance(await context_module.get_messages(), list)
