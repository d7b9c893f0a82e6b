//! The type of a rule: the shape of one kind of secret or of personal data.

use std::ops::Range;
use std::sync::OnceLock;

use regex_lite::Regex;

use super::checks;

/// One kind of secret, or of personal data.
///
/// ```
/// use anyhook_core::redact::{Class, RULES, Rule};
///
/// let Rule { class, source, licence, good, bad, .. } =
///     RULES.iter().find(|rule| rule.id == "github-token").unwrap();
/// assert_eq!(*class, Class::Secret);
/// assert!(source.starts_with("https://") && !licence.is_empty());
/// let good = good.concat();
/// assert_eq!(anyhook_core::redact::text(&good), "[REDACTED:SECRET:github-token]");
/// assert_eq!(anyhook_core::redact::text(bad), *bad);
/// ```
#[derive(Debug)]
pub struct Rule {
    /// Its name, as markers and reports say it.
    pub id: &'static str,
    /// Whether it is about secrets or about people.
    pub class: Class,
    /// Where the shape is documented.
    pub source: &'static str,
    /// The licence of the rule: shapes are facts, and the words of all rules are this project's own.
    pub licence: &'static str,
    /// What it looks like.
    pub shape: Shape,
    /// What must hold besides.
    pub check: Check,
    /// A sample that it finds, in two halves, so that no scanner takes this table for a leak.
    pub good: [&'static str; 2],
    /// A sample that looks like one, and is none.
    pub bad: &'static str,
}

/// Whether a rule is about secrets or about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It lets its holder in.
    Secret,
    /// It says who a person is.
    Personal,
}

impl Class {
    /// Returns the word for it in a marker.
    ///
    /// ```
    /// use anyhook_core::redact::Class;
    /// assert_eq!([Class::Secret, Class::Personal].map(Class::word), ["SECRET", "PII"]);
    /// ```
    pub const fn word(self) -> &'static str {
        match self {
            Self::Secret => "SECRET",
            Self::Personal => "PII",
        }
    }
}

/// What something looks like.
///
/// ```
/// use anyhook_core::redact::{Edge, Part, Set, Shape};
///
/// let token = Shape::Token { prefixes: &["tok_"], body: Set::Hex, least: 8, edge: Edge::Any };
/// let Shape::Token { body, .. } = token else { panic!() };
/// assert!(body.has('f') && !body.has('g'));
/// let parts = [Part::Text("tok_"), Part::Any(Set::Digits, 4)];
/// assert_eq!(parts.len(), 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// One of some beginnings, and at least so many letters of a set.
    Token {
        /// The beginnings.
        prefixes: &'static [&'static str],
        /// The letters behind it.
        body: Set,
        /// The fewest letters; those that follow belong to it too.
        least: usize,
        /// What may stand before it.
        edge: Edge,
    },
    /// A pattern, of which the first group (or all of it) is hidden.
    Pattern {
        /// What is in everything that the pattern finds.
        near: Near,
        /// The pattern, for `regex-lite`.
        regex: &'static str,
        /// What one of them is made of.
        parts: &'static [Part],
    },
}

/// What is in everything that a pattern finds: only there it is looked for.
///
/// ```
/// use anyhook_core::redact::{Near, RULES, Shape};
///
/// let is_number = |shape| matches!(shape, Shape::Pattern { near: Near::Digits(6..), .. });
/// assert!(RULES.iter().any(|rule| rule.id == "iban" && is_number(rule.shape)));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Near {
    /// One of some texts, in lower case.
    Words(&'static [&'static str]),
    /// At least so many digits, with nothing between them but capital letters, spaces, dots, hyphens and brackets.
    Digits(usize),
}

/// What may stand before a token.
///
/// ```
/// use anyhook_core::redact::{Edge, RULES, Shape, text};
///
/// let is = |wanted: Edge| {
///     RULES.iter().find(|rule| matches!(rule.shape, Shape::Token { edge, .. } if edge == wanted))
/// };
/// let behind_a_letter = |edge| format!("x{}", is(edge).unwrap().good.concat());
/// assert!(text(&behind_a_letter(Edge::Any)).contains("REDACTED"));
/// assert!(!text(&behind_a_letter(Edge::Word)).contains("REDACTED"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Anything: the beginning is like nothing else.
    Any,
    /// No letter and no digit.
    Word,
}

/// A part of something that is made up for a test.
///
/// ```
/// use anyhook_core::redact::{Part, Set};
///
/// let length = |part| match part {
///     Part::Text(text) => text.len(),
///     Part::Any(_, count) => count,
/// };
/// assert_eq!([Part::Text("tok_"), Part::Any(Set::Hex, 8)].map(length), [4, 8]);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// This text.
    Text(&'static str),
    /// So many letters of a set.
    Any(Set, usize),
}

