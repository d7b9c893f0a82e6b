//! Something that an agent is about to do, or has just done.
//!
//! An [`Event`] is a name and one JSON object (D3). Names resolve their aliases once, when they are made (D1): everything
//! after that sees the canonical name. What the emitter gave besides the data (host, ids, time) lives in [`Origin`] and
//! cannot be rewritten by a hook.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::matcher::Subject;
use crate::taxonomy::{self, Class, EventSpec};

/// A JSON object, in the order in which it was written.
pub type Map = serde_json::Map<String, Value>;

/// The canonical name of an event; unknown names are legal (an open taxonomy).
///
/// ```
/// use anyhook_core::event::EventName;
/// assert_eq!(EventName::new("PreToolUse").as_str(), "tool:pre");
/// assert_eq!(EventName::new("pre-tool-use"), EventName::new("tool:pre"));
/// assert_eq!(EventName::new("my-hook:debug").as_str(), "my-hook:debug");
/// ```
#[derive(Clone)]
pub struct EventName(Name);

#[derive(Clone)]
enum Name {
    Row(&'static EventSpec),
    Free(Arc<str>),
}

impl EventName {
    /// Resolves a name in any spelling: canonical, universal, or an alias.
    pub fn new(name: &str) -> Self {
        Self(taxonomy::find(name).map_or_else(|| Name::Free(name.into()), Name::Row))
    }

    /// Returns the canonical spelling.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Row(row) => row.name,
            Name::Free(name) => name,
        }
    }

    /// Returns the row of the taxonomy, or nothing for a name outside it.
    pub fn spec(&self) -> Option<&'static EventSpec> {
        match &self.0 {
            Name::Row(row) => Some(row),
            Name::Free(_) => None,
        }
    }

    /// Returns what refusing this event means; an unknown event is a gate, about which everything may be said.
    pub fn class(&self) -> Class {
        self.spec().map_or(Class::Gate, |row| row.class)
    }

    /// Returns the fields that are said to a host when a hook rewrites them.
    pub fn mutable(&self) -> &'static [&'static str] {
        self.spec().map_or(&[], |row| row.mutable)
    }

    /// Returns the name that a universal hook reads: kebab-case where the seed has one, else the canonical name.
    pub fn universal(&self) -> &str {
        self.spec()
            .and_then(|row| row.universal)
            .unwrap_or_else(|| self.as_str())
    }
}

impl PartialEq for EventName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for EventName {}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for EventName {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::new(&Cow::<str>::deserialize(from)?))
    }
}

/// An event, as hooks are asked about it.
///
/// ```
/// use anyhook_core::event::Event;
/// use serde_json::json;
/// let event = Event::new("PreToolUse", json!({"tool_name": "Write"}));
/// assert_eq!(event.name.as_str(), "tool:pre");
/// assert_eq!(event.subject.as_deref(), Some("Write"));
/// ```
#[derive(Debug, Clone)]
pub struct Event {
    /// The canonical name.
    pub name: EventName,
    /// Where it came from; nothing for an event that a program emits in its own process.
    pub origin: Option<Box<Origin>>,
    /// What a matcher looks at, taken from the data once: rewrites do not move it.
    pub subject: Option<Box<str>>,
    /// Every other name that some host uses for the same tool (D17).
    pub also: &'static [&'static str],
    /// The event's data; its fields are in `snake_case` (D3).
    pub data: Data,
}

impl Event {
    /// Makes an event from a name in any spelling and its data; anything but an object counts as an empty one.
    pub fn new(name: &str, data: Value) -> Self {
        let name = EventName::new(name);
        let map = match data {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let subject = name
            .spec()
            .and_then(|row| row.subject)
            .and_then(|field| map.get(field))
            .and_then(Value::as_str)
            .map(Box::from);
        Self {
            name,
            origin: None,
            subject,
            also: &[],
            data: Data::from(map),
        }
    }

    /// Returns what a matcher is held against.
    pub fn subject(&self) -> Option<Subject<'_>> {
        self.subject.as_deref().map(|name| Subject {
            name,
            also: self.also,
        })
    }

    /// Returns the origin's session id.
    pub fn session(&self) -> Option<&str> {
        self.origin.as_ref()?.session.as_deref()
    }
}

