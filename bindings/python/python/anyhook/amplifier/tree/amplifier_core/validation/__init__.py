"""Checking modules and mount plans, by Amplifier's names."""

from amplifier_core.validation.mount_plan import MountPlanValidationResult
from anyhook.validation import (
    ContextValidator,
    HookValidator,
    MountPlanValidator,
    OrchestratorValidator,
    ProviderValidator,
    ToolValidator,
    ValidationCheck,
    ValidationResult,
)

__all__ = [
    "ContextValidator",
    "HookValidator",
    "MountPlanValidationResult",
    "MountPlanValidator",
    "OrchestratorValidator",
    "ProviderValidator",
    "ToolValidator",
    "ValidationCheck",
    "ValidationResult",
]
