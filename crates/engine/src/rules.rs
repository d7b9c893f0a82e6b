//! `when`: a small expression over one event, and what a rule says where it holds (D31).
//!
//! The language is CEL. Its common forms are read and answered here, in microseconds and without a library: comparisons,
//! `in`, `contains`, `startsWith`, `endsWith`, `has`, `size`, `&&`, `||`, `!`, and the functions about files and command
//! lines that a guard needs ([`FUNCTIONS`]). Everything else of CEL is carried out by the `cel` crate, where the feature
//! `cel` is on.
//!
//! A field that is not there is an error, as in CEL, and an error of a rule refuses: a guard that cannot see must not
//! pass. `has(field)` asks first.
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::manifest::Manifest;
//! use anyhook_engine::rules::{Decided, FUNCTIONS, Facts, LONGEST, When, WhenError, check};
//! use serde_json::json;
//!
//! let event = Event::new(
//!     "tool:pre",
//!     json!({"tool_name": "Bash", "tool_input": {"command": "cd src && git push --force"}}),
//! );
//! let facts = Facts::new(&event, Path::new("/p"), None);
//! let when = When::read("tool_name == 'Write' || runs('git push', '--force')")?;
//! let Decided { holds, clause } = when.decide(&facts)?;
//! assert!(when.is_common() && holds);
//! assert_eq!(clause, 24..51, "which part of it decided");
//!
//! // What is not there is no answer; a guard asks `has` first, or refuses.
//! assert!(When::read("tool_input.file_path == '.env'")?.decide(&facts).is_err());
//! assert!(!When::read("has(tool_input.file_path)")?.decide(&facts)?.holds);
//!
//! // What cannot be read has a place in the text, and in the manifest.
//! let WhenError { at, .. } = When::read("tool_name == ").unwrap_err();
//! assert!(at.start >= 12);
//! assert!(When::read(&"!".repeat(LONGEST + 1)).is_err());
//! let parsed = Manifest::parse(
//!     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
//!         {"type": "command", "command": "./done.sh", "when": "tool_name =="}
//!     ]}]}}"#,
//! )?;
//! assert_eq!(check(&parsed.manifest)[0].at.line, 2);
//!
//! assert!(FUNCTIONS.iter().any(|(name, _)| *name == "touches"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ast;
mod branch;
mod facts;
#[cfg(feature = "cel")]
mod general;
mod lexer;
mod paths;
mod read;
mod shell;
#[cfg(feature = "cel")]
mod syntax;
mod template;

use std::ops::Range;

use anyhook_core::manifest::{Entry, Finding, Group, Manifest, Severity};
use anyhook_core::taxonomy::{COMMON, EventSpec, nearest};

use ast::Expr;
pub use facts::Facts;
pub(crate) use template::said;

/// The longest expression, in bytes.
pub const LONGEST: usize = 4096;

/// The functions that CEL does not have, each with what it is for.
pub const FUNCTIONS: &[(&str, &str)] = &[
    (
        "touches",
        "touches('**/.env*', …): the call names a file that matches, in an argument, a patch, or a word of a command",
    ),
    (
        "stays_in",
        "stays_in('src/**', …): the call names files, all of them match, and it is no command line",
    ),
    (
        "runs",
        "runs('git push', '--force'): a command line runs a program with these words and options, whatever stands around it",
    ),
    (
        "only_runs",
        "only_runs('ls', 'git status'): a command line is one plain command that begins with one of these, and nothing else",
    ),
    (
        "on_branch",
        "on_branch('main', 'master'): the repository of the event's folder has one of these checked out",
    ),
    (
        "glob",
        "field.glob('**/*.pem'): a path matches, after `~`, `..` and links are resolved",
    ),
];

/// Names beside the event's fields.
const NAMES: &[&str] = &["event", "host", "data"];

/// An expression that was read.
#[derive(Debug)]
pub struct When {
    form: Form,
}

#[derive(Debug)]
enum Form {
    Common(Expr),
    #[cfg(feature = "cel")]
    General(general::Program),
}

/// What is wrong with an expression, and where: bytes of its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct WhenError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where.
    pub at: Range<usize>,
}

/// Whether an expression holds, and the part of it that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Whether it holds.
    pub holds: bool,
    /// The bytes of the text that made it so.
    pub clause: Range<usize>,
}

