//! The names of events: one canonical spelling each, and patterns that stand for many.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::taxonomy::{self, Class, EventSpec};

/// The canonical name of an event; unknown names are legal (an open taxonomy).
///
/// ```
/// use anyhook_core::event::EventName;
/// assert_eq!(EventName::new("PreToolUse").as_str(), "tool:pre");
/// assert_eq!(EventName::new("pre-tool-use"), EventName::new("tool:pre"));
/// assert_eq!(EventName::new("my-hook:debug").as_str(), "my-hook:debug");
/// ```
///
/// What the taxonomy knows of it is at hand:
///
/// ```
/// use anyhook_core::event::EventName;
/// use anyhook_core::taxonomy::Class;
///
/// let pre = EventName::new("PreToolUse");
/// assert_eq!(pre.spec().map(|row| row.name), Some("tool:pre"));
/// assert_eq!(
///     (pre.class(), pre.universal(), pre.mutable()),
///     (Class::Gate, "pre-tool-use", &["tool_input"][..])
/// );
///
/// let own = EventName::new("my-hook:debug");
/// assert_eq!((own.spec(), own.universal()), (None, "my-hook:debug"));
/// assert!(!own.is_glob() && EventName::new("my-hook:*").is_glob());
/// ```
#[derive(Clone)]
pub struct EventName(NameRepr);

#[derive(Clone)]
enum NameRepr {
    Row(&'static EventSpec),
    Free(Arc<str>),
}

impl EventName {
    /// Resolves a name in any spelling: canonical, universal, or an alias.
    pub fn new(name: &str) -> Self {
        Self(taxonomy::find(name).map_or_else(|| NameRepr::Free(name.into()), NameRepr::Row))
    }

    /// Returns the canonical spelling.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            NameRepr::Row(row) => row.name,
            NameRepr::Free(name) => name,
        }
    }

    /// Returns the row of the taxonomy, or nothing for a name outside it.
    pub fn spec(&self) -> Option<&'static EventSpec> {
        match &self.0 {
            NameRepr::Row(row) => Some(row),
            NameRepr::Free(_) => None,
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
        self == event || matches!(&self.0, NameRepr::Free(glob) if covers(glob, event.as_str()))
    }

    /// Tells whether it stands for many: it has a `*`.
    pub fn is_glob(&self) -> bool {
        matches!(&self.0, NameRepr::Free(name) if name.contains('*'))
    }

    /// Tells whether it stands for many, and one of them at least is in the taxonomy: then it is no slip.
    ///
    /// ```
    /// use anyhook_core::event::EventName;
    /// let known = ["*", "tool:*", "tol:*", "tool:pre"].map(|name| EventName::new(name).stands_for_known());
    /// assert_eq!(known, [true, true, false, false]);
    /// ```
    pub fn stands_for_known(&self) -> bool {
        let mut rows = taxonomy::EVENTS.iter();
        self.is_glob() && rows.any(|row| self.covers(&Self(NameRepr::Row(row))))
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
            (NameRepr::Row(a), NameRepr::Row(b)) => std::ptr::eq(*a, *b),
            (NameRepr::Free(a), NameRepr::Free(b)) => a == b,
            (NameRepr::Row(_), NameRepr::Free(_)) | (NameRepr::Free(_), NameRepr::Row(_)) => false,
        }
    }
}

impl Hash for EventName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
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

#[cfg(test)]
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
