//! The fields of one object of a manifest: typed reading that reports what it cannot read.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::place::{Lines, Place};
use super::{Finding, Severity};
use crate::taxonomy::nearest;

/// The findings so far, and the lines to place them in.
pub(super) struct Notes {
    pub(super) lines: Lines,
    pub(super) findings: Vec<Finding>,
}

impl Notes {
    pub(super) fn error(&mut self, at: &impl Ranged, message: String, help: Option<String>) {
        self.push(Severity::Error, span(at), message, help);
    }

    pub(super) fn warn(&mut self, at: &impl Ranged, message: String, help: Option<String>) {
        self.push(Severity::Warning, span(at), message, help);
    }

    pub(super) fn push(
        &mut self,
        severity: Severity,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) {
        let at = self.lines.place(span);
        self.findings.push(Finding {
            severity,
            message,
            help,
            at,
        });
    }

    pub(super) fn place(&self, node: &impl Ranged) -> Place {
        self.lines.place(span(node))
    }

    /// The first error that was found since there were `count` findings.
    pub(super) fn first_error_since(&self, count: usize) -> Option<String> {
        let since = self.findings.iter().skip(count);
        since
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.message.clone())
            .next()
    }
}

/// One field as it was found.
pub(super) enum Field<T> {
    /// It is not there.
    Absent,
    /// It is there and cannot be read; a finding says why.
    Wrong,
    /// It is this.
    Is(T),
}

impl<T> Field<T> {
    pub(super) fn ok(self) -> Option<T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Absent | Self::Wrong => None,
        }
    }

    /// Tells apart what is missing from what cannot be read; what is there is itself in both cases.
    pub(super) fn or_else(self, absent: T, wrong: T) -> T {
        match self {
            Self::Is(value) => value,
            Self::Absent => absent,
            Self::Wrong => wrong,
        }
    }
}

/// The fields of one object, and the findings that reading them adds to.
pub(super) struct Fields<'a, 'n> {
    object: &'a Object<'a>,
    pub(super) notes: &'n mut Notes,
}

impl<'a, 'n> Fields<'a, 'n> {
    pub(super) fn new(object: &'a Object<'a>, notes: &'n mut Notes) -> Self {
        Self { object, notes }
    }

