//! A word of a command as the program gets it, as far as that is known.

use std::borrow::Cow;

/// One word after quotes were removed and variables filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Word {
    /// Its parts, in order, and never two texts in a row. No part: the empty word.
    pub parts: Vec<Part>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// Text that is known, without quotes. An empty one in front of a pattern says that no name which it stands for begins
    /// like an option.
    Text(String),
    /// An unquoted pattern of the shell, such as `*`, `?` or `[a-z]`, which it fills in from the disk.
    Glob(String),
    /// A number or the like, in one word, or nothing, by the pattern that it matches: `<->` is a number or a time, `*` the name
    /// of a commit, `**/*` that of a tag, `**` what was there before an arithmetic that may fail.
    Of(&'static str),
    /// Text that cannot be known here, in quotes: it stays within the word.
    Unknown,
    /// Text that cannot be known here, outside of quotes: the word may become several words, or none.
    Split,
}

impl From<Part> for Word {
    fn from(part: Part) -> Self {
        let parts = vec![part];
        Self { parts }
    }
}

impl Word {
    /// Makes a word of known text.
    pub fn text(text: impl Into<String>) -> Self {
        match text.into() {
            text if text.is_empty() => Self::default(),
            text => Part::Text(text).into(),
        }
    }

    /// Makes a word of which nothing is known.
    pub fn unknown() -> Self {
        Part::Unknown.into()
    }

    /// Makes a word that is a number, or the like, by its pattern.
    pub fn of(pattern: &'static str) -> Self {
        Part::Of(pattern).into()
    }

    /// Makes a word that may become several words, or none.
    pub fn split() -> Self {
        Part::Split.into()
    }

    /// Makes the names in a folder that a pattern stands for; in none of them if it is empty, and then none is an option.
    pub fn name(folder: &str, pattern: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Text(folder.to_owned()), Part::Glob(pattern.into())],
        }
    }

    /// Makes one word of several.
    pub(crate) fn joined(words: &[&Self]) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for part in words.iter().flat_map(|word| &word.parts) {
            match (parts.last_mut(), part) {
                (Some(Part::Text(last)), Part::Text(text)) => last.push_str(text),
                (_, part) => parts.push(part.clone()),
            }
        }
        Self { parts }
    }

    /// Makes the path of a word in this folder.
    pub(crate) fn below(&self, word: &Self) -> Self {
        let ends = self.parts.is_empty()
            || matches!(self.parts.last(), Some(Part::Text(text)) if text.ends_with('/'));
        let slash = Self::text(if ends { "" } else { "/" });
        Self::joined(&[self, &slash, word])
    }

    /// Makes a word with a pattern behind it.
    pub(crate) fn with_pattern(&self, pattern: impl Into<String>) -> Self {
        let mut word = self.clone();
        word.parts.push(Part::Glob(pattern.into()));
        word
    }

    /// Tells whether it may become several words, or none.
    pub fn splits(&self) -> bool {
        self.parts.contains(&Part::Split)
    }

    /// Tells whether it may be no word at all.
    pub fn may_vanish(&self) -> bool {
        self.splits() || *self == Self::of("<->")
    }

    /// Tells whether it may become several words, or names on the disk.
    pub fn spreads(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| matches!(part, Part::Split | Part::Glob(_)))
    }

    /// Tells whether it is one of these texts.
    pub fn says(&self, texts: &[&str]) -> bool {
        self.known().is_some_and(|text| texts.contains(&text))
    }

    /// Returns the texts of words, if all of them are known.
    pub fn all_known(words: &[Self]) -> Option<Vec<&str>> {
        words.iter().map(Self::known).collect()
    }

    /// Returns the text if all of it is known and none of it is a pattern.
    pub fn known(&self) -> Option<&str> {
        match &*self.parts {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the text as a line for a shell, in which a parameter stands for each number.
    pub(crate) fn as_line(&self) -> Option<Cow<'_, str>> {
        if !self.parts.contains(&Part::Of("<->")) {
            return self.known().map(Cow::Borrowed);
        }
        let mut line = String::new();
        for part in &self.parts {
            match part {
                // In quotes that keep all as it is written the parameter would be text; in front of a redirection a number
                // is another thing.
                Part::Text(text)
                    if !text.contains(['\'', '\\', '$'])
                        && !text.contains("<<")
                        && !text.starts_with(['<', '>'])
                        && !text.ends_with('&') =>
                {
                    line.push_str(text);
                }
                Part::Of("<->") => line.push_str("$!"),
                _ => return None,
            }
        }
        Some(Cow::Owned(line))
    }

    /// Returns the known text that the word begins with.
    pub fn head(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the word without so many bytes of its known beginning.
    pub fn without(&self, bytes: usize) -> Self {
        let mut parts = self.parts.clone();
        if let Some(Part::Text(text)) = parts.first_mut() {
            let rest = text.get(bytes..).unwrap_or_default().to_owned();
            if rest.is_empty() {
                parts.remove(0);
            } else {
                *text = rest;
            }
        }
        Self { parts }
    }
}
