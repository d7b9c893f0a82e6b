//! Inputs that are made of a corpus by small changes, the same for the same numbers.
//!
//! Each input is a function of the corpus, a seed and its number, so that one that breaks a law can be made again alone.

use std::ops::Range;

/// An input is never longer: laws do not depend on size, and a slow input is a seldom one.
const LONGEST: usize = 16 * 1024;

/// Pieces that break readers of any form.
const NASTY: &[&[u8]] = &[
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3",
    b"\\ud800",
    b"\\u0000",
    b"\\",
    b"\"",
    b"'",
    b"\r",
    b"\r\n",
    b"\n",
    b"\t",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x9b\x92",
    b"1e400",
    b"-0",
    b"0.1",
    b"9223372036854775808",
    b"-1",
    b"null",
    b"true",
    b"false",
    b"{}",
    b"[]",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b",",
    b":",
    b"//",
    b"/*",
    b"*/",
    b"#",
    b"&",
    b"*",
    b"${file}",
    b"{{",
    b"}}",
    b"..",
    b"/",
    b"~",
    b"!",
    b"|",
];

/// Numbers that look random and are not: splitmix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Makes the dice for one input.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut dice = Self(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.roll();
        dice
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Rolls a number below another; 0 below 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.roll() % end).unwrap_or(0)
    }

    /// Picks one of several; nothing of nothing.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    fn range(&mut self, end: usize, most: usize) -> Range<usize> {
        let start = self.below(end + 1);
        let long = self.below(most.min(end - start) + 1);
        start..start + long
    }
}

/// Makes one input: a seed with up to eight changes.
pub fn input(seeds: &[Vec<u8>], words: &[&str], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = dice.pick(seeds).cloned().unwrap_or_default();
    let changes = 1 + dice.below(4) + dice.below(2) * dice.below(5);
    for _ in 0..changes {
        change(&mut bytes, seeds, words, dice);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], dice: &mut Dice) {
    match dice.below(12) {
        0 => flip(bytes, dice),
        1 => {
            let at = dice.below(bytes.len() + 1);
            let piece = dice.pick(NASTY).copied().unwrap_or_default();
            bytes.splice(at..at, piece.iter().copied());
        }
        2 => {
            let at = dice.below(bytes.len() + 1);
            let word = dice.pick(words).copied().unwrap_or_default();
            bytes.splice(at..at, word.bytes());
        }
        3 => {
            let range = dice.range(bytes.len(), 24);
            bytes.drain(range);
        }
        4 => {
            let range = dice.range(bytes.len(), 200);
            let piece = bytes.get(range.clone()).unwrap_or_default().to_vec();
            bytes.splice(range.start..range.start, piece);
        }
        5 => splice(bytes, seeds, dice),
        6 => {
            let end = dice.below(bytes.len() + 1);
            bytes.truncate(end);
        }
        7 => nest(bytes, dice),
        8 | 9 => {
            let range = token(bytes, dice);
            let word = dice.pick(words).copied().unwrap_or_default();
            bytes.splice(range, word.bytes());
        }
        10 => {
            let range = token(bytes, dice);
            let piece = dice.pick(NASTY).copied().unwrap_or_default();
            bytes.splice(range, piece.iter().copied());
        }
        _ => {
            let other = dice.pick(seeds).cloned().unwrap_or_default();
            let from = token(&other, dice);
            let to = token(bytes, dice);
            bytes.splice(to, other.get(from).unwrap_or_default().iter().copied());
        }
    }
}

fn flip(bytes: &mut [u8], dice: &mut Dice) {
    let at = dice.below(bytes.len());
    let bit = dice.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

/// The head of one input and the tail of another.
fn splice(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    let other = dice.pick(seeds).cloned().unwrap_or_default();
    let end = dice.below(bytes.len() + 1);
    let start = dice.below(other.len() + 1);
    bytes.truncate(end);
    bytes.extend(other.get(start..).unwrap_or_default());
}

/// Puts a stretch into many brackets: depth is what recursion fails at.
fn nest(bytes: &mut Vec<u8>, dice: &mut Dice) {
    const PAIRS: &[(&str, &str)] = &[
        ("[", "]"),
        ("{\"a\":", "}"),
        ("(", ")"),
        ("!", ""),
        ("- ", ""),
        ("[", ""),
    ];
    let (open, close) = dice.pick(PAIRS).copied().unwrap_or_default();
    let deep = [2, 5, 60, 130, 1_500]
        .get(dice.below(5))
        .copied()
        .unwrap_or(2);
    let range = token(bytes, dice);
    let inner = bytes.get(range.clone()).unwrap_or_default();
    let nested = [
        open.repeat(deep).as_bytes(),
        inner,
        close.repeat(deep).as_bytes(),
    ]
    .concat();
    bytes.splice(range, nested);
}

/// A word somewhere, as most forms have words; else nothing at all at that place.
fn token(bytes: &[u8], dice: &mut Dice) -> Range<usize> {
    let at = dice.below(bytes.len() + 1);
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
        input(&seeds, &["deny", "when"], &mut Dice::new(7, number))
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
        let made = |number| input(&[], &[], &mut Dice::new(1, number));
        assert!((0..500).map(made).any(|input| !input.is_empty()));
    }
}
