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

mod stamp;

/// The field that says when an event was emitted.
pub const TIMESTAMP: &str = "timestamp";

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

    /// Tells whether a subscription to this name means an event of another name: both are one, or this one has a `*`
    /// that stands for the rest. Canonical spellings are compared.
    ///
    /// ```
    /// use anyhook_core::event::EventName;
    /// let [all, tools, pre] = ["*", "tool:*", "PreToolUse"].map(EventName::new);
    /// assert!(all.covers(&pre) && tools.covers(&pre) && pre.covers(&pre));
    /// assert!(!tools.covers(&EventName::new("session:start")));
    /// ```
    #[inline]
    pub fn covers(&self, event: &Self) -> bool {
        self == event || matches!(&self.0, Name::Free(glob) if covers(glob, event.as_str()))
    }

    /// Tells whether it stands for many: it has a `*`.
    pub fn is_glob(&self) -> bool {
        matches!(&self.0, Name::Free(name) if name.contains('*'))
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

/// Tells whether a pattern, in which `*` stands for any text, is a whole name.
fn covers(glob: &str, name: &str) -> bool {
    let Some((head, mut rest)) = glob.split_once('*') else {
        return glob == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    // The first place for each middle part leaves the most for those behind it.
    while let Some((part, later)) = rest.split_once('*') {
        let Some((_, behind)) = name.split_once(part) else {
            return false;
        };
        (name, rest) = (behind, later);
    }
    name.ends_with(rest)
}

impl PartialEq for EventName {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // A name with a row is never free, so rows are equal by their place.
        match (&self.0, &other.0) {
            (Name::Row(a), Name::Row(b)) => std::ptr::eq(*a, *b),
            (Name::Free(a), Name::Free(b)) => a == b,
            (Name::Row(_), Name::Free(_)) | (Name::Free(_), Name::Row(_)) => false,
        }
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
    /// When it was emitted, in milliseconds since 1970, where a registry stamped it: the field `timestamp`, over the
    /// caller's own and out of every hook's reach.
    pub at: Option<i64>,
}

impl Event {
    /// Makes an event from a name in any spelling and its data: a JSON object, a map, or a shared one.
    pub fn new(name: &str, data: impl Into<Data>) -> Self {
        Self::named(EventName::new(name), data)
    }

    /// Makes an event from a name that is already resolved.
    #[inline]
    pub fn named(name: EventName, data: impl Into<Data>) -> Self {
        let data = data.into();
        let mut subject = None;
        if let Some(field) = name.spec().and_then(|row| row.subject) {
            match &data {
                Data::Json(map) => {
                    subject = look_up(map, field).and_then(Value::as_str).map(Box::from);
                }
                Data::Foreign(foreign) => {
                    foreign.text(field, &mut |text| subject = Some(text.into()));
                }
            }
        }
        Self {
            name,
            origin: None,
            subject,
            also: &[],
            data,
            at: None,
        }
    }

    /// Returns a field as a hook sees it: `timestamp` is when the event was emitted, where it was stamped.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use serde_json::json;
    /// let mut event = Event::new("tool:pre", json!({"tool_name": "Write", "timestamp": "long ago"}));
    /// assert_eq!(event.get("tool_name").as_deref(), Some(&json!("Write")));
    /// event.at = Some(0);
    /// assert_eq!(event.get("timestamp").as_deref(), Some(&json!("1970-01-01T00:00:00.000+00:00")));
    /// ```
    pub fn get(&self, field: &str) -> Option<Cow<'_, Value>> {
        if let Some(at) = self.at.filter(|_| field == TIMESTAMP) {
            return Some(Cow::Owned(stamp::rfc3339(at).into()));
        }
        match &self.data {
            Data::Json(map) => look_up(map, field).map(Cow::Borrowed),
            Data::Foreign(foreign) => foreign.json().get(field).cloned().map(Cow::Owned),
        }
    }

    /// Returns the text of a field, if it is one.
    ///
    /// ```
    /// # use anyhook_core::event::Event;
    /// let event = Event::new("tool:pre", serde_json::json!({"tool_name": "Write", "depth": 3}));
    /// assert_eq!(event.text("tool_name").as_deref(), Some("Write"));
    /// assert_eq!(event.text("depth"), None);
    /// ```
    pub fn text(&self, field: &str) -> Option<Cow<'_, str>> {
        match self.get(field)? {
            Cow::Borrowed(value) => value.as_str().map(Cow::Borrowed),
            Cow::Owned(Value::String(text)) => Some(Cow::Owned(text)),
            Cow::Owned(_) => None,
        }
    }

    /// Shows all fields as a hook sees them. The data is copied only to add the `timestamp` of a stamped event.
    pub fn json(&self) -> Cow<'_, Map> {
        let mut fields = self.data.json();
        if let Some(at) = self.at {
            let stamp = stamp::rfc3339(at).into();
            fields.to_mut().insert(TIMESTAMP.to_owned(), stamp);
        }
        fields
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

/// Looks a field up. In an object of a few fields, comparing their names is faster than hashing one.
fn look_up<'a>(map: &'a Map, field: &str) -> Option<&'a Value> {
    if map.len() > 16 {
        return map.get(field);
    }
    let mut fields = map.iter();
    fields
        .find(|(name, _)| *name == field)
        .map(|(_, value)| value)
}

fn look_up_mut<'a>(map: &'a mut Map, field: &str) -> Option<&'a mut Value> {
    if map.len() > 16 {
        return map.get_mut(field);
    }
    let mut fields = map.iter_mut();
    fields
        .find(|(name, _)| *name == field)
        .map(|(_, value)| value)
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
            (Self::Json(map), None) => look_up(map, field).is_none(),
            (Self::Json(map), Some(Datum::Json(value))) => look_up(map, field) == Some(value),
            (Self::Json(map), Some(Datum::Foreign(foreign))) => {
                map.get(field) == Some(&foreign.json())
            }
        }
    }

    /// Adds the fields that are not there. The data is copied only if one is missing and somebody else still holds it.
    pub fn fill(&mut self, defaults: &Map) {
        for (field, value) in defaults {
            if self.holds(field, None) {
                self.set(field, Some(&Datum::Json(value.clone())));
            }
        }
    }

    /// Replaces a field, or removes it. The data is copied only if somebody else still holds it.
    pub fn set(&mut self, field: &str, value: Option<&Datum>) {
        match self {
            Self::Foreign(foreign) => foreign.set(field, value),
            Self::Json(map) => match value {
                Some(datum) => {
                    let map = Arc::make_mut(map);
                    match look_up_mut(map, field) {
                        Some(old) => *old = datum.json(),
                        None => drop(map.insert(field.to_owned(), datum.json())),
                    }
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

impl From<Arc<Map>> for Data {
    fn from(map: Arc<Map>) -> Self {
        Self::Json(map)
    }
}

/// Data is an object: any other value counts as an empty one.
impl From<Value> for Data {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::from(map),
            _ => Self::from(Map::new()),
        }
    }
}

impl From<Box<dyn Foreign>> for Data {
    fn from(foreign: Box<dyn Foreign>) -> Self {
        Self::Foreign(foreign)
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
