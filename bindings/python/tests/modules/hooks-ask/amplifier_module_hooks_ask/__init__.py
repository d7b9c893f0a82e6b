"""Asks a provider of approvals about risky tools. Structure: the registry by `coordinator.get`, a bound method, a typed question."""

import logging

from amplifier_core import ApprovalRequest, HookResult

logger = logging.getLogger(__name__)


class Approval:
    """Holds the provider that a user interface brings later."""

    def __init__(self, config):
        self.risky = set(config.get("tools", ["bash"]))
        self.provider = None

    def register_provider(self, provider):
        self.provider = provider

    async def handle_tool_pre(self, event, data):
        tool = data.get("tool_name")
        if tool not in self.risky:
            return HookResult(action="continue")
        if self.provider is None:
            return HookResult(action="deny", reason="no one approves")
        request = ApprovalRequest(tool_name=tool, action=f"run {tool}", risk_level="high", timeout=5.0)
        response = await self.provider.request_approval(request)
        if response.approved:
            return HookResult(action="continue")
        return HookResult(action="deny", reason=response.reason or "refused")


async def mount(coordinator, config=None):
    hooks = coordinator.get("hooks")
    if not hooks:
        return None
    approval = Approval(config or {})
    coordinator.register_capability("approval.register_provider", approval.register_provider)
    unregister = hooks.register("tool:pre", approval.handle_tool_pre, priority=-10, name="approval_hook")
    logger.info("mounted")

    def cleanup():
        unregister()

    return cleanup
