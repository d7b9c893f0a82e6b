//! Finds the placeholders that a shell would split.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use super::{is_name, name};
use crate::lists::BEFORE;

/// Finds the placeholders that a shell would split at spaces and expand as file names: those outside of double quotes.
///
/// It reads any shell command, with command substitutions inside quotes, comments and escapes. What is assigned to a
/// variable, stands between `[[` and `]]` or behind `case` is not split. A here-document has no place in a one-line
/// command. A range covers `$NAME`, or `${…}` from the dollar sign to the brace.
pub fn unquoted_placeholders(command: &str) -> Vec<Range<usize>> {
    Scanner {
        command,
        rest: command.char_indices().peekable(),
        inside: vec![Inside::Open],
        places: vec![Place::default()],
        found: Vec::new(),
    }
    .scan()
}

/// Where in a simple command the scanner stands.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// Where the word began that is being read, if one was begun.
    word: Option<usize>,
    /// What the words before it mean for the next one.
    next: Next,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    /// It may be an assignment, a keyword, or the program.
    #[default]
    First,
    /// It is an argument.
    Argument,
    /// It is what `case` looks at.
    Case,
    /// It is a part of a test between `[[` and `]]`.
    Test,
}

/// What the scanner stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The command itself.
    Open,
    /// `$(…)` or a subshell, up to the bracket.
    Brackets,
    /// `((…))`, where nothing is split.
    Sum,
    /// A command in backticks.
    Backticks,
    /// Double quotes.
    Quotes,
    /// `${…}`: whether it stood in quotes, and which of the finds it is.
    Braces { quoted: bool, found: Option<usize> },
}

struct Scanner<'a> {
    command: &'a str,
    rest: Peekable<CharIndices<'a>>,
    inside: Vec<Inside>,
    /// The places of the commands that the scanner stands in, the innermost last.
    places: Vec<Place>,
    found: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn scan(mut self) -> Vec<Range<usize>> {
        let mut before = ' ';
        while let Some((at, letter)) = self.rest.next() {
            let quoted = self.is_quoted();
            self.step(at, letter, quoted);
            match letter {
                '\\' => drop(self.rest.next()),
                '\'' if !quoted => self.skip_to('\''),
                '#' if !quoted && matches!(before, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(') => {
                    self.skip_to('\n');
                }
                '"' => self.toggle(Inside::Quotes),
                '`' => self.toggle(Inside::Backticks),
                '(' if !quoted => self.open(),
                ')' if self.inside.last() == Some(&Inside::Sum) => self.close_sum(),
                ')' if !quoted
                    && self
                        .inside
                        .pop_if(|inside| *inside == Inside::Brackets)
                        .is_some() =>
                {
                    self.places.pop();
                }
                '}' => self.close_braces(at),
                '$' => self.dollar(at, quoted),
                _ => {}
            }
            before = letter;
        }
        self.found
    }

    /// Tells whether text at this place is not split.
    fn is_quoted(&self) -> bool {
        match self.inside.last() {
            Some(Inside::Quotes | Inside::Sum) => true,
            Some(Inside::Braces { quoted, .. }) => *quoted,
            Some(Inside::Open | Inside::Brackets | Inside::Backticks) | None => false,
        }
    }

    /// Follows the words of the command: where one ends, it says what the next one is.
    fn step(&mut self, at: usize, letter: char, quoted: bool) {
        let in_braces = matches!(self.inside.last(), Some(Inside::Braces { .. }));
        let Some(place) = self.places.last_mut().filter(|_| !quoted && !in_braces) else {
            return;
        };
        if !matches!(letter, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')') {
            place.word.get_or_insert(at);
            return;
        }
        if let Some(word) = place
            .word
            .take()
            .and_then(|from| self.command.get(from..at))
        {
            place.next = place.next.after(word);
        }
        let is_test = place.next == Next::Test;
        if matches!(letter, '\n' | ';' | '&' | '|' | ')') && !is_test {
            place.next = Next::First;
        }
    }

    /// Tells whether what is put in at this place stays one word.
    fn is_whole(&self, at: usize) -> bool {
        let Some(place) = self.places.last() else {
            return false;
        };
        let word = place.word.and_then(|from| self.command.get(from..at));
        match place.next {
            Next::Case | Next::Test => true,
            Next::First => word.is_some_and(is_assignment),
            Next::Argument => false,
        }
    }

    fn open(&mut self) {
        if self.rest.next_if(|(_, next)| *next == '(').is_some() {
            self.inside.push(Inside::Sum);
            return;
        }
        self.inside.push(Inside::Brackets);
        self.places.push(Place::default());
    }

    fn dollar(&mut self, at: usize, quoted: bool) {
        if self.rest.next_if(|(_, next)| *next == '(').is_some() {
            self.open();
            return;
        }
        let splits = !quoted && !self.is_whole(at);
        if self.rest.next_if(|(_, next)| *next == '{').is_none() {
            let name = name(&mut self.rest);
            if splits && is_name(&name) {
                self.found.push(at..at + 1 + name.len());
            }
            return;
        }
        let mut found = None;
        if splits && is_name(&name(&mut self.rest)) {
            found = Some(self.found.len());
            self.found.push(at..self.command.len());
        }
        self.inside.push(Inside::Braces { quoted, found });
    }

    fn close_sum(&mut self) {
        if self.rest.next_if(|(_, next)| *next == ')').is_some() {
            self.inside.pop();
        }
    }

    fn close_braces(&mut self, at: usize) {
        let braces = self
            .inside
            .pop_if(|inside| matches!(inside, Inside::Braces { .. }));
        if let Some(Inside::Braces {
            found: Some(index), ..
        }) = braces
            && let Some(range) = self.found.get_mut(index)
        {
            range.end = at + 1;
        }
    }

    fn toggle(&mut self, kind: Inside) {
        if self.inside.last() == Some(&kind) {
            self.inside.pop();
        } else {
            self.inside.push(kind);
        }
    }

    fn skip_to(&mut self, end: char) {
        self.rest.by_ref().find(|(_, letter)| *letter == end);
    }
}

impl Next {
    fn after(self, word: &str) -> Self {
        match (self, word) {
            (Self::First, "case") => Self::Case,
            (Self::Test, "]]") => Self::Argument,
            (Self::First, "[[") | (Self::Test, _) => Self::Test,
            (Self::First, word) if BEFORE.contains(&word) || is_assignment(word) => Self::First,
            (_, _) => Self::Argument,
        }
    }
}

/// Tells whether a word begins as an assignment.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| is_name(name.strip_suffix('+').unwrap_or(name)))
}
