"""What modules of each kind have to look like, by Amplifier's names."""

from __future__ import annotations

from anyhook.validation.module import (
    ContextValidator,
    OrchestratorValidator,
    ProviderValidator,
    ToolValidator,
)
from anyhook.validation.structural import HookStructuralTests

__all__ = [
    "ContextStructuralTests",
    "HookStructuralTests",
    "OrchestratorStructuralTests",
    "ProviderStructuralTests",
    "ToolStructuralTests",
]


class ToolStructuralTests(HookStructuralTests):
    """What a module with a tool has to look like."""

    validator = ToolValidator


class ProviderStructuralTests(HookStructuralTests):
    """What a module with a provider of models has to look like."""

    validator = ProviderValidator


class OrchestratorStructuralTests(HookStructuralTests):
    """What a module with the loop of an agent has to look like."""

    validator = OrchestratorValidator


class ContextStructuralTests(HookStructuralTests):
    """What a module that holds a conversation has to look like."""

    validator = ContextValidator
