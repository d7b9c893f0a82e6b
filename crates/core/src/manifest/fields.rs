//! The fields of one object of a manifest: typed reading that reports what it cannot read.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::notes::{FindingCollector, opening};
use super::say::{advice, did_you_mean, kind, quote};
use super::table::{self, ManifestLevel, canonical, choices};
use super::{Code, Mode, Place};

/// One field as it was found.
pub(super) enum FieldValue<T> {
    /// It is not there.
    Absent,
    /// It is there and cannot be read; a finding says why.
    Wrong,
    /// It is this.
    Is(T),
}

impl<T> FieldValue<T> {
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
pub(super) struct ObjectFields<'a, 'n> {
    /// Each with its name as the table has it.
    pub(super) all: Vec<(&'a str, &'a ObjectProp<'a>)>,
    pub(super) object: &'a Object<'a>,
    pub(super) notes: &'n mut FindingCollector,
}

impl<'a, 'n> ObjectFields<'a, 'n> {
    pub(super) fn new(object: &'a Object<'a>, notes: &'n mut FindingCollector) -> Self {
        let all = object.properties.iter();
        let all = all.map(|prop| (canonical(prop.name.as_str()), prop));
        Self {
            all: all.collect(),
            object,
            notes,
        }
    }

    /// Warns about each field that this object does not have; one that belongs to another object comes with its place.
    pub(super) fn only(
        &mut self,
        known: &(impl Iterator<Item = &'static str> + Clone),
        elsewhere: Option<(ManifestLevel, &str)>,
    ) {
        for (key, prop) in &self.all {
            let written = prop.name.as_str();
            if known.clone().any(|known| known == *key) {
                continue;
            }
            let other = elsewhere.filter(|(level, _)| table::names(*level).any(|own| own == *key));
            let mut code = Code::UnknownField;
            let help = if let Some((_, belongs)) = other {
                Some(format!("`{key}` belongs to {belongs}"))
            } else if self.notes.is_crowded() {
                None
            } else {
                let near = did_you_mean(written, known.clone());
                near.inspect(|_| code = Code::MisspelledField)
            };
            self.notes
                .warn(
                    &prop.name,
                    format!("unknown field {}", quote(written)),
                    help.as_deref(),
                )
                .code(code);
        }
    }

    /// Every property of that name or of its camelCase twin.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &'a ObjectProp<'a>> {
        let named = self.all.iter().filter(move |(name, _)| *name == key);
        named.map(|(_, prop)| *prop)
    }

    /// The one value of that name; two of them are an error, because it is not clear which was meant.
    pub(super) fn value(&mut self, key: &str) -> FieldValue<&'a Value<'a>> {
        let first_two = {
            let mut found = self.all(key);
            (found.next(), found.next())
        };
        match first_two {
            (Some(prop), None) => FieldValue::Is(&prop.value),
            (_, Some(again)) => {
                self.notes.error(
                    &again.name,
                    format!("`{key}` is there twice"),
                    Some("keep one of them"),
                );
                FieldValue::Wrong
            }
            (None, None) => FieldValue::Absent,
        }
    }

    /// Reads a value by a function that knows what it must look like.
    pub(super) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'a Value<'a>) -> Result<T, Complaint>,
    ) -> FieldValue<T> {
        let value = match self.value(key) {
            FieldValue::Is(value) => value,
            FieldValue::Absent => return FieldValue::Absent,
            FieldValue::Wrong => return FieldValue::Wrong,
        };
        match read(value) {
            Ok(read) => FieldValue::Is(read),
            Err(complaint) => {
                self.notes.complain(value, complaint);
                FieldValue::Wrong
            }
        }
    }

    pub(super) fn string(&mut self, key: &str) -> FieldValue<String> {
        self.read(key, |value| text(key, value))
    }

    /// Reads text that has to say something.
    pub(super) fn words(&mut self, key: &str) -> FieldValue<String> {
        self.read(key, |value| words(key, value))
    }

    pub(super) fn object(&mut self, key: &str, wanted: &str) -> Option<&'a Object<'a>> {
        let read = self.read(key, |value| {
            let object = value.as_object();
            object.ok_or_else(|| Complaint::wanted(key, wanted, value))
        });
        read.ok()
    }

