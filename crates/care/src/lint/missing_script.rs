//! A script that is not there.

use super::Note;
use super::linted::Linted;
use super::script::State;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let missing = linted
        .scripts
        .iter()
        .filter(|script| script.state == State::Missing);
    let notes = missing.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let shown = script
            .path
            .strip_prefix(&linted.root)
            .unwrap_or(&script.path);
        let message = format!("the script `{}` is not there", shown.display());
        let note = Note::new(linted.command_at(site), message);
        Some(if script.of_home {
            // It may be there for others, and for this person after a first use.
            note.warning()
                .help("it is looked for in your home: without it the hook fails at every event")
        } else {
            note.help("without it the hook fails at every event")
        })
    });
    notes.collect()
}
