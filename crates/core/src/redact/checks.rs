//! Checksums and letters that tell a real number from one that only looks like it.

use std::collections::BTreeSet;
use std::ops::Range;

/// A text of fewer different letters is filled in by a person, such as `xxxx1`, and no secret.
const FEWEST_SIGNS: usize = 6;

/// Returns the digits of a text.
fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// Returns the number that some of the digits are.
fn number(digits: &[u32], range: Range<usize>) -> u64 {
    let part = digits.get(range).unwrap_or_default().iter();
    part.fold(0, |sum, digit| sum * 10 + u64::from(*digit))
}

/// Tells whether a text is made of letters and digits without much order. Names of variables, types and functions are not.
pub(super) fn is_random(text: &str) -> bool {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let has_letter = text.contains(|c: char| c.is_ascii_alphabetic());
    let is_marker = text.starts_with("[REDACTED");
    let signs: BTreeSet<u8> = text.bytes().collect();
    has_digit && has_letter && !is_marker && signs.len() >= FEWEST_SIGNS
}

/// Tells whether digits are a payment card's: its length, its first digits, its sum.
pub(super) fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let first = digits.first().copied().unwrap_or_default();
    (13..=19).contains(&digits.len()) && (3..=6).contains(&first) && is_luhn(&digits)
}

/// The sum of Hans Peter Luhn.
fn is_luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| digit << (at % 2))
        .map(|number| number / 10 + number % 10)
        .sum();
    digits.iter().any(|digit| *digit != 0) && sum.is_multiple_of(10)
}

/// ISO 13616: the first four letters go to the end, letters are numbers from 10.
pub(super) fn is_iban(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let (Some(head), Some(tail)) = (plain.get(..4), plain.get(4..)) else {
        return false;
    };
    let numbers = tail.iter().chain(head).filter_map(|c| c.to_digit(36));
    let rest = numbers.fold(0, |rest, number| {
        let shift = if number > 9 { 100 } else { 10 };
        (rest * shift + number) % 97
    });
    rest == 1
}

/// The United States: no area 000, 666 or 9xx, no group 00, no serial 0000.
pub(super) fn is_ssn(text: &str) -> bool {
    let digits = digits(text);
    let area = number(&digits, 0..3);
    digits.len() == 9
        && area != 0
        && area != 666
        && area < 900
        && number(&digits, 3..5) != 0
        && number(&digits, 5..9) != 0
}

/// Returns the digit that belongs behind the first digits, by weights from 2 that grow to the left; 10 is none.
fn by_weights(digits: &[u32], count: usize) -> u32 {
    let head = digits.get(..count).unwrap_or_default();
    let sum: u32 = head.iter().rev().zip(2..).map(|(d, w)| d * w).sum();
    sum * 10 % 11
}

/// Brazil: two digits that check the nine before them.
pub(super) fn is_cpf(text: &str) -> bool {
    let digits = digits(text);
    let check = |count| digits.get(count) == Some(&(by_weights(&digits, count) % 10));
    let first = digits.first();
    digits.len() == 11 && digits.iter().any(|d| Some(d) != first) && check(9) && check(10)
}

/// The United Kingdom's health service: the tenth digit checks the nine before it.
pub(super) fn is_nhs(text: &str) -> bool {
    let digits = digits(text);
    let is_some = digits.iter().take(9).any(|digit| *digit != 0);
    digits.len() == 10 && is_some && digits.get(9) == Some(&by_weights(&digits, 9))
}

/// France: 97 less the remainder of the first thirteen.
pub(super) fn is_nir(text: &str) -> bool {
    let digits = digits(text);
    digits.len() == 15 && 97 - number(&digits, 0..13) % 97 == number(&digits, 13..15)
}

/// India: the sum of Jacobus Verhoeff.
pub(super) fn is_aadhaar(text: &str) -> bool {
    let digits = digits(text);
    let sum = digits.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        let turned = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
        let turn = |digit: u32, _| turned.get(digit as usize).copied().unwrap_or_default();
        dihedral(sum, (0..at % 8).fold(*digit, turn))
    });
    digits.len() == 12 && digits.first().is_some_and(|first| *first > 1) && sum == 0
}

/// Multiplies in the dihedral group of the pentagon.
fn dihedral(a: u32, b: u32) -> u32 {
    match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - 5 + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    }
}

/// Spain: the letter is the number's remainder by 23.
pub(super) fn is_dni(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let first = match upper.chars().next() {
        Some('Y') => 1,
        Some('Z') => 2,
        _ => 0,
    };
    let number = digits(&upper).iter().fold(first, |sum, d| sum * 10 + d);
    let at = number as usize % 23;
    let letter = "TRWAGMYFPDXBNJZSQVHLCKE".chars().nth(at);
    upper.chars().next_back() == letter
}
