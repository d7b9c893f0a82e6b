//! The type of a rule: the shape of one kind of secret or of personal data.

use std::ops::Range;
use std::sync::OnceLock;

use regex_lite::Regex;

use crate::words::words;

/// One kind of secret, or of personal data.
///
/// ```
/// use anyhook_core::redact::{RedactionClass, RULES, RedactionRule};
///
/// let RedactionRule { class, good, bad, .. } = RULES.iter().find(|rule| rule.id == "github-token").unwrap();
/// assert_eq!(*class, RedactionClass::Secret);
/// let good = good.concat();
/// assert_eq!(anyhook_core::redact::text(&good), "[REDACTED:SECRET:github-token]");
/// assert_eq!(anyhook_core::redact::text(bad), *bad);
/// ```
#[derive(Debug)]
pub struct RedactionRule {
    /// Its name, as markers and reports say it.
    pub id: &'static str,
    /// Whether it is about secrets or about people.
    pub class: RedactionClass,
    /// What it looks like.
    pub shape: SecretShape,
    /// What must hold besides.
    pub check: fn(&str) -> bool,
    /// One that a test makes up, in which `<SET COUNT>` stands for letters of a set; empty where a checksum is in the way.
    pub made: &'static str,
    /// A sample that it finds, in two halves, so that no scanner takes this table for a leak.
    pub good: [&'static str; 2],
    /// A sample that looks like one, and is none.
    pub bad: &'static str,
    /// Its pattern, if it was needed in this process: an event without anything that looks like a secret compiles none.
    compiled: OnceLock<Option<Regex>>,
}

/// Whether a rule is about secrets or about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RedactionClass {
    /// It lets its holder in.
    Secret,
    /// It says who a person is.
    Personal,
}

words!(RedactionClass { Secret = "SECRET", Personal = "PII" });

/// What something looks like.
///
/// ```
/// use anyhook_core::redact::{CharacterSet, SecretShape};
///
/// let token = SecretShape::Token { prefixes: &["tok_"], body: CharacterSet::Hex, least: 8, is_word: false };
/// let SecretShape::Token { body, .. } = token else { panic!() };
/// assert!(body.has('f') && !body.has('g'));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum SecretShape {
    /// One of some beginnings, and at least so many letters of a set.
    Token {
        /// The beginnings.
        prefixes: &'static [&'static str],
        /// The letters behind it.
        body: CharacterSet,
        /// The fewest letters; those that follow belong to it too.
        least: usize,
        /// Whether no letter and no digit may stand before it.
        is_word: bool,
    },
    /// A pattern, of which the first group (or all of it) is hidden.
    Pattern {
        /// What is in everything that the pattern finds.
        near: Prefilter,
        /// The pattern, for `regex-lite`.
        regex: &'static str,
    },
}

/// What is in everything that a pattern finds: only there it is looked for.
///
/// ```
/// use anyhook_core::redact::{Prefilter, RULES, SecretShape};
///
/// let is_number = |shape| matches!(shape, SecretShape::Pattern { near: Prefilter::Digits(6..), .. });
/// assert!(RULES.iter().any(|rule| rule.id == "iban" && is_number(rule.shape)));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Prefilter {
    /// One of some texts, in lower case.
    Words(&'static [&'static str]),
    /// At least so many digits, with nothing between them but capital letters, spaces, dots, hyphens and brackets.
    Digits(usize),
}

/// A set of letters.
///
/// ```
/// use anyhook_core::redact::CharacterSet;
/// assert!(CharacterSet::Url.has('-') && !CharacterSet::Alnum.has('-'));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharacterSet {
    /// Digits.
    Digits,
    /// Hexadecimal digits.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Letters, digits, `-` and `_`.
    Url,
    /// Letters, digits, `-`, `_` and `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, `-` and `_`.
    Base64,
}

impl CharacterSet {
    /// Tells whether a letter is in it.
    ///
    /// ```
    /// use anyhook_core::redact::CharacterSet;
    /// assert_eq!(['f', 'g', 'F'].map(|letter| CharacterSet::has(CharacterSet::Hex, letter)), [true, false, true]);
    /// ```
    pub const fn has(self, letter: char) -> bool {
        match self {
            Self::Digits => letter.is_ascii_digit(),
            Self::Hex => letter.is_ascii_hexdigit(),
            Self::Alnum => letter.is_ascii_alphanumeric(),
            Self::Upper => letter.is_ascii_uppercase() || letter.is_ascii_digit(),
            Self::Url => letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'),
            Self::Dotted => letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'),
            Self::Base64 => {
                letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=' | '-' | '_')
            }
        }
    }
}

impl RedactionRule {
    /// Returns the text that replaces what it finds.
    ///
    /// ```
    /// use anyhook_core::redact::RULES;
    /// assert!(RULES.iter().all(|rule| rule.marker().starts_with("[REDACTED:")));
    /// ```
    pub fn marker(&self) -> String {
        format!("[REDACTED:{}:{}]", self.class.as_str(), self.id)
    }

    /// Finds everything that a pattern finds in a part of a text.
    pub(super) fn search(&self, text: &str) -> Vec<Range<usize>> {
        let SecretShape::Pattern { regex, .. } = self.shape else {
            return Vec::new();
        };
        let Some(regex) = self.compiled.get_or_init(|| Regex::new(regex).ok()) else {
            // Where the text cannot be searched, everything is hidden.
            return std::iter::once(0..text.len()).collect();
        };
        let found = regex.captures_iter(text).filter_map(|found| {
            let hidden = found.get(1).or_else(|| found.get(0))?;
            (self.check)(hidden.as_str()).then(|| hidden.range())
        });
        found.collect()
    }
}

// `RULES`; `FIELDS`, the names of fields that hold a secret; `keywords`, the prefixes and texts that begin with two letters, and
// `BEGINS`, which has a bit for each second letter behind a first one: most pairs of letters begin none.
include!(concat!(env!("OUT_DIR"), "/secrets.rs"));
