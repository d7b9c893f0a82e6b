"""The names of events, by their canonical spelling.

>>> from anyhook import events
>>> events.TOOL_PRE in events.ALL_EVENTS
True
"""

SESSION_START = "session:start"
SESSION_END = "session:end"
SESSION_FORK = "session:fork"
SESSION_RESUME = "session:resume"
SESSION_CONFIG = "session:config"
PROMPT_SUBMIT = "prompt:submit"
PROMPT_COMPLETE = "prompt:complete"
PLAN_START = "plan:start"
PLAN_END = "plan:end"
PROVIDER_REQUEST = "provider:request"
PROVIDER_RESPONSE = "provider:response"
PROVIDER_RETRY = "provider:retry"
PROVIDER_ERROR = "provider:error"
PROVIDER_THROTTLE = "provider:throttle"
PROVIDER_TOOL_SEQUENCE_REPAIRED = "provider:tool_sequence_repaired"
PROVIDER_RESOLVE = "provider:resolve"
LLM_REQUEST = "llm:request"
LLM_RESPONSE = "llm:response"
CONTENT_BLOCK_START = "content_block:start"
CONTENT_BLOCK_DELTA = "content_block:delta"
CONTENT_BLOCK_END = "content_block:end"
THINKING_DELTA = "thinking:delta"
THINKING_FINAL = "thinking:final"
TOOL_PRE = "tool:pre"
TOOL_POST = "tool:post"
TOOL_ERROR = "tool:error"
CONTEXT_PRE_COMPACT = "context:pre_compact"
CONTEXT_POST_COMPACT = "context:post_compact"
CONTEXT_COMPACTION = "context:compaction"
CONTEXT_INCLUDE = "context:include"
ORCHESTRATOR_COMPLETE = "orchestrator:complete"
EXECUTION_START = "execution:start"
EXECUTION_END = "execution:end"
USER_NOTIFICATION = "user:notification"
ARTIFACT_WRITE = "artifact:write"
ARTIFACT_READ = "artifact:read"
POLICY_VIOLATION = "policy:violation"
APPROVAL_REQUIRED = "approval:required"
APPROVAL_GRANTED = "approval:granted"
APPROVAL_DENIED = "approval:denied"
APPROVAL_REQUESTED = "approval:requested"
APPROVAL_DECISION = "approval:decision"
APPROVAL_TIMEOUT = "approval:timeout"
CANCEL_REQUESTED = "cancel:requested"
CANCEL_COMPLETED = "cancel:completed"
MODULE_ON_SESSION_READY_FAILED = "module:on_session_ready_failed"
MODULE_LOAD_FAILED = "module:load_failed"
AGENT_SPAWN = "agent:spawn"
AGENT_COMPLETE = "agent:complete"
DECISION_TOOL_RESOLUTION = "decision:tool_resolution"
DECISION_AGENT_RESOLUTION = "decision:agent_resolution"
DECISION_CONTEXT_RESOLUTION = "decision:context_resolution"
HOOK_CONTEXT_INJECTION = "hook:context_injection"
HOOK_ERROR = "hook:error"
ERROR_ORCHESTRATION = "error:orchestration"
ERROR_TOOL = TOOL_ERROR
ERROR_PROVIDER = PROVIDER_ERROR

ALL_EVENTS: list[str] = [
    SESSION_START,
    SESSION_END,
    SESSION_FORK,
    SESSION_RESUME,
    SESSION_CONFIG,
    PROMPT_SUBMIT,
    PROMPT_COMPLETE,
    PLAN_START,
    PLAN_END,
    PROVIDER_REQUEST,
    PROVIDER_RESPONSE,
    PROVIDER_RETRY,
    PROVIDER_ERROR,
    PROVIDER_THROTTLE,
    PROVIDER_TOOL_SEQUENCE_REPAIRED,
    PROVIDER_RESOLVE,
    LLM_REQUEST,
    LLM_RESPONSE,
    CONTENT_BLOCK_START,
    CONTENT_BLOCK_DELTA,
    CONTENT_BLOCK_END,
    THINKING_DELTA,
    THINKING_FINAL,
    TOOL_PRE,
    TOOL_POST,
    TOOL_ERROR,
    CONTEXT_PRE_COMPACT,
    CONTEXT_POST_COMPACT,
    CONTEXT_COMPACTION,
    CONTEXT_INCLUDE,
    ORCHESTRATOR_COMPLETE,
    EXECUTION_START,
    EXECUTION_END,
    USER_NOTIFICATION,
    ARTIFACT_WRITE,
    ARTIFACT_READ,
    POLICY_VIOLATION,
    APPROVAL_REQUIRED,
    APPROVAL_GRANTED,
    APPROVAL_DENIED,
    APPROVAL_REQUESTED,
    APPROVAL_DECISION,
    APPROVAL_TIMEOUT,
    CANCEL_REQUESTED,
    CANCEL_COMPLETED,
    MODULE_ON_SESSION_READY_FAILED,
    MODULE_LOAD_FAILED,
    AGENT_SPAWN,
    AGENT_COMPLETE,
    DECISION_TOOL_RESOLUTION,
    DECISION_AGENT_RESOLUTION,
    DECISION_CONTEXT_RESOLUTION,
    HOOK_CONTEXT_INJECTION,
    HOOK_ERROR,
    ERROR_ORCHESTRATION,
]


def __dir__() -> list[str]:
    """Lists each event once: an alias is no event of its own."""
    return sorted(globals().keys() - {"ERROR_TOOL", "ERROR_PROVIDER"})
