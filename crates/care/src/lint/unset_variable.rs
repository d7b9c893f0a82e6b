//! A variable that no agent sets.

use std::collections::BTreeSet;

use anyhook_core::manifest::Lines;
use anyhook_wires::native_files::Variable;

use super::Note;
use super::linted::Linted;

/// Names that people believe in, and what to read instead.
const SET_BY_NONE: &[(&str, &str)] = &[
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
    ("TOOL_INPUT", "`anyhook get tool_input`"),
    ("TOOL_NAME", "`anyhook get tool_name`"),
    ("TOOL_OUTPUT", "`anyhook get tool_result`"),
    ("TOOL_RESULT", "`anyhook get tool_result`"),
    ("CLAUDE_SESSION_ID", "`anyhook get session_id`"),
    ("CLAUDE_TRANSCRIPT_PATH", "`anyhook get transcript_path`"),
    ("CLAUDE_HOOK_EVENT_NAME", "`anyhook get hook_event_name`"),
    ("CLAUDE_HOOK_INPUT", "`cat` prints it"),
    ("CLAUDE_TOOL_ARGS", "`anyhook get tool_input`"),
    ("CLAUDE_MESSAGE", "`anyhook get message`"),
    ("ANYHOOK_TOOL_INPUT", "`anyhook get tool_input`"),
    ("ANYHOOK_TOOL_NAME", "`$ANYHOOK_TOOL`"),
    ("ANYHOOK_FILE", "`${file}`"),
];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let own = |name: &str| command.env.iter().any(|(own, _)| own == name);
        let line = &command.command;
        for (name, at, instead) in uses(line).into_iter().filter(|(name, ..)| !own(name)) {
            let at = linted.command_at(site).within(line, &at);
            notes.push(note(at, name, instead));
        }
        for name in of_plugins(linted).filter(|name| !own(name)) {
            if let Some((_, at, _)) = used(line, name, "") {
                let host = linted.format.map_or("", |format| format.host);
                let message = format!("`{host}` sets `{name}` for its plugins alone");
                let note = Note::new(linted.command_at(site).within(line, &at), message);
                notes.push(note.help("start from the project's folder, which has a variable too"));
            }
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

/// The variables that the host of a file sets for plugins, where the file is that of a project.
fn of_plugins<'l>(linted: &'l Linted<'_>) -> impl Iterator<Item = &'static str> + use<'l> {
    let placed = linted
        .format
        .filter(|_| !linted.misplaced && !linted.is_plugin());
    let projects = placed.filter(|format| format.files.iter().all(|file| !file.contains("/*/")));
    let variables = projects.map_or(&[][..], |format| format.variables);
    let of_package = variables
        .iter()
        .filter(|(_, holds)| *holds == Variable::Package);
    of_package.map(|(name, _)| *name)
}

/// Tells whether a text gives a variable of that name a value.
fn sets(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let is_whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let is_read = ["read ", "read -r ", "for "];
        let assigns = after.starts_with('=') || is_read.iter().any(|word| before.ends_with(word));
        is_whole && assigns
    })
}

/// Finds where a text reads one of the names, unless it sets that name itself.
fn uses(text: &str) -> Vec<(&'static str, std::ops::Range<usize>, &'static str)> {
    let all = SET_BY_NONE.iter();
    all.filter_map(|(name, instead)| used(text, name, instead))
        .collect()
}

/// Finds where a text reads a variable that it does not set itself.
fn used(
    text: &str,
    name: &'static str,
    instead: &'static str,
) -> Option<(&'static str, std::ops::Range<usize>, &'static str)> {
    const READS: &[&str] = &[
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
    if sets(text, name) {
        return None;
    }
    let mut found = text.match_indices(name);
    let (at, _) = found.find(|(at, _)| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        // An author who gives a default knows that it may not be there.
        let falls_back = after.starts_with(":-") && !after.starts_with(":-}");
        let is_read = READS.iter().any(|read| before.ends_with(read));
        ends && !falls_back && !line.starts_with('#') && is_read
    })?;
    Some((name, at..at + name.len(), instead))
}
