"""Who answers questions, by Amplifier's names."""

from __future__ import annotations

from anyhook.approval import ApprovalSystem, ApprovalTimeoutError

__all__ = ["ApprovalSystem", "ApprovalTimeoutError"]
