//! A file that its agent cannot read as a whole.

use anyhook_core::manifest::{Action, Place};

use super::Note;
use super::linted::Linted;

/// What an agent that reads its file strictly knows at the top, and the names of one field of which a hook has one.
struct Strict {
    host: &'static str,
    file: &'static str,
    top: &'static [&'static str],
    twins: [&'static str; 2],
}

const STRICT: &[Strict] = &[Strict {
    host: "codex-cli",
    file: ".codex/hooks.json",
    top: &["description", "hooks"],
    twins: ["commandWindows", "command_windows"],
}];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let is_it = |row: &&Strict| linted.file.ends_with(row.file);
    let Some(row) = STRICT.iter().find(is_it) else {
        return Vec::new();
    };
    let unknown = linted.document.top_keys().into_iter();
    let unknown = unknown.filter(|(key, _)| !row.top.contains(&key.as_str()));
    let unknown = unknown.map(|(key, at)| (format!("`{key}` at the top"), at));
    let twice = linted.sites().filter_map(|site| {
        let [one, other] = row.twins;
        linted.document.field(&site.entry.at, one)?;
        let at = linted.document.field(&site.entry.at, other)?;
        Some((format!("`{one}` and `{other}` in one hook"), at))
    });
    let notes = unknown.chain(twice).map(|(what, at)| {
        let message = format!("`{}` runs no hook of this file: it has {what}", row.host);
        Note::new(at, message).help("take it out")
    });
    notes.collect()
}

/// Finds the hooks of Claude Code that cannot be read, in a file that holds permissions too.
pub(super) fn permissions(linted: &Linted<'_>) -> Vec<Note> {
    let is_claude = linted
        .format
        .is_some_and(|format| format.host == "claude-code");
    let mut keys = linted.document.top_keys().into_iter();
    if !is_claude || !keys.any(|(key, _)| key == "permissions") {
        return Vec::new();
    }
    let broken = linted.sites().filter_map(|site| match &site.entry.action {
        Action::Broken(why) if is_unknown_there(linted, &site.entry.at) => {
            Some((why, site.entry.at.clone()))
        }
        Action::Broken(_)
        | Action::Command(_)
        | Action::Prompt(_)
        | Action::Http(_)
        | Action::Rule(_)
        | Action::Builtin(_) => None,
    });
    let note = |(why, at): (&String, Place)| {
        let message = format!("{why}; `claude-code` drops the whole file, and its permissions too");
        Note::new(at, message).help("mend the hook, or keep the permissions in a file of their own")
    };
    broken.map(note).collect()
}

/// Tells whether Claude Code cannot read a hook either; of the types that it knows and Anyhook does not run nothing is said.
fn is_unknown_there(linted: &Linted<'_>, at: &Place) -> bool {
    const KNOWN: &[&str] = &["prompt", "http", "agent", "mcp_tool"];
    match linted.document.text(at, "type") {
        None => false,
        Some("command") => linted.document.field(at, "command").is_none(),
        Some(kind) => !KNOWN.contains(&kind),
    }
}
