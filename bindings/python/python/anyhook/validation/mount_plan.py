"""Checking a mount plan: which modules, with which configuration."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from anyhook.validation.base import ValidationCheck, ValidationResult

__all__ = ["MountPlanValidator"]

SECTIONS = ("session", "providers", "tools", "hooks", "agents")
KEYS = ("module", "source", "config", "priority")


class MountPlanValidator:
    """Checks the form of a mount plan.

    >>> plan = {"hooks": [{"module": "my-hook", "source": "git+https://example.com/my-hook@main"}]}
    >>> MountPlanValidator().validate(plan).passed
    True
    >>> [check.name for check in MountPlanValidator().validate({"hooks": [{}]}).errors]
    ['hooks[0]_module_required']
    """

    def validate(self, plan: Any) -> ValidationResult:
        """Checks a plan; nothing is imported and nothing is mounted."""
        result = ValidationResult("mount_plan", "")
        if not isinstance(plan, Mapping):
            _check(result, "root_type", False, "a mount plan is a mapping")
            return result
        _check(result, "root_type", True, "a mount plan is a mapping")
        for name in plan:
            if name not in SECTIONS:
                text = f"`{name}` is no section"
                result.add(ValidationCheck("unknown_sections", False, text, "warning"))
        section = plan.get("session")
        if section is not None:
            self._session(result, section)
        for name in ("providers", "tools", "hooks"):
            self._section(result, name, plan.get(name))
        return result

    def _session(self, result: ValidationResult, section: Any) -> None:
        if not isinstance(section, Mapping):
            return _check(result, "session_type", False, "`session` is a mapping")
        for name in ("orchestrator", "context"):
            spec = section.get(name)
            if spec is not None and not isinstance(spec, str):
                self._spec(result, f"session.{name}", spec)
        return None

    def _section(self, result: ValidationResult, name: str, specs: Any) -> None:
        if specs is None:
            return
        if not isinstance(specs, list):
            return _check(result, f"{name}_type", False, f"`{name}` is a list")
        for at, spec in enumerate(specs):
            self._spec(result, f"{name}[{at}]", spec)
        return None

    def _spec(self, result: ValidationResult, path: str, spec: Any) -> None:
        if not isinstance(spec, Mapping):
            return _check(result, f"{path}_type", False, f"`{path}` is a mapping")
        module = spec.get("module")
        if module is None:
            return _check(result, f"{path}_module_required", False, f"`{path}` names no module")
        if not isinstance(module, str):
            return _check(result, f"{path}_module_type", False, f"`{path}.module` is a text")
        if not module.strip():
            return _check(result, f"{path}_module_empty", False, f"`{path}.module` is empty")
        _check(result, f"{path}_module_valid", True, f"`{path}` names `{module}`")
        for key in spec:
            like = difflib.get_close_matches(str(key), KEYS, 1)
            if key not in KEYS and like:
                text = f"`{path}.{key}` is not read; did you mean `{like[0]}`?"
                result.add(ValidationCheck(f"{path}_unknown_key", False, text, "warning"))
        for key, kind in (("config", Mapping), ("source", str)):
            value = spec.get(key)
            if value is not None and not isinstance(value, kind):
                _check(result, f"{path}_{key}_type", False, f"`{path}.{key}` has the wrong type")
        return None


def _check(result: ValidationResult, name: str, passed: bool, text: str) -> None:
    result.add(ValidationCheck(name, passed, text, "info" if passed else "error"))
