"""The registry, by Amplifier's name."""

from __future__ import annotations

from amplifier_core._engine import RustHookRegistry as HookRegistry
from anyhook.models import ContextInjection, HookResult

__all__ = ["ContextInjection", "HookRegistry", "HookResult"]
