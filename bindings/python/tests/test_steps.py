"""The steps of an emit whose handlers wait: who gets what the event loop gives, and what a step inside of a step comes to.

No event loop runs here: each test takes the steps itself.
"""

from __future__ import annotations

import contextvars
import types

import pytest

from anyhook import ContextInjection, HookRegistry, HookResult


@types.coroutine
def waits_for(what):
    return (yield what)


def begun(registry, data=None):
    """Begins an emit, and returns what is left to be awaited, at its first wait."""
    emission = registry._emit("tool:pre", data or {})
    assert next(emission) == "first"
    return emission


def ended(step, *given):
    with pytest.raises(StopIteration) as over:
        step(*given)
    return over.value.value


def test_what_the_loop_gives_reaches_the_handler_that_waits_and_no_other(registry):
    got = []

    def handler_of(name):
        async def handler(event, data):
            for what in ("first", "second"):
                got.append((name, await waits_for(what)))
            return HookResult()

        return handler

    for name in ("a", "b"):
        registry.register("tool:pre", handler_of(name), 0, name)
    emission = begun(registry)
    assert [emission.send(one) for one in (1, 2, 3)] == ["second", "first", "second"]
    assert ended(emission.send, 4).action == "continue"
    assert got == [("a", 1), ("a", 2), ("b", 3), ("b", 4)]
    for step in (emission.send, emission.throw):
        with pytest.raises(RuntimeError, match="this emit is over, or being run"):
            step(ValueError("too late"))
    emission.close()


def test_an_exception_is_raised_where_the_handler_waits_and_may_be_answered(registry):
    got = []

    async def brave(event, data):
        for what in ("first", "second"):
            try:
                await waits_for(what)
            except ValueError as error:
                got.append(str(error))
        return HookResult(action="deny", reason="seen both")

    registry.register("tool:pre", brave)
    emission = begun(registry)
    assert emission.throw(ValueError("one")) == "second"
    said = ended(emission.throw, ValueError("two"))
    assert (said.action, said.reason, got) == ("deny", "seen both", ["one", "two"])


def test_an_exception_before_the_first_wait_was_seen_is_raised_in_the_handler(registry):
    got = []

    async def handler(event, data):
        try:
            await waits_for("first")
        except ValueError as error:
            got.append(str(error))
        return HookResult()

    registry.register("tool:pre", handler)
    assert ended(registry._emit("tool:pre", {}).throw, ValueError("early")).action == "continue"
    assert got == ["early"]


def test_closing_an_emit_ends_the_handler_that_waits_and_asks_no_other(registry):
    seen = []

    async def waits(event, data):
        try:
            await waits_for("first")
        finally:
            seen.append("ended")

    registry.register("tool:pre", waits)
    registry.register("tool:pre", lambda event, data: seen.append("asked"))
    emission = begun(registry)
    emission.close()
    emission.close()
    assert seen == ["ended"]


def test_a_step_inside_of_a_step_is_refused_and_the_emit_goes_on(registry):
    seen = []

    async def meddler(event, data):
        await waits_for("first")
        emission.close()
        for step in (emission.send, emission.throw):
            try:
                step(ValueError("inside"))
            except RuntimeError as error:
                seen.append(str(error))
        await waits_for("second")
        return HookResult(action="deny", reason="and still here")

    registry.register("tool:pre", meddler)
    emission = begun(registry)
    assert emission.send(None) == "second"
    assert ended(emission.send, None).reason == "and still here"
    assert seen == ["this emit is over, or being run"] * 2


def test_what_an_emit_leaves_behind_may_come_back_to_it_when_it_dies(registry):
    seen = []

    class Dying:
        def __del__(self):
            try:
                emission.send(None)
            except RuntimeError as error:
                seen.append(str(error))

    async def handler(event, data):
        data["kept"] = Dying()
        await waits_for("first")
        return HookResult()

    registry.register("tool:pre", handler)
    emission = begun(registry)
    assert ended(emission.send, None).action == "continue"
    assert seen == ["this emit is over, or being run"]


def test_handlers_that_wait_have_the_context_of_the_step(registry):
    variable = contextvars.ContextVar("variable", default="unset")
    seen = []

    async def handler(event, data):
        seen.append(variable.get())
        variable.set("the handler")
        await waits_for("first")
        seen.append(variable.get())
        return HookResult()

    registry.register("tool:pre", handler)
    emission = begun(registry)
    assert ended(contextvars.Context().run, emission.send, None).action == "continue"
    assert (seen, variable.get()) == (["unset", "unset"], "the handler")


async def at_once():
    pass


async def later():
    await waits_for("first")


def said_after(wait, answer):
    registry = HookRegistry()

    async def handler(event, data):
        await wait()
        return answer

    registry.register("tool:pre", handler)
    said = registry._emit("tool:pre", {"tool_name": "Write"})
    if wait is later:
        assert next(said) == "first"
        said = ended(said.send, None)
    return said


def changed(**fields):
    answer = HookResult()
    for name, value in fields.items():
        setattr(answer, name, value)
    return answer


@pytest.mark.parametrize("wait", [at_once, later])
@pytest.mark.parametrize("answer", [HookResult(), HookResult(action="continue"), changed(action="continue")])
def test_an_answer_that_only_goes_on_changes_nothing(wait, answer):
    said = said_after(wait, answer)
    said.data.pop("timestamp")
    assert (said.action, said.data) == ("continue", {"tool_name": "Write"})
    assert not (said.reason or said.user_message or said.context_injections)


@pytest.mark.parametrize("wait", [at_once, later])
def test_what_was_assigned_or_spelled_afterwards_counts_however_little_it_looks_like_it(wait):
    assert said_after(wait, changed(action="".join(["de", "ny"]), reason="no")).action == "deny"
    assert said_after(wait, changed(user_message="look")).user_message == "look"
    spelled = HookResult.model_construct(action="".join(["conti", "nue"]), user_message="look")
    assert said_after(wait, spelled).user_message == "look"
    added = HookResult()
    added.context_injections.append(ContextInjection(content="mind the gap"))
    assert [one.content for one in said_after(wait, added).context_injections] == ["mind the gap"]


@pytest.mark.parametrize("wait", [at_once, later])
def test_a_handler_that_waits_has_a_view_of_its_own_like_any_other(wait):
    registry, views = HookRegistry(), []

    async def writes(event, data):
        data["tool_input"]["path"] = "elsewhere"
        await wait()
        data["tool_input"]["path"] = "still elsewhere"
        return HookResult()

    async def looks(event, data):
        await wait()
        views.append((data, data["tool_input"]))
        return HookResult()

    registry.register("tool:pre", writes, 0, "writes")
    registry.register("tool:pre", looks, 1, "looks", guard=True)
    registry.register("tool:pre", looks, 2, "looks again", guard=True)
    given = {"tool_input": {"path": "here"}}
    said = registry._emit("tool:pre", given)
    if wait is later:
        assert [next(said) for _ in range(3)] == ["first"] * 3
        said = ended(said.send, None)
    (one, its_input), (other, other_input) = views
    assert its_input == other_input == said.data["tool_input"] == given["tool_input"] == {"path": "here"}
    assert one is not other and its_input is not other_input


@pytest.mark.parametrize("handlers", [0, 1])
def test_what_is_added_to_one_result_is_in_no_other(handlers):
    registry = HookRegistry()
    for _ in range(handlers):
        registry.register("tool:pre", lambda event, data: HookResult())
    said = registry._emit("tool:pre", {})
    said.context_injections.append(ContextInjection(content="mine"))
    assert registry._emit("tool:pre", {}).context_injections == []
    assert HookResult().context_injections == []
