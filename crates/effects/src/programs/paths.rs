//! Words as paths.

use crate::word::{Part, Word};

/// Words as one.
pub(super) fn joined(words: &[&Word]) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for part in words.iter().flat_map(|word| &word.parts) {
        match (parts.last_mut(), part) {
            (Some(Part::Text(last)), Part::Text(text)) => last.push_str(text),
            (_, part) => parts.push(part.clone()),
        }
    }
    Word { parts }
}

/// A word in a folder.
pub(super) fn below(folder: &Word, word: &Word) -> Word {
    let ends = folder.parts.is_empty()
        || matches!(folder.parts.last(), Some(Part::Text(text)) if text.ends_with('/'));
    let slash = Word::text(if ends { "" } else { "/" });
    joined(&[folder, &slash, word])
}

/// A pattern behind a word.
pub(super) fn with_pattern(word: &Word, pattern: impl Into<String>) -> Word {
    let mut word = word.clone();
    word.parts.push(Part::Glob(pattern.into()));
    word
}

/// The last name of a path.
pub(super) fn file_name(text: &str) -> &str {
    let text = text.trim_end_matches('/');
    text.rsplit('/').next().unwrap_or_default()
}
