//! `{a,b}` and `{1..3}` in a word of a line: one word that becomes several.

use super::tree::{RawWord, WordPiece};
use crate::braces::expand as expanded;

/// The most words that one word may become.
const MOST: usize = 256;
/// A word of more pieces is not known.
const SHORT: usize = 1 << 15;
/// What stands in the text for the pieces that are no bare text, each by its place.
const FIRST: char = '\u{F0000}';
/// What stands in it for some number, and for what cannot be known.
const NUMBER: char = '\u{FFFFC}';
const UNKNOWN: char = '\u{FFFFD}';

fn is_mark(letter: char) -> bool {
    (FIRST..=UNKNOWN).contains(&letter)
}

/// Tells whether a word has braces that the shell may fill in.
pub(super) fn are_in(raw: &[WordPiece]) -> bool {
    raw.iter()
        .any(|piece| matches!(piece, WordPiece::Bare(text) if text.contains('{')))
}

/// Returns the words that a word becomes, or none if they are too many or not known.
pub(super) fn expand(raw: &[WordPiece]) -> Option<Vec<RawWord>> {
    let mut text = String::new();
    if raw.len() > SHORT {
        return None;
    }
    for (mark, piece) in (FIRST..NUMBER).zip(raw) {
        match piece {
            WordPiece::Bare(own) if own.contains(is_mark) => return None,
            WordPiece::Bare(own) => text.push_str(own),
            _ => text.push(mark),
        }
    }
    let words = expanded(&text, MOST, sequence)?;
    words.iter().map(|word| pieces(word, raw)).collect()
}

/// Makes pieces of a text again.
fn pieces(text: &str, raw: &[WordPiece]) -> Option<RawWord> {
    let mut word = RawWord::new();
    for letter in text.chars() {
        match (letter, word.last_mut()) {
            (UNKNOWN, _) => return None,
            (NUMBER, _) => word.extend(["[0-9]", "*"].map(|it| WordPiece::Pattern(it.to_owned()))),
            (mark, _) if is_mark(mark) => {
                let at = u32::from(mark) - u32::from(FIRST);
                word.push(raw.get(usize::try_from(at).ok()?)?.clone());
            }
            (letter, Some(WordPiece::Bare(text))) => text.push(letter),
            (letter, _) => word.push(WordPiece::Bare(letter.into())),
        }
    }
    Some(word)
}

/// Reads `1..3`: each of its words is a number. Others, such as `a..c` and `1..10..2`, are no words that are known.
fn sequence(text: &str) -> Option<String> {
    let (from, to) = text.split_once("..")?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    Some(
        if is_number(from) && is_number(to) {
            NUMBER
        } else {
            UNKNOWN
        }
        .into(),
    )
}
