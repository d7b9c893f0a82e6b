//! The names of Amplifier's events as constants: those of its catalogue, and those that seed 000 puts on the registry.
//!
//! A constant is a name, and a name means its row: `ERROR_TOOL` is `error:tool`, an alias, and a hook that is registered
//! for it is asked about `tool:error`. `CONTEXT_PRE_COMPACT` has the canonical spelling.
//!
//! ```
//! use anyhook_core::event::EventName;
//! use anyhook_core::events;
//!
//! assert_eq!(events::TOOL_PRE, "tool:pre");
//! assert_eq!(EventName::new(events::ERROR_TOOL), EventName::new(events::TOOL_ERROR));
//! assert!(events::ALL.contains(&("TOOL_PRE", events::TOOL_PRE)));
//! ```

macro_rules! names {
    ($($constant:ident = $name:literal;)*) => {
        $(
            #[doc = concat!("The event `", $name, "`.")]
            pub const $constant: &str = $name;
        )*

        /// Every constant of this module: its own name, and the event's.
        pub static ALL: &[(&str, &str)] = &[$((stringify!($constant), $name)),*];
    };
}

names! {
    TOOL_PRE = "tool:pre";
    APPROVAL_REQUIRED = "approval:required";
    TOOL_POST = "tool:post";
    PROMPT_SUBMIT = "prompt:submit";
    SESSION_START = "session:start";
    SESSION_END = "session:end";
    AGENT_COMPLETE = "agent:complete";
    CONTEXT_PRE_COMPACT = "context:pre_compact";
    USER_NOTIFICATION = "user:notification";
    TOOL_ERROR = "tool:error";
    ERROR_TOOL = "error:tool";
    AGENT_SPAWN = "agent:spawn";
    CONTEXT_POST_COMPACT = "context:post_compact";
    SESSION_FORK = "session:fork";
    SESSION_RESUME = "session:resume";
    SESSION_CONFIG = "session:config";
    SESSION_START_DEBUG = "session:start:debug";
    SESSION_START_RAW = "session:start:raw";
    PROMPT_COMPLETE = "prompt:complete";
    EXECUTION_START = "execution:start";
    EXECUTION_END = "execution:end";
    ORCHESTRATOR_COMPLETE = "orchestrator:complete";
    PLAN_START = "plan:start";
    PLAN_END = "plan:end";
    CANCEL_REQUESTED = "cancel:requested";
    CANCEL_COMPLETED = "cancel:completed";
    APPROVAL_GRANTED = "approval:granted";
    APPROVAL_DENIED = "approval:denied";
    APPROVAL_REQUESTED = "approval:requested";
    APPROVAL_DECISION = "approval:decision";
    APPROVAL_TIMEOUT = "approval:timeout";
    POLICY_VIOLATION = "policy:violation";
    HOOK_CONTEXT_INJECTION = "hook:context_injection";
    HOOK_ERROR = "hook:error";
    PROVIDER_REQUEST = "provider:request";
    PROVIDER_RESPONSE = "provider:response";
    PROVIDER_RETRY = "provider:retry";
    PROVIDER_ERROR = "provider:error";
    ERROR_PROVIDER = "error:provider";
    PROVIDER_THROTTLE = "provider:throttle";
    PROVIDER_TOOL_SEQUENCE_REPAIRED = "provider:tool_sequence_repaired";
    PROVIDER_RESOLVE = "provider:resolve";
    LLM_REQUEST = "llm:request";
    LLM_RESPONSE = "llm:response";
    LLM_REQUEST_DEBUG = "llm:request:debug";
    LLM_REQUEST_RAW = "llm:request:raw";
    LLM_RESPONSE_DEBUG = "llm:response:debug";
    LLM_RESPONSE_RAW = "llm:response:raw";
    CONTENT_BLOCK_START = "content_block:start";
    CONTENT_BLOCK_DELTA = "content_block:delta";
    CONTENT_BLOCK_END = "content_block:end";
    THINKING_DELTA = "thinking:delta";
    THINKING_FINAL = "thinking:final";
    CONTEXT_COMPACTION = "context:compaction";
    CONTEXT_INCLUDE = "context:include";
    ARTIFACT_WRITE = "artifact:write";
    ARTIFACT_READ = "artifact:read";
    MODULE_ON_SESSION_READY_FAILED = "module:on_session_ready_failed";
    MODULE_LOAD_FAILED = "module:load_failed";
    DECISION_TOOL_RESOLUTION = "decision:tool_resolution";
    DECISION_AGENT_RESOLUTION = "decision:agent_resolution";
    DECISION_CONTEXT_RESOLUTION = "decision:context_resolution";
    ERROR_ORCHESTRATION = "error:orchestration";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::taxonomy;

    #[test]
    fn every_constant_names_a_row() {
        let unknown: Vec<_> = ALL
            .iter()
            .filter(|(_, name)| taxonomy::find(name).is_none())
            .collect();
        assert_eq!(unknown, Vec::<&(&str, &str)>::new());
    }

    #[test]
    fn a_constant_is_its_name_in_capitals() {
        for (constant, name) in ALL {
            let capitals = name.replace([':', '-'], "_").to_uppercase();
            assert_eq!(*constant, capitals, "{name}");
        }
    }

    #[test]
    fn has_sixteen_constants_and_d34_spells_one_of_them() {
        let seed = [
            ("SESSION_START", "session:start"),
            ("SESSION_END", "session:end"),
            ("PROMPT_SUBMIT", "prompt:submit"),
            ("TOOL_PRE", "tool:pre"),
            ("TOOL_POST", "tool:post"),
            ("CONTEXT_PRE_COMPACT", "context:pre_compact"),
            ("AGENT_SPAWN", "agent:spawn"),
            ("AGENT_COMPLETE", "agent:complete"),
            ("ORCHESTRATOR_COMPLETE", "orchestrator:complete"),
            ("USER_NOTIFICATION", "user:notification"),
            ("DECISION_TOOL_RESOLUTION", "decision:tool_resolution"),
            ("DECISION_AGENT_RESOLUTION", "decision:agent_resolution"),
            ("DECISION_CONTEXT_RESOLUTION", "decision:context_resolution"),
            ("ERROR_TOOL", "error:tool"),
            ("ERROR_PROVIDER", "error:provider"),
            ("ERROR_ORCHESTRATION", "error:orchestration"),
        ];
        for constant in seed {
            assert!(ALL.contains(&constant), "{constant:?}");
        }
        let hyphen = taxonomy::find("context:pre-compact");
        assert_eq!(hyphen, taxonomy::find(CONTEXT_PRE_COMPACT));
    }

    #[test]
    fn every_row_of_amplifier_has_a_constant() {
        let named: BTreeSet<&str> = ALL.iter().map(|(_, name)| *name).collect();
        let hosts = [
            "athena:",
            "claude-code:",
            "codex-cli:",
            "copilot-cli:",
            "cursor:",
        ];
        let others = [
            "gemini-cli:",
            "goose:",
            "kiro:",
            "opencode:",
            "qwen-code:",
            "windsurf:",
        ];
        let missing: Vec<&str> = taxonomy::EVENTS
            .iter()
            .map(|row| row.name)
            .filter(|name| name.contains(':') && !named.contains(name))
            .filter(|name| {
                !hosts
                    .iter()
                    .chain(&others)
                    .any(|host| name.starts_with(host))
            })
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