    /// Warns about each field that nobody reads.
    pub(super) fn only(&mut self, known: &'static [&'static str]) {
        for prop in &self.object.properties {
            let written = prop.name.as_str();
            if known.contains(&canonical(written)) {
                continue;
            }
            let help = did_you_mean(written, known.iter().copied());
            self.notes.warn(
                &prop.name,
                format!("unknown field {}", quote(written)),
                help,
            );
        }
    }

    /// Every property of that name or of its camelCase twin.
    pub(super) fn all<'k>(
        &self,
        key: &'k str,
    ) -> impl Iterator<Item = &'a ObjectProp<'a>> + use<'a, 'k> {
        self.object
            .properties
            .iter()
            .filter(move |prop| canonical(prop.name.as_str()) == key)
    }

    /// The one value of that name; two of them are an error, because nobody can know which was meant.
    pub(super) fn value(&mut self, key: &str) -> Field<&'a Value<'a>> {
        let mut found = self.all(key);
        let (first, second) = (found.next(), found.next());
        match (first, second) {
            (Some(prop), None) => Field::Is(&prop.value),
            (_, Some(again)) => {
                self.notes.error(
                    &again.name,
                    format!("`{key}` is there twice"),
                    Some("keep one of them".into()),
                );
                Field::Wrong
            }
            (None, None) => Field::Absent,
        }
    }

    /// Reads a value by a function that knows what it must look like.
    pub(super) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'a Value<'a>) -> Result<T, Complaint>,
    ) -> Field<T> {
        let value = match self.value(key) {
            Field::Is(value) => value,
            Field::Absent => return Field::Absent,
            Field::Wrong => return Field::Wrong,
        };
        match read(value) {
            Ok(read) => Field::Is(read),
            Err(complaint) => {
                self.notes.error(value, complaint.message, complaint.help);
                Field::Wrong
            }
        }
    }

    pub(super) fn string(&mut self, key: &str) -> Field<String> {
        self.read(key, |value| text(key, value))
    }

    /// Reads text that has to say something.
    pub(super) fn words(&mut self, key: &str) -> Field<String> {
        self.read(key, |value| match text(key, value)? {
            empty if empty.trim().is_empty() => Err(Complaint::new(format!("`{key}` is empty"))),
            words => Ok(words),
        })
    }

    pub(super) fn boolean(&mut self, key: &str) -> Field<bool> {
        self.read(key, |value| match value {
            Value::BooleanLit(literal) => Ok(literal.value),
            other => Err(Complaint::wanted(key, "`true` or `false`", other)),
        })
    }

    pub(super) fn integer(&mut self, key: &str) -> Field<i32> {
        self.read(key, |value| match value {
            Value::NumberLit(literal) => literal.value.parse().map_err(|_| {
                Complaint::new(format!(
                    "`{key}` must be a whole number of 32 bits, found {}",
                    quote(literal.value)
                ))
            }),
            other => Err(Complaint::wanted(key, "a whole number", other)),
        })
    }

    pub(super) fn strings(&mut self, key: &str) -> Field<Vec<String>> {
        self.read(key, |value| match value {
            Value::Array(array) => array
                .elements
                .iter()
                .map(|element| text(key, element))
                .collect(),
            other => Err(Complaint::wanted(key, "a list of strings", other)),
        })
    }

    /// Reads one of a few words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &str,
        words: &'static [(&'static str, T)],
    ) -> Field<T> {
        self.read(key, |value| {
            let word = text(key, value)?;
            if let Some((_, choice)) = words.iter().find(|(known, _)| *known == word) {
                return Ok(*choice);
            }
            let help =
                did_you_mean(&word, words.iter().map(|(known, _)| *known)).unwrap_or_else(|| {
                    format!("write {}", one_of(words.iter().map(|(known, _)| *known)))
                });
            Err(Complaint {
                message: format!("`{key}` cannot be {}", quote(&word)),
                help: Some(help),
            })
        })
    }
}

/// Why a value cannot be read.
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Complaint {
    pub(super) fn new(message: String) -> Self {
        Self {
            message,
            help: None,
        }
    }

    pub(super) fn wanted(key: &str, wanted: &str, found: &Value<'_>) -> Self {
        Self::new(format!(
            "{} must be {wanted}, found {}",
            quote(key),
            kind(found)
        ))
    }
}

/// Reads text that survives being an argument or a variable of a process.
pub(super) fn text(key: &str, value: &Value<'_>) -> Result<String, Complaint> {
    match value {
        Value::StringLit(literal) if literal.value.contains('\0') => Err(Complaint::new(format!(
            "{} holds a NUL character",
            quote(key)
        ))),
        Value::StringLit(literal) => Ok(literal.value.to_string()),
        other => Err(Complaint::wanted(key, "a string", other)),
    }
}

/// Says what a value is, in words.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "`null`",
    }
}

/// Quotes what the file says: bounded, and without anything that a terminal would obey.
pub(super) fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let mut quoted = String::from("`");
    for char in text.chars().take(MOST) {
        match char {
            '\'' | '"' | '\\' => quoted.push(char),
            other => quoted.extend(other.escape_debug()),
        }
    }
    quoted.push_str(if text.chars().nth(MOST).is_some() {
        "…`"
    } else {
        "`"
    });
    quoted
}

/// Names the known word that an unknown one was probably meant to be.
pub(super) fn did_you_mean(
    word: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<String> {
    // No known word is that long; also bounds the work that a hostile file can cause.
    let near = if word.len() > 64 {
        None
    } else {
        nearest(word, known)
    };
    near.map(|near| format!("did you mean `{near}`?"))
}

/// Lists words as "`a`, `b` or `c`".
pub(super) fn one_of(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        all => all.concat(),
    }
}

/// The bytes that a node covers.
pub(super) fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// The kebab-case name of a field: some are also written as Claude Code would write them.
fn canonical(name: &str) -> &str {
    match name {
        "onFailure" => "on-failure",
        "ifUnsayable" => "if-unsayable",
        other => other,
    }
}
