"""Checking hook modules and mount plans."""

from anyhook.validation.base import ValidationCheck, ValidationResult
from anyhook.validation.hook import HookValidator
from anyhook.validation.mount_plan import MountPlanValidator

__all__ = ["HookValidator", "MountPlanValidator", "ValidationCheck", "ValidationResult"]
