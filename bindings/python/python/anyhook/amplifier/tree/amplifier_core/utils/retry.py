"""Asking a provider again, by Amplifier's names."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from amplifier_core import llm_errors
from amplifier_core.llm_errors import LLMError

__all__ = ["RetryConfig", "classify_error_message", "compute_delay", "retry_with_backoff"]

T = TypeVar("T")


@dataclass(frozen=True)
class RetryConfig:
    """How often and how late something is tried again."""

    max_retries: int = 3
    initial_delay: float = 1.0
    max_delay: float = 60.0
    backoff_factor: float = 2.0
    jitter: bool | float | None = 0.2
    honor_retry_after: bool = True


def compute_delay(
    config: RetryConfig,
    attempt: int,
    retry_after: float | None = None,
    delay_multiplier: float | None = None,
) -> float:
    """Returns how many seconds to wait; the first attempt is 0.

    >>> compute_delay(RetryConfig(jitter=False), 2)
    4.0
    >>> compute_delay(RetryConfig(jitter=False), 0, retry_after=9.0)
    9.0
    """
    delay = min(config.initial_delay * config.backoff_factor**attempt, config.max_delay)
    if delay_multiplier and math.isfinite(delay_multiplier) and delay_multiplier > 0:
        delay *= delay_multiplier
    if retry_after is not None and config.honor_retry_after:
        delay = max(delay, retry_after)
    spread = 0.2 if config.jitter is None else float(config.jitter) and 0.2
    return delay * random.uniform(1 - spread, 1 + spread) if spread else delay


async def retry_with_backoff(
    operation: Callable[[], Awaitable[T]],
    config: RetryConfig | None = None,
    *,
    on_retry: Callable[[int, float, LLMError], Awaitable[None]] | None = None,
) -> T:
    """Tries something until it succeeds, fails for good, or was tried often enough."""
    config = config or RetryConfig()
    attempt = 0
    while True:
        try:
            return await operation()
        except LLMError as error:
            if not error.retryable or attempt >= config.max_retries:
                raise
            delay = compute_delay(config, attempt, error.retry_after, error.delay_multiplier)
            attempt += 1
            if on_retry is not None:
                await on_retry(attempt, delay, error)
        await asyncio.sleep(delay)


_CODES = {
    401: llm_errors.AuthenticationError,
    403: llm_errors.AccessDeniedError,
    404: llm_errors.NotFoundError,
    413: llm_errors.ContextLengthError,
    429: llm_errors.RateLimitError,
}
_WORDS: list[tuple[tuple[str, ...], type[LLMError]]] = [
    (("context length", "too many tokens", "maximum context"), llm_errors.ContextLengthError),
    (("rate limit", "too many requests"), llm_errors.RateLimitError),
    (("authentication", "api key", "unauthorized"), llm_errors.AuthenticationError),
    (("not found",), llm_errors.NotFoundError),
    (("content filter", "safety", "blocked"), llm_errors.ContentFilterError),
]


def classify_error_message(
    message: str, *, status_code: int | None = None, provider: str | None = None
) -> type[LLMError]:
    """Finds the kind of an error by its status and its words.

    >>> classify_error_message("Rate limit reached").__name__
    'RateLimitError'
    >>> classify_error_message("no", status_code=503).__name__
    'ProviderUnavailableError'
    """
    if status_code in _CODES:
        return _CODES[status_code]
    if status_code is not None and status_code >= 500:
        return llm_errors.ProviderUnavailableError
    text = message.lower()
    for words, kind in _WORDS:
        if any(word in text for word in words):
            return kind
    return llm_errors.InvalidRequestError if status_code in (400, 422) else LLMError
