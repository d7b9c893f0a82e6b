"""What a validation comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ValidationCheck", "ValidationResult"]

Severity = Literal["error", "warning", "info"]


@dataclass(slots=True)
class ValidationCheck:
    """One thing that was looked at."""

    name: str
    passed: bool
    message: str
    severity: Severity = "info"


@dataclass(slots=True)
class ValidationResult:
    """Everything that was looked at.

    >>> result = ValidationResult("hook", "./my-hook")
    >>> result.add(ValidationCheck("mount_exists", True, "`mount` is there"))
    >>> result.add(ValidationCheck("cleanup", False, "nothing is returned", "warning"))
    >>> result.passed, result.summary()
    (True, 'PASSED: 1/2 checks passed (0 errors, 1 warnings)')
    """

    module_type: str
    module_path: str
    checks: list[ValidationCheck] = field(default_factory=list)

    def add(self, check: ValidationCheck) -> None:
        """Adds a check."""
        self.checks.append(check)

    @property
    def errors(self) -> list[ValidationCheck]:
        """Those that failed and make the module unusable."""
        return [one for one in self.checks if not one.passed and one.severity == "error"]

    @property
    def warnings(self) -> list[ValidationCheck]:
        """Those that failed and are recommended only."""
        return [one for one in self.checks if not one.passed and one.severity == "warning"]

    @property
    def passed(self) -> bool:
        """Whether no error was found."""
        return not self.errors

    def summary(self) -> str:
        """Says it in a line."""
        word = "PASSED" if self.passed else "FAILED"
        good = sum(one.passed for one in self.checks)
        counts = f"{len(self.errors)} errors, {len(self.warnings)} warnings"
        return f"{word}: {good}/{len(self.checks)} checks passed ({counts})"