impl When {
    /// Reads an expression.
    ///
    /// ```
    /// use anyhook_engine::rules::When;
    /// assert!(When::read("tool_name == 'Bash' && runs('rm', '-rf')").is_ok());
    /// assert!(When::read("tool_name ==").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Self, WhenError> {
        if text.len() > LONGEST {
            let what = format!("`when` is longer than {LONGEST} bytes");
            return Err(WhenError::new(what, LONGEST..text.len()));
        }
        let is_odd =
            |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}');
        if let Some((at, odd)) = text.match_indices(is_odd).next() {
            let what = "a control character stands here, which no expression has";
            return Err(WhenError::new(what, at..at + odd.len()));
        }
        match read::expression(text) {
            Ok(expr) => Ok(Self {
                form: Form::Common(expr),
            }),
            Err(read::Trouble::Wrong(error)) => Err(error),
            #[cfg(feature = "cel")]
            Err(read::Trouble::Other(_)) => Ok(Self {
                form: Form::General(general::Program::read(text)?),
            }),
            #[cfg(not(feature = "cel"))]
            Err(read::Trouble::Other(error)) => Err(error),
        }
    }

    /// Tells whether it is one of the common forms, which are answered without a library.
    pub fn is_common(&self) -> bool {
        matches!(self.form, Form::Common(_))
    }

    /// Tells whether it holds for an event; an error where it cannot be told.
    pub fn decide(&self, facts: &Facts<'_>) -> Result<Decided, String> {
        match &self.form {
            Form::Common(expr) => expr.decide(facts),
            #[cfg(feature = "cel")]
            Form::General(program) => program.decide(facts),
        }
    }

    /// Returns the names that an event of this row does not have.
    fn undeclared(&self, spec: &EventSpec, text: &str) -> Vec<WhenError> {
        let fields = || spec.fields.iter().chain(COMMON).map(|field| field.name);
        let known = |name: &str| NAMES.contains(&name) || fields().any(|field| field == name);
        let mut names = match &self.form {
            Form::Common(expr) => expr.names(),
            #[cfg(feature = "cel")]
            Form::General(program) => program.strange_names(text, &known),
        };
        names.retain(|(name, _)| !known(name));
        let error = |(name, at): (String, Range<usize>)| {
            let what = format!(
                "`{}` has no field `{name}`",
                spec.universal.unwrap_or(spec.name)
            );
            let near = nearest(&name, fields().chain(NAMES.iter().copied()));
            let help = near.map_or_else(
                || format!("a field that only one host sends is `data.{name}`"),
                |near| {
                    format!(
                        "did you mean `{near}`? a field that only one host sends is `data.{name}`"
                    )
                },
            );
            WhenError {
                help: Some(help),
                ..WhenError::new(what, at)
            }
        };
        let wrong = names.into_iter().map(error);
        wrong.chain(self.uncallable(text)).collect()
    }

    /// Returns the functions that nobody has: at the event the call would be an error, and here somebody reads it.
    fn uncallable(&self, text: &str) -> Vec<WhenError> {
        let calls = match &self.form {
            Form::Common(_) => Vec::new(),
            #[cfg(feature = "cel")]
            Form::General(program) => program.unknown_functions(text),
        };
        let error = |(name, at): (String, Range<usize>)| {
            // The language places a call at its bracket.
            let before = text.get(..at.start).unwrap_or_default();
            let at = match before.strip_suffix(&*name) {
                Some(rest) => rest.len()..at.start,
                None => at,
            };
            let known = FUNCTIONS.iter().map(|(name, _)| *name);
            let near = nearest(
                &name,
                known.chain(["contains", "matches", "startsWith", "endsWith"]),
            );
            WhenError {
                help: near.map(|near| format!("did you mean `{near}`?")),
                ..WhenError::new(format!("there is no function `{name}`"), at)
            }
        };
        calls.into_iter().map(error).collect()
    }
}

impl WhenError {
    fn new(what: impl Into<String>, at: Range<usize>) -> Self {
        Self {
            what: what.into(),
            help: None,
            at,
        }
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
        let errors = match (When::read(&when.text), group.spec) {
            (Err(error), _) => vec![error],
            (Ok(read), Some(spec)) => read.undeclared(spec, &when.text),
            (Ok(read), None) => read.uncallable(&when.text),
        };
        findings.extend(errors.into_iter().map(|error| Finding {
            severity: Severity::Error,
            at: when.at.within(&when.text, &error.at),
            message: format!("`when`: {}", error.what),
            help: error.help,
        }));
    }
    findings.extend(template::check(entry));
    findings
}

#[cfg(test)]
mod tests;
