"""The plugin for pytest, by Amplifier's name."""

from __future__ import annotations

pytest_plugins = ["anyhook.pytest_plugin"]
