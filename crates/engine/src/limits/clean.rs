//! Cleaning a hook's text before a model or a person reads it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::text::moves_or_hides;

/// Removes what no person sees and what a terminal obeys: control characters but tab and line ends, whole escape
/// sequences of terminals, marks that turn the direction of text, and the invisible tags that can spell words.
///
/// Joiners and the marks of emoji stay: languages are written with them.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_removed) {
        return Cow::Borrowed(text);
    }
    let text = match &*SEQUENCES {
        Some(sequences) => sequences.replace_all(text, ""),
        None => Cow::Borrowed(text),
    };
    Cow::Owned(text.chars().filter(|c| !is_removed(*c)).collect())
}

/// What a terminal obeys: a sequence to its last letter, and a text for the terminal to its end on the same line. A sequence in such
/// a text ends it.
static SEQUENCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let sequence = r"(\x1b\[|\x{9b})[ -?]*[@-~]?";
    let text = r"\x1b[\]PX^_][^\n\x07\x{9c}\x1b]*(\x07|\x{9c}|\x1b\\|\x1b\[[ -?]*[@-~]?)";
    Regex::new(&format!("{sequence}|{text}")).ok()
});

/// Tells whether a letter goes; joiners and the marks of emoji stay.
fn is_removed(letter: char) -> bool {
    moves_or_hides(letter) && !matches!(letter, '\t' | '\n' | '\r' | '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invisible_goes_and_what_languages_need_stays() {
        let cases = [
            ("plain\ttext\r\n", "plain\ttext\r\n"),
            ("a\u{0}b\u{7}c\u{7f}d\u{85}e", "abcde"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{9b}2Jgone", "gone"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;a\u{1b}[1mb", "b"),
            ("user\u{202e}txt.exe", "usertxt.exe"),
            ("hi\u{e0049}\u{e0047}", "hi"),
            (
                "می\u{200c}خواهم 👩\u{200d}💻 ❤\u{fe0f}",
                "می\u{200c}خواهم 👩\u{200d}💻 ❤\u{fe0f}",
            ),
        ];
        for (text, kept) in cases {
            assert_eq!(clean(text), kept, "{text:?}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_swallows_nothing() {
        assert_eq!(
            clean("\u{1b}]never ended\nnext line"),
            "]never ended\nnext line"
        );
        assert_eq!(clean("\u{1b}[12;\nnext"), "\nnext");
        assert_eq!(clean("\u{1b}"), "");
        assert_eq!(clean("\u{1b}[31"), "");
    }

    #[test]
    fn cleaning_twice_is_cleaning_once() {
        for text in [
            "\u{1b}\u{1b}[[mx",
            "\u{1b}\u{9b}1;2y",
            "\u{1b}]a\u{1b}]b\u{7}c",
            "\u{1b}\u{0}[31mz",
        ] {
            let once = clean(text).into_owned();
            assert_eq!(clean(&once), once);
            assert!(!once.contains('\u{1b}'), "{text:?}");
        }
    }
}
