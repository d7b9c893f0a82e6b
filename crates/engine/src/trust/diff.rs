//! What a person sees of a change: stored copies, and the difference to what is there now.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use similar::TextDiff;

use super::Change;
use crate::text::visible;

const LONGEST_COPY: usize = 256 * 1024;
const ALL_COPIES: usize = 8 * 1024 * 1024;
/// A text made to be hard to compare gets a coarse diff after this time, not an endless one.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(super) struct Copies {
    pub(super) texts: BTreeMap<String, String>,
    length: usize,
}

impl Copies {
    /// Keeps a copy of a text that is not too long; a diff of another one says only that it changed.
    pub(super) fn add(&mut self, name: String, content: &[u8]) {
        let fits = content.len() <= LONGEST_COPY && self.length + content.len() <= ALL_COPIES;
        if let (true, Ok(text)) = (fits, str::from_utf8(content)) {
            self.length += content.len();
            self.texts.insert(name, text.to_owned());
        }
    }
}

/// Shows one change; where there is no text to compare with, that.
pub(super) fn shown(change: &Change, before: Option<&str>, now: Option<&[u8]>) -> String {
    let now = now.unwrap_or_default();
    let name = &change.file;
    let texts = match (before, str::from_utf8(now)) {
        (Some(before), Ok(now)) if now.len() <= LONGEST_COPY => Some((before, now)),
        (_, _) => None,
    };
    let mut text = format!("# {change}\n");
    if let Some((before, now)) = texts {
        let (before, now) = (visible(before), visible(now));
        let mut config = TextDiff::configure();
        let diff = config.timeout(PATIENCE).diff_lines(&before, &now);
        let (a, b) = (format!("trusted/{name}"), format!("now/{name}"));
        text.push_str(&diff.unified_diff().header(&a, &b).to_string());
    } else {
        let length = now.len();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "(no copy to compare with; {length} bytes now)");
    }
    text
}
