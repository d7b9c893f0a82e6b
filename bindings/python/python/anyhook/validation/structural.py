"""Checks of a hook module's form, for pytest."""

from __future__ import annotations

import asyncio
from typing import Any

from anyhook.validation.hook import HookValidator

__all__ = ["HookStructuralTests", "the_validator_finds_no_error"]


async def the_validator_finds_no_error(path: Any) -> None:
    """The validator finds no error in the module."""
    result = await HookValidator().validate(path)
    told = "\n".join(f"{one.name}: {one.message}" for one in result.errors)
    assert result.passed, f"{result.summary()}\n{told}"


class HookStructuralTests:
    """What every hook module has to look like. The fixture ``module_path`` is the plugin's."""

    def test_structural_validation(self, module_path: Any) -> None:
        """The validator finds no error."""
        asyncio.run(the_validator_finds_no_error(module_path))
