//! The functions of `when`, in one table: the reader, the evaluation, the page and the advice about a wrong name use it.

use std::sync::LazyLock;

use anyhook_core::manifest::EFFECTS;
use anyhook_core::taxonomy::nearest;
use anyhook_effects::effect::EffectKind;
use serde_json::Value;

use super::{Facts, memory, statements};
use crate::lists::THINGS;

/// A function that an expression may use.
///
/// ```
/// use anyhook_engine::rules::{FUNCTIONS, Function};
///
/// let touches: Option<&Function> = FUNCTIONS.iter().find(|function| function.name == "touches");
/// assert_eq!(touches.map(|function| function.usage), Some("touches('**/.env*', …)"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How it is written, by an example.
    pub usage: &'static str,
    /// When it is true, or what it returns.
    pub summary: &'static str,
    pub(super) does: FunctionKind,
}

/// A question about the whole call, and the texts that it is asked with.
pub(super) type CallPredicate = fn(&Facts<'_>, &[String]) -> bool;

/// The texts that a question takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextArguments {
    /// At least one.
    Some,
    /// At least one; what begins with `@` is a list of commands that there is.
    Listed,
    /// As many as there are.
    Any,
    /// As many as there are; one that is nearly one of these is a slip.
    Near(&'static [&'static str]),
    /// Only these, or none.
    Of(&'static [&'static str]),
}

const fn about(texts: TextArguments, ask: CallPredicate) -> FunctionKind {
    FunctionKind::About(texts, ask)
}

/// A question about what the session remembers; an error where it is not remembered.
pub(super) type SessionQuery = fn(&Facts<'_>, &[String]) -> Result<Value, String>;

/// A question about a text, and another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPredicate {
    pub(super) ask: fn(&Facts<'_>, &str, &str) -> bool,
    /// What it costs with short texts.
    pub(super) steps: usize,
}

const fn of_text(ask: fn(&Facts<'_>, &str, &str) -> bool) -> FunctionKind {
    FunctionKind::OfText(TextPredicate { ask, steps: 1 })
}

/// What a function does, and so which arguments it takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum FunctionKind {
    /// `name('text', …)`: texts in quotes.
    About(TextArguments, CallPredicate),
    /// `name('text', …)`, about the session.
    Recall(TextArguments, SessionQuery),
    /// `text.name(text)`.
    OfText(TextPredicate),
    /// `text.matches('pattern')`.
    Matches,
    /// `has(field.name)`.
    Has,
    /// `size(value)` and `value.size()`.
    Size,
    /// `list.name(x, condition)`: this answer of one element settles it.
    Each { settles: bool },
}

/// The functions that `when` has.
pub static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let read = rows.filter_map(|row| {
        let mut columns = row.split(" | ");
        let (name, usage, summary) = (columns.next()?, columns.next()?, columns.next()?);
        Some(Function {
            name,
            usage,
            summary,
            does: does(name)?,
        })
    });
    read.collect()
});

const TABLE: &str = include_str!("functions.txt");

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is of one lifetime of an event, and a question of any"
)]
fn does(name: &str) -> Option<FunctionKind> {
    Some(match name {
        "has" => FunctionKind::Has,
        "size" => FunctionKind::Size,
        "contains" => of_text(|_, text, part| text.contains(part)),
        "startsWith" => of_text(|_, text, part| text.starts_with(part)),
        "endsWith" => of_text(|_, text, part| text.ends_with(part)),
        "matches" => FunctionKind::Matches,
        // It looks at folders.
        "glob" => FunctionKind::OfText(TextPredicate {
            ask: |facts, path, pattern| facts.path_matches(path, pattern),
            steps: 100,
        }),
        "exists" => FunctionKind::Each { settles: true },
        "all" => FunctionKind::Each { settles: false },
        "does" => about(TextArguments::Of(EFFECTS), |call, names| call.does(names)),
        "reads" => about(TextArguments::Any, |call, patterns| {
            call.falls_on(EffectKind::Read, patterns)
        }),
        "writes" => about(TextArguments::Any, |call, patterns| {
            call.falls_on(EffectKind::Write, patterns)
        }),
        "deletes" => about(TextArguments::Any, |call, patterns| {
            call.falls_on(EffectKind::Delete, patterns)
        }),
        "empties" => about(TextArguments::Any, |call, patterns| call.empties(patterns)),
        "touches" => about(TextArguments::Some, |call, patterns| call.touches(patterns)),
        "stays_in" => about(TextArguments::Some, |call, patterns| {
            call.stays_in(patterns)
        }),
        "connects" => about(TextArguments::Any, |call, hosts| call.connects(hosts)),
        "pushes" => about(TextArguments::Near(&["force", "delete"]), |call, how| {
            call.pushes(how)
        }),
        "commits_to" => about(TextArguments::Some, |call, branches| {
            call.commits_to(branches)
        }),
        "discards" => about(TextArguments::Of(&[]), |call, _| {
            call.falls_on(EffectKind::Discard, &[])
        }),
        "installs" => about(TextArguments::Any, |call, names| {
            call.names(EffectKind::Install, names)
        }),
        "typosquats" => about(TextArguments::Of(&[]), |call, _| call.typosquats()),
        "publishes" => about(TextArguments::Any, |call, names| {
            call.names(EffectKind::Publish, names)
        }),
        "configures" => about(TextArguments::Any, |call, names| {
            call.names(EffectKind::Config, names)
        }),
        "runs" => about(TextArguments::Listed, |call, words| call.runs(words)),
        "sql" => about(TextArguments::Of(statements::STATEMENTS), |call, words| {
            call.sql(words)
        }),
        "http" => about(TextArguments::Some, |call, words| call.http(words)),
        "destroys" => about(TextArguments::Of(THINGS), |call, words| {
            call.destroys(words)
        }),
        "mentions" => about(TextArguments::Some, |call, words| call.mentions(words)),
        "sends_secret" => about(TextArguments::Of(&[]), |call, _| call.sends_secret()),
        "prints_secret" => about(TextArguments::Of(&[]), |call, _| call.prints_secret()),
        "only_runs" => about(TextArguments::Some, |call, words| call.only_runs(words)),
        "unread" => about(TextArguments::Of(&[]), |call, _| call.runs_unread()),
        "opaque" => about(TextArguments::Of(&[]), |call, _| call.is_opaque()),
        "interactive" => about(TextArguments::Of(&[]), |call, _| call.is_interactive()),
        "on_branch" => about(TextArguments::Some, |call, names| call.on_branch(names)),
        "marked" => FunctionKind::Recall(TextArguments::Some, memory::marked),
        "marks" => FunctionKind::Recall(TextArguments::Some, memory::marks),
        "calls" => FunctionKind::Recall(TextArguments::Any, memory::calls),
        "session_calls" => FunctionKind::Recall(TextArguments::Any, memory::session_calls),
        "repeats" => FunctionKind::Recall(TextArguments::Of(&[]), memory::repeats),
        "written_here" => FunctionKind::Recall(TextArguments::Of(&[]), memory::written_here),
        _ => return None,
    })
}

/// Finds a function by its name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Says what to write instead of a function that `when` does not have.
pub(super) fn instead_of(name: &str) -> String {
    let names = || FUNCTIONS.iter().map(|function| function.name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => language(),
    }
}

/// Says in a sentence what the language is.
pub(super) fn language() -> String {
    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    format!(
        "`when` is a part of CEL: fields, `==`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `&&`, `||`, `!`, brackets, and the \
         functions {}",
        names.join(", ")
    )
}
