"""Checking a hook module, by Amplifier's name."""

from anyhook.validation.hook import HookValidator, sample

__all__ = ["HookValidator", "sample"]
