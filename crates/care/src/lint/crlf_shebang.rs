//! A first line with the line ending of Windows.

use anyhook_core::manifest::Lines;

use super::linted::Linted;
use super::{Fix, Note};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let notes = linted.texts().filter_map(|(_, script, text)| {
        let first = text.split_inclusive('\n').next()?;
        let line = first.strip_prefix("#!")?.strip_suffix("\r\n")?;
        let at = Lines::new(0, text).place(0..line.len() + 2);
        let message = "the first line ends in a carriage return, so its program is not found";
        let returns = text
            .match_indices("\r\n")
            .map(|(at, _)| (at..at + 1, String::new()));
        let fix = Fix {
            what: "write the line endings of Unix".to_owned(),
            edits: returns.collect(),
            executable: None,
        };
        let note = Note::new(at, message).help("write the line endings of Unix");
        Some(note.fix(Some(fix)).of(&script.path))
    });
    notes.collect()
}
