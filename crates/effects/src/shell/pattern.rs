//! `${v%x}` and its kin, for patterns of `*`, `?` and text.

use crate::word::{Part, Word};

/// The longest text, and the longest pattern, that are compared.
const LONGEST: usize = 256;

/// A letter of a pattern.
#[derive(Debug, Clone, Copy)]
enum Letter {
    Is(char),
    Any,
    Many,
}

/// Cuts what the pattern matches from the end or the beginning of a text; none if the pattern cannot be read.
pub(super) fn cut(text: &str, pattern: &Word, suffix: bool, longest: bool) -> Option<String> {
    let letters = letters(pattern)?;
    let text: Vec<char> = text.chars().collect();
    if text.len() > LONGEST || letters.len() > LONGEST {
        return None;
    }
    let mut places: Vec<usize> = (0..=text.len()).collect();
    // For a suffix the longest match begins first, for a prefix the shortest match ends first.
    if suffix != longest {
        places.reverse();
    }
    for place in places {
        let (before, behind) = text.split_at_checked(place)?;
        let (tried, kept) = if suffix {
            (behind, before)
        } else {
            (before, behind)
        };
        if matches(tried, &letters) {
            return Some(kept.iter().collect());
        }
    }
    Some(text.iter().collect())
}

fn letters(pattern: &Word) -> Option<Vec<Letter>> {
    let mut letters = Vec::new();
    for part in &pattern.parts {
        match part {
            Part::Text(text) => letters.extend(text.chars().map(Letter::Is)),
            Part::Glob(glob) if glob == "*" => letters.push(Letter::Many),
            Part::Glob(glob) if glob == "?" => letters.push(Letter::Any),
            Part::Glob(_) | Part::Unknown | Part::Split => return None,
        }
    }
    Some(letters)
}

/// Whether a pattern matches all of a text. It is never slower than the product of both lengths.
fn matches(text: &[char], pattern: &[Letter]) -> bool {
    let mut row = vec![false; pattern.len() + 1];
    let fill = |row: &mut Vec<bool>, first: bool, old: Option<(&Vec<bool>, char)>| {
        let mut last = first;
        if let Some(cell) = row.first_mut() {
            *cell = first;
        }
        for (at, letter) in pattern.iter().enumerate() {
            let above = |at: usize| old.is_some_and(|(old, _)| old.get(at) == Some(&true));
            last = match letter {
                Letter::Many => last || above(at + 1),
                Letter::Any => above(at),
                Letter::Is(is) => above(at) && old.is_some_and(|(_, letter)| letter == *is),
            };
            if let Some(cell) = row.get_mut(at + 1) {
                *cell = last;
            }
        }
    };
    fill(&mut row, true, None);
    for letter in text {
        let old = row.clone();
        fill(&mut row, false, Some((&old, *letter)));
    }
    row.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_cuts_is_what_bash_cuts() {
        let star = |text: &str| Word {
            parts: vec![Part::Glob("*".into()), Part::Text(text.into())],
        };
        let dot = Word {
            parts: vec![Part::Text(".".into()), Part::Glob("*".into())],
        };
        for (pattern, suffix, longest, left) in [
            (&dot, true, false, "a.b"),
            (&dot, true, true, "a"),
            (&star("."), false, false, "b.c"),
            (&star("."), false, true, "c"),
            (&Word::text("x"), true, false, "a.b.c"),
        ] {
            let found = cut("a.b.c", pattern, suffix, longest);
            assert_eq!(found.as_deref(), Some(left));
        }
    }
}
