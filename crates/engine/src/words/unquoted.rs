//! Finds the placeholders that a shell would split.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use super::{is_name, name};

/// Finds the placeholders that a shell would split at spaces and expand as file names: those outside of double quotes.
///
/// It reads any shell command, with command substitutions inside quotes, comments and escapes. Placeholders in places
/// where a shell does not split (assignments, `case`, here-documents) are found too: quotes harm none of the first two,
/// and a here-document has no place in a one-line command. A range covers `${…}` from the dollar sign to the brace.
pub fn unquoted_placeholders(command: &str) -> Vec<Range<usize>> {
    Scanner {
        rest: command.char_indices().peekable(),
        end: command.len(),
        inside: vec![Inside::Open],
        found: Vec::new(),
    }
    .scan()
}

/// What the scanner stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The command itself.
    Open,
    /// `$(…)` or a subshell, up to the bracket.
    Brackets,
    /// A command in backticks.
    Backticks,
    /// Double quotes.
    Quotes,
    /// `${…}`: whether it stood in quotes, and which of the finds it is.
    Braces { quoted: bool, found: Option<usize> },
}

struct Scanner<'a> {
    rest: Peekable<CharIndices<'a>>,
    end: usize,
    inside: Vec<Inside>,
    found: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn scan(mut self) -> Vec<Range<usize>> {
        let mut before = ' ';
        while let Some((at, letter)) = self.rest.next() {
            let quoted = self.is_quoted();
            match letter {
                '\\' => drop(self.rest.next()),
                '\'' if !quoted => self.skip_to('\''),
                '#' if !quoted && matches!(before, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(') => {
                    self.skip_to('\n');
                }
                '"' => self.toggle(Inside::Quotes),
                '`' => self.toggle(Inside::Backticks),
                '(' if !quoted => self.inside.push(Inside::Brackets),
                ')' if !quoted => drop(self.inside.pop_if(|inside| *inside == Inside::Brackets)),
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
            Some(Inside::Quotes) => true,
            Some(Inside::Braces { quoted, .. }) => *quoted,
            Some(Inside::Open | Inside::Brackets | Inside::Backticks) | None => false,
        }
    }

    fn dollar(&mut self, at: usize, quoted: bool) {
        if self.rest.next_if(|(_, next)| *next == '(').is_some() {
            self.inside.push(Inside::Brackets);
            return;
        }
        if self.rest.next_if(|(_, next)| *next == '{').is_none() {
            return;
        }
        let mut found = None;
        if !quoted && is_name(&name(&mut self.rest)) {
            found = Some(self.found.len());
            self.found.push(at..self.end);
        }
        self.inside.push(Inside::Braces { quoted, found });
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
