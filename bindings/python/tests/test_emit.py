"""What an emit is: a coroutine on the caller's loop, whose handlers run in order."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import threading
import types
import warnings

import anyio
import pytest

from anyhook import Allowed, Halted, HookRegistry, HookResult

pytestmark = pytest.mark.anyio


def deny(reason="no", **fields):
    async def refuse(event, data):
        return HookResult(action="deny", reason=reason, **fields)

    return refuse


async def test_an_async_handler_runs_on_the_callers_loop_and_thread(registry):
    here = asyncio.get_running_loop(), threading.get_ident(), asyncio.current_task()
    seen = []

    async def handler(event, data):
        await asyncio.sleep(0)
        seen.append((asyncio.get_running_loop(), threading.get_ident(), asyncio.current_task()))
        return HookResult()

    registry.register("tool:pre", handler)
    await registry.emit("tool:pre", {})
    assert seen == [here]


async def test_a_handler_sees_and_sets_the_callers_context_variables(registry):
    variable = contextvars.ContextVar("variable", default="unset")

    async def handler(event, data):
        seen = variable.get()
        await anyio.lowlevel.checkpoint()
        variable.set(f"{seen}, then the handler")
        return HookResult()

    registry.register("tool:pre", handler)
    variable.set("the caller")
    await registry.emit("tool:pre", {})
    assert variable.get() == "the caller, then the handler"


async def test_emit_is_a_true_coroutine_and_lazy(registry):
    called = []
    registry.register("tool:pre", lambda event, data: called.append(event) or HookResult())
    emitted = registry.emit("tool:pre", {})
    assert isinstance(emitted, types.CoroutineType)
    assert inspect.iscoroutine(emitted) and inspect.iscoroutinefunction(registry.emit)
    assert called == []
    await emitted
    assert called == ["tool:pre"]


async def test_sync_handlers_futures_and_tasks_are_all_answers(registry):
    order = []

    def sync(event, data):
        order.append("sync")
        return HookResult()

    def future(event, data):
        order.append("future")
        made = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(made.set_result, HookResult(user_message="later"))
        return made

    async def work():
        order.append("task")
        return HookResult(action="deny", reason="from a task")

    @types.coroutine
    def generator(event, data):
        order.append("generator")
        yield
        return HookResult()

    registry.register("tool:pre", sync)
    registry.register("tool:pre", future)
    registry.register("tool:pre", generator)
    registry.register("tool:pre", lambda event, data: asyncio.ensure_future(work()))
    said = await registry.emit("tool:pre", {})
    assert order == ["sync", "future", "generator", "task"]
    assert (said.action, said.user_message) == ("deny", "later")


async def test_a_callable_object_and_a_bound_method_are_handlers(registry):
    class Policy:
        async def __call__(self, event, data):
            return HookResult(user_message="called")

        async def check(self, event, data):
            return HookResult(user_message="checked")

    registry.register("tool:pre", Policy())
    registry.register("tool:pre", Policy().check)
    assert registry.list_handlers("tool:pre") == {"tool:pre": ["Policy", "check"]}
    assert (await registry.emit("tool:pre", {})).user_message == "called\nchecked"


async def test_handlers_run_by_priority_and_then_as_registered(registry):
    order = []
    for name, priority in [("c", 5), ("a", -10), ("d", 5), ("b", 0)]:
        registry.register(
            "tool:pre", lambda e, d, name=name: order.append(name) or HookResult(), priority, name
        )
    await registry.emit("tool:pre", {})
    assert order == ["a", "b", "c", "d"]
    assert registry.list_handlers() == {"tool:pre": ["a", "b", "c", "d"]}


async def test_a_deny_ends_the_asking_and_wins(registry):
    order = []

    def note(name, **fields):
        def handler(event, data):
            order.append(name)
            return HookResult(**fields)

        return handler

    ask = {"action": "ask_user", "approval_prompt": "sure?"}
    registry.register("tool:pre", note("asks", **ask))
    registry.register("tool:pre", note("tells", action="inject_context", context_injection="mind"))
    registry.register("tool:pre", note("refuses", action="deny", reason="frozen"))
    registry.register("tool:pre", note("never"))
    said = await registry.emit("tool:pre", {"tool_name": "Bash"})
    assert order == ["asks", "tells", "refuses"]
    assert (said.action, said.reason, said.data) == ("deny", "frozen", None)
    assert said.context_injection == "mind", "what was said before is not lost"


async def test_an_ask_wins_over_an_injection_and_that_over_going_on(registry):
    async def tells(event, data):
        return HookResult(action="inject_context", context_injection="mind the gap")

    async def asks(event, data):
        return HookResult(
            action="ask_user", approval_prompt="sure?", approval_options=["Allow once", "Deny"]
        )

    registry.register("tool:pre", tells)
    assert (await registry.emit("tool:pre", {})).action == "inject_context"
    registry.register("tool:pre", asks)
    said = await registry.emit("tool:pre", {})
    assert (said.action, said.approval_prompt) == ("ask_user", "sure?")
    assert said.approval_options == ["Allow once", "Deny"]
    assert [one.content for one in said.context_injections] == ["mind the gap"]


async def test_every_question_of_several_is_in_the_one_that_is_asked(registry):
    for prompt, seconds, default in [("write?", 60.0, "allow"), ("publish?", 30.0, "deny")]:

        async def asks(event, data, prompt=prompt, seconds=seconds, default=default):
            return HookResult(
                action="ask_user",
                approval_prompt=prompt,
                approval_timeout=seconds,
                approval_default=default,
            )

        registry.register("tool:pre", asks)
    said = await registry.emit("tool:pre", {})
    assert said.approval_prompt == "write?\npublish?"
    assert (said.approval_timeout, said.approval_default) == (30.0, "deny")


async def test_injections_are_merged_and_each_keeps_its_settings_and_its_hook(registry):
    async def first(event, data):
        return HookResult(
            action="inject_context", context_injection="one", context_injection_role="user"
        )

    async def second(event, data):
        return HookResult(action="inject_context", context_injection="two", ephemeral=True)

    registry.register("tool:post", first)
    registry.register("tool:post", second, name="todo")
    said = await registry.emit("tool:post", {})
    assert said.context_injection == "one\n\ntwo"
    assert (said.context_injection_role, said.ephemeral) == ("user", False)
    parts = [(one.content, one.role, one.ephemeral, one.hook_name, one.event) for one in said.context_injections]
    assert parts == [
        ("one", "user", False, "first", "tool:post"),
        ("two", "system", True, "todo", "tool:post"),
    ]


async def test_an_empty_injection_is_none(registry):
    registry.register("tool:post", lambda e, d: HookResult(action="inject_context", context_injection=""))
    assert (await registry.emit("tool:post", {})).action == "continue"


async def test_what_one_handler_said_alone_is_passed_on_word_for_word(registry):
    told = {
        "user_message": "odd: \ud800",
        "user_message_level": "error",
        "user_message_source": "linter",
        "suppress_output": True,
    }
    registry.register("tool:post", lambda e, d: HookResult(**told))
    said = await registry.emit("tool:post", {})
    assert {name: getattr(said, name) for name in told} == told
    registry.register("tool:pre", lambda e, d: HookResult(action="deny"))
    assert (await registry.emit("tool:pre", {})).reason is None


async def test_halted_and_allowed_come_back_as_such(registry):
    registry.register("tool:pre", lambda e, d: Allowed(reason="read-only"))
    said = await registry.emit("tool:pre", {})
    assert (type(said), said.action, said.allowed) == (Allowed, "continue", True)
    registry.register("tool:pre", lambda e, d: {"action": "deny", "halted": True, "reason": "stop"})
    said = await registry.emit("tool:pre", {})
    assert (type(said), said.action, said.reason) == (Halted, "deny", "stop")


async def test_outer_cancellation_ends_the_dispatch_and_is_raised_again(registry):
    order = []

    async def waits(event, data):
        try:
            await anyio.sleep_forever()
        finally:
            order.append("cleaned up")

    registry.register("tool:pre", waits)
    registry.register("tool:pre", lambda e, d: order.append("never") or HookResult())
    task = asyncio.ensure_future(registry.emit("tool:pre", {}))
    await asyncio.sleep(0)
    task.cancel("enough")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled() and order == ["cleaned up"]


async def test_a_handler_cannot_hold_an_outer_cancellation_back(registry):
    async def stubborn(event, data):
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            return HookResult()

    registry.register("tool:pre", stubborn)
    task = asyncio.ensure_future(registry.emit("tool:pre", {}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_handlers_own_timeout_is_its_own(registry):
    async def patient(event, data):
        try:
            async with asyncio.timeout(0):
                await anyio.sleep_forever()
        except TimeoutError:
            return HookResult(user_message="gave up")

    registry.register("tool:pre", patient)
    assert (await registry.emit("tool:pre", {})).user_message == "gave up"


async def test_a_cancelled_error_of_a_handler_is_a_fault(registry, caplog):
    async def raises(event, data):
        raise asyncio.CancelledError

    async def awaits_a_cancelled_future(event, data):
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.cancel)
        await future

    registry.register("tool:pre", raises)
    registry.register("tool:pre", awaits_a_cancelled_future)
    registry.register("tool:pre", deny("still asked"))
    said = await registry.emit("tool:pre", {})
    assert said.reason == "still asked"
    assert [record.name for record in caplog.records] == ["anyhook.hooks", "anyhook.hooks"]


@pytest.mark.parametrize("how", ["sync", "async", "later"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
async def test_keyboard_interrupt_and_system_exit_propagate(registry, how, error):
    def sync(event, data):
        raise error

    async def at_once(event, data):
        raise error

    async def later(event, data):
        await _turn()
        raise error

    handler = {"sync": sync, "async": at_once, "later": later}[how]
    registry.register("tool:pre", handler)
    registry.register("tool:pre", lambda e, d: pytest.fail("no handler is asked after that"))
    emitted = registry.emit("tool:pre", {})
    # Driven by hand: an event loop would end with it.
    with pytest.raises(error):
        while True:
            emitted.send(None)


@types.coroutine
def _turn():
    yield


async def test_an_exception_is_logged_and_the_others_are_asked(registry, caplog):
    async def broken(event, data):
        await anyio.lowlevel.checkpoint()
        raise ValueError("no such file")

    registry.register("tool:pre", broken)
    registry.register("tool:pre", deny("asked all the same"))
    assert (await registry.emit("tool:pre", {})).reason == "asked all the same"
    (record,) = caplog.records
    assert record.getMessage() == "hook handler `broken` failed for `tool:pre`: no such file"
    assert record.exc_info is not None


async def test_the_failure_of_a_guard_refuses(registry):
    async def broken(event, data):
        raise ValueError("no such file")

    registry.register("tool:pre", broken, guard=True)
    said = await registry.emit("tool:pre", {"tool_name": "Bash"})
    assert said.action == "deny"
    assert said.reason.startswith("the hook `broken` failed")


async def test_on_fault_says_what_a_failure_means(registry):
    def broken(event, data):
        raise ValueError("no")

    registry.register("tool:pre", broken, on_fault="halt")
    assert isinstance(await registry.emit("tool:pre", {}), Halted)
    with pytest.raises(ValueError, match="`shrug` is no rule"):
        registry.register("tool:pre", broken, on_fault="shrug")


@pytest.mark.parametrize("answer", [None, "deny", 5, ["deny"], object(), {"reason": "no"}, {}])
async def test_a_wrong_return_type_warns_and_is_ignored(registry, caplog, answer):
    registry.register("tool:pre", lambda e, d: answer, name="odd")
    said = await registry.emit("tool:pre", {"tool_name": "Read"})
    assert said.action == "continue"
    (record,) = caplog.records
    assert record.levelname == "WARNING" and "`odd`" in record.getMessage()


async def test_a_wrong_return_type_of_a_guard_is_a_fault(registry):
    registry.register("tool:pre", lambda e, d: None, guard=True)
    assert (await registry.emit("tool:pre", {})).action == "deny"


async def test_a_dict_in_the_form_of_a_result_is_one_and_warned_once(registry, caplog):
    registry.register("tool:pre", lambda e, d: {"action": "deny", "reason": "frozen"}, name="d")
    for _ in range(3):
        assert (await registry.emit("tool:pre", {})).reason == "frozen"
    assert [r.getMessage() for r in caplog.records] == [
        "hook handler `d` returned a dict: it is read as a HookResult"
    ]


async def test_an_action_that_was_assigned_afterwards_and_is_none_is_a_fault(registry):
    said = HookResult()
    said.action = "shrug"
    registry.register("tool:pre", lambda e, d: said, guard=True)
    assert (await registry.emit("tool:pre", {})).action == "deny"


async def test_a_deny_is_never_dropped_because_its_data_cannot_be_encoded(registry):
    circular = {}
    circular["self"] = circular
    strange = {"set": {1, 2}, "object": object(), "circular": circular, "bytes": b"\xff"}

    async def refuse(event, data):
        said = HookResult(action="deny", reason="frozen \udfff")
        said.data = {**strange, (1, 2): "a tuple for a key"}
        return said

    registry.register("tool:pre", refuse)
    said = await registry.emit("tool:pre", {})
    assert (said.action, said.reason) == ("deny", "frozen \udfff")
    assert said.data["object"] is strange["object"]


async def test_the_decorator_returns_the_function(registry):
    @registry.register(HookRegistry.TOOL_PRE, priority=7)
    async def check(event, data):
        return HookResult(action="deny", reason="decorated")

    assert inspect.iscoroutinefunction(check)
    (one,) = registry.handlers["tool:pre"]
    assert (one.name, one.priority, one.handler) == ("check", 7, check)
    assert (await registry.emit("tool:pre", {})).reason == "decorated"

    @registry.on("tool:post")
    def look(event, data):
        return HookResult()

    assert registry.list_handlers("tool:post") == {"tool:post": ["look"]}


async def test_the_default_name_is_the_functions(registry):
    registry.register("tool:pre", deny())
    registry.register("tool:pre", deny(), name="")
    registry.register("tool:pre", deny(), name="mine")
    assert registry.list_handlers("tool:pre") == {"tool:pre": ["refuse", "refuse", "mine"]}


@pytest.mark.parametrize("handler", [5, "refuse", object()])
def test_what_cannot_be_called_is_refused(registry, handler):
    with pytest.raises(TypeError, match="is callable"):
        registry.register("tool:pre", handler)


@pytest.mark.parametrize("handler", [lambda: None, lambda event: None, lambda a, b, c: None])
def test_what_cannot_take_two_arguments_is_refused(registry, handler):
    with pytest.raises(TypeError, match="cannot be called with an event and its data"):
        registry.register("tool:pre", handler)


MEANT = "`%s` waits for `%s`, which is no event of the catalogue; did you mean `%s`?"


@pytest.mark.parametrize(
    ("event", "meant"),
    [("tool:prr", "tool:pre"), ("sesion:start", "session:start"), ("PreToolUze", "PreToolUse")],
)
def test_a_handler_on_a_misspelled_event_is_registered_and_told_which_event_was_meant(
    registry, caplog, event, meant
):
    for register in (registry.register, registry.on):
        register(event, deny(), name="guard")
    registry.register(event, name="guard")(deny())
    assert caplog.messages == [MEANT % ("guard", event, meant)] * 3
    assert {(one.name, one.levelname) for one in caplog.records} == {("anyhook.hooks", "WARNING")}
    assert registry.list_handlers(event) == {event: ["guard"] * 3}


@pytest.mark.parametrize(
    "event", ["tool:pre", "PreToolUse", "context:pre-compact", "tool:*", "*", "my-hook:debug"]
)
def test_a_handler_on_an_event_that_is_known_or_the_programs_own_is_told_nothing(
    registry, caplog, event
):
    registry.register(event, deny())
    assert caplog.messages == []


async def test_a_wildcard_hears_every_event_that_it_covers(registry):
    heard = []
    registry.register("*", lambda e, d: heard.append(("*", e)) or HookResult())
    registry.register("tool:*", lambda e, d: heard.append(("tool:*", e)) or HookResult())
    for event in ("tool:pre", "session:start", "my-hook:debug"):
        await registry.emit(event, {})
    assert heard == [
        ("*", "tool:pre"),
        ("tool:*", "tool:pre"),
        ("*", "session:start"),
        ("*", "my-hook:debug"),
    ]


@pytest.mark.parametrize("spelling", ["tool:pre", "PreToolUse", "pre-tool-use"])
async def test_every_spelling_is_one_event(registry, spelling):
    heard = []
    registry.register("tool:pre", lambda e, d: heard.append(e) or HookResult())
    registry.register(spelling, lambda e, d: heard.append(e) or HookResult())
    await registry.emit(spelling, {})
    assert heard == ["tool:pre", "tool:pre"]
    assert len(registry.list_handlers(spelling)[spelling]) == 2


async def test_the_hyphen_of_seed_000_is_an_alias(registry):
    registry.register("context:pre-compact", deny("kept"))
    assert (await registry.emit(HookRegistry.CONTEXT_PRE_COMPACT, {})).reason == "kept"


async def test_default_fields_are_merged_under_the_events_own(registry):
    seen = []
    registry.register("tool:pre", lambda e, d: seen.append(dict(d)) or HookResult())
    registry.set_default_fields(session_id="s1", user="nobody")
    said = await registry.emit("tool:pre", {"user": "me", "tool_name": "Read"})
    stamp = seen[0].pop("timestamp")
    assert stamp.endswith("+00:00") and said.data["timestamp"] == stamp
    assert list(seen[0].items()) == [("session_id", "s1"), ("user", "me"), ("tool_name", "Read")]
    registry.set_default_fields(only="this")
    await registry.emit("tool:pre", {})
    assert "session_id" not in seen[1] and seen[1]["only"] == "this"


async def test_without_a_listener_the_data_comes_back_as_it_is(registry):
    registry.set_default_fields(session_id="s1")
    data = {"tool_name": "Read", "messages": [object()]}
    said = await registry.emit("tool:pre", data)
    assert said.data is data and data.keys() == {"tool_name", "messages"}


async def test_who_is_registered_meanwhile_is_not_asked_and_who_is_removed_still_is(registry):
    order = []

    async def first(event, data):
        registry.register("tool:pre", lambda e, d: order.append("added") or HookResult())
        remove()
        order.append("first")
        return HookResult()

    registry.register("tool:pre", first)
    remove = registry.register("tool:pre", lambda e, d: order.append("removed") or HookResult())
    await registry.emit("tool:pre", {})
    assert order == ["first", "removed"]


async def test_emits_inside_each_other_end_at_a_depth(registry, caplog):
    depths = []

    async def again(event, data):
        depths.append(len(depths))
        await data.get("hooks").emit("tool:pre", {})
        return HookResult()

    registry.register("tool:pre", again)
    await registry.emit("tool:pre", {})
    assert len(depths) == 16


async def test_unregistering_is_per_registration_and_idempotent(registry):
    handles = [registry.register(event, deny(), name="same") for event in ("tool:pre", "tool:post")]
    assert repr(handles[0]) == "<unregister 'same'>"
    for _ in range(2):
        handles[0]()
    assert registry.list_handlers() == {"tool:pre": [], "tool:post": ["same"]}
    registry.unregister("same")
    registry.unregister("same")
    assert registry.list_handlers() == {"tool:pre": [], "tool:post": []}


async def test_the_registry_is_at_hand_and_never_part_of_the_data(registry):
    seen = []

    async def handler(event, data):
        seen.append(data)
        assert data.get("hooks") is registry and data["hooks"] is registry
        assert "hooks" not in data and "hooks" not in dict(data) and "hooks" not in {**data}
        return HookResult(action="modify", data={**data, "checked": True})

    registry.register("tool:pre", handler)
    said = await registry.emit("tool:pre", {"tool_name": "Read"})
    assert set(said.data) == {"tool_name", "timestamp", "checked"}
    assert isinstance(seen[0], dict)


async def test_a_field_named_hooks_is_the_events_own(registry):
    seen = []
    registry.register("tool:pre", lambda e, d: seen.append(d.get("hooks")) or HookResult())
    await registry.emit("tool:pre", {"hooks": "mine"})
    assert seen == ["mine"]


async def test_once_asks_a_single_time_and_a_matcher_only_about_its_tools(registry):
    heard = []
    registry.register("tool:pre", lambda e, d: heard.append("once") or HookResult(), once=True)
    registry.register(
        "tool:pre", lambda e, d: heard.append(d["tool_name"]) or HookResult(), matcher="Write|Edit"
    )
    for tool in ("Read", "Write", "Edit"):
        await registry.emit("tool:pre", {"tool_name": tool})
    assert heard == ["once", "Write", "Edit"]
    with pytest.raises(ValueError):
        registry.register("tool:pre", deny(), matcher="(")


async def test_a_shadowed_handler_is_asked_and_never_applied(registry):
    registry.register("tool:pre", deny(), shadow=True)
    assert (await registry.emit("tool:pre", {})).action == "continue"


async def test_a_handler_with_a_timeout_is_a_fault_when_it_is_over(registry):
    async def slow(event, data):
        await anyio.sleep_forever()

    registry.register("tool:pre", slow, timeout=0.001, guard=True)
    assert (await registry.emit("tool:pre", {})).action == "deny"


async def test_collecting_merges_defaults_and_decides_nothing(registry):
    registry.set_default_fields(session_id="s1")
    registry.register("my:vote", lambda e, d: HookResult(data={"seen": sorted(d)}))
    registry.register("my:vote", lambda e, d: HookResult(action="deny", data={"vote": "nay"}))
    registry.register("my:vote", lambda e, d: HookResult(action="modify", data={}))
    registry.register("my:vote", lambda e, d: HookResult())
    replies = await registry.emit_and_collect("my:vote", {"of": 3})
    assert replies == [{"seen": ["of", "session_id"]}, {"vote": "nay"}, {}]


async def test_collecting_skips_who_fails_and_who_is_too_slow(registry):
    async def broken(event, data):
        raise ValueError("no")

    async def slow(event, data):
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("cancelled")

    async def quick(event, data):
        await anyio.lowlevel.checkpoint()
        return HookResult(data={"vote": "aye"})

    ended = []
    for handler in (broken, slow, quick):
        registry.register("my:vote", handler)
    assert await registry.emit_and_collect("my:vote", {}, timeout=0.01) == [{"vote": "aye"}]
    assert ended == ["cancelled"]


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
async def test_collecting_within_no_time_is_an_error(registry, seconds):
    with pytest.raises(ValueError, match="seconds is none"):
        await registry.emit_and_collect("my:vote", {}, timeout=seconds)


async def test_concurrent_emits_do_not_mix(registry):
    async def handler(event, data):
        await anyio.lowlevel.checkpoint()
        return HookResult(action="modify", data={**data, "seen": data["n"]})

    for _ in range(3):
        registry.register("tool:pre", handler)
    said = await asyncio.gather(*(registry.emit("tool:pre", {"n": n}) for n in range(50)))
    assert [one.data["seen"] for one in said] == list(range(50))


async def test_an_emit_that_is_never_finished_is_closed(registry):
    ended = []

    async def waits(event, data):
        try:
            await _turn()
        finally:
            ended.append("closed")

    registry.register("tool:pre", waits)
    emitted = registry.emit("tool:pre", {})
    emitted.send(None)
    emitted.close()
    assert ended == ["closed"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dropped = registry.emit("tool:pre", {})
        dropped.send(None)
        del dropped
        gc.collect()
    assert ended == ["closed", "closed"]


def test_several_loops_in_several_threads_share_a_registry(registry):
    async def handler(event, data):
        await asyncio.sleep(0)
        return HookResult(action="modify", data={**data, "thread": threading.get_ident()})

    registry.register("tool:pre", handler)
    wrong = []

    def work():
        async def main():
            for n in range(100):
                said = await registry.emit("tool:pre", {"n": n})
                if said.data["thread"] != threading.get_ident() or said.data["n"] != n:
                    wrong.append(n)
                registry.register("tool:post", handler)()

        asyncio.run(main())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_registry_in_a_cycle_with_its_handlers_is_collected():
    import weakref

    class Agent:
        def __init__(self):
            self.registry = HookRegistry()
            self.registry.register("tool:pre", self.check)

        def check(self, event, data):
            return HookResult()

    agent = Agent()
    asyncio.run(agent.registry.emit("tool:pre", {}))
    seen = weakref.ref(agent)
    del agent
    gc.collect()
    assert seen() is None


def test_trio_is_a_loop_as_well(registry):
    trio = pytest.importorskip("trio")

    async def handler(event, data):
        await trio.lowlevel.checkpoint()
        return HookResult(data={"vote": "aye"}, user_message="seen")

    registry.register("tool:pre", handler)
    assert trio.run(registry.emit, "tool:pre", {}).user_message == "seen"
    assert trio.run(registry.emit_and_collect, "tool:pre", {}) == [{"vote": "aye"}]
