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

/// Writes every byte as two digits.
pub(super) fn hex(text: &str) -> String {
    each(text, |byte, all| {
        let _ = write!(all, "{byte:02x}");
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

/// Turns each letter thirteen places on.
pub(super) fn rot13(text: &str) -> String {
    let turn = |letter: char, from: u8| {
        let place = u32::from(letter).saturating_sub(u32::from(from));
        char::from_u32(u32::from(from) + (place + 13) % 26).unwrap_or(letter)
    };
    let one = |letter: char| match letter {
        'a'..='z' => turn(letter, b'a'),
        'A'..='Z' => turn(letter, b'A'),
        _ => letter,
    };
    text.chars().map(one).collect()
}

/// Writes a text in base64.
pub(super) fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut all = String::new();
    for three in text.as_bytes().chunks(3) {
        let byte = |at: usize| three.get(at).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4_usize {
            let digit = (bits >> (18 - 6 * at)) & 63;
            let digit = usize::try_from(digit)
                .ok()
                .and_then(|digit| DIGITS.get(digit));
            let digit = digit.filter(|_| at <= three.len());
            all.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_in_other_spellings() {
        assert_eq!(base64("rm -rf x"), "cm0gLXJmIHg=");
        assert_eq!(base64("abc"), "YWJj");
        assert_eq!(base64("a"), "YQ==");
        assert_eq!(rot13("rm -Rf"), "ez -Es");
        assert_eq!(
            (ansi("r"), octal("r"), hex("rm")),
            ("\\x72".into(), "\\162".into(), "726d".into())
        );
        assert_eq!(half(".env"), Some((".e", "nv")));
        assert_eq!((half("a"), half("")), (None, None));
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
