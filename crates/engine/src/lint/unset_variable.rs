//! A variable that no agent sets.

use std::collections::BTreeSet;

use anyhook_core::manifest::{Lines, Severity};

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH023",
    slug: "unset-variable",
    severity: Severity::Warning,
    about: "A hook reads an environment variable that no agent sets.",
    page: "The payload of an event comes on standard input, as JSON. Many examples on the web read it from variables such \
           as `CLAUDE_TOOL_INPUT`, which never existed or are gone: the hook runs, sees an empty text, and lets everything \
           pass. `anyhook get tool_input.command` prints a field of the payload.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "prettier --write \"$CLAUDE_FILE_PATHS\"", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "prettier --write ${file}", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

/// Names that people believe in, and what to read instead.
const NOBODYS: &[(&str, &str)] = &[
    ("CLAUDE_TOOL_INPUT", "`anyhook get tool_input`"),
    (
        "CLAUDE_TOOL_INPUT_FILE_PATH",
        "`anyhook get tool_input.file_path`",
    ),
    (
        "CLAUDE_TOOL_FILE_PATH",
        "`anyhook get tool_input.file_path`",
    ),
    ("CLAUDE_TOOL_NAME", "`anyhook get tool_name`"),
    ("CLAUDE_TOOL_OUTPUT", "`anyhook get tool_result`"),
    ("CLAUDE_TOOL_RESULT", "`anyhook get tool_result`"),
    ("CLAUDE_FILE_PATH", "`anyhook get tool_input.file_path`"),
    ("CLAUDE_FILE_PATHS", "`anyhook get tool_input.file_path`"),
    ("CLAUDE_COMMAND", "`anyhook get tool_input.command`"),
    ("CLAUDE_BASH_COMMAND", "`anyhook get tool_input.command`"),
    ("CLAUDE_USER_PROMPT", "`anyhook get prompt`"),
    ("CLAUDE_PROMPT", "`anyhook get prompt`"),
    ("CLAUDE_HOOK_EVENT", "`anyhook get hook_event_name`"),
    ("CLAUDE_EVENT_TYPE", "`anyhook get hook_event_name`"),
    ("CLAUDE_NOTIFICATION", "`anyhook get message`"),
    ("CURSOR_FILE_PATH", "`anyhook get tool_input.file_path`"),
    ("CURSOR_COMMAND", "`anyhook get tool_input.command`"),
    ("GEMINI_TOOL_INPUT", "`anyhook get tool_input`"),
    ("CODEX_TOOL_INPUT", "`anyhook get tool_input`"),
    ("COPILOT_TOOL_ARGS", "`anyhook get tool_input`"),
    ("ANYHOOK_TOOL_INPUT", "`anyhook get tool_input`"),
    ("ANYHOOK_TOOL_NAME", "`$ANYHOOK_TOOL`"),
    ("ANYHOOK_FILE", "`${file}`"),
];

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let own = |name: &str| command.env.iter().any(|(own, _)| own == name);
        let line = &command.command;
        for (name, at, instead) in uses(line).into_iter().filter(|(name, ..)| !own(name)) {
            let at = linted.command_at(site).within(line, &at);
            notes.push(note(at, name, instead));
        }
    }
    let mut seen = BTreeSet::new();
    for (_, script, text) in linted.texts() {
        if !seen.insert(&script.path) {
            continue;
        }
        let lines = Lines::new(0, text);
        let uses = uses(text).into_iter();
        notes.extend(
            uses.map(|(name, at, instead)| note(lines.place(at), name, instead).of(&script.path)),
        );
    }
    notes
}

fn note(at: anyhook_core::manifest::Place, name: &str, instead: &str) -> Note {
    let message = format!("no agent sets `{name}`");
    Note::new(at, message).help(format!("the payload comes on standard input: {instead}"))
}

/// Finds where a text reads one of the names, unless it sets that name itself.
fn uses(text: &str) -> Vec<(&'static str, std::ops::Range<usize>, &'static str)> {
    let mut found = Vec::new();
    for (name, instead) in NOBODYS {
        if text.contains(&format!("{name}=")) {
            continue;
        }
        let first = text.match_indices(name).find(|(at, _)| {
            let before = text.get(..*at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default();
            let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
            let reads = [
                "$",
                "${",
                "environ[\"",
                "environ['",
                "environ.get(\"",
                "environ.get('",
                "getenv(\"",
                "getenv('",
                "process.env.",
            ];
            ends && !line.starts_with('#') && reads.iter().any(|read| before.ends_with(read))
        });
        found.extend(first.map(|(at, _)| (*name, at..at + name.len(), *instead)));
    }
    found
}
