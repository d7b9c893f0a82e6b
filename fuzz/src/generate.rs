//! Inputs that are made of a corpus by small changes, the same for the same numbers.
//!
//! Each input is a function of the corpus, a seed and its number, so that one that breaks a law can be made again alone.

use std::ops::Range;
use std::sync::LazyLock;

use fastrand::Rng;

use crate::targets::spelled;

/// An input is never longer: laws do not depend on size, and a slow input is a seldom one.
const LONGEST: usize = 16 * 1024;

/// Pieces that break readers of any form, and those that no file of words holds.
static NASTY: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let bytes: [&[u8]; 7] = [
        b"\0",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        b"\r\n",
        b"\t",
        b"\x1b[31m",
    ];
    let bytes = bytes.into_iter().map(<[u8]>::to_vec);
    let words = spelled(include_str!("words/any.txt"));
    words.into_iter().chain(bytes).collect()
});

/// Makes one input: a seed with up to eight changes. Each puts a piece into the place of a stretch.
pub fn input(seeds: &[Vec<u8>], words: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut dice = Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut bytes = dice.choice(seeds).cloned().unwrap_or_default();
    for _ in 0..=dice.usize(..8) {
        let place = stretch(&bytes, &mut dice);
        let own = bytes.get(place.clone()).unwrap_or_default();
        let piece = match dice.usize(..6) {
            0 => Vec::new(),
            1 => own.repeat(2),
            2 => nested(own, &mut dice),
            3 => dice.choice(&*NASTY).cloned().unwrap_or_default(),
            4 => {
                let other = dice.choice(seeds).map_or(&[][..], Vec::as_slice);
                let from = stretch(other, &mut dice);
                other.get(from).unwrap_or_default().to_vec()
            }
            _ => dice.choice(words).cloned().unwrap_or_default(),
        };
        bytes.splice(place, piece);
        bytes.truncate(LONGEST);
    }
    bytes
}

/// A stretch in many brackets: depth is what recursion fails at.
fn nested(inner: &[u8], dice: &mut Rng) -> Vec<u8> {
    const PAIRS: [[&str; 2]; 6] = [
        ["[", "]"],
        ["{\"a\":", "}"],
        ["(", ")"],
        ["!", ""],
        ["- ", ""],
        ["[", ""],
    ];
    let [open, close] = dice.choice(PAIRS).unwrap_or_default();
    let deep = dice.choice([2, 5, 60, 130, 1_500]).unwrap_or(2);
    let around = [open, close].map(|bracket| bracket.repeat(deep));
    [around[0].as_bytes(), inner, around[1].as_bytes()].concat()
}

/// A place in the input: between two bytes, a word, a short stretch, or everything behind it.
fn stretch(bytes: &[u8], dice: &mut Rng) -> Range<usize> {
    let at = dice.usize(..=bytes.len());
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(*byte);
    let (before, after) = bytes.split_at(at);
    match dice.usize(..8) {
        0 => at..at,
        1 => at..bytes.len(),
        2..5 => {
            let start = at - before.iter().rev().take_while(is_word).count();
            start..at + after.iter().take_while(is_word).count()
        }
        _ => at..at + dice.usize(..=after.len().min(24)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_can_be_made_again_by_its_number() {
        let seeds = [b"{\"a\": [1, true]}".to_vec(), b"name: x\n".to_vec()];
        let made = |number| input(&seeds, &[b"deny".to_vec()], 7, number);
        let mut all: Vec<Vec<u8>> = (0..200).map(made).collect();
        assert_eq!(all, (0..200).map(made).collect::<Vec<_>>());
        all.sort();
        all.dedup();
        assert!(all.len() > 150, "{}", all.len());
        assert!((0..500).any(|number| !input(&[], &[], 1, number).is_empty()));
    }
}
