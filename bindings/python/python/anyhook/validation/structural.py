"""Checks of a module's form, for pytest."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from anyhook.validation.hook import HookValidator
from anyhook.validation.module import ModuleValidator

__all__ = ["HookStructuralTests", "the_validator_finds_no_error"]


async def the_validator_finds_no_error(
    path: Any, validator: type[ModuleValidator] = HookValidator
) -> None:
    """The validator finds no error in the module."""
    result = await validator().validate(path)
    told = "\n".join(f"{one.name}: {one.message}" for one in result.errors)
    assert result.passed, f"{result.summary()}\n{told}"


class HookStructuralTests:
    """What every hook module has to look like. The fixture ``module_path`` is the plugin's."""

    validator: ClassVar[type[ModuleValidator]] = HookValidator

    def test_structural_validation(self, module_path: Any) -> None:
        """The validator finds no error."""
        asyncio.run(the_validator_finds_no_error(module_path, self.validator))
