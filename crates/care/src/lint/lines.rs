//! What stands in command lines and scripts: programs and variables that are not there, words without quotes, and refusals
//! that do not hold or never end.

use std::ops::Range;
use std::path::Path;

use anyhook_core::hook::{Mode, OnFault};
use anyhook_core::manifest::Action;
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use anyhook_effects::shell::visit;
use anyhook_engine::processes::find_program;
use anyhook_engine::words;

use super::linted::{HookSite, LintTarget};
use super::script::{self, Language, is_for_a_shell};
use super::{Fix, Note};

/// What a shell knows besides its special words.
const OF_SHELLS: &str = "echo printf test [ true false pwd kill";

/// Names that people believe in, and what to read instead.
const SET_BY_NONE: &str = include_str!("variables.txt");

/// How a text reads a variable, up to its name.
const READS: &str =
    "$|${|environ[\"|environ['|environ.get(\"|environ.get('|getenv(\"|getenv('|process.env.";

/// Words in the name of a variable that holds a path.
const PATHS: &str = "file|path|dir|root|folder|cwd|home|pwd";

/// How a script ends with 1, how it says something, and with which words it refuses.
const ENDS: &[&str] = &["exit 1", "exit(1)"];
const SAYS: &str = "echo|printf|cat|print(|console.|stderr|stdout";
const REFUSES: &str = "block|deny|denied|forbid|refus|not allowed|disallow|prohibit|reject";

/// How a script sends the agent back to work, and the names by which it asks how often it did.
const SENDS_BACK: &str = "exit 2|exit(2)|\"block\"|'block'|followup_message";
const ASKS: &str = "stop_hook_active|stopHookActive|loop_count|loopCount|consecutive";

/// Tells whether any of these words, which stand between `|`, is in a text.
pub(super) fn has_any(text: &str, words: &str) -> bool {
    words.split('|').any(|word| text.contains(word))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Finds a program that is not installed.
pub(super) fn missing_program(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        // Of a line for a shell only what surely runs: the first command.
        let first = script::calls(command).into_iter().next();
        let program = first.and_then(|call| call.into_iter().next());
        if let Some(program) = program.filter(|program| is_missing(linted, program)) {
            let message = format!("no program `{program}` is on PATH");
            let help = "install it, or let the hook do without";
            notes.push(Note::new(linted.command_at(site), message).help(help));
        }
    }
    for source in linted.sources() {
        let Some(script) = source.script else {
            continue;
        };
        let named = script::interpreter_of(source.text).filter(|_| script.by.is_none());
        if let Some(program) = named.filter(|program| is_missing(linted, program)) {
            let end = source.text.find('\n').unwrap_or(source.text.len());
            let message = format!("the script is for `{program}`, which is not there");
            notes.push(source.note(linted, 0..end, message));
        }
        if script.language == Language::Shell && is_missing(linted, "jq") {
            let message = "the script needs `jq`, which is not on PATH";
            let help = "`anyhook get tool_input.command` prints a field of the payload without it";
            let at = needs_jq(source.text);
            notes.extend(at.map(|at| source.note(linted, at, message).help(help)));
        }
    }
    notes
}

fn is_missing(linted: &LintTarget<'_>, program: &str) -> bool {
    let Some(path) = &linted.how.path else {
        return false;
    };
    if program.starts_with('/') {
        return !Path::new(program).exists();
    }
    // What is no plain word is known to a shell alone, and a path is a script.
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    !program.is_empty()
        && program.chars().all(is_word)
        && !words::is_builtin(program)
        && !OF_SHELLS.split(' ').any(|known| known == program)
        && find_program(program.as_ref(), path, &linted.root).is_none()
}

/// Finds the first use of `jq`; a script that asks whether it is there knows what it does.
fn needs_jq(text: &str) -> Option<Range<usize>> {
    if has_any(text, "command -v jq|which jq|type jq|hash jq") {
        return None;
    }
    let mut calls = visit::read(text)?.all.into_iter();
    let at = calls
        .find(|call| call.program().first().is_some_and(|word| word == "jq"))?
        .at;
    let line = text.get(at..)?.lines().next()?;
    Some(at..at + line.len())
}

/// Finds a placeholder that a shell would split.
pub(super) fn unquoted(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let line = &command.command;
        if !is_for_a_shell(linted, command) {
            continue;
        }
        let whole = linted.command_at(site);
        for span in words::unquoted_placeholders(line) {
            let name = line.get(span.clone()).unwrap_or_default();
            if !may_hold_spaces(line, name) {
                continue;
            }
            let at = whole.within(line, &span);
            // Quotes go around all of the word: `"${ROOT}/a.sh"` reads better than `"${ROOT}"/a.sh`.
            let fix = (at != whole).then(|| {
                let word = whole.within(line, &word_around(line, &span)).span;
                let quote = |at| (at..at, r#"\""#.to_owned());
                Fix {
                    what: "add quotes".to_owned(),
                    edits: vec![quote(word.start), quote(word.end)],
                    executable: None,
                }
            });
            let message =
                format!("`{name}` stands outside of quotes, so a shell splits what it holds");
            let note = Note::new(at, message)
                .help("put it in double quotes")
                .fix(fix);
            // A home with a space is rare: what breaks there works nearly everywhere.
            let is_home = name.trim_matches(['$', '{', '}']) == "HOME";
            notes.push(if is_home { note.warning() } else { note });
        }
    }
    notes
}

