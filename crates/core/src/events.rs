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

crate::taxonomy::event_names!(names);

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
