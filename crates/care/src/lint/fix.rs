//! How a finding is mended: edits of the text at spans, or a bit of a script.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// A few edits that mend one finding and change nothing else.
///
/// ```
/// use anyhook_care::lint::{Fix, apply};
///
/// let Fix { what, edits, executable } = &Fix::one("write `deny`", 0..4, "deny");
/// assert_eq!((what.as_str(), edits.len(), executable), ("write `deny`", 1, &None));
/// assert_eq!(apply("dney it", [&Fix::one("write `deny`", 0..4, "deny")].into_iter()), "deny it");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a fragment.
    pub what: String,
    /// The bytes of the text that go, and what comes in their place.
    pub edits: Vec<(Range<usize>, String)>,
    /// A file that becomes executable for all who may read it; the caller makes sure that it is of the package.
    pub executable: Option<PathBuf>,
}

impl Fix {
    /// Makes a fix of one edit.
    pub fn one(what: &str, span: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            what: what.to_owned(),
            edits: vec![(span, text.into())],
            executable: None,
        }
    }

    /// Makes a fix that sets the executable bit of a file and changes no text.
    pub(super) fn executable(file: &Path) -> Self {
        Self {
            what: "set the executable bit of its script".to_owned(),
            edits: Vec::new(),
            executable: Some(file.to_owned()),
        }
    }
}

/// Carries fixes out. Of two edits that overlap the earlier one stands: the next check finds the other again. An edit
/// that does not fall between characters of the text is left out.
pub fn apply<'f>(text: &str, fixes: impl Iterator<Item = &'f Fix>) -> String {
    let mut edits: Vec<&(Range<usize>, String)> = fixes.flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits.dedup();
    let mut mended = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        let (Some(kept), Some(_)) = (text.get(at..span.start), text.get(span.clone())) else {
            continue;
        };
        mended.push_str(kept);
        mended.push_str(new);
        at = span.end;
    }
    mended.push_str(text.get(at..).unwrap_or_default());
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_edits_that_overlap_the_earlier_one_stands() {
        let fixes = [Fix::one("b", 2..5, "B"), Fix::one("a", 0..3, "A")];
        assert_eq!(apply("abcdef", fixes.iter()), "Adef");
    }

    #[test]
    fn an_edit_inside_a_character_or_behind_the_end_is_left_out() {
        let fixes = [Fix::one("in", 1..2, "?"), Fix::one("behind", 7..9, "?")];
        assert_eq!(apply("üb", fixes.iter()), "üb");
    }

    #[test]
    fn the_same_edit_twice_is_made_once() {
        let fixes = [Fix::one("x", 0..0, "1"), Fix::one("x", 0..0, "1")];
        assert_eq!(apply("2", fixes.iter()), "12");
    }
}
