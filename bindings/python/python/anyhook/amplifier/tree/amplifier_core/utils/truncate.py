"""Making data fit for a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["SENSITIVE_KEYS", "redact_secrets", "truncate_values"]

SENSITIVE_KEYS = frozenset(
    "api_key apikey api-key secret password token credential credentials private_key privatekey auth authorization".split()
)


def truncate_values(obj: Any, max_length: int = 180) -> Any:
    """Shortens every long text of nested data.

    >>> truncate_values({"body": "aaaa"}, max_length=2)
    {'body': 'aa... (truncated 2 chars)'}
    """

    def shortened(_key: Any, value: Any) -> Any:
        if not isinstance(value, str) or len(value) <= max_length:
            return value
        return f"{value[:max_length]}... (truncated {len(value) - max_length} chars)"

    return _each(None, obj, shortened)


def redact_secrets(obj: Any, sensitive_keys: frozenset[str] = SENSITIVE_KEYS) -> Any:
    """Replaces every value of nested data whose key says that it is secret.

    >>> redact_secrets({"user": "ada", "login": [{"Password": "x"}]})
    {'user': 'ada', 'login': [{'Password': '[REDACTED]'}]}
    """

    def hidden(key: Any, value: Any) -> Any:
        is_secret = isinstance(key, str) and key.lower() in sensitive_keys
        return "[REDACTED]" if is_secret else value

    return _each(None, obj, hidden)


def _each(key: Any, value: Any, change: Callable[[Any, Any], Any]) -> Any:
    value = change(key, value)
    if isinstance(value, dict):
        return {name: _each(name, inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [_each(None, inner, change) for inner in value]
    return value
