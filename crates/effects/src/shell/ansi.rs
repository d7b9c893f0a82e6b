//! `$'…'`: the meaning of its backslash escapes.

use super::scan::{Found, Unreadable};

/// Decodes the text between `$'` and `'`.
pub(super) fn decode(text: &str) -> Found<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            push(&mut bytes, letter);
            continue;
        }
        let Some(next) = letters.next() else { break };
        match next {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => push(&mut bytes, next),
            'c' => {
                let control = letters.next().ok_or(Unreadable)?;
                let code = u8::try_from(control).map_err(|_| Unreadable)?;
                bytes.push(code.to_ascii_uppercase() & 0x1f);
            }
            '0'..='7' => {
                let first = next.to_digit(8).unwrap_or_default();
                let code = digits(&mut letters, first, 8, 2);
                bytes.push(u8::try_from(code & 0xff).map_err(|_| Unreadable)?);
            }
            'x' if letters.peek().is_some_and(char::is_ascii_hexdigit) => {
                let code = digits(&mut letters, 0, 16, 2);
                bytes.push(u8::try_from(code & 0xff).map_err(|_| Unreadable)?);
            }
            'x' => return Err(Unreadable),
            'u' | 'U' => {
                let most = if next == 'u' { 4 } else { 8 };
                if !letters.peek().is_some_and(char::is_ascii_hexdigit) {
                    return Err(Unreadable);
                }
                let code = digits(&mut letters, 0, 16, most);
                push(&mut bytes, char::from_u32(code).ok_or(Unreadable)?);
            }
            other => {
                bytes.push(b'\\');
                push(&mut bytes, other);
            }
        }
    }
    // A NUL ends the text: bash drops what follows.
    if bytes.contains(&0) {
        return Err(Unreadable);
    }
    String::from_utf8(bytes).map_err(|_| Unreadable)
}

fn push(bytes: &mut Vec<u8>, letter: char) {
    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads at most so many more digits.
fn digits(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    mut code: u32,
    base: u32,
    most: usize,
) -> u32 {
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(base)) else {
            break;
        };
        code = code.wrapping_mul(base).wrapping_add(digit);
        letters.next();
    }
    code
}
