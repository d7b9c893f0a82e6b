"""The native half, by Amplifier's names."""

from __future__ import annotations

from amplifier_core.capabilities import *  # noqa: F403
from amplifier_core.events import *  # noqa: F403
from amplifier_core.session import AmplifierSession as RustSession
from amplifier_core.utils.retry import RetryConfig, compute_delay
from anyhook._core import Unregister as RustUnregisterFn
from anyhook._core import __version__
from anyhook.cancellation import CancellationToken as RustCancellationToken
from anyhook.coordinator import ModuleCoordinator as RustCoordinator
from anyhook.hooks import HookRegistry as RustHookRegistry

RUST_AVAILABLE = True

__all__ = [
    "RUST_AVAILABLE",
    "RetryConfig",
    "RustCancellationToken",
    "RustCoordinator",
    "RustHookRegistry",
    "RustSession",
    "RustUnregisterFn",
    "__version__",
    "compute_delay",
]
