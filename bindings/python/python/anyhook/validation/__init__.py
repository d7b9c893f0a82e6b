"""Checking modules and mount plans."""

from anyhook.validation.base import ValidationCheck, ValidationResult
from anyhook.validation.hook import HookValidator
from anyhook.validation.module import (
    ContextValidator,
    OrchestratorValidator,
    ProviderValidator,
    ToolValidator,
)
from anyhook.validation.mount_plan import MountPlanValidator

__all__ = [
    "ContextValidator",
    "HookValidator",
    "MountPlanValidator",
    "OrchestratorValidator",
    "ProviderValidator",
    "ToolValidator",
    "ValidationCheck",
    "ValidationResult",
]
