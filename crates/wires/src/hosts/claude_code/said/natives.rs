//! Answers that only Claude Code has: said verbatim, and never in the place of our own words.

use serde_json::Value;

use super::Writing;
use crate::answer::OWN_FIELDS;
use crate::answer::SPECIFIC;
use crate::hosts::claude_code::{BESIDE, ID};

/// What a native answer may never say: these are our words, and `async` would have the host not wait for any of them.
const OURS: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "async",
    "asyncTimeout",
    SPECIFIC,
];

/// The same inside `hookSpecificOutput`.
const OURS_WITHIN: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "updatedToolOutput",
    "updatedMCPToolOutput",
    "additionalContext",
    "decision",
];

impl Writing<'_> {
    pub(super) fn natives(&mut self) {
        if self.can.native.is_empty() {
            return;
        }
        for native in self.result.effects.native() {
            if native.wire != ID {
                continue;
            }
            for (key, value) in &native.fields {
                match value {
                    Value::Object(fields) if key == SPECIFIC => {
                        fields
                            .iter()
                            .for_each(|(key, value)| self.within(key, value));
                    }
                    value if OWN_FIELDS.contains(&&**key) && key != BESIDE => {
                        self.within(key, value);
                    }
                    value if !OURS.contains(&&**key) => {
                        self.says.say(key, value.clone());
                    }
                    _ => {}
                }
            }
        }
    }

    fn within(&mut self, key: &str, value: &Value) {
        match (key, value) {
            ("decision", Value::Object(fields)) => {
                fields
                    .iter()
                    .for_each(|(key, value)| self.decided(key, value));
            }
            ("updatedPermissions" | "interrupt", value) => self.decided(key, value),
            (key, value) if !OURS_WITHIN.contains(&key) => {
                self.says.within(key, value.clone());
            }
            _ => {}
        }
    }

    /// New permissions come with an approval, an interruption with a refusal; neither makes one.
    fn decided(&mut self, key: &str, value: &Value) {
        let Some(Value::Object(decision)) = self.says.specific.get_mut("decision") else {
            return;
        };
        let behavior = decision.get("behavior").and_then(Value::as_str);
        if let ("updatedPermissions", Some("allow")) | ("interrupt", Some("deny")) = (key, behavior)
        {
            decision.insert(key.to_owned(), value.clone());
        }
    }
}
