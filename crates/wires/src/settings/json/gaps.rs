//! What stands between values: spaces, commas, comments, the beginnings of lines.

use std::ops::Range;

use super::part;

/// What may stand between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Comma,
    /// A comment up to the end of its line.
    Line,
    /// A comment between marks.
    Block,
}

#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// Returns the commas and comments of a place where no value stands.
pub(super) fn pieces(text: &str, gap: Range<usize>) -> impl Iterator<Item = Piece> {
    let mut at = gap.start;
    std::iter::from_fn(move || {
        loop {
            let rest = part(text, at..gap.end);
            let first = rest.chars().next()?;
            let (kind, length) = if first == ',' {
                (Kind::Comma, 1)
            } else if rest.starts_with("//") {
                (Kind::Line, rest.find('\n').unwrap_or(rest.len()))
            } else if rest.starts_with("/*") {
                (
                    Kind::Block,
                    rest.find("*/").map_or(rest.len(), |end| end + 2),
                )
            } else {
                at += first.len_utf8();
                continue;
            };
            let range = at..at + length;
            at = range.end;
            return Some(Piece { kind, range });
        }
    })
}

pub(super) fn comma(text: &str, gap: Range<usize>) -> Option<usize> {
    let mut pieces = pieces(text, gap);
    let comma = pieces.find(|piece| piece.kind == Kind::Comma)?;
    Some(comma.range.start)
}

/// Returns where the comments end that stand on the same line, and whether the last one takes the rest of it.
pub(super) fn rest_of_line(text: &str, gap: Range<usize>) -> (usize, bool) {
    let mut place = (gap.start, false);
    for piece in pieces(text, gap) {
        let between = part(text, place.0..piece.range.start);
        let comment = part(text, piece.range.clone());
        if piece.kind == Kind::Comma || between.contains('\n') || comment.contains('\n') {
            break;
        }
        // A carriage return belongs to the end of the line.
        let length = comment.trim_end_matches('\r').len();
        place = (piece.range.start + length, piece.kind == Kind::Line);
    }
    place
}

/// Tells whether a stretch of JSON holds a comment.
pub(in crate::settings) fn has_comment(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' => return true,
            _ => {}
        }
    }
    false
}

/// Returns how lines end in this text.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    part(text, 0..at)
        .rfind('\n')
        .map_or(0, |newline| newline + 1)
}

/// Returns what a line is indented by.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = part(text, line_start(text, at)..at);
    let length = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..length).unwrap_or_default()
}

/// Returns by how much one level is indented: as the first indented line is, else two spaces.
pub(super) fn unit(text: &str) -> &str {
    let indented = text.lines().find_map(|line| {
        let length = line.len() - line.trim_start_matches([' ', '\t']).len();
        let is_value = line.get(length..)?.starts_with(['"', '{', '[', '}', ']']);
        (length > 0 && is_value)
            .then(|| line.get(..length))
            .flatten()
    });
    indented.unwrap_or("  ")
}
