"""The data of an event as one handler has it: a change there reaches no other handler."""

from __future__ import annotations

import copy
import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from pydantic import BaseModel

_MISSING = object()


class EventData(dict[str, Any]):
    """The data of an event, as one handler sees it: a copy of its own, which also knows the registry.

    ``data.get("hooks")`` and ``data["hooks"]`` are the registry that asks, unless the event has a field of that name. The
    registry is no field: it is in no copy, in no iteration and in nothing that is written as JSON.

    A field that has several names (``tool_input``, ``arguments`` and ``input``) is found under each of them. In copies and
    iterations it has the name that the program gave it.
    """

    __slots__ = ("_hooks", "_twins")
    _hooks: Any
    _twins: Mapping[str, tuple[str, ...]]

    def get(self, key: Any, default: Any = None, /) -> Any:
        """Returns a field, or the registry for ``hooks``."""
        found = dict.get(self, key, _MISSING)
        if found is not _MISSING:
            return found
        try:
            return self.__missing__(key)
        except KeyError:
            return default

    def __missing__(self, key: Any) -> Any:
        for name in self._twins.get(key, ()):
            if dict.__contains__(self, name):
                return self[name]
        if key == "hooks":
            return self._hooks
        raise KeyError(key)

    def __contains__(self, key: Any) -> bool:
        there = dict.__contains__
        return there(self, key) or any(there(self, name) for name in self._twins.get(key, ()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))


class UnreadData(EventData):
    """The same, with large fields that are copied when they are read."""

    __slots__ = ("_unread",)
    _unread: set[Any]

    def _read(self, key: Any) -> None:
        if key in self._unread:
            self._unread.discard(key)
            dict.__setitem__(self, key, isolated(dict.__getitem__(self, key)))

    def _whole(self) -> UnreadData:
        for key in list(self._unread):
            self._read(key)
        return self

    def get(self, key: Any, default: Any = None, /) -> Any:
        """Returns a field, or the registry for ``hooks``."""
        self._read(key)
        return EventData.get(self, key, default)

    def __getitem__(self, key: Any) -> Any:
        self._read(key)
        return EventData.__getitem__(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._unread.discard(key)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._unread.discard(key)
        dict.__delitem__(self, key)

    def __iter__(self) -> Iterator[Any]:
        # Without an iterator of its own a dict is copied past `__getitem__`.
        return dict.__iter__(self)


def _reading(name: str) -> Any:
    method = getattr(dict, name)

    def read(self: UnreadData, *given: Any, **named: Any) -> Any:
        return method(self._whole(), *given, **named)

    read.__name__ = name
    read.__doc__ = method.__doc__
    return read


for _name in (
    *("copy", "items", "pop", "popitem", "setdefault", "update", "values"),
    *("__eq__", "__ior__", "__or__", "__repr__", "__ror__"),
):
    setattr(UnreadData, _name, _reading(_name))


def whole(value: Any) -> Any:
    """Returns the data of a handler with every field read, and anything else as it is."""
    return value._whole() if value.__class__ is UnreadData else value


def isolated(value: Any, _made: dict[int, Any] | None = None) -> Any:
    """Copies what can be changed in place, with everything in it: containers, models, dataclasses.

    What has no fields that are data is the same object for everybody: a client, a lock, a function.

    >>> given = {"tool_input": {"paths": ["a"]}}
    >>> isolated(given)["tool_input"]["paths"].append("b")
    >>> given
    {'tool_input': {'paths': ['a']}}
    """
    made = {} if _made is None else _made
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, tuple):
        items = [isolated(item, made) for item in value]
        if all(a is b for a, b in zip(items, value, strict=True)):
            return value
        return tuple.__new__(type(value), items)
    if isinstance(value, MappingProxyType):
        return MappingProxyType(isolated(dict(value), made))
    if not isinstance(value, _CHANGEABLE) and not _is_record(value):
        return value
    twin = made[id(value)] = copy.copy(value)
    if isinstance(value, dict):
        for key, item in dict.items(value):
            dict.__setitem__(twin, key, isolated(item, made))
    elif isinstance(value, list | deque):
        for at, item in enumerate(value):
            twin[at] = isolated(item, made)
    elif not isinstance(value, set | bytearray):
        for name, item in _fields(value).items():
            object.__setattr__(twin, name, isolated(item, made))
    return twin


_CHANGEABLE = (dict, list, deque, set, bytearray, BaseModel, SimpleNamespace)


def _is_record(value: Any) -> bool:
    kind = type(value)
    return dataclasses.is_dataclass(kind) or hasattr(kind, "__attrs_attrs__")


def _fields(record: Any) -> Mapping[str, Any]:
    fields = dict(getattr(record, "__dict__", {}))
    if isinstance(record, BaseModel):
        # They lie beside the fields of the class.
        fields["__pydantic_extra__"] = record.__pydantic_extra__
        return fields
    kind = type(record)
    names = [*getattr(kind, "__dataclass_fields__", ())]
    names += [field.name for field in getattr(kind, "__attrs_attrs__", ())]
    for name in names:
        if hasattr(record, name):
            fields[name] = getattr(record, name)
    return fields
