//! The size limit: what is longer goes to a private file, and what is left of it says so.

use std::path::Path;

use crate::files;

/// Fits a text to a limit: returns what the model reads and the file in which all of it is, nothing for a text that fits, or why
/// it cannot be said at all.
pub(super) fn sized(
    text: &str,
    limit: Option<usize>,
    folder: Option<&Path>,
) -> Result<Option<(String, String)>, String> {
    let Some(limit) = limit.filter(|limit| text.len() > *limit) else {
        return Ok(None);
    };
    let long = format!(
        "its text is {} bytes long, and {limit} are the most",
        text.len()
    );
    let Some(folder) = folder else {
        return Err(format!("{long}; there is no folder for the rest"));
    };
    let file = files::keep_value(folder, text.as_bytes())
        .map_err(|error| format!("{long}; {}", files::with_causes(&error)))?;
    let file = file.to_string_lossy().into_owned();
    match cut(text, limit, &file) {
        Some(text) => Ok(Some((text, file))),
        None => Err(format!("{long}; not even the name of its file fits")),
    }
}

/// How a text ends that is not all of what its hook printed.
const NOT_KEPT: &str = " bytes more, which were not kept]";

/// Adds to a text how much more its hook printed than could be kept.
pub(crate) fn not_kept(text: &str, more: u64) -> String {
    let between = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{between}[anyhook: the hook printed {more}{NOT_KEPT}")
}

/// Keeps as many whole lines as fit beside the words that say what is missing. A text that is one long line, as the JSON of
/// most linters is, is cut in the middle: a part of it says more than its size does.
fn cut(text: &str, limit: usize, file: &str) -> Option<String> {
    let what = if text.ends_with(NOT_KEPT) {
        "what was kept of it"
    } else {
        "the whole text"
    };
    let told = |kept: usize| {
        format!(
            "[anyhook: the first {kept} of {} bytes; {what} is in the file {file}]",
            text.len()
        )
    };
    // The words are longest where most is kept, and they stand on a line of their own.
    let room = limit.checked_sub(told(limit).len() + 1)?;
    let head = text
        .get(..text.floor_char_boundary(room))
        .unwrap_or_default();
    let (head, between) = match head.rfind('\n') {
        Some(end) => (head.get(..=end).unwrap_or_default(), ""),
        None if head.is_empty() => ("", ""),
        None => (head, "\n"),
    };
    Some(format!("{head}{between}{}", told(head.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_over_the_limit_becomes_its_first_whole_lines_with_the_file_and_the_size() {
        let text = "one\ntwo\nthree\nfour\n".repeat(20);
        let cut = cut(&text, 100, "/f").unwrap();
        assert_eq!(
            cut,
            "one\ntwo\nthree\nfour\none\ntwo\n[anyhook: the first 27 of 380 bytes; the whole text is in the file /f]"
        );
    }

    #[test]
    fn a_file_that_does_not_hold_all_that_a_hook_printed_is_not_called_the_whole_text() {
        let text = not_kept(&"a line\n".repeat(100), 4096);
        assert!(
            text.ends_with(
                "a line\n[anyhook: the hook printed 4096 bytes more, which were not kept]"
            )
        );
        assert_eq!(
            not_kept("x", 1),
            "x\n[anyhook: the hook printed 1 bytes more, which were not kept]"
        );
        let cut = cut(&text, 100, "/f").unwrap();
        let last = cut.lines().last().unwrap();
        let whole = text.len();
        assert_eq!(
            last,
            format!(
                "[anyhook: the first 21 of {whole} bytes; what was kept of it is in the file /f]"
            )
        );
    }

    #[test]
    fn one_long_line_is_cut_between_two_characters() {
        let kept = "ä".repeat(63);
        assert_eq!(
            cut(&"ä".repeat(500), 200, "/f").unwrap(),
            format!(
                "{kept}\n[anyhook: the first 126 of 1000 bytes; the whole text is in the file /f]"
            )
        );
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_is_never_longer_than_the_limit(text in "(?s).{0,400}", limit in 0_usize..300) {
            match cut(&text, limit, "/state/values/5f2a") {
                Some(cut) => assert!(cut.len() <= limit),
                None => assert!(limit < 100),
            }
        }
    }
}
