//! Checksums and letters that tell a real number from one that only looks like it.

/// Returns the digits of a text.
fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// Tells whether a text is made of letters and digits without much order. Names of variables, types and functions are not.
pub(super) fn is_random(text: &str) -> bool {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let has_letter = text.contains(|c: char| c.is_ascii_alphabetic());
    let is_marker = text.starts_with("[REDACTED");
    has_digit && has_letter && !is_marker && bits(text) >= 2.5
}

/// Returns how many bits a letter of a text holds (Shannon).
#[expect(
    clippy::cast_precision_loss,
    reason = "texts of a few hundred letters are counted"
)]
fn bits(text: &str) -> f64 {
    let mut counts = [0usize; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = text.len().max(1) as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| *count as f64 / all)
        .map(|share| -share * log2(share))
        .sum()
}

/// The binary logarithm of a share, a positive number up to one; exact for the powers of two.
///
/// The one of the system is in its library of mathematics, which `anyhook run` would have to load at every event for this
/// one function: it takes a fifth of the time in which `/bin/true` is over.
fn log2(share: f64) -> f64 {
    let (mut whole, mut part) = (0.0, share);
    while part > 0.0 && part < std::f64::consts::FRAC_1_SQRT_2 {
        part *= 2.0;
        whole -= 1.0;
    }
    // ln(x) = 2 artanh((x - 1) / (x + 1)). The argument is below 0.172 here, where twelve terms are exact.
    let z = (part - 1.0) / (part + 1.0);
    let terms = (0..12u8).rev().map(|at| f64::from(2 * at + 1).recip());
    let sum = terms.fold(0.0, |sum, term| sum * z * z + term);
    whole + 2.0 * z * sum * std::f64::consts::LOG2_E
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
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
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
    let number = |range: std::ops::Range<usize>| {
        let part = digits.get(range).unwrap_or_default();
        part.iter().fold(0, |sum, digit| sum * 10 + digit)
    };
    let area = number(0..3);
    digits.len() == 9
        && area != 0
        && area != 666
        && area < 900
        && number(3..5) != 0
        && number(5..9) != 0
}

/// Brazil: two digits that check the nine before them.
pub(super) fn is_cpf(text: &str) -> bool {
    let digits = digits(text);
    let check = |count: usize| {
        let weights = (2..).take(count);
        let head = digits.get(..count).unwrap_or_default();
        let sum: u32 = head.iter().rev().zip(weights).map(|(d, w)| d * w).sum();
        let rest = sum * 10 % 11 % 10;
        digits.get(count) == Some(&rest)
    };
    let first = digits.first();
    digits.len() == 11 && digits.iter().any(|d| Some(d) != first) && check(9) && check(10)
}

/// The United Kingdom's health service: the tenth digit by weights from 10 to 2.
pub(super) fn is_nhs(text: &str) -> bool {
    let digits = digits(text);
    let head = digits.get(..9).unwrap_or_default();
    let sum: u32 = head.iter().zip((2..=10).rev()).map(|(d, w)| d * w).sum();
    let rest = (11 - sum % 11) % 11;
    digits.len() == 10 && sum > 0 && digits.get(9) == Some(&rest)
}

/// France: 97 less the remainder of the first thirteen.
pub(super) fn is_nir(text: &str) -> bool {
    let digits = digits(text);
    let number = |range: std::ops::Range<usize>| {
        let part = digits.get(range).unwrap_or_default();
        part.iter()
            .fold(0u64, |sum, digit| sum * 10 + u64::from(*digit))
    };
    digits.len() == 15 && 97 - number(0..13) % 97 == number(13..15)
}

/// India: the sum of Jacobus Verhoeff.
pub(super) fn is_aadhaar(text: &str) -> bool {
    let digits = digits(text);
    let sum = digits.iter().rev().enumerate().fold(0, |sum, (at, digit)| {
        let mut digit = *digit;
        for _ in 0..at % 8 {
            digit = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
                .get(digit as usize)
                .copied()
                .unwrap_or_default();
        }
        dihedral(sum, digit)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_a_share_is_that_of_the_system() {
        for all in 1..=200_u16 {
            for count in 1..=all {
                let share = f64::from(count) / f64::from(all);
                let difference = (log2(share) - share.log2()).abs();
                assert!(difference < 1e-14 * 8.0, "{count} of {all}: {difference:e}");
            }
        }
        let powers = [1.0, 0.5, 0.25, 0.125, 0.062_5].map(log2);
        assert_eq!(
            powers.map(f64::to_bits),
            [0.0, -1.0, -2.0, -3.0, -4.0].map(f64::to_bits)
        );
    }
}
