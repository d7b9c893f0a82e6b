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
    const DOES_MORE: &str = "&|<>()`\n\r#*?[]{}!";
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '$') => word
                .get_or_insert_default()
                .push_str(&variable(&mut chars)?),
            (_, '`') => return None,
            (Some(_), '\\') => {
                let next = chars.next()?;
                let word = word.get_or_insert_default();
                word.extend((!"\"\\$`".contains(next)).then_some('\\'));
                word.push(next);
            }
            (None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t' | ';') => {
                commands.last_mut()?.extend(word.take());
                commands.extend((c == ';').then(Vec::new));
            }
            (None, '>') if word.is_none() => {
                let is_stderr = chars.next() == Some('&') && chars.next() == Some('2');
                word = is_stderr.then(|| Some(TO_STDERR.to_owned()))?;
            }
            (None, c) if DOES_MORE.contains(c) => return None,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut()?.extend(word);
    if commands.last()?.is_empty() {
        commands.pop();
    }
    quote.is_none().then_some(commands)
}

/// A variable, without anything that runs in it.
fn variable(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut whole = "$".to_owned();
    match chars.peek()? {
        '(' => return None,
        '{' => loop {
            let next = chars.next()?;
            whole.push(next);
            match next {
                '$' | '`' | '(' => return None,
                '}' => break,
                _ => {}
            }
        },
        _ => {}
    }
    Some(whole)
}
