//! `approval`: which tools and commands need a person's approval.
//!
//! A pattern of commands is a rule: one that approves is `only_runs`, which is sure; one that refuses or asks is `runs`, which
//! also holds for a part of a line, and for a line that no one can read. The gravest rule wins, whatever their order, and an approval of a rule is no more than silence: what the
//! agent would ask itself it still asks.

mod settings;
mod tools;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookRole;
use anyhook_core::question::{Choice, Question};
use anyhook_core::result::HookResult;
use serde_json::Value;

use self::settings::{ApprovalAction, ApprovalRule, ApprovalSettings, ToolSetting};
use self::tools::ToolCall;
use super::config::{ConfigErrors, read};
use super::{BuiltInModule, Module, ModuleContext};
use crate::lists::CAREFUL_TOOLS;
use crate::text::quoted;

/// The row.
pub(super) static ROW: Module = Module {
    name: "approval",
    aliases: &["hooks-approval"],
    summary: "Approves, refuses or asks about tool calls by rules.",
    events: &["tool:pre"],
    priority: 11,
    role: HookRole::Decide,
    guard: true,
    make,
};

fn make(config: &Map) -> Result<Box<dyn BuiltInModule>, ConfigErrors> {
    let mut config = config.clone();
    // Nothing is approved besides the rules, which is what no list says too.
    if config.get("auto_approve") == Some(&Value::Bool(false)) {
        config.shift_remove("auto_approve");
    }
    let approval: ApprovalSettings = read(&config)?;
    Ok(Box::new(approval))
}

/// The longest part of an action that is shown.
const SHOWN: usize = 300;

impl BuiltInModule for ApprovalSettings {
    fn answer(&self, event: &Event, around: &ModuleContext<'_>) -> HandlerResult {
        let facts = around.facts(event);
        let call = ToolCall::of(event);
        match self.rule(&call, &facts) {
            Some(rule) => Ok(self.by_rule(&rule, &call)),
            None if !self.needs_approval(&call) => Ok(HookResult::proceed()),
            None => Ok(self.decide(self.default_action, &call, "no rule is about it")),
        }
    }
}

impl ApprovalSettings {
    /// A tool that stands for several needs an approval as soon as one of them does, and is free under its own name only.
    fn needs_approval(&self, call: &ToolCall<'_>) -> bool {
        let needs = |tool: &ToolSetting| tool.require_approval != Some(false);
        if self
            .tools
            .iter()
            .any(|(name, tool)| needs(tool) && call.is(name))
        {
            return true;
        }
        let is_free = self
            .tools
            .iter()
            .any(|(name, tool)| !needs(tool) && call.is_just(name));
        let is_careful =
            || call.command().is_some() || CAREFUL_TOOLS.iter().any(|name| call.is(name));
        !is_free && !self.policy_driven_only && is_careful()
    }

    fn by_rule(&self, rule: &ApprovalRule, call: &ToolCall<'_>) -> HookResult {
        let pattern = shown(&rule.pattern.0);
        let why = match &rule.description {
            Some(description) => format!("rule `{pattern}`: {}", shown(description)),
            None => format!("rule `{pattern}`"),
        };
        self.decide(rule.action, call, &why)
    }

    fn decide(&self, action: ApprovalAction, call: &ToolCall<'_>, why: &str) -> HookResult {
        let shown = shown(&call.action());
        match action {
            ApprovalAction::Approve => HookResult::proceed(),
            ApprovalAction::Deny => HookResult::deny(format!(
                "`{shown}` is refused by `approval` ({why}); do it another way, or ask the person to do it"
            )),
            ApprovalAction::Ask => {
                let question = Question::new(format!("Allow {} `{shown}`? ({why})", call.tool));
                let question = Question {
                    options: ["Allow", "Allow always", "Deny"]
                        .map(Choice::labelled)
                        .into(),
                    default: self.on_timeout,
                    timeout: self.patience().unwrap_or(question.timeout),
                    ..question
                };
                HookResult::asks(question)
            }
        }
    }
}

/// A hostile command must not draw on a terminal, nor push the question out of sight.
fn shown(text: &str) -> String {
    quoted(text, SHOWN)
}

#[cfg(test)]
mod tests;
