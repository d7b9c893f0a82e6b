"""The registry of hooks: who is asked about which event, and the asking."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from anyhook import _core, _native
from anyhook.compat import _as_json
from anyhook.compat import _state as _compat
from anyhook.models import HookResult

__all__ = ["HookRegistry", "HookResult"]

Answer = HookResult | Mapping[str, Any] | None
Handler = Callable[[str, dict[str, Any]], Awaitable[Answer] | Answer]
F = TypeVar("F", bound=Handler)


class Rules(TypedDict, total=False):
    """What a registration may say besides, by name."""

    guard: bool
    once: bool
    on_fault: Literal["continue", "deny", "halt"] | None
    matcher: str | None
    timeout: float | None
    shadow: bool


@dataclass(frozen=True, slots=True)
class Registered:
    """One registration, as :attr:`HookRegistry.handlers` shows it."""

    event: str
    name: str
    priority: int
    handler: Handler
    guard: bool


class Mounting:
    """What a module registers while it is mounted: a ``with`` block around its ``mount``, and a call that takes it away.

    ``priority`` holds for all its handlers, whatever it says itself. Of its configuration, ``enabled_events`` names the
    events that they may hear, in any spelling and with ``*``, and ``log_level`` how much of what they say is shown.
    """

    def __init__(self, priority: int | None = None, config: Mapping[str, Any] | None = None) -> None:
        if priority is not None and type(priority) is not int:
            raise ValueError(f"a priority is a whole number, not {priority!r}")
        told = {name: (config or {}).get(name) for name in ("enabled_events", "log_level")}
        rules = {name: value for name, value in told.items() if value is not None}
        self.priority = priority
        self._module = _core.Module(priority, rules)
        self._token: Token[Mounting | None] | None = None

    def __enter__(self) -> Mounting:
        self._token = _mounting.set(self)
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._token is not None:
            _mounting.reset(self._token)

    def __call__(self) -> None:
        self._module.take_back()


_mounting: ContextVar[Mounting | None] = ContextVar("anyhook_mounting", default=None)


class HookRegistry(_core.Registry):
    """Keeps handlers, and offers events to them in order.

    Handlers run one after the other, by priority (lower first) and then as registered, on the caller's own event loop and
    with its context variables. A refusal ends the asking, rewrites chain, and a handler that fails is logged and skipped.

    >>> import asyncio
    >>> registry = HookRegistry()
    >>> @registry.register(HookRegistry.TOOL_PRE, priority=10)
    ... async def no_shell(event, data):
    ...     if data.get("tool_name") == "Bash":
    ...         return HookResult(action="deny", reason="no shell in this session")
    ...     return HookResult()
    >>> asyncio.run(registry.emit("tool:pre", {"tool_name": "Bash"})).reason
    'no shell in this session'
    """

    __slots__ = ("__dict__",)

    SESSION_START = "session:start"
    SESSION_END = "session:end"
    PROMPT_SUBMIT = "prompt:submit"
    TOOL_PRE = "tool:pre"
    TOOL_POST = "tool:post"
    CONTEXT_PRE_COMPACT = "context:pre_compact"
    AGENT_SPAWN = "agent:spawn"
    AGENT_COMPLETE = "agent:complete"
    ORCHESTRATOR_COMPLETE = "orchestrator:complete"
    USER_NOTIFICATION = "user:notification"
    DECISION_TOOL_RESOLUTION = "decision:tool_resolution"
    DECISION_AGENT_RESOLUTION = "decision:agent_resolution"
    DECISION_CONTEXT_RESOLUTION = "decision:context_resolution"
    ERROR_TOOL = "error:tool"
    ERROR_PROVIDER = "error:provider"
    ERROR_ORCHESTRATION = "error:orchestration"

    @overload
    def register(
        self,
        event: str,
        handler: Handler,
        priority: int = 0,
        name: str | None = None,
        **rules: Unpack[Rules],
    ) -> _core.Unregister: ...

    @overload
    def register(
        self,
        event: str,
        handler: None = None,
        priority: int = 0,
        name: str | None = None,
        **rules: Unpack[Rules],
    ) -> Callable[[F], F]: ...

    def register(
        self,
        event: str,
        handler: Any = None,
        priority: int = 0,
        name: str | None = None,
        *,
        guard: bool = False,
        once: bool = False,
        on_fault: Literal["continue", "deny", "halt"] | None = None,
        matcher: str | None = None,
        timeout: float | None = None,
        shadow: bool = False,
    ) -> Any:
        """Registers a handler for an event and returns the function that removes it.

        ``event`` may be written in any spelling, and a ``*`` in it stands for any text. ``handler`` is called with the
        event's canonical name and a copy of its data; it may be async or not. ``name`` is the handler's ``__name__`` unless
        given.

        Without a handler this is a decorator, which returns the function as it is.

        A ``guard`` refuses when it fails, and is asked again when a later handler rewrites the tool's input. ``once`` asks a
        single time, ``matcher`` only about tools of that name or pattern, ``timeout`` bounds an answer in seconds,
        ``on_fault`` says what the handler's own failure means, and ``shadow`` asks without applying.

        >>> registry = HookRegistry()
        >>> def audit(event, data):
        ...     return HookResult()
        >>> unregister = registry.register("tool:*", audit, priority=100)
        >>> registry.list_handlers("tool:pre")
        {'tool:pre': ['audit']}
        >>> unregister()
        >>> registry.list_handlers("tool:pre")
        {'tool:pre': []}
        """
        rules = {
            "guard": guard,
            "once": once,
            "on_fault": on_fault,
            "matcher": matcher,
            "timeout": timeout,
            "shadow": shadow,
        }
        if handler is None:

            def decorate(function: F) -> F:
                self._add(event, function, priority, name, rules)
                return function

            return decorate
        return self._add(event, handler, priority, name, rules)

    on = register

    def _add(
        self, event: str, handler: Any, priority: int, name: str | None, rules: dict[str, Any]
    ) -> _core.Unregister:
        if not isinstance(event, str):
            raise TypeError(f"an event is named by a str, not {type(event).__name__}")
        if not callable(handler):
            raise TypeError(f"a handler is callable, and {type(handler).__name__} is not")
        name = name or getattr(handler, "__name__", None) or type(handler).__name__
        if not _native._takes_two(handler):
            raise TypeError(f"`{name}` cannot be called with an event and its data")
        meant = _core.meant_event(event)
        if meant is not None:
            text = "`%s` waits for `%s`, which is no event of the catalogue; did you mean `%s`?"
            _native.logger.warning(text, name, event, meant)
        return self._register(event, handler, priority, name, **rules)

    def _register(
        self, event: str, handler: Any, priority: int, name: str, **rules: Any
    ) -> _core.Unregister:
        mounting = _mounting.get()
        if mounting is None:
            return super()._register(event, handler, priority, name, **rules)
        if mounting.priority is not None:
            priority = mounting.priority
        return super()._register(event, handler, priority, name, module=mounting._module, **rules)

    def unregister(self, name: str) -> None:
        """Removes the newest registration of a name, if there is one.

        >>> registry = HookRegistry()
        >>> _ = registry.register("tool:pre", lambda event, data: HookResult(), name="lint")
        >>> registry.unregister("lint")
        >>> registry.list_handlers()
        {'tool:pre': []}
        """
        self._unregister(name)

    def set_default_fields(self, **defaults: Any) -> None:
        """Replaces the fields that every event has which does not bring its own.

        >>> import asyncio
        >>> registry = HookRegistry()
        >>> registry.set_default_fields(session_id="s1")
        >>> _ = registry.register("tool:pre", lambda event, data: HookResult())
        >>> asyncio.run(registry.emit("tool:pre", {"tool_name": "Read"})).data["session_id"]
        's1'
        """
        self._set_defaults(defaults)

    async def emit(self, event: str, data: Mapping[str, Any] | None = None) -> HookResult:
        """Offers an event to everybody who is registered for it, and returns what they said together.

        The result's ``data`` is the event's data with every rewrite, the default fields and the time; after a refusal it is
        what the refusing handler gave. Without a handler the data comes back as it is.

        >>> import asyncio
        >>> asyncio.run(HookRegistry().emit("tool:pre", {"tool_name": "Read"})).data
        {'tool_name': 'Read'}
        """
        said: Any = self._emit(event, data if not _compat["strict"] else _as_json(data))
        result: HookResult = await said if said.__class__ is _Emission else said
        return result

    async def emit_and_collect(
        self, event: str, data: Mapping[str, Any] | None = None, timeout: float | None = 1.0
    ) -> list[Any]:
        """Asks every handler for its own ``data``, and returns all that is not None.

        Nothing is decided: a refusal ends nothing and a rewrite has no effect. A handler that fails, or that takes longer
        than ``timeout`` seconds, is skipped; at most 300 seconds are waited for one.

        >>> import asyncio
        >>> registry = HookRegistry()
        >>> _ = registry.register("my:vote", lambda event, data: HookResult(data={"vote": "aye"}))
        >>> asyncio.run(registry.emit_and_collect("my:vote", {}))
        [{'vote': 'aye'}]
        """
        said: Any = self._collect(event, data if not _compat["strict"] else _as_json(data), timeout)
        all_data: list[Any] = await said if said.__class__ is _Emission else said
        return all_data

    def list_handlers(self, event: str | None = None) -> dict[str, list[str]]:
        """Returns the names of handlers in the order of asking: of one event, or of all that have a handler.

        >>> registry = HookRegistry()
        >>> for name, priority in [("late", 9), ("early", 1)]:
        ...     _ = registry.register("tool:pre", lambda event, data: HookResult(), priority, name)
        >>> registry.list_handlers("tool:pre")
        {'tool:pre': ['early', 'late']}
        """
        if not event:
            return self._names()
        (names,) = self._names(event).values()
        return {event: names}

    @property
    def handlers(self) -> dict[str, list[Registered]]:
        """Who is registered, by event and in the order of asking.

        >>> registry = HookRegistry()
        >>> _ = registry.register("tool:pre", lambda event, data: HookResult(), name="lint")
        >>> [one.name for one in registry.handlers["tool:pre"]]
        ['lint']
        """
        listed: dict[str, list[Registered]] = {}
        for row in self._rows():
            one = Registered(*row)
            listed.setdefault(one.event, []).append(one)
        for rows in listed.values():
            rows.sort(key=lambda one: one.priority)
        return listed

    _handlers = handlers

    def __repr__(self) -> str:
        return f"HookRegistry({self.list_handlers()!r})"


_Emission = _core.Emission