    pub(super) fn boolean(&mut self, key: &str) -> FieldValue<bool> {
        self.read(key, |value| match value {
            Value::BooleanLit(literal) => Ok(literal.value),
            other => Err(Complaint::wanted(key, "`true` or `false`", other)),
        })
    }

    pub(super) fn integer(&mut self, key: &str) -> FieldValue<i32> {
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

    pub(super) fn strings(&mut self, key: &str) -> Option<Vec<String>> {
        self.each(
            key,
            |value| Complaint::wanted(key, "a list of strings", value),
            text,
        )
    }

    /// Reads a list whose elements have errors of their own; what is no list is an error of the field.
    pub(super) fn each<T>(
        &mut self,
        key: &str,
        no_list: impl Fn(&Value<'_>) -> Complaint,
        read: impl Fn(&str, &'a Value<'a>) -> Result<T, Complaint>,
    ) -> Option<Vec<T>> {
        let value = self.value(key).ok()?;
        let Value::Array(array) = value else {
            self.notes.complain(value, no_list(value));
            return None;
        };
        let mut all = Vec::with_capacity(array.elements.len());
        for (index, element) in array.elements.iter().enumerate() {
            match read(&format!("{key}[{index}]"), element) {
                Ok(one) => all.push(one),
                Err(complaint) => self.notes.complain(element, complaint),
            }
        }
        Some(all)
    }

    /// Reads one of a few words.
    /// Reads one of these words as serde reads it.
    pub(super) fn choice<T>(&mut self, key: &str, words: &[&'static str]) -> FieldValue<T>
    where
        T: DeserializeOwned,
    {
        self.read(key, |value| choice(key, value, words))
    }

    /// Reads the mode, on any level, within this one.
    pub(super) fn mode(&mut self, around: Mode) -> Mode {
        self.choice("mode", choices::MODE)
            .or_else(around, Mode::Enforce)
    }

    /// Reads words that have to be there.
    pub(super) fn required(&mut self, key: &str, help: Option<&str>) -> Option<String> {
        let found = self.words(key);
        if matches!(found, FieldValue::Absent) {
            self.missing(key, help);
        }
        found.ok()
    }

    pub(super) fn missing(&mut self, key: &str, help: Option<&str>) -> &mut FindingCollector {
        let message = format!("`{key}` is missing");
        self.notes.error(&opening(self.object), message, help)
    }

    /// Returns where the value of a field stands.
    pub(super) fn place(&self, key: &str) -> Option<Place> {
        let prop = self.all(key).next()?;
        Some(self.notes.place(&prop.value))
    }
}

/// Why a value cannot be read.
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) code: Code,
}

impl Complaint {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            code: Code::BadValue,
        }
    }

    /// Says what kind of mistake it is.
    pub(super) fn code(self, code: Code) -> Self {
        Self { code, ..self }
    }

    /// Says what to write instead.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self { help, ..self }
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

/// Reads a text that says something.
pub(super) fn words(key: &str, value: &Value<'_>) -> Result<String, Complaint> {
    match text(key, value)? {
        empty if empty.trim().is_empty() => Err(Complaint::new(format!("`{key}` is empty"))),
        words => Ok(words),
    }
}

/// Reads one of a few words.
pub(super) fn word(
    key: &str,
    value: &Value<'_>,
    words: &[&'static str],
) -> Result<&'static str, Complaint> {
    let word = text(key, value)?;
    let known = words.iter().find(|known| **known == word);
    known.copied().ok_or_else(|| {
        let complaint = Complaint::new(format!("`{key}` cannot be {}", quote(&word)));
        complaint.help(advice(&word, words))
    })
}

pub(super) fn choice<T: DeserializeOwned>(
    key: &str,
    value: &Value<'_>,
    words: &[&'static str],
) -> Result<T, Complaint> {
    let word = StrDeserializer::<ValueError>::new(word(key, value, words)?);
    T::deserialize(word).map_err(|error| Complaint::new(error.to_string()))
}
