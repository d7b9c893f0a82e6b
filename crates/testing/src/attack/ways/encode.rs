//! Texts in encodings that a shell decodes again.

use std::fmt::Write as _;

/// Quotes a text for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Splits a text in its middle.
pub(super) fn half(text: &str) -> Option<(&str, &str)> {
    let letters = text.chars().count();
    let (at, _) = text.char_indices().nth(letters / 2)?;
    (at > 0).then(|| text.split_at_checked(at)).flatten()
}

/// Writes every byte as `\xNN`.
pub(super) fn ansi(text: &str) -> String {
    each(text, |byte, all| {
        let _ = write!(all, "\\x{byte:02x}");
    })
}

/// Writes every byte as `\NNN`.
pub(super) fn octal(text: &str) -> String {
    each(text, |byte, all| {
        let _ = write!(all, "\\{byte:03o}");
    })
}

fn each(text: &str, write: fn(u8, &mut String)) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        write(byte, &mut all);
        all
    })
}

/// Turns a text around.
pub(super) fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_in_other_spellings() {
        assert_eq!((ansi("r"), octal("r")), ("\\x72".into(), "\\162".into()));
        assert_eq!(half(".env"), Some((".e", "nv")));
        assert_eq!((half("a"), half("")), (None, None));
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
