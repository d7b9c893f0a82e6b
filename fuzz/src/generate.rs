//! Inputs that are made of a corpus by small changes, the same for the same numbers.
//!
//! Each input is a function of the corpus, a seed and its number, so that one that breaks a law can be made again alone.

use std::ops::Range;
use std::sync::LazyLock;

use fastrand::Rng;

use crate::targets::spelled;

/// An input is never longer: laws do not depend on size, and a slow input is a seldom one.
const LONGEST: usize = 16 * 1024;

/// Pieces that no file of words holds.
const BYTES: &[&[u8]] = &[
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b"\r",
    b"\r\n",
    b"\t",
    b"\x1b[31m",
];

/// Pieces that break readers of any form.
static NASTY: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let bytes = BYTES.iter().map(|piece| piece.to_vec());
    spelled(include_str!("words/any.txt"))
        .into_iter()
        .chain(bytes)
        .collect()
});

/// The dice for one input: another seed or number throws other numbers.
pub fn dice(seed: u64, number: u64) -> Rng {
    Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn range(dice: &mut Rng, end: usize, most: usize) -> Range<usize> {
    let start = dice.usize(..=end);
    start..start + dice.usize(..=most.min(end - start))
}

/// Makes one input: a seed with up to eight changes.
pub fn input(seeds: &[Vec<u8>], words: &[Vec<u8>], dice: &mut Rng) -> Vec<u8> {
    let mut bytes = dice.choice(seeds).cloned().unwrap_or_default();
    let changes = 1 + dice.usize(..4) + dice.usize(..2) * dice.usize(..5);
    for _ in 0..changes {
        change(&mut bytes, seeds, words, dice);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[Vec<u8>], dice: &mut Rng) {
    let what = dice.usize(..12);
    let other = dice.choice(seeds).cloned().unwrap_or_default();
    let place = dice.usize(..=bytes.len());
    let (word, own) = (token(bytes, dice), range(dice, bytes.len(), 200));
    let pieces = if matches!(what, 1 | 10) {
        NASTY.as_slice()
    } else {
        words
    };
    let piece = dice.choice(pieces).cloned().unwrap_or_default();
    let (range, with) = match what {
        0 => return flip(bytes, dice),
        1 | 2 => (place..place, piece),
        3 => (range(dice, bytes.len(), 24), Vec::new()),
        4 => (
            own.start..own.start,
            bytes.get(own).unwrap_or_default().to_vec(),
        ),
        // The head of one input and the tail of another.
        5 => {
            let start = dice.usize(..=other.len());
            (
                place..bytes.len(),
                other.get(start..).unwrap_or_default().to_vec(),
            )
        }
        6 => (place..bytes.len(), Vec::new()),
        7 => (
            word.clone(),
            nested(bytes.get(word).unwrap_or_default(), dice),
        ),
        8..=10 => (word, piece),
        _ => {
            let from = token(&other, dice);
            (word, other.get(from).unwrap_or_default().to_vec())
        }
    };
    bytes.splice(range, with);
}

fn flip(bytes: &mut [u8], dice: &mut Rng) {
    let at = dice.usize(..bytes.len().max(1));
    let bit = dice.usize(..8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

/// A stretch in many brackets: depth is what recursion fails at.
fn nested(inner: &[u8], dice: &mut Rng) -> Vec<u8> {
    const PAIRS: &[[&str; 2]] = &[
        ["[", "]"],
        ["{\"a\":", "}"],
        ["(", ")"],
        ["!", ""],
        ["- ", ""],
        ["[", ""],
    ];
    let [open, close] = dice.choice(PAIRS).copied().unwrap_or_default();
    let deep = dice.choice(&[2, 5, 60, 130, 1_500]).copied().unwrap_or(2);
    [
        open.repeat(deep).as_bytes(),
        inner,
        close.repeat(deep).as_bytes(),
    ]
    .concat()
}

/// A word somewhere, as most forms have words; else nothing at all at that place.
fn token(bytes: &[u8], dice: &mut Rng) -> Range<usize> {
    let at = dice.usize(..=bytes.len());
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let before = bytes.get(..at).unwrap_or_default();
    let after = bytes.get(at..).unwrap_or_default();
    let start = at - before.iter().rev().take_while(|byte| is_word(byte)).count();
    let end = at + after.iter().take_while(|byte| is_word(byte)).count();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(number: u64) -> Vec<u8> {
        let seeds = [
            b"{\"a\": [1, true]}".to_vec(),
            b"name: x\nevent: stop\n".to_vec(),
        ];
        input(
            &seeds,
            &[b"deny".to_vec(), b"when".to_vec()],
            &mut dice(7, number),
        )
    }

    #[test]
    fn an_input_can_be_made_again_by_its_number() {
        let all: Vec<Vec<u8>> = (0..200).map(made).collect();
        assert_eq!(all, (0..200).map(made).collect::<Vec<_>>());
        let mut different = all.clone();
        different.sort();
        different.dedup();
        assert!(different.len() > 150, "{}", different.len());
        assert!(all.iter().all(|input| input.len() <= LONGEST));
    }

    #[test]
    fn of_no_corpus_inputs_are_made_too() {
        let made = |number| input(&[], &[], &mut dice(1, number));
        assert!((0..500).map(made).any(|input| !input.is_empty()));
    }
}
