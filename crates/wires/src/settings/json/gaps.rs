//! How a text begins its lines.

use super::part;

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
