"""Checking a module of this kind, by Amplifier's name."""

from anyhook.validation.module import ProviderValidator

__all__ = ["ProviderValidator"]
