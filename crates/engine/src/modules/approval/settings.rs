//! The settings of `approval`.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhook_core::question::DefaultAnswer;
use serde::Deserialize;
use serde_json::Value;

use super::tools::ToolCall;
use crate::modules::config::PatternText;
use crate::rules::{CompiledCondition, Facts};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ApprovalSettings {
    rules: Option<Vec<ApprovalRule>>,
    auto_approve: Vec<PatternText>,
    patterns: Vec<PatternText>,
    /// What becomes of a call that no rule is about.
    pub(super) default_action: ApprovalAction,
    default_timeout: Option<Seconds>,
    pub(super) on_timeout: DefaultAnswer,
    pub(super) tools: BTreeMap<String, ToolSetting>,
    pub(super) policy_driven_only: bool,
}

/// How long a person has.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Seconds(Duration);

impl TryFrom<f64> for Seconds {
    type Error = &'static str;

    fn try_from(seconds: f64) -> Result<Self, Self::Error> {
        let is_some = seconds > 0.0 && seconds <= 86_400.0;
        let time = Duration::try_from_secs_f64(seconds).ok();
        let time = time.filter(|_| is_some).map(Self);
        time.ok_or("it must be a number of seconds over 0, up to 86400")
    }
}

/// What the settings say about a tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolSetting {
    pub(super) require_approval: Option<bool>,
}

/// What a rule does; the gravest comes first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) enum ApprovalAction {
    #[serde(rename = "auto_deny", alias = "deny")]
    Deny,
    #[default]
    #[serde(rename = "ask")]
    Ask,
    #[serde(rename = "auto_approve", alias = "continue")]
    Approve,
}

/// One rule.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApprovalRule {
    pub(super) pattern: PatternText,
    pub(super) action: ApprovalAction,
    /// The tool that it is about; then the pattern is one of its files. Without one it is about commands.
    tool: Option<String>,
    pub(super) description: Option<String>,
}

impl ApprovalSettings {
    pub(super) fn patience(&self) -> Option<Duration> {
        self.default_timeout.map(|time| time.0)
    }

    /// Returns the gravest rule that is about a call; of equals the first that was written.
    pub(super) fn rule(&self, call: &ToolCall<'_>, facts: &Facts<'_>) -> Option<ApprovalRule> {
        let about = |pattern: &PatternText, action| ApprovalRule {
            pattern: pattern.clone(),
            action,
            tool: None,
            description: None,
        };
        // What the original approves without being told.
        let harmless = || {
            ["ls*", "pwd", "echo*"]
                .map(|text| about(&PatternText(text.into()), ApprovalAction::Approve))
        };
        let rules = self.rules.clone().unwrap_or_else(|| harmless().into());
        let approved = self
            .auto_approve
            .iter()
            .map(|one| about(one, ApprovalAction::Approve));
        let asked = self
            .patterns
            .iter()
            .map(|one| about(one, ApprovalAction::Ask));
        let all = rules.into_iter().chain(approved).chain(asked);
        all.filter(|rule| rule.is_about(call, facts))
            .min_by_key(|rule| rule.action)
    }
}

impl ApprovalRule {
    fn is_about(&self, call: &ToolCall<'_>, facts: &Facts<'_>) -> bool {
        let PatternText(pattern) = &self.pattern;
        if self.tool.as_ref().is_some_and(|tool| !call.is(tool)) {
            return false;
        }
        match (call.command(), self.action) {
            (Some(line), ApprovalAction::Approve) => {
                call.is_only_a_command() && approves(pattern, line, facts)
            }
            (Some(line), ApprovalAction::Ask | ApprovalAction::Deny) => warns(pattern, line, facts),
            (None, _) if self.tool.is_none() => false,
            (None, ApprovalAction::Approve) => facts.stays_in(std::slice::from_ref(pattern)),
            (None, ApprovalAction::Ask | ApprovalAction::Deny) => {
                pattern == "*" || facts.touched(std::slice::from_ref(pattern), &[]).is_some()
            }
        }
    }
}

/// Tells whether a call is surely one plain command that a pattern approves. `ls*` is `ls` with any arguments, and neither
/// `lsof` nor `ls` behind something else; `git status` is these two words and no more.
fn approves(pattern: &str, line: &str, facts: &Facts<'_>) -> bool {
    let beginning = pattern.trim_end_matches('*').trim();
    let is_open = pattern.trim_end().ends_with('*');
    let [wanted, given] = [beginning, line].map(|text| text.split_whitespace().collect::<Vec<_>>());
    // Also as it is written: quotes within a word of a program are no way to spell it.
    let fits = given.starts_with(&wanted) && (is_open || given == wanted);
    let rule = format!("only_runs({})", Value::from(beginning));
    fits && !beginning.contains('*') && holds(&rule, facts) == Some(true)
}

/// Tells whether a call may run what a pattern warns of. What a program runs whose code is not read may stand in its text.
fn warns(pattern: &str, line: &str, facts: &Facts<'_>) -> bool {
    let words = || pattern.split_whitespace().filter(|word| *word != "*");
    let (options, names): (Vec<&str>, Vec<&str>) = words().partition(|word| word.starts_with('-'));
    let arguments: Vec<Value> = std::iter::once(names.join(" ").into())
        .chain(options.into_iter().map(Value::from))
        .collect();
    let arguments = Value::from(arguments).to_string();
    let arguments = arguments.trim_start_matches('[').trim_end_matches(']');
    let program = names.first().map_or("", |name| name.trim_matches('*'));
    holds(&format!("runs({arguments})"), facts) != Some(false)
        || line.contains(program) && holds("opaque()", facts) != Some(false)
}

/// Asks a function of rules about a call; nothing where it cannot be told.
fn holds(function: &str, facts: &Facts<'_>) -> Option<bool> {
    Some(
        CompiledCondition::read(function)
            .ok()?
            .decide(facts)
            .ok()?
            .holds,
    )
}
