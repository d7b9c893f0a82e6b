//! Shell lines that are nothing but words, commands one after the other, and a text sent to the standard error.
//!
//! Whatever makes a shell do more is not read: a line that cannot be read whole belongs to its author.

use std::iter::Peekable;
use std::str::Chars;

/// The word that stands for a redirection to the standard error.
pub(super) const TO_STDERR: &str = ">&2";

/// Splits a line that is one command.
pub(super) fn one(line: &str) -> Option<Vec<String>> {
    let mut commands = commands(line)?;
    let only = commands.pop()?;
    commands.is_empty().then_some(only)
}

/// Splits a line into its commands and their words. Variables stay as they are written.
pub(super) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut reading = Reading {
        chars: line.chars().peekable(),
        word: None,
    };
    let mut commands = Vec::new();
    let mut words = Vec::new();
    while let Some(c) = reading.chars.next() {
        match c {
            ' ' | '\t' => words.extend(reading.word.take()),
            ';' => {
                words.extend(reading.word.take());
                commands.push(std::mem::take(&mut words));
            }
            '>' if reading.word.is_none() => {
                let is_stderr =
                    reading.chars.next() == Some('&') && reading.chars.next() == Some('2');
                is_stderr.then(|| words.push(TO_STDERR.to_owned()))?;
            }
            c => reading.in_word(c)?,
        }
    }
    words.extend(reading.word);
    if !words.is_empty() {
        commands.push(words);
    }
    Some(commands)
}

struct Reading<'a> {
    chars: Peekable<Chars<'a>>,
    word: Option<String>,
}

impl Reading<'_> {
    fn in_word(&mut self, c: char) -> Option<()> {
        const DOES_MORE: &str = "&|<>()`\n\r#*?[]{}!";
        match c {
            '\'' => self.single_quoted(),
            '"' => self.double_quoted(),
            '\\' => {
                let next = self.chars.next()?;
                self.push(next);
                Some(())
            }
            '$' => self.variable(),
            c if DOES_MORE.contains(c) => None,
            c => {
                self.push(c);
                Some(())
            }
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn single_quoted(&mut self) -> Option<()> {
        self.word.get_or_insert_default();
        loop {
            match self.chars.next()? {
                '\'' => return Some(()),
                c => self.push(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<()> {
        self.word.get_or_insert_default();
        loop {
            match self.chars.next()? {
                '"' => return Some(()),
                '$' => self.variable()?,
                '`' => return None,
                '\\' => match self.chars.next()? {
                    c @ ('"' | '\\' | '$' | '`') => self.push(c),
                    c => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                c => self.push(c),
            }
        }
    }

    /// A variable, without anything that runs in it.
    fn variable(&mut self) -> Option<()> {
        self.push('$');
        match self.chars.peek()? {
            '(' => None,
            '{' => loop {
                match self.chars.next()? {
                    '$' | '`' | '(' => return None,
                    '}' => {
                        self.push('}');
                        return Some(());
                    }
                    c => self.push(c),
                }
            },
            _ => Some(()),
        }
    }
}
