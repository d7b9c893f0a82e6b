"""What a coordinator has for Amplifier's modules beside hooks: stopping, channels, and what it says of itself."""

from __future__ import annotations

import asyncio

import pytest

from anyhook import ModuleCoordinator
from anyhook.cancellation import CancellationToken


def test_a_session_is_asked_to_stop_once_for_each_degree_and_hooks_hear_it():
    coordinator, heard = ModuleCoordinator(), []
    coordinator.hooks.register("cancel:requested", lambda event, data: heard.append(data["level"]))
    coordinator.cancellation.on_cancel(lambda: heard.append("callback"))

    async def main():
        for immediate in (False, False, True, True):
            await coordinator.request_cancel(immediate)

    asyncio.run(main())
    assert heard == ["graceful", "callback", "immediate", "callback"]
    assert coordinator.cancellation.is_immediate and not coordinator.cancellation.is_graceful


def test_a_child_is_told_what_its_parent_is_told_until_it_leaves():
    parent, early, late, gone = (CancellationToken() for _ in range(4))
    parent.register_child(early)
    parent.register_child(gone)
    parent.unregister_child(gone)
    parent.request_graceful()
    parent.register_child(late)
    assert [token.state for token in (early, late, gone)] == ["graceful", "graceful", "none"]
    parent.request_immediate()
    assert [token.state for token in (early, late, gone)] == ["immediate", "immediate", "none"]


def test_tools_that_run_are_known_until_they_end_and_reset_forgets_everything():
    token = CancellationToken()
    token.register_tool_start("1", "bash")
    token.register_tool_start("2", "bash")
    token.register_tool_complete("1")
    token.register_tool_complete("no-such-call")
    assert (token.running_tools, token.running_tool_names) == ({"2"}, ["bash"])
    token.request_cancellation()
    token.reset()
    assert (token.running_tools, token.state, token.request_immediate()) == (set(), "none", True)


@pytest.mark.parametrize("fatal", [KeyboardInterrupt, SystemExit])
def test_every_function_of_a_cancellation_is_called_whatever_fails(fatal):
    called = []

    def fails(error):
        async def function():
            called.append(error)
            raise error

        return function

    async def main():
        token = CancellationToken()
        for error in (ValueError, asyncio.CancelledError, fatal):
            token.on_cancel(fails(error))
        token.on_cancel(lambda: called.append("last"))
        try:
            await token.trigger_callbacks()
        except fatal:
            called.append("raised")

    asyncio.run(main())
    assert called == [ValueError, asyncio.CancelledError, fatal, "last", "raised"]


def test_a_contributor_that_is_cancelled_ends_the_asking_and_what_was_given_stays():
    coordinator = ModuleCoordinator()

    async def cancelled():
        raise asyncio.CancelledError

    coordinator.register_contributor("c", "first", lambda: 1)
    coordinator.register_contributor("c", "second", cancelled)
    coordinator.register_contributor("c", "third", lambda: 3)
    assert [one["name"] for one in coordinator.channels["c"]] == ["first", "second", "third"]
    assert asyncio.run(coordinator.collect_contributions("c")) == [1]


def test_a_task_that_is_cancelled_while_contributions_are_collected_ends():
    coordinator = ModuleCoordinator()
    coordinator.register_contributor("c", "slow", lambda: asyncio.sleep(60))

    async def main():
        task = asyncio.ensure_future(coordinator.collect_contributions("c"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_coordinator_says_whether_anybody_answers_and_shows():
    coordinator = ModuleCoordinator()
    names = ("has_approval_provider", "has_display_service")
    assert [coordinator.to_dict()[name] for name in names] == [False, False]
    coordinator.approval_system = coordinator.display_system = object()
    assert [coordinator.to_dict()[name] for name in names] == [True, True]
    coordinator.approval_system = None
    assert [coordinator.to_dict()[name] for name in names] == [False, True]


def test_a_config_may_be_a_model():
    class Model:
        def model_dump(self):
            return {"session": {"injection_size_limit": 9}}

    assert ModuleCoordinator(config=Model()).injection_size_limit == 9


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda it: it.unmount("nowhere"), "Unknown mount point: `nowhere`"),
        (lambda it: it.unmount("tools"), "Name required: `tools` holds many"),
        (lambda it: it.mount("tools", object()), "Name required: a module among `tools` has one"),
    ],
)
def test_what_cannot_be_mounted_or_unmounted_is_an_error(call, text):
    with pytest.raises(ValueError, match=text):
        asyncio.run(call(ModuleCoordinator()))