/// What is known of an event besides its data. Ids and time are given by whoever stands at the edge, never taken here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The host that said it: the id of its row, such as `claude-code`.
    pub host: Cow<'static, str>,
    /// The host's own name for the event, such as `PreToolUse`.
    pub native: Box<str>,
    /// The session that it belongs to.
    pub session: Option<Box<str>>,
    /// The very bytes that the host sent, for hooks that speak the same host's language (D26).
    pub raw: Option<Arc<[u8]>>,
}

/// An event's data: JSON, or a stranger that can show itself as JSON.
#[derive(Debug)]
pub enum Data {
    /// A JSON object, shared until somebody rewrites it.
    Json(Arc<Map>),
    /// A binding's own object, such as a Python dict.
    Foreign(Box<dyn Foreign>),
}

/// Data that lives in another language; the kernel only looks at field names.
pub trait Foreign: fmt::Debug + Any + Send + Sync {
    /// Shows the text of a field to `look`, if it has one.
    fn text(&self, field: &str, look: &mut dyn FnMut(&str));
    /// Replaces a field, or removes it.
    fn set(&mut self, field: &str, value: Option<&Datum>);
    /// Tells whether the field already holds this value (or is absent, for nothing).
    fn holds(&self, field: &str, value: Option<&Datum>) -> bool;
    /// Shows the whole object as JSON.
    fn json(&self) -> Cow<'_, Map>;
    /// Copies the handle; nested values stay shared.
    fn copy(&self) -> Box<dyn Foreign>;
}

impl Data {
    /// Shows the data as a JSON object; only a foreign one is converted.
    pub fn json(&self) -> Cow<'_, Map> {
        match self {
            Self::Json(map) => Cow::Borrowed(map),
            Self::Foreign(foreign) => foreign.json(),
        }
    }

    /// Tells whether the field already holds this value, or is absent where nothing is given.
    pub fn holds(&self, field: &str, value: Option<&Datum>) -> bool {
        match (self, value) {
            (Self::Foreign(foreign), value) => foreign.holds(field, value),
            (Self::Json(map), None) => !map.contains_key(field),
            (Self::Json(map), Some(Datum::Json(value))) => map.get(field) == Some(value),
            (Self::Json(map), Some(Datum::Foreign(foreign))) => {
                map.get(field) == Some(&foreign.json())
            }
        }
    }

    /// Replaces a field, or removes it. The data is copied only if somebody else still holds it.
    pub fn set(&mut self, field: &str, value: Option<&Datum>) {
        match self {
            Self::Foreign(foreign) => foreign.set(field, value),
            Self::Json(map) => match value {
                Some(datum) => {
                    Arc::make_mut(map).insert(field.to_owned(), datum.json());
                }
                None => {
                    Arc::make_mut(map).shift_remove(field);
                }
            },
        }
    }
}

impl Clone for Data {
    fn clone(&self) -> Self {
        match self {
            Self::Json(map) => Self::Json(Arc::clone(map)),
            Self::Foreign(foreign) => Self::Foreign(foreign.copy()),
        }
    }
}

impl From<Map> for Data {
    fn from(map: Map) -> Self {
        Self::Json(Arc::new(map))
    }
}

/// One value: JSON, or a stranger's. JSON is compared by value, a stranger by identity.
#[derive(Debug, Clone)]
pub enum Datum {
    /// A JSON value.
    Json(Value),
    /// A binding's own value.
    Foreign(Arc<dyn ForeignValue>),
}

/// A value that lives in another language.
pub trait ForeignValue: fmt::Debug + Any + Send + Sync {
    /// Shows the value as JSON.
    fn json(&self) -> Value;
}

impl Datum {
    /// Returns the value as JSON.
    pub fn json(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Foreign(foreign) => foreign.json(),
        }
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(a), Self::Json(b)) => a == b,
            (Self::Foreign(a), Self::Foreign(b)) => Arc::ptr_eq(a, b),
            (Self::Json(_), Self::Foreign(_)) | (Self::Foreign(_), Self::Json(_)) => false,
        }
    }
}

impl<T: Into<Value>> From<T> for Datum {
    fn from(value: T) -> Self {
        Self::Json(value.into())
    }
}

impl Serialize for Datum {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(to),
            Self::Foreign(foreign) => foreign.json().serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(Self::Json)
    }
}

/// Reads a field that is there: a `null` is a value, and only a field that is absent is nothing.
pub(crate) fn given<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for EventName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(of: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(of)
    }
}
