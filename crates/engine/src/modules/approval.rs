//! `approval`: which tools and commands need a person's approval.
//!
//! A rule that approves must be sure: its pattern is held against the words of a command that is one plain command and
//! nothing else ([`words`]). A rule that refuses or asks need not be: it also holds for a part of a line, and for a line that
//! no one can read. The gravest rule wins, whatever their order, and an approval of a rule is no more than silence: what the
//! agent would ask itself it still asks.

mod audit;
mod config;
mod patterns;
mod tools;
mod words;

use std::time::Duration;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::hook::Role;
use anyhook_core::question::{Choice, Question, Settled};
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use self::audit::Audit;
use self::config::{Does, Otherwise, Rule};
use self::tools::Needs;
use super::config::Setting;
use super::{Around, BuiltIn, Module, Stand};
use crate::rules::Facts;
use crate::text::quoted;

/// The row.
pub(super) static ROW: Module = Module {
    name: "approval",
    aliases: &["hooks-approval"],
    summary: "Approves, refuses or asks about tool calls by rules.",
    stand: Stand {
        events: &["tool:pre", "approval:granted", "approval:denied"],
        priority: 11,
        role: Role::Decide,
        guard: true,
    },
    settings: SETTINGS,
    make: config::make,
};

const SETTINGS: &[Setting] = &[
    Setting {
        name: "rules",
        summary: "What is approved, refused or asked: `{pattern, action, tool, description}`; `ls*`, `pwd` and `echo*` are approved unless told.",
        form: config::rule_form,
    },
    Setting {
        name: "auto_approve",
        summary: "Patterns of commands that are approved, besides the rules.",
        form: || json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"const": false}]}),
    },
    Setting {
        name: "patterns",
        summary: "Patterns of commands about which a person is asked, besides the rules.",
        form: || json!({"type": "array", "items": {"type": "string"}}),
    },
    Setting {
        name: "default_action",
        summary: "What becomes of a call that needs an approval and that no rule is about: `ask`, `deny` or `continue`.",
        form: || json!({"enum": ["ask", "deny", "continue"], "default": "ask"}),
    },
    Setting {
        name: "default_timeout",
        summary: "How many seconds a person has; 300 unless told.",
        form: || json!({"type": "number", "exclusiveMinimum": 0, "maximum": 86400}),
    },
    Setting {
        name: "on_timeout",
        summary: "What holds without an answer in time: `deny` or `allow`.",
        form: || json!({"enum": ["deny", "allow"], "default": "deny"}),
    },
    Setting {
        name: "tools",
        summary: "Which tools need an approval, by any of their names: `{\"Write\": {\"require_approval\": false}}`.",
        form: config::tools_form,
    },
    Setting {
        name: "policy_driven_only",
        summary: "Whether only the tools under `tools` need one; without it commands and writing tools do too.",
        form: || json!({"type": "boolean", "default": false}),
    },
    Setting {
        name: "audit",
        summary: "Whether and where every decision is written as a line of JSON: `{enabled, path}`.",
        form: config::audit_form,
    },
];

struct Approval {
    rules: Vec<Rule>,
    needs: Needs,
    otherwise: Otherwise,
    patience: Option<Duration>,
    unanswered: Settled,
    audit: Audit,
}

/// The longest part of an action that is shown.
const SHOWN: usize = 300;

impl BuiltIn for Approval {
    fn answer(&self, event: &Event, around: &Around<'_>) -> Said {
        if event.name.as_str() != "tool:pre" {
            self.audit.settled(event, around)?;
            return Ok(HookResult::proceed());
        }
        let home = around.world.places.as_ref().map(|places| &*places.home);
        let facts = Facts::new(event, around.project, home);
        let call = tools::Call::of(event);
        let mut matching: Vec<&Rule> = self
            .rules
            .iter()
            .filter(|rule| rule.is_about(&call, &facts))
            .collect();
        // The gravest first; of equals the first that was written.
        matching.sort_by_key(|rule| rule.does.weight());
        match matching.first() {
            Some(rule) => self.by_rule(rule, &call, around),
            None if !self.needs.approval(&call) => Ok(HookResult::proceed()),
            None => self.by_default(&call, around),
        }
    }
}

impl Approval {
    fn by_rule(&self, rule: &Rule, call: &tools::Call<'_>, around: &Around<'_>) -> Said {
        let why = match &rule.description {
            Some(description) => format!("rule `{}`: {}", shown(&rule.pattern), shown(description)),
            None => format!("rule `{}`", shown(&rule.pattern)),
        };
        match rule.does {
            Does::Approve => {
                self.audit.decided(call, Some(true), &why, around)?;
                Ok(HookResult::proceed())
            }
            Does::Deny => {
                let refused = Self::refused(call, &why);
                self.audit.decided(call, Some(false), &why, around)?;
                Ok(refused)
            }
            Does::Ask => self.asked(call, &why, around),
        }
    }

    fn by_default(&self, call: &tools::Call<'_>, around: &Around<'_>) -> Said {
        let why = "no rule is about it";
        match self.otherwise {
            Otherwise::Ask => self.asked(call, why, around),
            Otherwise::Deny => {
                self.audit.decided(call, Some(false), why, around)?;
                Ok(Self::refused(call, why))
            }
            Otherwise::Continue => {
                self.audit.decided(call, Some(true), why, around)?;
                Ok(HookResult::proceed())
            }
        }
    }

    fn refused(call: &tools::Call<'_>, why: &str) -> HookResult {
        let action = shown(&call.action());
        HookResult::deny(format!(
            "`{action}` is refused by `approval` ({why}); do it another way, or ask the person to do it"
        ))
    }

    fn asked(&self, call: &tools::Call<'_>, why: &str, around: &Around<'_>) -> Said {
        self.audit.decided(call, None, why, around)?;
        let prompt = format!("Allow {} `{}`? ({why})", call.tool, shown(&call.action()));
        let question = Question {
            options: ["Allow", "Allow always", "Deny"]
                .map(Choice::labelled)
                .into(),
            default: self.unanswered,
            ..Question::new(prompt)
        };
        Ok(HookResult::asks(Question {
            timeout: self.patience.unwrap_or(question.timeout),
            ..question
        }))
    }
}

/// A hostile command must not draw on a terminal, nor push the question out of sight.
fn shown(text: &str) -> String {
    quoted(text, SHOWN)
}

/// Returns the object of an event's field.
fn object(value: &Value) -> Option<&Map> {
    value.as_object()
}

#[cfg(test)]
mod tests;
