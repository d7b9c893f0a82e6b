//! Words while they are put together from texts and values.

use crate::word::{Part, Word};

/// Words that are being put together.
#[derive(Default)]
pub(super) struct FieldBuilder {
    pub(super) done: Vec<Word>,
    pub(super) now: Word,
    /// Whether the word is there even if it is empty.
    pub(super) there: bool,
}

impl FieldBuilder {
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
            // What follows is no option.
            Part::Text(text) if text.is_empty() && self.now.parts.is_empty() => {
                self.now.parts.push(Part::Text(text));
            }
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

/// Puts an unquoted text into the words, split at blanks.
pub(super) fn split(text: &str, fields: &mut FieldBuilder) {
    for (at, word) in text.split([' ', '\t', '\n']).enumerate() {
        if at > 0 {
            fields.end();
        }
        globs(word, true, fields);
    }
}

/// Puts text outside of quotes into a word: wildcards are patterns.
pub(super) fn globs(text: &str, closes_later: bool, fields: &mut FieldBuilder) {
    let mut rest = text;
    // A class may be any letter, and where its set ends is not looked for.
    if ["[:", "[=", "[."].iter().any(|class| text.contains(class)) {
        return fields.part(Part::Glob("**".to_owned()));
    }
    while let Some(at) = rest.find(['*', '?', '[', ']']) {
        let Some((before, behind)) = rest.split_at_checked(at) else {
            break;
        };
        fields.text(before);
        let end = match (behind.as_bytes().first(), set_end(behind)) {
            (Some(b'['), Some(end)) => end,
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
        // A class, or a set with a bracket in it, is taken as any letter.
        let is_plain = glob.len() == 1
            || !glob
                .get(1..glob.len() - 1)
                .is_some_and(|set| set.contains(['[', ']']));
        fields.part(Part::Glob(if is_plain { glob } else { "?" }.to_owned()));
        rest = behind;
    }
    fields.text(rest);
}

/// Returns where a set such as `[a-z]` or `[!]x]` ends, which begins the text.
fn set_end(text: &str) -> Option<usize> {
    // A bracket that stands first is a letter of the set.
    let first = 1 + usize::from(text.get(1..2).is_some_and(|sign| "!^".contains(sign)));
    let from = first + text.get(first..)?.chars().next()?.len_utf8();
    Some(from + text.get(from..)?.find(']')? + 1)
}

/// Whether a set was opened earlier in the word and is not closed yet.
fn opens(fields: &FieldBuilder) -> bool {
    fields
        .now
        .parts
        .iter()
        .any(|part| matches!(part, Part::Glob(glob) if glob == "["))
}
