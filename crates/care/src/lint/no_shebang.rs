//! A script that does not say what runs it.

use anyhook_core::manifest::Lines;

use super::Note;
use super::linted::Linted;
use super::script::{Language, State, is_for_a_shell};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let texts = linted.texts();
    let executed =
        texts.filter(|(_, script, _)| script.by.is_none() && script.state == State::Executable);
    let silent = executed.filter(|(_, script, text)| {
        // A line that a shell reads has a shell run what does not say: it says so by its ending where it is no shell's.
        let line = linted
            .commands()
            .find(|(site, _)| site.entry.at == script.of);
        let by_shell = line.is_some_and(|(_, command)| is_for_a_shell(linted, command));
        let is_fine = by_shell && matches!(script.language, Language::Shell | Language::Other);
        let hidden = text.starts_with('\u{feff}');
        !text.starts_with("#!") && !text.is_empty() && (hidden || !is_fine)
    });
    let notes = silent.map(|(_, script, text)| {
        let end = text.find('\n').unwrap_or(text.len());
        let at = Lines::new(0, text).place(0..end);
        let message = "the script does not say what runs it";
        let help = "begin it with `#!/bin/sh`, or with the program that it is written for";
        Note::new(at, message).help(help).of(&script.path)
    });
    notes.collect()
}
