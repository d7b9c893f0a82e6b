//! `when`, a small expression over one event, and the answer of a rule if it is true.
//!
//! The language is a part of CEL, with functions about files and command lines that a guard needs ([`FUNCTIONS`]). What it
//! has means what it means in CEL. It has nothing else: no arithmetic, no maps, no `? :`; each is an error with its place.
//!
//! An evaluation takes a bounded number of steps ([`STEPS`]). One that needs more is an error.
//!
//! A field that is not there is an error, as in CEL, and an error of a rule refuses: a guard that cannot see must not
//! pass. `has(field)` asks first.
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::manifest::Manifest;
//! use anyhook_engine::rules::{ConditionEvaluation, Facts, LONGEST, STEPS, CompiledCondition, ConditionError, check};
//! use serde_json::json;
//!
//! let event = Event::new(
//!     "tool:pre",
//!     json!({"tool_name": "Bash", "tool_input": {"command": "cd src && git push --force"}}),
//! );
//! let facts = Facts::new(&event, Path::new("/p"), None);
//! let when = CompiledCondition::read("tool_name == 'Write' || runs('git push', '--force')")?;
//! let ConditionEvaluation { holds, clause } = when.decide(&facts)?;
//! assert!(holds);
//! assert_eq!(clause, 24..51, "which part of it decided");
//!
//! // What is not there is no answer; a guard asks `has` first, or refuses.
//! assert!(CompiledCondition::read("tool_input.file_path == '.env'")?.decide(&facts).is_err());
//! assert!(!CompiledCondition::read("has(tool_input.file_path)")?.decide(&facts)?.holds);
//!
//! // What cannot be read has a place in the text, and in the manifest.
//! let ConditionError { at, .. } = CompiledCondition::read("tool_name == ").unwrap_err();
//! assert!(at.start >= 12);
//! assert!(CompiledCondition::read(&"!".repeat(LONGEST + 1)).is_err());
//! let parsed = Manifest::parse(
//!     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
//!         {"type": "command", "command": "./done.sh", "when": "tool_name =="}
//!     ]}]}}"#,
//! )?;
//! assert_eq!(check(&parsed.manifest)[0].at.line, 2);
//!
//! // It cannot take for ever.
//! let letters = "['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']";
//! let (begin, end) = (format!("{letters}.exists(x, ").repeat(7), ")".repeat(7));
//! let error = CompiledCondition::read(&format!("{begin}false{end}"))?.decide(&facts).unwrap_err();
//! assert!(error.contains(&STEPS.to_string()), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ast;
mod because;
mod branch;
mod chains;
mod conditions;
mod effects;
mod evaluate;
mod facts;
mod fences;
mod functions;
mod lexer;
mod meanings;
mod memory;
mod objects;
mod paths;
mod pattern;
mod pushes;
mod read;
mod remotes;
mod searches;
mod secrets;
mod sent;
mod statements;
mod syntax;
mod template;
mod terminals;
pub(crate) mod written;

use std::ops::Range;
use std::sync::Arc;

use anyhook_core::manifest::{Code, Entry, Finding, Group, Manifest, Severity};
use anyhook_core::taxonomy::{COMMON, EventSpec, nearest};
use anyhook_effects::effect::Target;

pub use crate::actions::LastCall;
use ast::Expr;
pub(crate) use because::RuleCause;
pub(crate) use branch::{CurrentBranch, checked_out, has_ref};
use evaluate::Evaluator;
pub use facts::Facts;
pub use fences::{Fence, FenceKind, Fences};
pub use functions::{FUNCTIONS, Function};
pub(crate) use memory::{asks_memory, asks_written, counts_calls};
pub(crate) use objects::fixed;
pub(crate) use remotes::alias_of;
pub(crate) use searches::spelled;
pub(crate) use template::said;

/// The longest expression, in bytes.
pub const LONGEST: usize = 4096;

/// The most steps of one evaluation: a step is a part of the expression for one element of a list, or some bytes of a long
/// text.
pub const STEPS: usize = 200_000;

/// Names beside the event's fields.
const NAMES: &[&str] = &["event", "host", "data"];

/// Fields of a tool, and what people call them.
const TOOLS_OWN: &[(&str, &str)] = &[
    ("tool_input.command", "command"),
    ("tool_input.file_path", "file_path"),
    ("tool_input.url", "url"),
    ("tool_name", "tool"),
];

/// An expression that was read.
#[derive(Debug)]
pub struct CompiledCondition {
    expr: Expr,
    /// What makes its answer always the same.
    doubts: Vec<ConditionError>,
}

/// What is wrong with an expression, and where: bytes of its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ConditionError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where.
    pub at: Range<usize>,
}

/// Whether an expression holds, and the part of it that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionEvaluation {
    /// Whether it holds.
    pub holds: bool,
    /// The bytes of the text that made it so.
    pub clause: Range<usize>,
}

impl CompiledCondition {
    /// Reads an expression.
    ///
    /// ```
    /// use anyhook_engine::rules::CompiledCondition;
    /// assert!(CompiledCondition::read("tool_name == 'Bash' && runs('rm', '-rf')").is_ok());
    /// assert!(CompiledCondition::read("tool_name ==").is_err());
    /// ```
    ///
    /// A text is read once in a process: who asks the same hooks about many events pays for it once.
    pub fn read(text: &str) -> Result<Arc<Self>, ConditionError> {
        conditions::known(text)
    }

