//! The data of an event: JSON, or an object of another program; shared until it is rewritten.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Map;

/// An event's data: JSON, or a stranger that can show itself as JSON.
///
/// Cloning shares it; the first who changes it pays for the copy.
///
/// ```
/// use anyhook_core::event::{Data, Datum, Map};
/// use serde_json::json;
///
/// let given = Data::from(json!({"tool_name": "Write", "depth": 1}));
/// let mut mine = given.clone();
///
/// mine.fill(&Map::from_iter([("depth".into(), json!(0)), ("cwd".into(), json!("/src"))]));
/// mine.set("tool_name", None);
/// mine.set("depth", Some(&Datum::from(2)));
/// assert_eq!(serde_json::to_value(mine.json()).unwrap(), json!({"depth": 2, "cwd": "/src"}));
///
/// assert!(mine.holds("tool_name", None) && mine.holds("depth", Some(&2.into())));
/// assert!(given.holds("depth", Some(&1.into())), "the caller that shared it sees what it was");
/// ```
#[derive(Debug)]
pub enum Data {
    /// A JSON object, shared until it is rewritten.
    Json(Arc<Map>),
    /// A binding's own object, such as a Python dict.
    Foreign(Box<dyn Foreign>),
    /// A value that is no object, where data was wanted: it has no fields, and is a [problem](Data::problem).
    NoObject(&'static str),
}

/// Data that lives in another language; the kernel only looks at field names.
///
/// The implementer keeps its own object and shows it: as text for a matcher, as JSON for a caller that asks. [`Foreign::copy`]
/// copies the handle so that [`Foreign::set`] on one is not seen through the other.
///
/// ```
/// use std::borrow::Cow;
/// use std::collections::BTreeMap;
///
/// use anyhook_core::event::{Data, Datum, Event, Foreign, Map};
/// use serde_json::Value;
///
/// /// An object of a language that knows only texts.
/// #[derive(Debug, Clone)]
/// struct Texts(BTreeMap<String, String>);
///
/// impl Foreign for Texts {
///     fn text(&self, field: &str) -> Option<Cow<'_, str>> {
///         self.0.get(field).map(|text| text.into())
///     }
///     fn set(&mut self, field: &str, value: Option<&Datum>) {
///         match value {
///             Some(value) => self.0.insert(field.into(), value.json().to_string()),
///             None => self.0.remove(field),
///         };
///     }
///     fn holds(&self, field: &str, value: Option<&Datum>) -> bool {
///         self.0.get(field).map(String::as_str)
///             == value.map(Datum::json).as_ref().and_then(Value::as_str)
///     }
///     fn json(&self) -> Cow<'_, Map> {
///         Cow::Owned(
///             self.0.iter().map(|(field, text)| (field.clone(), text.clone().into())).collect(),
///         )
///     }
///     fn copy(&self) -> Box<dyn Foreign> {
///         Box::new(self.clone())
///     }
/// }
///
/// let foreign: Box<dyn Foreign> = Box::new(Texts([("tool_name".into(), "Write".into())].into()));
/// let event = Event::new("tool:pre", Data::from(foreign));
/// assert_eq!(event.subject.as_deref(), Some("Write"));
/// assert_eq!(event.json()["tool_name"], "Write");
/// ```
pub trait Foreign: fmt::Debug + Any + Send + Sync {
    /// Returns the text of a field, if it has one.
    fn text(&self, field: &str) -> Option<Cow<'_, str>>;
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
            Self::NoObject(_) => Cow::Owned(Map::new()),
        }
    }

    /// Says what it is, if it is no object: no hook can judge it.
    ///
    /// ```
    /// use anyhook_core::event::Data;
    /// use serde_json::json;
    /// let problems = [json!({}), json!("ls"), json!(["ls"])].map(|value| Data::from(value).problem());
    /// assert_eq!(problems, [None, Some("a text"), Some("a list")]);
    /// ```
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            Self::NoObject(found) => Some(found),
            Self::Json(_) | Self::Foreign(_) => None,
        }
    }

    /// Tells whether the field already holds this value, or is absent where nothing is given.
    pub fn holds(&self, field: &str, value: Option<&Datum>) -> bool {
        match (self, value) {
            (Self::Foreign(foreign), value) => foreign.holds(field, value),
            (Self::NoObject(_), value) => value.is_none(),
            (Self::Json(map), None) => !map.contains_key(field),
            (Self::Json(map), Some(Datum::Json(value))) => map.get(field) == Some(value),
            (Self::Json(map), Some(Datum::Foreign(foreign))) => {
                map.get(field) == Some(&foreign.json())
            }
        }
    }

    /// Adds the fields that are not there. The data is copied only if one is missing and another event still holds it.
    pub fn fill(&mut self, defaults: &Map) {
        for (field, value) in defaults {
            if self.holds(field, None) {
                self.set(field, Some(&Datum::Json(value.clone())));
            }
        }
    }

    /// Replaces a field, or removes it. The data is copied only if another event still holds it.
    pub fn set(&mut self, field: &str, value: Option<&Datum>) {
        match self {
            Self::Foreign(foreign) => foreign.set(field, value),
            Self::NoObject(_) => {}
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
            Self::NoObject(found) => Self::NoObject(found),
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

/// Data is an object: any other value has no fields, and is a [problem](Data::problem).
impl From<Value> for Data {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::from(map),
            Value::Null => Self::NoObject("null"),
            Value::Bool(_) => Self::NoObject("a boolean"),
            Value::Number(_) => Self::NoObject("a number"),
            Value::String(_) => Self::NoObject("a text"),
            Value::Array(_) => Self::NoObject("a list"),
        }
    }
}

impl From<Box<dyn Foreign>> for Data {
    fn from(foreign: Box<dyn Foreign>) -> Self {
        Self::Foreign(foreign)
    }
}

/// One value: JSON, or a stranger's. JSON is compared by value, a stranger by identity.
///
/// ```
/// use anyhook_core::event::Datum;
/// use serde_json::json;
///
/// let datum = Datum::from(json!({"command": "ls"}));
/// assert_eq!(datum, Datum::Json(json!({"command": "ls"})));
/// assert_eq!(datum.json()["command"], "ls");
/// ```
#[derive(Debug, Clone)]
pub enum Datum {
    /// A JSON value.
    Json(Value),
    /// A binding's own value.
    Foreign(Arc<dyn ForeignValue>),
}

/// A value that lives in another language.
///
/// ```
/// use std::sync::Arc;
///
/// use anyhook_core::event::{Datum, ForeignValue};
///
/// #[derive(Debug)]
/// struct Moment(u64);
///
/// impl ForeignValue for Moment {
///     fn json(&self) -> serde_json::Value {
///         self.0.into()
///     }
/// }
///
/// let moment = Arc::new(Moment(7));
/// let datum = Datum::Foreign(Arc::clone(&moment) as Arc<dyn ForeignValue>);
/// assert_eq!(datum.json(), 7);
/// assert_eq!(datum, Datum::Foreign(moment), "the same object");
/// assert_ne!(datum, Datum::from(7), "and no other");
/// ```
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
