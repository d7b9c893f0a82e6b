//! Words while they are put together from texts and values.

use crate::word::{Part, Word};

/// Words that are being put together.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) done: Vec<Word>,
    pub(super) now: Word,
    /// Whether the word is there even if it is empty.
    pub(super) there: bool,
}

impl Fields {
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.now.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.now.parts.push(Part::Text(text.to_owned())),
        }
    }

    pub(super) fn part(&mut self, part: Part) {
        match part {
            Part::Text(text) => self.text(&text),
            other => self.now.parts.push(other),
        }
    }

    /// Ends a word, if there is one.
    pub(super) fn end(&mut self) {
        let now = std::mem::take(&mut self.now);
        if self.there || !now.parts.is_empty() {
            self.done.push(now);
        }
        self.there = false;
    }
}

/// Puts an unquoted text into the words, split where the shell splits it.
pub(super) fn split(text: &str, separators: &str, no_glob: bool, fields: &mut Fields) {
    let mut from = 0;
    for (at, letter) in text.char_indices() {
        if !separators.contains(letter) {
            continue;
        }
        globs(
            text.get(from..at).unwrap_or_default(),
            true,
            no_glob,
            fields,
        );
        if !letter.is_ascii_whitespace() {
            fields.there = true;
        }
        fields.end();
        from = at + letter.len_utf8();
    }
    globs(text.get(from..).unwrap_or_default(), true, no_glob, fields);
}

/// Puts text outside of quotes into a word: wildcards are patterns.
pub(super) fn globs(text: &str, closes_later: bool, no_glob: bool, fields: &mut Fields) {
    let mut rest = text;
    while let Some(at) = rest.find(['*', '?', '[', ']']).filter(|_| !no_glob) {
        let Some((before, behind)) = rest.split_at_checked(at) else {
            break;
        };
        fields.text(before);
        let set = behind.find(']').filter(|end| *end > 1);
        let end = match (behind.as_bytes().first(), set) {
            (Some(b'['), Some(end)) => end + 1,
            (Some(b'[' | b']'), _) if !closes_later && !opens(fields) => {
                let Some((bracket, behind)) = behind.split_at_checked(1) else {
                    break;
                };
                fields.text(bracket);
                rest = behind;
                continue;
            }
            _ => 1,
        };
        let Some((glob, behind)) = behind.split_at_checked(end) else {
            break;
        };
        fields.part(Part::Glob(glob.to_owned()));
        rest = behind;
    }
    fields.text(rest);
}

/// Whether a set was opened earlier in the word and is not closed yet.
fn opens(fields: &Fields) -> bool {
    fields
        .now
        .parts
        .iter()
        .any(|part| matches!(part, Part::Glob(glob) if glob == "["))
}
