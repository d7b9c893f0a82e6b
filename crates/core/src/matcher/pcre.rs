//! Patterns that were written for PCRE, as the tables of `ex_athena` are: read with the meaning they have there, or refused.
//!
//! Nothing is passed to our engine as it stands. What both know is written for ours anew, and every other construct is an
//! error that names it: a pattern that means another thing here would select other tools without a word.

use std::iter::Peekable;
use std::str::CharIndices;

use super::PatternError;

mod class;
mod escape;
mod group;
#[cfg(test)]
mod tests;

/// Writes a pattern for our engine.
pub(super) fn translate(text: &str) -> Result<String, PatternError> {
    let mut reader = Reader {
        text,
        chars: text.char_indices().peekable(),
        out: String::with_capacity(text.len() + 8),
        last: Last::Nothing,
        open: Vec::new(),
        names: Vec::new(),
    };
    while let Some((at, char)) = reader.chars.next() {
        reader.one(at, char)?;
    }
    match reader.open.pop() {
        Some(at) => Err(wrong(at, "this group is not closed", "write its `)`")),
        None => Ok(reader.out),
    }
}

type Read<T = ()> = Result<T, PatternError>;

/// The text before the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The beginning, or a `(` or `|`: nothing that could be repeated.
    Nothing,
    /// Something that can be repeated.
    Atom,
    /// A character of several bytes, of which PCRE would repeat the last one.
    Wide,
    /// A place such as `\b`.
    Place,
    /// The end of the name: nothing can follow.
    End,
    /// A quantifier, after which a `?` changes nothing that is asked here.
    Repeated,
    /// A quantifier and its `?`.
    Lazy,
}

struct Reader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    out: String,
    last: Last,
    /// Where the open groups begin.
    open: Vec<usize>,
    names: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    fn one(&mut self, at: usize, char: char) -> Read {
        let ends = matches!(char, ')' | '|');
        if self.last == Last::End && !ends && !self.rest(at).starts_with("(?#") {
            return Err(wrong(
                at,
                "nothing can follow the end of the name",
                "`$` and `\\Z` stand last in their alternative",
            ));
        }
        match char {
            '\\' => self.escape(at),
            '[' => self.class(at),
            '(' => self.group(at),
            ')' => self.close(at),
            '|' => self.put("|", Last::Nothing),
            '.' => self.put(".", Last::Atom),
            '^' => self.put("^", Last::Place),
            '$' => self.end(),
            '*' | '+' | '?' => self.repeat(at, char, char.encode_utf8(&mut [0; 4])),
            '{' => self.braces(at),
            other => self.literal(other),
        }
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "a step like the others, which can fail"
    )]
    fn put(&mut self, text: &str, last: Last) -> Read {
        self.out.push_str(text);
        self.last = last;
        Ok(())
    }

    /// Leaves out what is read already, up to this place.
    fn skip_to(&mut self, end: usize) {
        while self.chars.next_if(|(at, _)| *at < end).is_some() {}
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "a step like the others, which can fail"
    )]
    fn literal(&mut self, char: char) -> Read {
        push_literal(&mut self.out, char);
        self.last = if char.is_ascii() {
            Last::Atom
        } else {
            Last::Wide
        };
        Ok(())
    }

    /// The end of the name is also before a line feed that ends it.
    fn end(&mut self) -> Read {
        self.put(r"(?:\n?\z)", Last::End)
    }

    fn repeat(&mut self, at: usize, char: char, written: &str) -> Read {
        let last = match (self.last, char) {
            (Last::Atom, _) => Last::Repeated,
            (Last::Repeated, '?') => Last::Lazy,
            (Last::Repeated, '+') => return Err(refused(at, "a possessive quantifier")),
            (Last::Wide, _) => {
                return Err(wrong(
                    at,
                    "in the original this repeats one byte of the character before it",
                    "write the character in a group: `(?:é)+`",
                ));
            }
            (Last::Nothing | Last::Place | Last::End | Last::Repeated | Last::Lazy, _) => {
                return Err(wrong(
                    at,
                    "there is nothing here to repeat",
                    "a group without a `matcher` is for every tool; in a pattern write `.*`",
                ));
            }
        };
        self.put(written, last)
    }

    /// Reads `{2,5}`; any other brace is one that means itself.
    fn braces(&mut self, at: usize) -> Read {
        let inside = self.rest(at + 1).split_once('}').map_or("", |(all, _)| all);
        let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit());
        if is_number(least) && (most.is_empty() || is_number(most)) {
            let end = at + inside.len() + 2;
            self.skip_to(end);
            return self.repeat(at, '{', self.text.get(at..end).unwrap_or_default());
        }
        self.literal('{')
    }

    fn close(&mut self, at: usize) -> Read {
        if self.open.pop().is_none() {
            return Err(wrong(
                at,
                "no group is open here",
                "`\\)` is a bracket that means itself",
            ));
        }
        self.put(")", Last::Atom)
    }
}

/// Writes a character that means itself.
fn push_literal(out: &mut String, char: char) {
    if char.is_ascii_control() {
        out.push_str(&format!("\\x{:02x}", u32::from(char)));
        return;
    }
    if char.is_ascii_punctuation() && !matches!(char, '<' | '>' | '_') {
        out.push('\\');
    }
    out.push(char);
}

fn wrong(offset: usize, reason: impl Into<String>, help: &str) -> PatternError {
    PatternError {
        reason: reason.into(),
        offset,
        help: help.into(),
    }
}

/// What takes more than linear time, which no matcher here does.
fn refused(offset: usize, what: &str) -> PatternError {
    wrong(
        offset,
        format!("{what} is not supported, as every pattern is matched in linear time"),
        "match more tools, and let the function return at once for those it does not want",
    )
}

/// What can be written in plain signs.
fn unknown(offset: usize, what: &str) -> PatternError {
    wrong(
        offset,
        format!("{what} is not supported"),
        "write the characters that it stands for",
    )
}
