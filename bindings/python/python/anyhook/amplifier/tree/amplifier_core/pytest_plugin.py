"""The plugin for pytest, by Amplifier's name."""

from __future__ import annotations

from anyhook.pytest_plugin import *  # noqa: F403