/// A set of letters.
///
/// ```
/// use anyhook_core::redact::Set;
/// assert!(Set::Url.has('-') && !Set::Alnum.has('-'));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
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

impl Set {
    /// Tells whether a letter is in it.
    ///
    /// ```
    /// use anyhook_core::redact::Set;
    /// assert_eq!(['f', 'g', 'F'].map(|letter| Set::has(Set::Hex, letter)), [true, false, true]);
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

    /// Takes a letter by a number.
    fn letter(self, number: u32) -> char {
        let letters: &[u8] = match self {
            Self::Digits => b"0123456789",
            Self::Hex => b"0123456789abcdef",
            Self::Upper => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            Self::Alnum | Self::Url | Self::Dotted | Self::Base64 => {
                b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            }
        };
        let at = number as usize % letters.len();
        letters.get(at).map_or('0', |letter| char::from(*letter))
    }
}

/// What must hold besides a shape.
///
/// ```
/// use anyhook_core::redact::{Check, RULES, text};
///
/// let card = RULES.iter().find(|rule| matches!(rule.check, Check::Card)).unwrap();
/// assert!(text(&card.good.concat()).contains(card.id));
/// assert_eq!(text(card.bad), card.bad, "the sum is wrong");
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// Nothing.
    None,
    /// It is no word of a program: letters and digits, and not the same ones again and again.
    Random,
    /// The digits add up as those of payment cards do (Luhn), and it begins as one.
    Card,
    /// The remainder by 97 is 1 (IBAN).
    Mod97,
    /// The digits add up by a rule of the country.
    Digits(fn(&[u32]) -> bool),
    /// The letter at the end is that of the number (Spain).
    Dni,
}

impl Check {
    pub(super) fn holds(self, found: &str) -> bool {
        match self {
            Self::None => true,
            Self::Random => checks::is_random(found),
            Self::Card => checks::is_card(&checks::digits(found)),
            Self::Mod97 => checks::is_iban(found),
            Self::Digits(rule) => rule(&checks::digits(found)),
            Self::Dni => checks::is_dni(found),
        }
    }
}

/// The patterns that were needed in this process: an event without anything that looks like a secret compiles none.
pub(super) type Compiled = OnceLock<Option<Regex>>;

impl Rule {
    /// Returns the text that replaces what it finds.
    ///
    /// ```
    /// use anyhook_core::redact::RULES;
    /// assert!(RULES.iter().all(|rule| rule.marker().starts_with("[REDACTED:")));
    /// ```
    pub fn marker(&self) -> String {
        format!("[REDACTED:{}:{}]", self.class.word(), self.id)
    }

    /// Makes one up, by numbers that the caller draws. It is for tests: what has a checksum is always the good sample.
    ///
    /// ```
    /// use anyhook_core::redact::{RULES, text};
    ///
    /// let mut last = 7u32;
    /// let mut draw = || {
    ///     last = last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    ///     last >> 8
    /// };
    /// for rule in RULES {
    ///     let made = rule.made_up(&mut draw);
    ///     assert_ne!(text(&made), made, "{}", rule.id);
    /// }
    /// ```
    pub fn made_up(&self, draw: &mut dyn FnMut() -> u32) -> String {
        let parts: Vec<Part> = match self.shape {
            Shape::Token {
                prefixes,
                body,
                least,
                ..
            } => {
                let at = draw() as usize % prefixes.len().max(1);
                let prefix = prefixes.get(at).copied().unwrap_or_default();
                let more = draw() as usize % 8;
                vec![Part::Text(prefix), Part::Any(body, least + more)]
            }
            Shape::Pattern { parts, .. } => parts.to_vec(),
        };
        if parts.is_empty() {
            return self.good.concat();
        }
        let mut made = String::new();
        for part in parts {
            match part {
                Part::Text(text) => made.push_str(text),
                Part::Any(set, count) => {
                    made.extend((0..count).map(|_| set.letter(draw())));
                }
            }
        }
        made
    }

    /// Finds everything that a pattern finds in a part of a text.
    pub(super) fn search(&self, regex: &str, compiled: &Compiled, text: &str) -> Vec<Range<usize>> {
        let Some(regex) = compiled.get_or_init(|| Regex::new(regex).ok()) else {
            // Where the text cannot be searched, everything is hidden.
            return std::iter::once(0..text.len()).collect();
        };
        let found = regex.captures_iter(text).filter_map(|found| {
            let hidden = found.get(1).or_else(|| found.get(0))?;
            self.check.holds(hidden.as_str()).then(|| hidden.range())
        });
        found.collect()
    }
}
