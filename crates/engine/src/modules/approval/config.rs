//! The settings of `approval`.

use std::sync::Arc;

use anyhook_core::event::Map;
use anyhook_core::question::Settled;
use serde_json::{Value, json};

use super::audit::{Audit, PATH};
use super::tools::{Call, Needs, Only, Told};
use super::{Approval, SETTINGS, patterns};
use crate::modules::BuiltIn;
use crate::modules::config::{ConfigErrors, Reading};
use crate::rules::Facts;

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Approve,
    Ask,
    Deny,
}

impl Does {
    /// The gravest is the lightest, so that it comes first.
    pub(super) fn weight(self) -> u8 {
        match self {
            Self::Deny => 0,
            Self::Ask => 1,
            Self::Approve => 2,
        }
    }
}

/// What becomes of a call that no rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    Ask,
    Deny,
    Continue,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) pattern: String,
    pub(super) does: Does,
    /// The tool that it is about; then the pattern is one of its files. Without one it is about commands.
    pub(super) tool: Option<String>,
    pub(super) description: Option<String>,
}

impl Rule {
    fn about_commands(pattern: impl Into<String>, does: Does) -> Self {
        Self {
            pattern: pattern.into(),
            does,
            tool: None,
            description: None,
        }
    }

    pub(super) fn is_about(&self, call: &Call<'_>, facts: &Facts<'_>) -> bool {
        if let Some(tool) = &self.tool
            && call.command().is_none()
        {
            let files = std::slice::from_ref(&self.pattern);
            return call.is(tool)
                && match self.does {
                    Does::Approve => facts.stays_in(files),
                    Does::Ask | Does::Deny => {
                        self.pattern == "*" || facts.touched(files, &[]).is_some()
                    }
                };
        }
        let is_its = self.tool.as_ref().is_none_or(|tool| call.is(tool));
        is_its
            && call.command().is_some_and(|line| match self.does {
                Does::Approve => {
                    call.is_only_a_command() && patterns::approves(&self.pattern, line)
                }
                Does::Ask | Does::Deny => patterns::warns(&self.pattern, line),
            })
    }
}

const ACTIONS: &[(&str, Does)] = &[
    ("auto_approve", Does::Approve),
    ("auto_deny", Does::Deny),
    ("ask", Does::Ask),
];
/// What the original approves without being told.
const HARMLESS: [&str; 3] = ["ls*", "pwd", "echo*"];

pub(super) fn rule_form() -> Value {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "\\S"},
            "action": {"enum": ["auto_approve", "auto_deny", "ask"]},
            "tool": {"type": "string"},
            "description": {"type": "string"},
        },
        "required": ["pattern", "action"],
        "additionalProperties": false,
    }})
}

pub(super) fn tools_form() -> Value {
    json!({"type": "object", "additionalProperties": {
        "type": "object",
        "properties": {"require_approval": {"type": "boolean"}},
        "additionalProperties": false,
    }})
}

pub(super) fn audit_form() -> Value {
    json!({
        "type": "object",
        "properties": {"enabled": {"type": "boolean", "default": true}, "path": {"type": "string", "default": PATH}},
        "additionalProperties": false,
    })
}

