"""What a validation comes to, by Amplifier's names."""

from anyhook.validation.base import ValidationCheck, ValidationResult

__all__ = ["ValidationCheck", "ValidationResult"]