    fn read_anew(text: &str) -> Result<Self, ConditionError> {
        if text.len() > LONGEST {
            let what = format!("`when` is longer than {LONGEST} bytes");
            return Err(ConditionError::new(what, LONGEST..text.len()));
        }
        let is_odd =
            |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}');
        // Most texts are letters of ASCII, each of which is a byte.
        let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !is_plain && let Some((at, odd)) = text.match_indices(is_odd).next() {
            let what = "a control character stands here, which no expression has";
            return Err(ConditionError::new(what, at..at + odd.len()));
        }
        let (expr, doubts) = read::expression(text)?;
        Ok(Self { expr, doubts })
    }

    /// Tells whether it holds for an event; an error where it cannot be told.
    pub fn decide(&self, facts: &Facts<'_>) -> Result<ConditionEvaluation, String> {
        match self.decide_without_a_look(facts) {
            Some(decided) => decided,
            None => Evaluator::new(facts).decide(&self.expr),
        }
    }

    /// The same, where it can be told without a look at what is below a folder; nothing where it cannot.
    fn decide_without_a_look(
        &self,
        facts: &Facts<'_>,
    ) -> Option<Result<ConditionEvaluation, String>> {
        let evaluate = || Evaluator::new(facts).decide(&self.expr);
        let (decided, missed) = facts.walks.without(evaluate);
        (decided.is_ok() || missed == 0).then_some(decided)
    }

    /// Tells whether it takes a look at what is below a folder to tell whether it holds.
    pub(crate) fn needs_a_look(&self, facts: &Facts<'_>) -> bool {
        let mut effects = facts.call().effects.iter();
        effects.any(|effect| matches!(effect.object, Target::Tree(_) | Target::Pattern(_)))
            && self.decide_without_a_look(facts).is_none()
    }

    /// Returns the names that an event of this row does not have.
    fn undeclared(&self, spec: &EventSpec) -> Vec<ConditionError> {
        let fields = || spec.fields.iter().chain(COMMON).map(|field| field.name);
        let known = |name: &str| NAMES.contains(&name) || fields().any(|field| field == name);
        let mut names = self.expr.names();
        names.retain(|(name, _)| !known(name));
        let error = |(name, at): (String, Range<usize>)| {
            let what = format!(
                "`{}` has no field `{name}`",
                spec.universal.unwrap_or(spec.name)
            );
            let mut twins = spec.twins.iter().chain(TOOLS_OWN);
            let meant = twins.find(|(_, twin)| *twin == name);
            let field = meant.filter(|(field, _)| known(field.split('.').next().unwrap_or(field)));
            let near = field
                .map(|(field, _)| (*field).to_owned())
                .or_else(|| functions::named(&name).map(|function| format!("{}()", function.name)))
                .or_else(|| {
                    let near = nearest(&name, fields().chain(NAMES.iter().copied()));
                    near.map(str::to_owned)
                });
            let near = near.map(|near| format!("did you mean `{near}`? "));
            let help = format!(
                "{}a field that only one host sends is `data.{name}`",
                near.unwrap_or_default()
            );
            ConditionError::new(what, at).help(help)
        };
        names.into_iter().map(error).collect()
    }
}

impl ConditionError {
    fn new(what: impl Into<String>, at: Range<usize>) -> Self {
        Self {
            what: what.into(),
            help: None,
            at,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Returns the whole condition of a hook: the effects that its group is for, and its own `when`.
pub(crate) fn condition(group: &Group, entry: &Entry) -> Option<String> {
    let when = entry.when.as_ref().map(|when| when.text.as_str());
    let names: Vec<String> = group
        .effects
        .iter()
        .map(|name| format!("'{name}'"))
        .collect();
    let does = (!names.is_empty()).then(|| format!("does({})", names.join(", ")));
    match (does, when) {
        // What cannot be read alone must not be read together with something else.
        (Some(does), Some(when)) if CompiledCondition::read(when).is_ok() => {
            Some(format!("{does} && ({when})"))
        }
        (does, when) => when.map(str::to_owned).or(does),
    }
}

/// Finds what is wrong with the expressions and templates of a manifest.
pub fn check(manifest: &Manifest) -> Vec<Finding> {
    let entries = manifest
        .groups
        .iter()
        .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)));
    entries
        .flat_map(|(group, entry)| of_entry(group, entry))
        .collect()
}

fn of_entry(group: &Group, entry: &Entry) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(when) = &entry.when {
        let errors = match (CompiledCondition::read(&when.text), group.spec) {
            (Err(error), _) => vec![error],
            (Ok(read), spec) => {
                // With the effects of its group it is another text, and may be too long.
                let whole = condition(group, entry).filter(|whole| *whole != when.text);
                let long = whole.and_then(|whole| CompiledCondition::read(&whole).err());
                let long = long.map(|error| ConditionError {
                    help: Some("shorten it, or leave out the group's `effect`".to_owned()),
                    at: 0..when.text.len(),
                    ..error
                });
                let undeclared = spec.map(|spec| read.undeclared(spec));
                long.into_iter()
                    .chain(undeclared.into_iter().flatten())
                    .collect()
            }
        };
        let finding = |error: ConditionError, severity| Finding {
            code: Code::BadCondition,
            severity,
            at: when.at.within(&when.text, &error.at),
            message: format!("`when`: {}", error.what),
            help: error.help,
        };
        let doubts = CompiledCondition::read(&when.text).map(|read| read.doubts.clone());
        let doubts = doubts.unwrap_or_default().into_iter();
        findings.extend(doubts.map(|doubt| finding(doubt, Severity::Warning)));
        let errors = errors.into_iter();
        findings.extend(errors.map(|error| finding(error, Severity::Error)));
    }
    findings.extend(template::check(entry));
    findings
}

#[cfg(test)]
mod tests;
