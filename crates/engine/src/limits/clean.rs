//! Cleaning a hook's text before a model or a person reads it.

use std::borrow::Cow;

/// Removes what no person sees and what a terminal obeys: control characters but tab and line ends, whole escape
/// sequences of terminals, marks that turn the direction of text, and the invisible tags that can spell words.
///
/// Joiners and the marks of emoji stay: languages are written with them.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_removed) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_until_final(&mut rest),
            letter if is_removed(letter) => {}
            letter => kept.push(letter),
        }
    }
    Cow::Owned(kept)
}

fn is_removed(letter: char) -> bool {
    let is_control = letter.is_control() && !matches!(letter, '\t' | '\n' | '\r');
    is_control
        || matches!(letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Skips what follows an escape: a control sequence up to its last letter, a string up to its end, else nothing, because
/// of anything else the letters can be read.
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    match rest.clone().next() {
        Some('[') => {
            rest.next();
            skip_until_final(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(rest),
        Some(_) | None => {}
    }
}

/// Skips parameters and the letter that ends them. What can be no part of a sequence ends it and stays.
fn skip_until_final(rest: &mut std::str::Chars<'_>) {
    while let Some(letter) = rest.clone().next() {
        match letter {
            '\u{20}'..='\u{3f}' => {
                rest.next();
            }
            '\u{40}'..='\u{7e}' => {
                rest.next();
                return;
            }
            _ => return,
        }
    }
}

/// Skips a string that is ended by a bell or an escape. One without an end is text, and only its mark goes: what follows
/// it is not swallowed.
fn skip_string(rest: &mut std::str::Chars<'_>) {
    let text = rest.as_str();
    let line = text.find('\n').unwrap_or(text.len());
    let end = text.find(['\u{7}', '\u{9c}', '\u{1b}']);
    let Some(end) = end.filter(|end| *end < line) else {
        return;
    };
    let after = text.get(end..).unwrap_or_default();
    let mark = if after.starts_with("\u{1b}\\") {
        2
    } else {
        after.chars().next().map_or(0, char::len_utf8)
    };
    // A bare escape begins the next sequence, and is looked at again.
    let keeps = after.starts_with('\u{1b}') && mark == 1;
    let skipped = if keeps { end } else { end + mark };
    *rest = text.get(skipped..).unwrap_or_default().chars();
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
