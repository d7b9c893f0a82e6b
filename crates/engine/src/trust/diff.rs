//! What a person sees of a change: the difference between the trusted copy and what is there now.

use std::fmt::Write as _;
use std::time::Duration;

use similar::TextDiff;

use super::PinDifference;
use crate::text::visible;

const LONGEST_COPY: usize = 256 * 1024;
/// A text made to be hard to compare gets a coarse diff after this time, not an endless one.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows one change; where there is no text to compare with, that.
pub(super) fn shown(change: &PinDifference, before: Option<&[u8]>, now: Option<&[u8]>) -> String {
    let now = now.unwrap_or_default();
    let name = &change.file;
    let short = |bytes: &&[u8]| bytes.len() <= LONGEST_COPY;
    let before = before
        .filter(short)
        .and_then(|before| str::from_utf8(before).ok());
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
