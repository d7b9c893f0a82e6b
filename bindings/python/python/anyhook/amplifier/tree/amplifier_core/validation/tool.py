"""Checking a module of this kind, by Amplifier's name."""

from anyhook.validation.module import ToolValidator

__all__ = ["ToolValidator"]