pub(super) fn make(config: &Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors> {
    let mut reading = Reading::new(config, SETTINGS);
    let rules = rules(&mut reading);
    let otherwise = reading.choice(
        "default_action",
        &[
            ("ask", Otherwise::Ask),
            ("deny", Otherwise::Deny),
            ("continue", Otherwise::Continue),
        ],
    );
    let patience = reading.seconds("default_timeout");
    if patience.is_some_and(|patience| patience.is_zero()) {
        reading.wrong(
            "default_timeout",
            "`default_timeout` must be more than 0",
            None,
        );
    }
    let unanswered = reading.choice(
        "on_timeout",
        &[("deny", Settled::Deny), ("allow", Settled::Allow)],
    );
    let needs = Needs {
        told: tools(&mut reading),
        only: match reading.flag("policy_driven_only") {
            Some(true) => Only::Named,
            Some(false) | None => Only::Everything,
        },
    };
    let approval = Approval {
        rules,
        needs,
        otherwise: otherwise.unwrap_or(Otherwise::Ask),
        patience,
        unanswered: unanswered.unwrap_or(Settled::Deny),
        audit: audit(&mut reading),
    };
    reading.done(Arc::new(approval))
}

fn rules(reading: &mut Reading<'_>) -> Vec<Rule> {
    let mut rules = match reading.list("rules") {
        Some(list) => list
            .iter()
            .enumerate()
            .filter_map(|(at, value)| rule(at, value, reading))
            .collect(),
        None => HARMLESS
            .map(|pattern| Rule::about_commands(pattern, Does::Approve))
            .to_vec(),
    };
    rules.extend(approved(reading));
    rules.extend(commands("patterns", Does::Ask, reading));
    rules
}

fn rule(at: usize, value: &Value, outer: &mut Reading<'_>) -> Option<Rule> {
    let Value::Object(fields) = value else {
        outer.wrong("rules", format!("`rules[{at}]` must be an object"), None);
        return None;
    };
    let known = ["pattern", "action", "tool", "description"];
    let mut reading = Reading::within(fields, format!("/rules/{at}"), &known);
    let pattern = reading.text("pattern").unwrap_or_default();
    if pattern.trim().is_empty() {
        let help = "write a command, such as `git status*`".to_owned();
        reading.wrong("pattern", "a rule needs a `pattern`", Some(help));
    }
    let does = reading.choice("action", ACTIONS);
    if does.is_none() && reading.value("action").is_none() {
        let help = "write one of `auto_approve`, `auto_deny`, `ask`".to_owned();
        reading.wrong("action", "a rule needs an `action`", Some(help));
    }
    if does == Some(Does::Approve) && pattern.trim() == "*" {
        let help = "to approve everything, set `default_action` to `continue`".to_owned();
        reading.wrong("pattern", "`*` would approve everything", Some(help));
    }
    let rule = Rule {
        pattern,
        does: does.unwrap_or(Does::Deny),
        tool: reading.text("tool"),
        description: reading.text("description"),
    };
    outer.add(reading.errors());
    Some(rule)
}

fn approved(reading: &mut Reading<'_>) -> Vec<Rule> {
    match reading.value("auto_approve") {
        Some(Value::Bool(false)) | None => Vec::new(),
        Some(Value::Bool(true)) => {
            let help = "name the commands, or set `default_action` to `continue`".to_owned();
            reading.wrong(
                "auto_approve",
                "`true` would approve everything",
                Some(help),
            );
            Vec::new()
        }
        Some(_) => commands("auto_approve", Does::Approve, reading),
    }
}

fn commands(name: &'static str, does: Does, reading: &mut Reading<'_>) -> Vec<Rule> {
    let patterns = reading.texts(name).unwrap_or_default();
    if patterns.iter().any(|pattern| pattern.trim().is_empty()) {
        reading.wrong(name, format!("a pattern of `{name}` is empty"), None);
    }
    let rule = |pattern: String| Rule::about_commands(pattern, does);
    patterns.into_iter().map(rule).collect()
}

fn tools(reading: &mut Reading<'_>) -> Vec<(String, Told)> {
    let mut told = Vec::new();
    for (name, value) in reading.object("tools").into_iter().flatten() {
        let empty = Map::new();
        let fields = value.as_object().unwrap_or(&empty);
        if !value.is_object() {
            reading.wrong("tools", format!("`tools.{name}` must be an object"), None);
        }
        let mut own = Reading::within(fields, format!("/tools/{name}"), &["require_approval"]);
        match own.flag("require_approval") {
            Some(false) => told.push((name.clone(), Told::Free)),
            Some(true) | None => told.push((name.clone(), Told::Needs)),
        }
        reading.add(own.errors());
    }
    told
}

fn audit(reading: &mut Reading<'_>) -> Audit {
    let empty = Map::new();
    let fields = reading.object("audit").unwrap_or(&empty);
    let mut own = Reading::within(fields, "/audit".to_owned(), &["enabled", "path"]);
    let enabled = own.flag("enabled").unwrap_or(true);
    let path = own.text("path").unwrap_or_else(|| PATH.to_owned());
    reading.add(own.errors());
    Audit {
        path: enabled.then_some(path),
    }
}
