//! Escapes: what follows a backslash outside a class.

use super::{Last, Read, Reader, refused, unknown, wrong};

impl Reader<'_> {
    /// Reads what follows a `\`.
    pub(super) fn escape(&mut self, at: usize) -> Read {
        let Some((_, char)) = self.chars.next() else {
            return Err(wrong(
                at,
                "nothing follows the `\\`",
                "a backslash that means itself is `\\\\`",
            ));
        };
        match char {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 't' | 'n' | 'r' | 'f' | 'a' => {
                self.put(&format!("\\{char}"), Last::Atom)
            }
            'h' => self.put(r"[\t ]", Last::Atom),
            'H' => self.put(r"[^\t ]", Last::Atom),
            'e' => self.put(r"\x1b", Last::Atom),
            'x' => {
                let char = self.hex(at)?;
                self.literal(char)
            }
            'b' | 'B' | 'A' => {
                self.out.push('\\');
                self.out.push(char);
                self.last = Last::Place;
                // `\b{start}` is a place of its own in our engine.
                match self.chars.peek() {
                    Some((at, '{')) => Err(wrong(
                        *at,
                        "there is nothing here to repeat",
                        "`\\{` is a brace",
                    )),
                    _ => Ok(()),
                }
            }
            'z' => self.put(r"\z", Last::End),
            'Z' => self.end(),
            'Q' => self.quoted(at),
            '<' | '>' => Err(wrong(
                at,
                format!(
                    "`\\{char}` is the sign `{char}` in the original, and elsewhere the edge of a word"
                ),
                "the edge of a word is `\\b`",
            )),
            '1'..='9' | 'g' | 'k' => Err(refused(at, "a back reference")),
            other if other.is_ascii_alphanumeric() => Err(unknown(at, &format!("`\\{other}`"))),
            other if other.is_ascii() => self.literal(other),
            _ => Err(wrong(
                at,
                "this character needs no `\\`",
                "write it as it is",
            )),
        }
    }

    /// Reads `\x1f` or `\x{1f}`.
    pub(super) fn hex(&mut self, at: usize) -> Read<char> {
        let rest = self.rest(at + 2);
        let (digits, length) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((digits, _)) => (digits, digits.len() + 2),
            None => (rest.get(..2).unwrap_or_default(), 2),
        };
        let is_hex = !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_hexdigit());
        let code = u8::from_str_radix(digits, 16)
            .ok()
            .filter(|code| is_hex && code.is_ascii());
        let Some(code) = code else {
            return Err(wrong(
                at,
                "this is no ASCII character",
                "write `\\x` and two digits, or the character itself",
            ));
        };
        self.skip_to(at + 2 + length);
        Ok(char::from(code))
    }

    /// Reads `\Qmcp.server\E`.
    fn quoted(&mut self, at: usize) -> Read {
        let rest = self.rest(at + 2);
        let (inside, length) = match rest.split_once("\\E") {
            Some((inside, _)) => (inside, inside.len() + 2),
            None => (rest, rest.len()),
        };
        self.skip_to(at + 2 + length);
        inside.chars().try_for_each(|char| self.literal(char))
    }
}