/// Tells whether a variable may hold a space at which the author wants no split. A placeholder may; a variable of the shell may
/// where its name says that it holds a path: `$FLAGS` is split on purpose, and `$status` holds none.
fn may_hold_spaces(line: &str, placeholder: &str) -> bool {
    let name = placeholder.trim_start_matches(['$', '{']);
    let name = name.split(|c| !is_of_name(c)).next().unwrap_or_default();
    let lower = name.to_lowercase();
    // Several are split on purpose.
    let is_path = !lower.ends_with('s') && has_any(&lower, PATHS);
    is_path || (placeholder.starts_with("${") && !sets(line, name))
}

/// The word that a placeholder is a part of, as far as it is plain on both sides.
fn word_around(line: &str, span: &Range<usize>) -> Range<usize> {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "/._-".contains(*c);
    let before = line.get(..span.start).unwrap_or_default();
    let after = line.get(span.end..).unwrap_or_default();
    let before = before.chars().rev().take_while(is_plain).count();
    let after = after.chars().take_while(is_plain).count();
    span.start - before..span.end + after
}

/// Finds a variable that no agent sets.
pub(super) fn unset_variable(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for source in linted.sources() {
        let own = |name: &str| {
            let command = source.command.filter(|_| source.script.is_none());
            command.is_some_and(|command| command.env.iter().any(|(own, _)| own == name))
        };
        let rows = SET_BY_NONE.lines().filter(|line| !line.starts_with('#'));
        for (name, instead) in rows.filter_map(|row| row.split_once(' ')) {
            if let Some(at) = used(source.text, name).filter(|_| !own(name)) {
                let note = source.note(linted, at, format!("no agent sets `{name}`"));
                notes.push(note.help(format!("the payload comes on standard input: {instead}")));
            }
        }
    }
    notes
}

/// Tells whether a text gives a variable of that name a value.
fn sets(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let is_read = ["read ", "read -r ", "for "];
        let assigns = after.starts_with('=') || is_read.iter().any(|word| before.ends_with(word));
        !before.ends_with(is_of_name) && assigns
    })
}

/// Finds where a text reads a variable that it does not set itself.
fn used(text: &str, name: &str) -> Option<Range<usize>> {
    if sets(text, name) {
        return None;
    }
    let mut found = text.match_indices(name);
    let (at, _) = found.find(|(at, _)| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        // An author who gives a default knows that it may not be there.
        let falls_back = after.starts_with(":-") && !after.starts_with(":-}");
        let is_read = READS.split('|').any(|read| before.ends_with(read));
        is_read && !after.starts_with(is_of_name) && !falls_back && !line.starts_with('#')
    })?;
    Some(at..at + name.len())
}

/// Finds exit code 1 where a refusal was meant: behind words of one, in the same line or in the line before.
pub(super) fn exit_one(linted: &LintTarget<'_>) -> Vec<Note> {
    let told = linted.sources().filter(|source| {
        let site = source.site;
        let refuses = matches!(site.entry.on_failure, Some(OnFault::Deny | OnFault::Halt));
        matches!(site.class(), Class::Gate | Class::Continuation) && !site.entry.guard && !refuses
    });
    let notes = told.filter_map(|source| {
        let message = "this refusal ends with 1, and the action goes on";
        Some(
            source
                .note(linted, accident(source.text)?, message)
                .help("end it with 2"),
        )
    });
    notes.collect()
}

fn accident(text: &str) -> Option<Range<usize>> {
    let says = |line: &str| has_any(line, SAYS) && has_any(&line.to_lowercase(), REFUSES);
    let ends_here = |line: &str| {
        let mut ends = ENDS.iter().flat_map(|end| line.match_indices(end));
        ends.any(|(at, end)| {
            let after = line.get(at + end.len()..).unwrap_or_default();
            !after.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let mut before = None;
    for (at, line) in lines(text) {
        if ends_here(line) && (says(line) || before.is_some_and(says)) {
            return Some(at);
        }
        before = Some(line);
    }
    None
}

/// Finds a hook that never lets the agent stop.
pub(super) fn stop_loop(linted: &LintTarget<'_>) -> Vec<Note> {
    let message = "this refuses to stop, and nothing asks whether it did so before";
    let help = "let the agent stop where the payload says `stop_hook_active`";
    let is_stop = |site: &HookSite<'_>| {
        site.class() == Class::Continuation && site.entry.mode == Mode::Enforce
    };
    let rules = linted.sites().filter(is_stop).filter(|site| {
        let Action::Rule(then) = &site.entry.action else {
            return false;
        };
        matches!(&then.verdict, Some((Kind::Deny, _))) && site.entry.when.is_none()
    });
    let mut notes: Vec<Note> = rules
        .map(|site| Note::new(linted.at(site, "then"), message))
        .collect();
    for source in linted.sources().filter(|source| is_stop(&source.site)) {
        let mut lines = lines(source.text).filter(|_| !has_any(source.text, ASKS));
        let refusal = lines.find(|(_, line)| has_any(line, SENDS_BACK));
        notes.extend(refusal.map(|(at, _)| source.note(linted, at, message)));
    }
    notes.into_iter().map(|note| note.help(help)).collect()
}

/// The lines of a script with their places, without white space, empty lines and comments.
fn lines(script: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    let lines = script.split_inclusive('\n').map(move |raw| {
        let text = raw.trim();
        let at = start + raw.len() - raw.trim_start().len();
        start += raw.len();
        (at..at + text.len(), text)
    });
    lines.filter(|(_, text)| {
        !text.is_empty() && !text.starts_with(['#', '*']) && !text.starts_with("//")
    })
}
