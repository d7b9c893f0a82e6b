//! A field that no agent reads.

use anyhook_core::manifest::{Lines, Place};
use anyhook_core::taxonomy::nearest;
use anyhook_wires::native_files::Syntax;

use super::Note;
use super::linted::Linted;

/// Fields that agents agree about.
const KNOWN: &[&str] = &[
    "type", "matcher", "hooks", "prompt", "args", "env", "async", "shell",
];

/// Fields of agents that are read by them, and not here.
const THEIRS: &[&str] = &[
    "statusMessage",
    "once",
    "model",
    "description",
    "url",
    "headers",
    "allowedEnvVars",
    "id",
    "comment",
    "agent",
    "failClosed",
    "loop_limit",
    "version",
    "title",
    "tags",
    "enabled",
    "onFailure",
    "rewakeMessage",
    "rewakeSummary",
    "commandWindows",
    "command_windows",
    "powershell",
    "windows",
];

/// Finds what is nearly a field in the file of an agent; what is far from any may be one that we do not know.
pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let unread = format.unread(linted.text, Syntax::of(linted.file));
    let unread = unread.into_iter().chain(misspelt_hooks(linted));
    let notes = unread.filter_map(|(at, field)| {
        let known = format.timeout.fields.iter().chain(KNOWN).copied();
        let known = format.commands_here().chain(known);
        let near = nearest(&field, known)?;
        let is_judged = field.len() > 3 && !THEIRS.contains(&&*field);
        let note = Note::new(
            at,
            format!("`{}` does not know the field `{field}`", format.host),
        );
        is_judged.then(|| note.error().help(format!("did you mean `{near}`?")))
    });
    notes.collect()
}

/// Finds what is nearly the name of the list of hooks, at the top of a file that has none.
fn misspelt_hooks(linted: &Linted<'_>) -> Option<(Place, String)> {
    let top = Syntax::of(linted.file).as_json(linted.text)?;
    let top = top.as_object()?;
    let mut keys = top.keys().filter(|_| !top.contains_key("hooks"));
    let key = keys.find(|key| nearest(key, ["hooks"].into_iter()).is_some())?;
    let at = linted.text.find(&format!("\"{key}\""))?;
    let place = Lines::new(0, linted.text).place(at..at + key.len() + 2);
    Some((place, key.clone()))
}
