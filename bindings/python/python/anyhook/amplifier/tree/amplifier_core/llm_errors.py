"""What can go wrong with a provider, by Amplifier's names.

>>> RateLimitError("slow down", provider="example", retry_after=2.0).retryable
True
>>> isinstance(QuotaExceededError("spent"), RateLimitError), QuotaExceededError("spent").retryable
(True, False)
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "AbortError",
    "AccessDeniedError",
    "AuthenticationError",
    "ConfigurationError",
    "ContentFilterError",
    "ContextLengthError",
    "InvalidRequestError",
    "InvalidToolCallError",
    "LLMError",
    "LLMTimeoutError",
    "NetworkError",
    "NotFoundError",
    "ProviderUnavailableError",
    "QuotaExceededError",
    "RateLimitError",
    "StreamError",
]


class LLMError(Exception):
    """Something went wrong with a provider."""

    _again: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        provider: str | None = None,
        model: str | None = None,
        status_code: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        delay_multiplier: float = 1.0,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.model = model
        self.status_code = status_code
        self.retryable = self._again if retryable is None else retryable
        self.retry_after = retry_after
        self.delay_multiplier = delay_multiplier

    def __repr__(self) -> str:
        plain = {"retryable": False, "delay_multiplier": 1.0}
        names = ("provider", "model", "status_code", "retryable", "retry_after", "delay_multiplier")
        said = [(name, getattr(self, name)) for name in names]
        told = [f"{name}={value!r}" for name, value in said if value not in (None, plain.get(name))]
        return f"{type(self).__name__}({', '.join([repr(str(self)), *told])})"


class RateLimitError(LLMError):
    """Too many requests."""

    _again = True


class QuotaExceededError(RateLimitError):
    """All that was paid for is used."""

    _again = False


class AuthenticationError(LLMError):
    """No credentials, or wrong ones."""


class AccessDeniedError(AuthenticationError):
    """The credentials do not allow it."""


class ContextLengthError(LLMError):
    """The request is longer than the model can read."""


class ContentFilterError(LLMError):
    """The provider does not answer such a request."""


class InvalidRequestError(LLMError):
    """The provider does not understand the request."""


class ProviderUnavailableError(LLMError):
    """The provider is not there, or fails."""

    _again = True


class NetworkError(ProviderUnavailableError):
    """The provider could not be reached."""


class LLMTimeoutError(LLMError):
    """The provider did not answer in time."""

    _again = True


class NotFoundError(LLMError):
    """There is no such model."""


class StreamError(LLMError):
    """An answer broke off."""

    _again = True


class AbortError(LLMError):
    """The caller does not want the answer any more."""


class InvalidToolCallError(LLMError):
    """The model called a tool in a way that cannot be read."""

    def __init__(
        self,
        message: str,
        *,
        tool_name: str | None = None,
        raw_arguments: str | None = None,
        **given: Any,
    ) -> None:
        super().__init__(message, **given)
        self.tool_name = tool_name
        self.raw_arguments = raw_arguments


class ConfigurationError(LLMError):
    """The provider is set up wrongly."""
