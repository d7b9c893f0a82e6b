//! Whether a text names something that is protected, wherever in it.
//!
//! This is asked of a text with an effect that cannot be read: the code of another language, a name that a program prints.

use std::collections::BTreeSet;

use super::paths::{Guard, PathRelation, ProtectedKind};
use crate::shell;

/// The most different words that are looked up on the disk.
const MOST_WORDS: usize = 20_000;

/// Returns what a text names.
pub(super) fn of(guard: &Guard, text: &str) -> Option<String> {
    let words = shell::runs(text);
    if words.len() > MOST_WORDS {
        return words.first().map(|word| (*word).to_owned());
    }
    let is = |word: &&&str| guard.literal(word) == Some(PathRelation::Is);
    let found = words.iter().find(is).copied();
    let found = found.or_else(|| in_parts(guard, &words));
    found.map(str::to_owned)
}

/// A name and its folder apart, as a program puts them together, or the two of them behind a folder that is not known.
fn in_parts<'w>(guard: &Guard, words: &BTreeSet<&'w str>) -> Option<&'w str> {
    let lower: Vec<(String, &'w str)> = words.iter().map(|w| (w.to_lowercase(), *w)).collect();
    let has = |wanted: &str| lower.iter().find(|(word, _)| word == wanted);
    // A search says the name alone.
    let is_search = has("find").is_some() || has("fd").is_some();
    // A word may begin with what stands for a folder that is not known, or with a link that the line makes.
    let makes_links = has("ln").is_some();
    let may_be_behind = |word: &str| makes_links || word.starts_with(['$', '`', '*']);
    let is_behind = lower.iter().any(|(word, _)| may_be_behind(word));
    // Each of a hundred paths is compared with a few words: its names are taken apart where a word is one of them.
    let is_named = |path: &str| lower.iter().any(|(word, _)| path.ends_with(&**word));
    for target in &guard.targets {
        if !(is_behind || is_named(&target.path)) {
            continue;
        }
        let (parent, name) = target.names();
        let behind =
            |word: &str| may_be_behind(word) && word.ends_with(&format!("/{parent}/{name}"));
        if let Some((_, word)) = lower.iter().find(|(word, _)| behind(word)) {
            return Some(word);
        }
        let is_apart = is_search || has(parent).is_some();
        if let (ProtectedKind::File, true, Some((_, word))) = (target.kind, is_apart, has(name)) {
            return Some(word);
        }
    }
    None
}
