//! Words of an expression.

use std::ops::Range;

/// One word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Int(i64),
    Float(f64),
    /// An operator or a bracket.
    Sign(&'static str),
    /// What is no word of the language; with what is wrong, where more can be said than that.
    Other(Option<String>),
}

const SIGNS: &[&str] = &[
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", ".",
];

/// Splits a text into words, each with its place.
pub(super) fn words(text: &str) -> Vec<(Token, Range<usize>)> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        // White space of the language: another blank is a word that it does not know.
        if matches!(first, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
            at += 1;
            continue;
        }
        let (token, length) = word(rest, first);
        let length = length.max(first.len_utf8());
        found.push((token, at..at + length));
        at += length;
    }
    found
}

fn word(rest: &str, first: char) -> (Token, usize) {
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return (Token::Sign(sign), sign.len());
    }
    let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
    if first.is_ascii_digit()
        || (first == '-' && rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()))
    {
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '.')
            .map_or(rest.len(), |(at, _)| at);
        return (number(rest.get(..end).unwrap_or_default()), end);
    }
    if first == '_' || first.is_ascii_alphabetic() {
        let end = run(|c| c == '_' || c.is_ascii_alphanumeric());
        let next = rest.get(end..).and_then(|rest| rest.chars().next());
        let name = rest.get(..end).unwrap_or_default();
        return match next.filter(|next| matches!(next, '\'' | '"')) {
            Some(quote) if matches!(name, "r" | "R") => raw(rest, quote),
            Some(quote) => {
                let what = format!(
                    "`{name}{quote}…{quote}` is no form of `when`: a text is `'…'`, or `r'…'` without escapes"
                );
                (Token::Other(Some(what)), end)
            }
            None => (Token::Name(name.to_owned()), end),
        };
    }
    match first {
        '\'' | '"' => quoted(rest, first),
        _ => (Token::Other(None), first.len_utf8()),
    }
}

fn number(text: &str) -> Token {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.strip_prefix('-').unwrap_or(text);
    // `1e3`, `0x1f`, `3u`, `5.` and what is too large are none.
    let token = match plain.split_once('.') {
        None if digits(plain) => text.parse().ok().map(Token::Int),
        Some((whole, part)) if digits(whole) && digits(part) => text.parse().ok().map(Token::Float),
        Some(_) | None => None,
    };
    token.unwrap_or_else(|| {
        let what = format!("`{text}` is no number of `when`: write digits, as in `60` or `2.5`");
        Token::Other(Some(what))
    })
}

/// Reads `r'…'`, in which a `\` is a letter like any other.
fn raw(rest: &str, quote: char) -> (Token, usize) {
    let inside = rest.get(2..).unwrap_or_default();
    let end = inside.find([quote, '\n', '\r']);
    match end.and_then(|end| inside.split_at_checked(end)) {
        Some((text, behind)) if behind.starts_with(quote) => {
            (Token::Text(text.to_owned()), text.len() + 3)
        }
        _ => (Token::Other(None), rest.len()),
    }
}

/// Reads a text in quotes.
fn quoted(rest: &str, quote: char) -> (Token, usize) {
    // Most texts have no escape.
    let inside = rest.get(1..).unwrap_or_default();
    let end = inside.find([quote, '\\', '\n', '\r']);
    if let Some((text, behind)) = end.and_then(|end| inside.split_at_checked(end))
        && !text.is_empty()
        && behind.starts_with(quote)
    {
        return (Token::Text(text.to_owned()), text.len() + 2);
    }
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' | '\r' => break,
            '\\' => match letters.next().map(|(_, next)| next) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(same @ ('\\' | '\'' | '"' | '?' | '`')) => text.push(same),
                Some(other) if !other.is_control() => {
                    let what = format!(
                        "`\\{other}` is no escape in a text; write `\\\\{other}`, or the text as `r'…'`"
                    );
                    return (Token::Other(Some(what)), at + 1 + other.len_utf8());
                }
                Some(_) | None => break,
            },
            letter if letter == quote => return (Token::Text(text), at + 1),
            letter => text.push(letter),
        }
    }
    (Token::Other(None), rest.len())
}
