//! The functions of `when`, in one table: the reader, the evaluation, the page and the advice about a wrong name use it.

use anyhook_core::manifest::EFFECTS;
use anyhook_core::taxonomy::nearest;
use anyhook_effects::effect::Kind;
use serde_json::Value;

use super::{Facts, memory, sent};

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

/// The texts that a question takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Texts {
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

const fn about(texts: Texts, ask: About) -> Does {
    Does::About(texts, ask)
}

/// A question about what the session remembers; an error where it is not remembered.
pub(super) type Recall = fn(&Facts<'_>, &[String]) -> Result<Value, String>;

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
    /// `name('text', …)`: texts in quotes.
    About(Texts, About),
    /// `name('text', …)`, about the session.
    Recall(Texts, Recall),
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
        name: "does",
        usage: "does('fs.write', 'fs.delete')",
        summary: "it has one of these effects, or may have it; a group's `effect` asks the same",
        does: about(Texts::Of(EFFECTS), |facts, names| facts.does(names)),
    },
    Function {
        name: "reads",
        usage: "reads('~/.ssh/**')",
        summary: "the call reads a file that matches, or one that cannot be told",
        does: about(Texts::Any, |facts, patterns| {
            facts.falls_on(Kind::Read, patterns)
        }),
    },
    Function {
        name: "writes",
        usage: "writes('src/**')",
        summary: "it makes or changes a file that matches, or one that cannot be told",
        does: about(Texts::Any, |facts, patterns| {
            facts.falls_on(Kind::Write, patterns)
        }),
    },
    Function {
        name: "deletes",
        usage: "deletes('src/**')",
        summary: "it removes a file that matches, or one that cannot be told",
        does: about(Texts::Any, |facts, patterns| {
            facts.falls_on(Kind::Delete, patterns)
        }),
    },
    Function {
        name: "touches",
        usage: "touches('**/.env*', …)",
        summary: "it reads, writes or deletes a file that matches",
        does: about(Texts::Some, |facts, patterns| facts.touches(patterns)),
    },
    Function {
        name: "stays_in",
        usage: "stays_in('src/**', …)",
        summary: "it surely does nothing but read, write and delete files that match, and is no command line",
        does: about(Texts::Some, |facts, patterns| facts.stays_in(patterns)),
    },
    Function {
        name: "connects",
        usage: "connects('*.example.com')",
        summary: "it connects to a machine with such a name",
        does: about(Texts::Any, |facts, hosts| facts.connects(hosts)),
    },
    Function {
        name: "pushes",
        usage: "pushes('force', 'delete', 'main')",
        summary: "it pushes commits; with `force`, in a way that may rewrite what is there, with `delete`, removing what is there, \
                  with the name of a branch, to that branch",
        does: about(Texts::Near(&["force", "delete"]), |facts, how| {
            facts.pushes(how)
        }),
    },
    Function {
        name: "commits_to",
        usage: "commits_to('main', 'master')",
        summary: "it makes a commit that may land on one of these branches",
        does: about(Texts::Some, |facts, branches| facts.commits_to(branches)),
    },
    Function {
        name: "discards",
        usage: "discards()",
        summary: "it throws away work that is not committed, or commits",
        does: about(Texts::Of(&[]), |facts, _| {
            facts.falls_on(Kind::Discard, &[])
        }),
    },
    Function {
        name: "installs",
        usage: "installs('left-pad')",
        summary: "it installs a package with such a name",
        does: about(Texts::Any, |facts, names| facts.names(Kind::Install, names)),
    },
    Function {
        name: "typosquats",
        usage: "typosquats()",
        summary: "it installs a package whose name is one letter off a well-known one",
        does: about(Texts::Of(&[]), |facts, _| facts.typosquats()),
    },
    Function {
        name: "publishes",
        usage: "publishes()",
        summary: "it publishes a package, a release or an image",
        does: about(Texts::Any, |facts, names| facts.names(Kind::Publish, names)),
    },
    Function {
        name: "configures",
        usage: "configures('core.hooksPath')",
        summary: "it changes such a setting of git, a shell or an agent, also for one command",
        does: about(Texts::Any, |facts, names| facts.names(Kind::Config, names)),
    },
    Function {
        name: "runs",
        usage: "runs('aws * delete-*', '--force', '!--dry-run')",
        summary: "it runs a program with these words and options, in any spelling, and without those behind `!`",
        does: about(Texts::Listed, |facts, words| facts.runs(words)),
    },
    Function {
        name: "sql",
        usage: "sql('drop', 'truncate', 'delete-all')",
        summary: "it sends such a statement to a database, or one that cannot be read; `delete-all` is a DELETE or UPDATE without \
                  WHERE",
        does: about(Texts::Of(sent::STATEMENTS), |facts, words| facts.sql(words)),
    },
    Function {
        name: "http",
        usage: "http('DELETE', '*.example.com')",
        summary: "it sends such a request, to a machine with such a name",
        does: about(Texts::Some, |facts, words| facts.http(words)),
    },
    Function {
        name: "destroys",
        usage: "destroys('cluster', 'bucket')",
        summary: "it removes such a thing that lives outside of this disk",
        does: about(Texts::Of(sent::THINGS), |facts, words| {
            facts.destroys(words)
        }),
    },
    Function {
        name: "mentions",
        usage: "mentions('DROP TABLE')",
        summary: "some text of the call has these words in it, whatever their case",
        does: about(Texts::Some, |facts, words| facts.mentions(words)),
    },
    Function {
        name: "sends_secret",
        usage: "sends_secret()",
        summary: "a token, or a variable that is called like a secret, is in what it sends",
        does: about(Texts::Of(&[]), |facts, _| facts.sends_secret()),
    },
    Function {
        name: "only_runs",
        usage: "only_runs('ls', '@reading')",
        summary: "it is one plain command that begins with one of these, and none of its options does more; or every command of the line is on a list, `@reading` or `@building`",
        does: about(Texts::Some, |facts, words| facts.only_runs(words)),
    },
    Function {
        name: "unread",
        usage: "unread()",
        summary: "it runs code that cannot be read here: a download, what a variable holds",
        does: about(Texts::Of(&[]), |facts, _| facts.runs_unread()),
    },
    Function {
        name: "opaque",
        usage: "opaque()",
        summary: "it runs code that is not read here: a build tool, a test runner, or what `unread()` says",
        does: about(Texts::Of(&[]), |facts, _| facts.is_opaque()),
    },
    Function {
        name: "interactive",
        usage: "interactive()",
        summary: "a shell or an interpreter runs without a script, and takes its commands from a terminal later",
        does: about(Texts::Of(&[]), |facts, _| facts.is_interactive()),
    },
    Function {
        name: "on_branch",
        usage: "on_branch('main', 'master')",
        summary: "the repository of the event's folder has one of these checked out",
        does: about(Texts::Some, |facts, names| facts.on_branch(names)),
    },
    memory::MARKED,
    memory::MARKS,
    memory::CALLS,
    memory::SESSION_CALLS,
    memory::REPEATS,
    memory::WRITTEN_HERE,
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
