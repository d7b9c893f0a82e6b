//! Mending text that is almost JSON: half surrogates and raw control characters inside strings.

use std::fmt::Write;

use anyhook_core::manifest::LineIndex;

/// A text in which every string can be read.
pub(super) struct RepairedText {
    pub(super) text: String,
    /// Where the first raw control character stood in a string, which is no JSON to any reader; half a surrogate pair is to
    /// many.
    pub(super) control: Option<usize>,
}

impl RepairedText {
    /// Mends a text; one that needs nothing stays as it is.
    pub(super) fn new(old: &str) -> Self {
        let (mut text, mut control) = (String::with_capacity(old.len()), None);
        let (mut rest, mut is_string) = (old, false);
        while let Some(letter) = rest.chars().next() {
            let (length, code) = match (is_string, letter) {
                (true, '\\') => escape(rest),
                (true, '\0'..='\x1f') => {
                    control.get_or_insert(old.len() - rest.len());
                    (1, u16::try_from(u32::from(letter)).ok())
                }
                (_, letter) => (letter.len_utf8(), None),
            };
            is_string ^= letter == '"';
            let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            match code {
                // Writing into a String cannot fail.
                Some(code) => drop(write!(text, "\\u{code:04x}")),
                None => text.push_str(piece),
            }
            rest = behind;
        }
        Self { text, control }
    }
}

/// Returns how long the escape is at the beginning of a text, and what it should say.
fn escape(text: &str) -> (usize, Option<u16>) {
    let code = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_code = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let digits = is_code.then_some(digits)?;
        u16::from_str_radix(digits, 16).ok()
    };
    match (code(0), code(6)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, None),
        (Some(0xD800..=0xDFFF), _) => (6, Some(0xFFFD)),
        // Whatever stands behind the backslash is left alone: a wrong escape is refused by the strict reading.
        _ => (1 + text.chars().nth(1).map_or(0, char::len_utf8), None),
    }
}

/// Returns the byte offset of an error.
pub(super) fn offset(text: &str, error: &serde_json::Error) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// Returns the line and the column of a place, from 1.
pub(crate) fn place(text: &str, at: usize) -> (usize, usize) {
    let at = LineIndex::new(0, text).place(at..at);
    let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (number(at.line), number(at.column))
}
