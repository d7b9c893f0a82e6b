"""What tests of modules need, by Amplifier's names."""

from __future__ import annotations

from anyhook.testing import (
    EventRecorder,
    MockContextManager,
    MockCoordinator,
    MockTool,
    RecordingDisplay,
    ScriptedOrchestrator,
    TestCoordinator,
    create_test_coordinator,
    fire,
    wait_for,
)

__all__ = [
    "EventRecorder",
    "MockContextManager",
    "MockCoordinator",
    "MockTool",
    "RecordingDisplay",
    "ScriptedOrchestrator",
    "TestCoordinator",
    "create_test_coordinator",
    "fire",
    "wait_for",
]
