//! A script that is found from one folder only.

use anyhook_wires::native_files::{Folder, Variable};

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted
        .format
        .filter(|format| format.folder == Folder::Session)
    else {
        return Vec::new();
    };
    let project = format
        .variables
        .iter()
        .find(|(_, variable)| *variable == Variable::Project);
    let relative = linted.scripts.iter().filter(|script| script.relative);
    let notes = relative.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let message = format!(
            "`{}` starts from wherever `{}` happens to be",
            script.word, format.host
        );
        let note = Note::new(linted.command_at(site), message);
        Some(match project {
            Some((name, _)) => note.help(format!(
                "write `\"${name}/{}\"`",
                script.word.trim_start_matches("./")
            )),
            None => note.help("write the whole path"),
        })
    });
    notes.collect()
}
