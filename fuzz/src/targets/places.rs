//! Whether a finding points into the text that it is about.

use anyhook::core::manifest::{Finding, Place};

/// A finding has something to say, on one line, and a place that is in the text.
pub(super) fn finding(text: &str, finding: &Finding) {
    let Finding { message, at, .. } = finding;
    assert!(
        !message.is_empty() && !message.contains(['\n', '\r', '\u{1b}']),
        "{message:?}"
    );
    place(text, at, message);
}

/// A place is a stretch of the text between two characters, and its line and column are those that an editor shows.
pub(super) fn place(text: &str, at: &Place, what: &str) {
    assert!(
        text.get(at.span.clone()).is_some(),
        "{what}: {:?} of {} bytes",
        at.span,
        text.len()
    );
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => (3, body),
        None => (0, text),
    };
    if body.contains('\u{feff}') {
        // The parser of YAML gives a mark in the middle no width.
        return;
    }
    let Some(before) = at
        .span
        .start
        .checked_sub(mark)
        .and_then(|start| body.get(..start))
    else {
        assert_eq!((at.line, at.column), (1, 1), "{what}");
        return;
    };
    // A carriage return ends a line, and a line feed behind it ends the same one.
    let (mut line, mut column) = (1_u32, 1_u32);
    let mut chars = before
        .chars()
        .chain(body.get(before.len()..).unwrap_or_default().chars().take(1))
        .peekable();
    for _ in 0..before.chars().count() {
        let (char, next) = (chars.next(), chars.peek());
        if char == Some('\n') || char == Some('\r') && next != Some(&'\n') {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    assert_eq!((at.line, at.column), (line, column), "{what}");
}
