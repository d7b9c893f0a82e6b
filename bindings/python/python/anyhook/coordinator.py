"""What modules share in one session, and acting on what hooks say."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from anyhook import _core, _native
from anyhook.approval import ApprovalTimeoutError, grants
from anyhook.compat import is_strict
from anyhook.cancellation import CancellationToken
from anyhook.hooks import HookRegistry
from anyhook.models import Allowed, ApprovalOption, ContextInjection, HookResult

__all__ = ["ModuleCoordinator"]

logger = logging.getLogger("anyhook.coordinator")

SIZE_LIMIT = 10_240
BUDGET = 10_000
_SINGLE = ("orchestrator", "context", "module-source-resolver")
_MANY = ("providers", "tools")


class ModuleCoordinator:
    """Holds a session's modules, capabilities and hooks, and acts on the results of hooks.

    ``config`` is a mount plan. Its section ``session`` may have ``injection_size_limit`` (10,240 bytes, ``None`` for no
    limit), ``injection_budget_per_turn`` (10,000 tokens, ``None`` for none) and ``strict``.

    >>> import asyncio
    >>> coordinator = ModuleCoordinator()
    >>> said = HookResult(action="ask_user", approval_prompt="push to main?")
    >>> asyncio.run(coordinator.process_hook_result(said, "tool:pre", "careful")).action
    'deny'
    """

    def __init__(
        self,
        session: Any = None,
        approval_system: Any = None,
        display_system: Any = None,
        *,
        config: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        parent_id: str | None = None,
    ) -> None:
        self.session = session
        self.session_id: str | None = session_id or getattr(session, "session_id", None)
        self.parent_id: str | None = parent_id or getattr(session, "parent_id", None)
        self.config: dict[str, Any] = _fields(config or getattr(session, "config", None) or {})
        self.approval_system = approval_system
        self.display_system = display_system
        self.cancellation = CancellationToken()
        self.loader: Any = None
        self.session_state: dict[str, Any] = {}
        self.hooks = HookRegistry()
        known = {"session_id": self.session_id, "parent_id": self.parent_id}
        self.hooks.set_default_fields(**{k: v for k, v in known.items() if v is not None})
        self.mount_points: dict[str, Any] = {
            "orchestrator": None,
            "providers": {},
            "tools": {},
            "context": None,
            "hooks": self.hooks,
            "module-source-resolver": None,
        }
        self.channels: dict[str, list[dict[str, Any]]] = {}
        self._capabilities: dict[str, Any] = {}
        self._cleanups: list[Callable[[], Any]] = []
        self._ready: list[tuple[str, Callable[[Any], Any]]] = []
        self._current_turn_injections = 0
        self._always: set[str] = set()

    # Mount points

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        """Puts a module in its place; of tools and providers there are many, each with a name.

        >>> import asyncio
        >>> from anyhook.testing import MockTool
        >>> coordinator = ModuleCoordinator()
        >>> asyncio.run(coordinator.mount("tools", MockTool("read")))
        >>> list(coordinator.get("tools"))
        ['read']
        """
        if mount_point == "hooks":
            text = "Hooks should be registered with `coordinator.hooks.register`, not mounted"
            raise ValueError(text)
        if mount_point in _SINGLE:
            self.mount_points[mount_point] = module
        elif mount_point in _MANY:
            name = name or getattr(module, "name", None)
            if not name:
                raise ValueError(f"Name required: a module among `{mount_point}` has one")
            self.mount_points[mount_point][name] = module
        else:
            raise _unknown(mount_point)

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        """Takes a module away, if it is there."""
        if mount_point in _SINGLE:
            self.mount_points[mount_point] = None
        elif mount_point not in _MANY:
            raise _unknown(mount_point)
        elif not name:
            raise ValueError(f"Name required: `{mount_point}` holds many")
        else:
            self.mount_points[mount_point].pop(name, None)

    def get(self, mount_point: str, name: str | None = None) -> Any:
        """Returns what is mounted: one module, or all of them by name."""
        if mount_point not in self.mount_points:
            raise _unknown(mount_point)
        held = self.mount_points[mount_point]
        if name is not None and mount_point in _MANY:
            return held.get(name)
        return held

    # What modules share

    def register_capability(self, name: str, value: Any) -> None:
        """Offers a value to the other modules; the last of a name holds.

        >>> coordinator = ModuleCoordinator()
        >>> coordinator.register_capability("session.working_dir", "/srv/shop")
        >>> coordinator.get_capability("session.working_dir")
        '/srv/shop'
        """
        self._capabilities[name] = value

    def get_capability(self, name: str) -> Any:
        """Returns what a module offered by this name, or None."""
        return self._capabilities.get(name)

    def register_contributor(self, channel: str, name: str, callback: Callable[[], Any]) -> None:
        """Adds a callback to a channel whose contributions are collected; the callback may be async.

        >>> import asyncio
        >>> coordinator = ModuleCoordinator()
        >>> coordinator.register_contributor("observability.events", "lint", lambda: ["lint:ran"])
        >>> asyncio.run(coordinator.collect_contributions("observability.events"))
        [['lint:ran']]
        """
        self.channels.setdefault(channel, []).append({"name": name, "callback": callback})

    async def collect_contributions(self, channel: str) -> list[Any]:
        """Asks everybody of a channel, in order of registration. One that fails is logged and skipped; one that is
        cancelled ends the asking, and what was given until then is returned.
        """
        given = []
        for one in list(self.channels.get(channel, ())):
            try:
                value = await _settled(one["callback"]())
            except Exception:
                logger.exception("contributor `%s` of `%s` failed", one["name"], channel)
                continue
            except asyncio.CancelledError:
                if _native._is_cancelling():
                    raise
                logger.warning("contributor `%s` of `%s` was cancelled", one["name"], channel)
                break
            if value is not None:
                given.append(value)
        return given

    def on_session_ready(self, name: str, callback: Callable[[Any], Any]) -> None:
        """Calls a function with this coordinator when every module is mounted."""
        self._ready.append((name, callback))

    async def session_ready(self) -> None:
        """Calls those who wait for the session to be ready; a failure is told by an event."""
        waiting, self._ready = self._ready, []
        for name, callback in waiting:
            try:
                await _settled(callback(self))
            except Exception as error:
                logger.exception("`%s` failed when the session was ready", name)
                told = {"module_id": name, "error": str(error)}
                await self.hooks.emit("module:on_session_ready_failed", told)

    def register_cleanup(self, cleanup: Callable[[], Any] | None) -> None:
        """Has a function called at the end; the newest is called first, and each once.

        >>> import asyncio
        >>> coordinator, done = ModuleCoordinator(), []
        >>> coordinator.register_cleanup(lambda: done.append("first"))
        >>> coordinator.register_cleanup(lambda: done.append("second"))
        >>> asyncio.run(coordinator.cleanup())
        >>> done
        ['second', 'first']
        """
        if callable(cleanup):
            self._cleanups.append(cleanup)

    async def cleanup(self) -> None:
        """Calls every cleanup, whatever fails. What ends the program is raised when all were called."""
        fatal: BaseException | None = None
        while self._cleanups:
            try:
                await _settled(self._cleanups.pop()())
            except Exception:
                logger.exception("a cleanup failed")
            except BaseException as error:
                fatal = fatal or error
        if fatal is not None:
            raise fatal

    async def request_cancel(self, immediate: bool = False) -> None:
        """Asks to stop the session: ``cancel:requested`` is emitted, and the token's functions are called.

        >>> import asyncio
        >>> coordinator = ModuleCoordinator()
        >>> asyncio.run(coordinator.request_cancel())
        >>> coordinator.cancellation.state
        'graceful'
        """
        token = self.cancellation
        if not (token.request_immediate() if immediate else token.request_graceful()):
            return
        told = {"level": token.state, "running_tools": sorted(token.running_tool_names)}
        await self._tell("cancel:requested", told)
        await token.trigger_callbacks()

    def reset_turn(self) -> None:
        """Begins a turn: all of its budget is there again."""
        self._current_turn_injections = 0

    def to_dict(self) -> dict[str, Any]:
        """Describes what is mounted, by name."""
        return {
            "session_id": self.session_id,
            "parent_id": self.parent_id,
            "orchestrator": self.mount_points["orchestrator"] is not None,
            "context": self.mount_points["context"] is not None,
            "providers": list(self.mount_points["providers"]),
            "tools": list(self.mount_points["tools"]),
            "hooks": self.hooks.list_handlers(),
            "capabilities": list(self._capabilities),
            "has_approval_provider": self.approval_system is not None,
            "has_display_service": self.display_system is not None,
        }

    # Acting on results

    async def process_hook_result(
        self, result: HookResult, event: str, hook_name: str = "unknown"
    ) -> HookResult:
        """Acts on a result, and returns what is left for the caller.

        Texts for the model are cleaned, held to the limits and stored with ``add_message`` of the mounted context; those
        that are ephemeral, or that no context stores, are left in the result. The message for the person is shown, whatever
        the action. A question is put, and the result is then a ``deny``, an ``inject_context`` or a ``continue``.
        """
        left = await self._inject(result, event, hook_name)
        if result.user_message and not (is_strict() and result.action == "ask_user"):
            await self._show(result, hook_name)
        if result.suppress_output:
            logger.debug("the output of `%s` is hidden", hook_name)
        if result.action == "ask_user":
            answer = await self._ask(result, event, hook_name)
            texts = left.context_injections + answer.context_injections
            return _holding(answer, texts) if texts else answer
        return left

    async def _inject(self, result: HookResult, event: str, hook_name: str) -> HookResult:
        texts = list(result.context_injections)
        if not texts and result.action == "inject_context" and result.context_injection:
            texts = [
                ContextInjection(
                    content=result.context_injection,
                    role=result.context_injection_role,
                    ephemeral=result.ephemeral,
                    append_to_last_tool_result=result.append_to_last_tool_result,
                    hook_name=hook_name,
                    event=event,
                )
            ]
        if not texts:
            return result
        left = [one for one in [await self._one(text, event, hook_name) for text in texts] if one]
        if len(left) == len(texts) and all(a is b for a, b in zip(left, texts, strict=True)):
            return result
        return _holding(result, left)

    async def _one(
        self, text: ContextInjection, event: str, hook_name: str
    ) -> ContextInjection | None:
        """Delivers one text, and returns it where that is left to the caller."""
        name = text.hook_name if text.hook_name != "unknown" else hook_name
        content = _core.clean(text.content)
        whole = len(content.encode())
        if not content:
            return None
        fitted = await self._fit(content, event, name)
        if fitted is None or not await self._afford(fitted, event, name):
            return None
        stored = not text.ephemeral and await self._store(text, fitted, event, name)
        told = {
            "hook_name": name,
            "hook_event": event,
            "injection_size": len(fitted.encode()),
            "injection_role": text.role,
            "full_size": whole,
            "tokens": _tokens(fitted),
            "ephemeral": text.ephemeral,
            "stored": stored,
        }
        await self._tell("hook:context_injection", told)
        if stored:
            return None
        if fitted == text.content:
            return text
        return text.model_copy(update={"content": fitted})

    async def _fit(self, content: str, event: str, name: str) -> str | None:
        """Holds a text to the size limit: what is longer is cut, and the whole is in a file."""
        limit = self._setting("injection_size_limit", SIZE_LIMIT)
        size = len(content if is_strict() else content.encode())
        if limit is None or size <= limit:
            return content
        if is_strict():
            raise ValueError(f"the injection of `{name}` exceeds {limit} characters: it has {size}")
        told = {"policy": "injection_size_limit", "hook_name": name, "hook_event": event}
        await self._tell("policy:violation", told | {"size": size, "limit": limit})
        try:
            return _core.cut(content, max(limit, 0))
        except ValueError as error:
            logger.error("the injection of `%s` is refused: %s", name, error)
            failed = {"hook_name": name, "hook_event": event, "kind": "over_limit"}
            await self._tell("hook:error", failed | {"error": str(error)})
            return None

    async def _afford(self, content: str, event: str, name: str) -> bool:
        """Counts the tokens of a turn. Over the budget a text is delivered and flagged, or refused if ``strict``."""
        budget = self._setting("injection_budget_per_turn", BUDGET)
        spent = self._current_turn_injections + _tokens(content)
        if budget is None or spent <= budget:
            self._current_turn_injections = spent
            return True
        strict = bool(self._setting("strict", False))
        logger.warning("hooks injected %d tokens in this turn, and %d are the budget", spent, budget)
        told = {"policy": "injection_budget_per_turn", "hook_name": name, "hook_event": event}
        await self._tell("policy:violation", told | {"tokens": spent, "limit": budget})
        if not strict:
            self._current_turn_injections = spent
        return not strict

    async def _store(
        self, text: ContextInjection, content: str, event: str, name: str
    ) -> bool:
        add = getattr(self.mount_points["context"], "add_message", None)
        if add is None:
            return False
        metadata = {
            "source": "hook",
            "hook_name": name,
            "event": event,
            "timestamp": datetime.now(UTC).isoformat(),
        }
        await _settled(add({"role": text.role, "content": content, "metadata": metadata}))
        return True

    async def _show(self, result: HookResult, hook_name: str) -> None:
        if self.display_system is None:
            logger.debug("no callback shows the message of `%s`", hook_name)
            return
        source = f"hook:{result.user_message_source or hook_name}"
        message = _core.clean(result.user_message or "")
        try:
            shown = self.display_system.show_message(message, result.user_message_level, source)
            await _settled(shown)
        except Exception:
            logger.exception("the message of `%s` could not be shown", hook_name)

    async def _ask(self, result: HookResult, event: str, hook_name: str) -> HookResult:
        prompt = _core.clean(result.approval_prompt or "Allow this operation?")
        options = result.approval_options
        options = ["Allow", "Deny"] if options is None else list(options)
        about = {"hook_name": hook_name, "hook_event": event, "prompt": prompt}
        if self.approval_system is None:
            await self._tell("approval:denied", about | {"reason": "no person is there to answer"})
            return HookResult(action="deny", reason=f"No approval system is there to ask: {prompt}")
        key = _exact(hook_name, event, prompt, options, result.data)
        if key is not None and key in self._always:
            await self._tell("approval:granted", about | {"cached": True})
            return HookResult(data=result.data)
        refused = await self._tell("approval:required", about | {"options": options})
        if refused is not None and refused.action == "deny":
            await self._tell("approval:denied", about | {"reason": refused.reason})
            return refused
        began = time.monotonic()
        answer, why = await self._answer(prompt, options, result)
        default = ApprovalOption("", "proceed" if result.approval_default == "allow" else "deny")
        chosen = _chosen(answer, options) if why is None else default
        is_granted = chosen.grants != "deny"
        if key is not None and is_granted and chosen.remember != "once":
            self._always.add(key)
        took = int((time.monotonic() - began) * 1000)
        decision = "allow" if is_granted else "deny"
        await self._tell("approval:decision", about | {"decision": decision, "decision_time_ms": took})
        if why == _LATE:
            await self._tell("approval:timeout", about | {"default_taken": decision, "error": why})
        await self._tell(f"approval:{'granted' if is_granted else 'denied'}", about)
        if is_granted:
            kind = Allowed if chosen.grants == "allow" else HookResult
            return kind(data=result.data)
        asked = prompt if len(prompt) <= 200 else prompt[:200] + "…"
        text = f"User denied: {asked}" if why is None else f"{why}: denied by default: {asked}"
        return HookResult(action="deny", reason=text)

    async def _answer(
        self, prompt: str, options: list[str], result: HookResult
    ) -> tuple[str, str | None]:
        """Returns the option that was chosen, or why none was chosen: the time was over, or the asking failed."""
        seconds, default = result.approval_timeout, result.approval_default
        began = time.monotonic()
        try:
            asked = self._asked(prompt, options, seconds, default)
            asked = await (_native._within(asked, seconds) if seconds < 1e9 else asked)
            if time.monotonic() - began > seconds:
                # An approver that held the event loop up was not stopped, and is late all the same.
                raise TimeoutError
        except (ApprovalTimeoutError, TimeoutError):
            return "", _LATE
        except Exception as error:
            logger.exception("the approval system failed")
            return "", f"Approval failed ({error})"
        if not isinstance(asked, str):
            return "", f"Approval failed (`{type(asked).__name__}` is no answer)"
        return asked, None

    async def _asked(self, *question: Any) -> Any:
        """Asks. One that is not async may wait for a person: it does so on a thread."""
        ask = self.approval_system.request_approval
        if inspect.iscoroutinefunction(ask):
            return await ask(*question)
        return await _settled(await _native._beside(ask, *question))

    async def _tell(self, event: str, data: dict[str, Any]) -> HookResult | None:
        """Emits an audit event. What hooks say about it changes nothing, but for a refusal of ``approval:required``."""
        try:
            return await self.hooks.emit(event, data)
        except Exception:
            logger.exception("`%s` could not be told", event)
            return None

    def _setting(self, name: str, default: Any) -> Any:
        section = self.config.get("session") or {}
        return section.get(name, None if is_strict() else default)

    @property
    def injection_size_limit(self) -> int | None:
        """How many bytes one text for the model may have."""
        limit: int | None = self._setting("injection_size_limit", SIZE_LIMIT)
        return limit

    @property
    def injection_budget_per_turn(self) -> int | None:
        """How many tokens hooks may say to the model in one turn."""
        budget: int | None = self._setting("injection_budget_per_turn", BUDGET)
        return budget


def _holding(result: HookResult, texts: list[ContextInjection]) -> HookResult:
    """Returns a result with these texts for the model instead of its own."""
    action = result.action
    if action in ("inject_context", "continue") and not result.allowed:
        action = "inject_context" if texts else "continue"
    first = texts[0] if texts else ContextInjection(content="")
    return result.model_copy(
        update={
            "action": action,
            "context_injections": texts,
            "context_injection": "\n\n".join(one.content for one in texts) or None,
            "context_injection_role": first.role,
            "ephemeral": first.ephemeral,
            "append_to_last_tool_result": first.append_to_last_tool_result,
        }
    )


async def _settled(value: Any) -> Any:
    return await value if isinstance(value, Awaitable) else value


def _chosen(answer: str, options: list[str]) -> ApprovalOption:
    """Finds the choice of an answer: what it was declared to grant, else what its words grant."""
    same = [one for one in options if one == answer]
    wanted = answer.strip().lower()
    same += [one for one in options if one.strip().lower() == wanted]
    for option in same:
        if isinstance(option, ApprovalOption):
            return option
    is_kept = wanted == "allow always"
    return ApprovalOption(
        answer, "proceed" if grants(wanted) else "deny", "session" if is_kept else "once"
    )


def _fields(config: Any) -> dict[str, Any]:
    """Reads a config that is a mapping, or a model."""
    dump = getattr(config, "model_dump", None)
    return dict(dump() if callable(dump) else config)


def _unknown(mount_point: str) -> ValueError:
    return ValueError(f"Unknown mount point: `{mount_point}`")


def _tokens(text: str) -> int:
    """Counts four bytes a token, rounded up; as Amplifier does, four characters, rounded down."""
    return len(text) // 4 if is_strict() else -(-len(text.encode()) // 4)


def _exact(
    hook_name: str, event: str, prompt: str, options: list[str], data: dict[str, Any] | None
) -> str | None:
    """Describes the action that a question is about, so that "Allow always" never serves another one.

    Nothing for an action that is not known, or that cannot be written down: it is asked about each time.
    """
    if data is None:
        return None
    fields = {key: value for key, value in data.items() if key not in _VARIES}
    choices = [one.as_dict() if isinstance(one, ApprovalOption) else one for one in options]
    try:
        return json.dumps([hook_name, event, prompt, choices, fields], sort_keys=True)
    except (TypeError, ValueError):
        return None


_LATE = "Approval timeout"
_VARIES = {"timestamp", "tool_call_id", "tool_use_id"}
