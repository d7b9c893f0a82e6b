"""Stopping a session, by Amplifier's names."""

from __future__ import annotations

from amplifier_core._engine import RustCancellationToken as CancellationToken
from anyhook.cancellation import CancellationState

__all__ = ["CancellationState", "CancellationToken"]
