//! The functions of `when`, in one table: the reader, the evaluation, the page and the advice about a wrong name use it.

use anyhook_core::taxonomy::nearest;

use super::Facts;

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
    pub(super) does: Does,
}

/// A question about the whole call, and the texts that it is asked with.
pub(super) type About = fn(&Facts<'_>, &[String]) -> bool;

/// A question about a text, and another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfText {
    pub(super) ask: fn(&Facts<'_>, &str, &str) -> bool,
    /// What it costs with short texts.
    pub(super) steps: usize,
}

const fn of_text(ask: fn(&Facts<'_>, &str, &str) -> bool) -> Does {
    Does::OfText(OfText { ask, steps: 1 })
}

const fn of_path(ask: fn(&Facts<'_>, &str, &str) -> bool) -> Does {
    // It looks at folders.
    Does::OfText(OfText { ask, steps: 100 })
}

/// What a function does, and so which arguments it takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Does {
    /// `name('text', …)`: at least one text in quotes.
    About(About),
    /// `text.name(text)`.
    OfText(OfText),
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
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is of one lifetime of an event, and a question of any"
)]
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "has",
        usage: "has(tool_input.file_path)",
        summary: "the field is there",
        does: Does::Has,
    },
    Function {
        name: "size",
        usage: "size(prompt)",
        summary: "the number of letters of a text, of elements of a list, or of fields of an object",
        does: Does::Size,
    },
    Function {
        name: "contains",
        usage: "prompt.contains('deploy')",
        summary: "the text has the other one somewhere in it",
        does: of_text(|_, text, part| text.contains(part)),
    },
    Function {
        name: "startsWith",
        usage: "prompt.startsWith('/deploy')",
        summary: "the text begins with the other one",
        does: of_text(|_, text, part| text.starts_with(part)),
    },
    Function {
        name: "endsWith",
        usage: "tool_input.file_path.endsWith('.env')",
        summary: "the text ends with the other one",
        does: of_text(|_, text, part| text.ends_with(part)),
    },
    Function {
        name: "matches",
        usage: "tool_input.command.matches('^make ')",
        summary: "the regular expression matches somewhere in the text",
        does: Does::Matches,
    },
    Function {
        name: "glob",
        usage: "tool_input.file_path.glob('*.pem')",
        summary: "the path matches the pattern, after `~`, `..` and links are resolved",
        does: of_path(|facts, path, pattern| facts.path_matches(path, pattern)),
    },
    Function {
        name: "exists",
        usage: "tool_input.paths.exists(path, path.endsWith('.env'))",
        summary: "the condition holds for at least one element of the list",
        does: Does::Each { settles: true },
    },
    Function {
        name: "all",
        usage: "tool_input.paths.all(path, path.glob('src/**'))",
        summary: "the condition holds for every element of the list",
        does: Does::Each { settles: false },
    },
    Function {
        name: "runs",
        usage: "runs('git push', '--force')",
        summary: "a command line runs a program with these words and options, whatever is around it",
        does: Does::About(|facts, texts| facts.runs(texts)),
    },
    Function {
        name: "only_runs",
        usage: "only_runs('ls', 'git status')",
        summary: "a command line is one plain command that begins with one of these, and nothing else",
        does: Does::About(|facts, texts| facts.only_runs(texts)),
    },
    Function {
        name: "touches",
        usage: "touches('**/.env*', …)",
        summary: "the call names a file that matches, in an argument, a patch, or a word of a command",
        does: Does::About(|facts, texts| facts.touches(texts)),
    },
    Function {
        name: "stays_in",
        usage: "stays_in('src/**', …)",
        summary: "the call names files, all of them match, and it is no command line",
        does: Does::About(|facts, texts| facts.stays_in(texts)),
    },
    Function {
        name: "on_branch",
        usage: "on_branch('main', 'master')",
        summary: "the repository of the event's folder has one of these checked out",
        does: Does::About(|facts, texts| facts.on_branch(texts)),
    },
];

/// Finds a function by its name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Says what to write instead of a function that `when` does not have.
pub(super) fn instead_of(name: &str) -> String {
    let names = || FUNCTIONS.iter().map(|function| function.name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? {}", language()),
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
