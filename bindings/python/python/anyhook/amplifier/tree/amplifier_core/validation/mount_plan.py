"""Checking a mount plan, by Amplifier's names."""

from anyhook.validation.base import ValidationResult as MountPlanValidationResult
from anyhook.validation.mount_plan import MountPlanValidator

__all__ = ["MountPlanValidationResult", "MountPlanValidator"]
