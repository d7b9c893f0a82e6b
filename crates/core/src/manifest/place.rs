//! Places in a text, for people: lines and columns.

use std::ops::Range;

/// A stretch of the text, and where it begins for a person.
///
/// ```
/// use anyhook_core::manifest::{Manifest, Place};
///
/// let finding = Manifest::parse("{\n  'version': 1\n}").unwrap_err();
/// let Place { line, column, .. } = finding.at;
/// assert_eq!((line, column), (2, 3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The bytes of the text as it was given, a byte order mark included.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; a byte order mark is no column.
    pub column: u32,
}

impl Place {
    /// Returns the place of a part of a text that stands here in quotes. Where the text is written with escapes, or
    /// goes over several lines, no place in it is known, and the place is that of the whole.
    ///
    /// ```
    /// use anyhook_core::manifest::Place;
    ///
    /// // `"when": "size(a) >"` in a file, and the place of the `>` in it.
    /// let text = Place { span: 8..19, line: 1, column: 9 };
    /// let wrong = text.within("size(a) >", &(8..9));
    /// assert_eq!((wrong.span, wrong.column), (17..18, 18));
    /// ```
    pub fn within(&self, text: &str, part: &Range<usize>) -> Self {
        let before = text.get(..part.start);
        let is_plain = self.span.len() == text.len() + 2 && !text.contains(['\n', '\r']);
        let (true, Some(before)) = (is_plain, before) else {
            return self.clone();
        };
        let start = self.span.start + 1;
        let columns = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
        Self {
            span: start + part.start..start + part.end.max(part.start + 1).min(text.len() + 1),
            line: self.line,
            column: self.column.saturating_add(1).saturating_add(columns),
        }
    }
}

/// The lines of a text: where they begin, and which characters are longer than a byte.
///
/// Both are looked up by bisection: a hostile file of one long line with thousands of entries costs no more than another.
///
/// ```
/// use anyhook_core::manifest::LineIndex;
///
/// let text = "{\n  \"ä\": 1 }";
/// let place = LineIndex::new(0, text).place(10..11);
/// assert_eq!((place.line, place.column, place.span), (2, 8, 10..11));
/// ```
#[derive(Debug)]
pub struct LineIndex {
    /// How many bytes of a byte order mark stand before the text.
    mark: usize,
    /// The first byte of each line.
    starts: Vec<usize>,
    /// For each character of several bytes: where it ends, and how many bytes more than characters there are up to there.
    wide: Vec<(usize, usize)>,
}

impl LineIndex {
    /// Looks through the text that follows a byte order mark of `mark` bytes.
    pub fn new(mark: usize, body: &str) -> Self {
        let mut lines = Self {
            mark,
            starts: vec![0],
            wide: Vec::new(),
        };
        // Most texts need no look at each byte.
        if body.is_ascii() && !body.contains('\r') {
            let ends = body.match_indices('\n');
            lines.starts.extend(ends.map(|(at, _)| at + 1));
            return lines;
        }
        let mut surplus = 0;
        for (at, byte) in body.bytes().enumerate() {
            match byte {
                b'\n' => lines.starts.push(at + 1),
                // A carriage return alone ends a line too; one before a line feed is part of that ending.
                b'\r' if body.as_bytes().get(at + 1) != Some(&b'\n') => lines.starts.push(at + 1),
                // The first byte of a character of two, three or four: so many ones stand before its first zero.
                0xC0.. => {
                    let width = byte.leading_ones() as usize;
                    surplus += width - 1;
                    lines.wide.push((at + width, surplus));
                }
                _ => {}
            }
        }
        lines
    }

    /// Finds the place of a stretch of the body.
    pub fn place(&self, span: Range<usize>) -> Place {
        let line = self.starts.partition_point(|start| *start <= span.start);
        let start = line
            .checked_sub(1)
            .and_then(|line| self.starts.get(line))
            .copied()
            .unwrap_or(0);
        let bytes = span.start.saturating_sub(start);
        let column =
            bytes.saturating_sub(self.surplus(span.start).saturating_sub(self.surplus(start)));
        Place {
            span: span.start + self.mark..span.end + self.mark,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }

    fn surplus(&self, at: usize) -> usize {
        let before = self.wide.partition_point(|(end, _)| *end <= at);
        before
            .checked_sub(1)
            .and_then(|last| self.wide.get(last))
            .map_or(0, |(_, surplus)| *surplus)
    }
}
