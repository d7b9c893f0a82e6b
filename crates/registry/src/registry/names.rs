//! The event names that older programs use as constants of the registry.

use super::HookRegistry;

/// The constants of seed 000. Each is the name of an event of its own, also where it is an alias:
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
///
/// let all = [
///     HookRegistry::SESSION_START,
///     HookRegistry::SESSION_END,
///     HookRegistry::PROMPT_SUBMIT,
///     HookRegistry::TOOL_PRE,
///     HookRegistry::TOOL_POST,
///     HookRegistry::CONTEXT_PRE_COMPACT,
///     HookRegistry::AGENT_SPAWN,
///     HookRegistry::AGENT_COMPLETE,
///     HookRegistry::ORCHESTRATOR_COMPLETE,
///     HookRegistry::USER_NOTIFICATION,
///     HookRegistry::DECISION_TOOL_RESOLUTION,
///     HookRegistry::DECISION_AGENT_RESOLUTION,
///     HookRegistry::DECISION_CONTEXT_RESOLUTION,
///     HookRegistry::ERROR_TOOL,
///     HookRegistry::ERROR_PROVIDER,
///     HookRegistry::ERROR_ORCHESTRATION,
/// ];
/// let registry = HookRegistry::new();
/// for event in all {
///     registry.on(event, |_: &Event| ());
/// }
/// let heard = registry.list_handlers(None);
/// assert_eq!(heard.len(), all.len());
/// assert!(heard.contains_key("tool:error"), "which is what `error:tool` means");
/// ```
impl HookRegistry {
    /// A session begins.
    pub const SESSION_START: &'static str = "session:start";
    /// A session ends.
    pub const SESSION_END: &'static str = "session:end";
    /// The user says something.
    pub const PROMPT_SUBMIT: &'static str = "prompt:submit";
    /// A tool is about to run.
    pub const TOOL_PRE: &'static str = "tool:pre";
    /// A tool has run.
    pub const TOOL_POST: &'static str = "tool:post";
    /// The context is about to be compacted. Also written with a hyphen, which means the same.
    pub const CONTEXT_PRE_COMPACT: &'static str = "context:pre_compact";
    /// An agent is about to be started.
    pub const AGENT_SPAWN: &'static str = "agent:spawn";
    /// An agent has finished.
    pub const AGENT_COMPLETE: &'static str = "agent:complete";
    /// The orchestrator has finished a turn.
    pub const ORCHESTRATOR_COMPLETE: &'static str = "orchestrator:complete";
    /// The user is told something.
    pub const USER_NOTIFICATION: &'static str = "user:notification";
    /// Which tool is taken.
    pub const DECISION_TOOL_RESOLUTION: &'static str = "decision:tool_resolution";
    /// Which agent is taken.
    pub const DECISION_AGENT_RESOLUTION: &'static str = "decision:agent_resolution";
    /// Which context is taken.
    pub const DECISION_CONTEXT_RESOLUTION: &'static str = "decision:context_resolution";
    /// A tool failed. An alias of `tool:error`.
    pub const ERROR_TOOL: &'static str = "error:tool";
    /// A provider failed. An alias of `provider:error`.
    pub const ERROR_PROVIDER: &'static str = "error:provider";
    /// The orchestration failed.
    pub const ERROR_ORCHESTRATION: &'static str = "error:orchestration";
}
