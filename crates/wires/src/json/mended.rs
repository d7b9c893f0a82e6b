//! Mending text that is almost JSON: half surrogates and raw control characters inside strings.

use std::fmt::Write;

/// A text in which every string can be read, and where each of its bytes came from.
pub(super) struct Mended {
    text: String,
    /// Where a changed piece ends: in the new text, and in the old one. Ascending.
    shifts: Vec<(usize, usize)>,
    /// Where the first raw control character stood.
    control: Option<usize>,
}

impl Mended {
    /// Mends a text; one that needs nothing stays as it is.
    pub(super) fn new(old: &str) -> Self {
        let mut mending = Mending {
            old,
            copied: 0,
            made: Self {
                text: String::with_capacity(old.len()),
                shifts: Vec::new(),
                control: None,
            },
        };
        let bytes = old.as_bytes();
        let mut is_string = false;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += match (is_string, byte) {
                (_, b'"') => {
                    is_string = !is_string;
                    1
                }
                (true, b'\\') => mending.escape(at),
                (true, 0..=0x1f) => mending.control(at, byte),
                (true | false, _) => 1,
            };
        }
        mending.copy_to(old.len());
        mending.made
    }

    /// Returns the mended text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where a raw control character stood in a string, which is no JSON to any reader; half a surrogate pair is
    /// to many.
    pub(super) fn control(&self) -> Option<usize> {
        self.control
    }

    /// Returns the place in the old text that an offset of the new one came from.
    pub(super) fn origin(&self, at: usize) -> usize {
        let after = self.shifts.partition_point(|(new, _)| *new <= at);
        match after.checked_sub(1).and_then(|last| self.shifts.get(last)) {
            Some((new, old)) => old + (at - new),
            None => at,
        }
    }

    /// Returns line and column of an error, from 1, in the old text.
    pub(super) fn place(&self, old: &str, error: &serde_json::Error) -> (usize, usize) {
        let line = error.line().saturating_sub(1);
        let lines = self.text.split_inclusive('\n').take(line);
        let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        place(old, self.origin(at))
    }
}

/// Returns line and column, from 1, of a byte offset; columns count characters.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let line = String::from_utf8_lossy(before).matches('\n').count();
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let last = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
    (line + 1, last.chars().count() + 1)
}

struct Mending<'a> {
    old: &'a str,
    copied: usize,
    made: Mended,
}

impl Mending<'_> {
    fn copy_to(&mut self, at: usize) {
        let piece = self.old.get(self.copied..at).unwrap_or_default();
        self.made.text.push_str(piece);
        self.copied = at;
    }

    fn replace(&mut self, at: usize, length: usize, code: u16) {
        self.copy_to(at);
        // Writing into a String cannot fail.
        let _ = write!(self.made.text, "\\u{code:04x}");
        self.copied = at + length;
        self.made.shifts.push((self.made.text.len(), self.copied));
    }

    fn control(&mut self, at: usize, byte: u8) -> usize {
        self.made.control.get_or_insert(at);
        self.replace(at, 1, u16::from(byte));
        1
    }

    /// Replaces half of a surrogate pair; returns the length of the escape.
    fn escape(&mut self, at: usize) -> usize {
        match self.code(at) {
            Some(0xD800..=0xDBFF) => {
                if matches!(self.code(at + 6), Some(0xDC00..=0xDFFF)) {
                    return 12;
                }
                self.replace(at, 6, 0xFFFD);
                6
            }
            Some(0xDC00..=0xDFFF) => {
                self.replace(at, 6, 0xFFFD);
                6
            }
            Some(_) => 6,
            // Whatever stands behind the backslash is left alone: a wrong escape is refused by the strict reading.
            None => 2,
        }
    }

    /// Reads the code of an escape: `\u` and four digits.
    fn code(&self, at: usize) -> Option<u16> {
        let digits = self.old.get(at..at + 6)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        u16::from_str_radix(digits, 16).ok()
    }
}
