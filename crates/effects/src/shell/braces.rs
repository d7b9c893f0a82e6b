//! `{a,b}` and `{1..3}`: one word that becomes several.

use super::tree::{Piece, Raw};

/// The most words that one word may become.
const MOST: usize = 256;

/// The most `{` of one word.
const OPEN: usize = 64;

/// A letter outside of quotes, or any other piece.
#[derive(Debug, Clone)]
enum Item {
    Letter(char),
    Piece(Piece),
}

/// Tells whether a word has braces that the shell may fill in.
pub(super) fn are_in(raw: &[Piece]) -> bool {
    raw.iter()
        .any(|piece| matches!(piece, Piece::Bare(text) if text.contains('{')))
}

/// Returns the words that a word becomes, or none if they are too many.
pub(super) fn expand(raw: &[Piece]) -> Option<Vec<Raw>> {
    let mut items = Vec::new();
    for piece in raw {
        match piece {
            Piece::Bare(text) => items.extend(text.chars().map(Item::Letter)),
            other => items.push(Item::Piece(other.clone())),
        }
    }
    if items.iter().filter(|item| is(item, '{')).count() > OPEN {
        return None;
    }
    let all = words(&items, 0)?;
    Some(all.into_iter().map(collect).collect())
}

/// Makes pieces of items again.
fn collect(items: Vec<Item>) -> Raw {
    let mut raw = Raw::new();
    for item in items {
        match (item, raw.last_mut()) {
            (Item::Letter(letter), Some(Piece::Bare(text))) => text.push(letter),
            (Item::Letter(letter), _) => raw.push(Piece::Bare(letter.into())),
            (Item::Piece(piece), _) => raw.push(piece),
        }
    }
    raw
}

fn is(item: &Item, letter: char) -> bool {
    matches!(item, Item::Letter(found) if *found == letter)
}

fn words(items: &[Item], depth: usize) -> Option<Vec<Vec<Item>>> {
    if depth > 16 {
        return None;
    }
    for (open, _) in items.iter().enumerate().filter(|(_, item)| is(item, '{')) {
        let Some((choices, rest)) = items.get(open + 1..).and_then(choices) else {
            continue;
        };
        let before = items.get(..open)?;
        let mut inner = Vec::new();
        for choice in &choices {
            inner.extend(words(choice, depth + 1)?);
        }
        let tails = words(rest, depth + 1)?;
        if inner.len().saturating_mul(tails.len()) > MOST {
            return None;
        }
        let mut all = Vec::new();
        for choice in &inner {
            for tail in &tails {
                all.push([before, choice, tail].concat());
            }
        }
        return Some(all);
    }
    Some(vec![items.to_vec()])
}

/// Reads the choices up to the `}` that closes, and what follows; none if it is no list and no sequence.
fn choices(items: &[Item]) -> Option<(Vec<Vec<Item>>, &[Item])> {
    let mut depth = 0_usize;
    let mut all = vec![Vec::new()];
    for (at, item) in items.iter().enumerate() {
        if is(item, '}') && depth == 0 {
            let rest = items.get(at + 1..)?;
            if all.len() > 1 {
                return Some((all, rest));
            }
            return Some((sequence(items.get(..at)?)?, rest));
        }
        if is(item, ',') && depth == 0 {
            all.push(Vec::new());
            continue;
        }
        if is(item, '{') {
            depth += 1;
        } else if is(item, '}') {
            depth -= 1;
        }
        all.last_mut()?.push(item.clone());
    }
    None
}

/// Reads `1..3`, `a..c` or `1..9..2`.
fn sequence(items: &[Item]) -> Option<Vec<Vec<Item>>> {
    let mut text = String::new();
    for item in items {
        match item {
            Item::Letter(letter) => text.push(*letter),
            Item::Piece(_) => return None,
        }
    }
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?;
    let step = usize::try_from(step.unsigned_abs().max(1)).ok()?;
    let word = |text: String| text.chars().map(Item::Letter).collect::<Vec<_>>();
    let letter = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let (low, high, letters) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => (letter(from)?, letter(to)?, true),
    };
    // One more than may be: the caller gives up on it.
    let all = if low <= high {
        (low..=high)
            .step_by(step)
            .take(MOST + 1)
            .collect::<Vec<_>>()
    } else {
        let down = (high..=low).rev().step_by(step);
        down.take(MOST + 1).collect::<Vec<_>>()
    };
    let width = if [from, to].iter().any(|text| padded(text)) {
        from.len().max(to.len())
    } else {
        0
    };
    let text = |number: i64| match (letters, u8::try_from(number)) {
        (true, Ok(letter)) => char::from(letter).to_string(),
        _ => format!("{number:0width$}"),
    };
    Some(all.into_iter().map(|number| word(text(number))).collect())
}

/// Whether a number begins with a zero that the others get too.
fn padded(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    digits.len() > 1 && digits.starts_with('0')
}
