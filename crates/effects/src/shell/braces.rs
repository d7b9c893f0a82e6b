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
        let choices = choices?;
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
fn choices(items: &[Item]) -> Option<(Sequence, &[Item])> {
    let mut depth = 0_usize;
    let mut all = vec![Vec::new()];
    for (at, item) in items.iter().enumerate() {
        if is(item, '}') && depth == 0 {
            let rest = items.get(at + 1..)?;
            if all.len() > 1 {
                return Some((Some(all), rest));
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

/// Reads `1..3`: each of its words is a number. Others, such as `a..c` and `01..10`, are no words that are known.
fn sequence(items: &[Item]) -> Option<Sequence> {
    let letter = |item: &Item| match item {
        Item::Letter(letter) => Some(*letter),
        Item::Piece(_) => None,
    };
    let text: String = items.iter().map(letter).collect::<Option<_>>()?;
    let (from, to) = text.split_once("..")?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = ["[0-9]", "*"].map(|part| Item::Piece(Piece::Pattern(part.to_owned())));
    Some((is_number(from) && is_number(to)).then(|| vec![number.to_vec()]))
}

/// The words of a sequence, if they are known.
type Sequence = Option<Vec<Vec<Item>>>;
