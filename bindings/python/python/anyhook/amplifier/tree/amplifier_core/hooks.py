"""The registry, by Amplifier's name."""

from __future__ import annotations

from amplifier_core._engine import RustHookRegistry as HookRegistry
from anyhook.models import ContextInjection as ContextInjection  # of 2.0; 1.6 lists the other two
from anyhook.models import HookResult

__all__ = ["HookRegistry", "HookResult"]
