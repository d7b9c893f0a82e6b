//! A script that may not be executed.

use super::linted::Linted;
use super::script::State;
use super::{Fix, Note};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let scripts = linted.scripts.iter();
    let plain = scripts.filter(|script| script.state == State::Plain && script.by.is_none());
    let notes = plain.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let shown = script
            .path
            .strip_prefix(&linted.root)
            .unwrap_or(&script.path)
            .display();
        let message = format!("`{shown}` may not be executed");
        let note = Note::new(linted.command_at(site), message);
        let fix = Fix::executable(&script.path);
        Some(note.help(format!("run `chmod +x {shown}`")).fix(Some(fix)))
    });
    notes.collect()
}
