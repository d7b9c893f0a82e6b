//! Something that an agent is about to do, or has just done.
//!
//! An [`Event`] is a name and one JSON object. Names resolve their aliases once, when they are made: everything
//! after that sees the canonical name. What the emitter gave besides the data (host, ids, time) lives in [`Origin`] and
//! cannot be rewritten by a hook.
//!
//! ```
//! use anyhook_core::event::{Event, Map, Origin, TIMESTAMP};
//! use serde_json::json;
//!
//! let mut data = Map::new();
//! data.insert("tool_name".into(), json!("Bash"));
//! data.insert("tool_input".into(), json!({"command": "ls"}));
//!
//! // An edge that reads a host's payload says where it came from; the data stays as it was.
//! let mut event = Event::new("PreToolUse", data);
//! event.origin = Some(Box::new(Origin {
//!     host: "claude-code".into(),
//!     native: "PreToolUse".into(),
//!     session: Some("s1".into()),
//!     ..Origin::default()
//! }));
//! event.at = Some(1_700_000_000_000);
//!
//! assert_eq!(event.session(), Some("s1"));
//! assert_eq!(event.get(TIMESTAMP).unwrap().as_str(), Some("2023-11-14T22:13:20.000+00:00"));
//! assert_eq!(event.data.json().get(TIMESTAMP), None);
//! ```

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::matcher::Subject;

mod data;
mod name;
mod stamp;

pub(crate) use data::given;
pub use data::{Data, Datum, Foreign, ForeignValue};
pub use name::EventName;

/// The field that says when an event was emitted.
pub const TIMESTAMP: &str = "timestamp";

/// A JSON object, in the order in which it was written.
pub type Map = serde_json::Map<String, Value>;

/// An event, as hooks are asked about it.
///
/// ```
/// use anyhook_core::event::Event;
/// use serde_json::json;
/// let event = Event::new("PreToolUse", json!({"tool_name": "Write"}));
/// assert_eq!(event.name.as_str(), "tool:pre");
/// assert_eq!(event.subject.as_deref(), Some("Write"));
/// ```
///
/// A name is resolved once and can serve many events; all fields together are seen by [`Event::json`]:
///
/// ```
/// use anyhook_core::event::{Event, EventName};
/// use serde_json::json;
///
/// let name = EventName::new("post-tool-use");
/// let event = Event::named(name, json!({"tool_name": "Write", "tool_result": {"bytes": 12}}));
/// assert_eq!(event.json().len(), 2);
/// assert_eq!(event.subject().unwrap().name, "Write");
/// ```
#[derive(Debug, Clone)]
pub struct Event {
    /// The canonical name.
    pub name: EventName,
    /// Where it came from; nothing for an event that a program emits in its own process.
    pub origin: Option<Box<Origin>>,
    /// What a matcher looks at, taken from the data once: rewrites do not move it.
    pub subject: Option<Box<str>>,
    /// Every other name that some host uses for the same tool.
    pub also: &'static [&'static str],
    /// The event's data; its fields are in `snake_case`.
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
        let mut event = Self {
            name,
            origin: None,
            subject: None,
            also: &[],
            data: data.into(),
            at: None,
        };
        let field = event.name.spec().and_then(|row| row.subject);
        event.subject = field.and_then(|field| event.text(field)).map(Box::from);
        event
    }

    /// Returns the name under which a field stands in the data: another one of its names, where the program that emitted
    /// the event uses that and none of the others.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use serde_json::json;
    ///
    /// // As a loop of Amplifier tells it.
    /// let event = Event::new("tool:post", json!({"name": "Bash", "arguments": {}, "result": "ok"}));
    /// assert_eq!(event.place("tool_result"), "result");
    /// assert_eq!(event.get("tool_result").as_deref(), Some(&json!("ok")));
    /// assert_eq!(event.subject.as_deref(), Some("Bash"));
    /// ```
    pub fn place<'f>(&self, field: &'f str) -> &'f str {
        let twins = self.name.spec().map_or(&[][..], |row| row.twins);
        if twins.is_empty() || self.has(field) {
            return field;
        }
        let canonical = canonical(twins, field);
        let others = twins.iter().filter(|(of, _)| *of == canonical);
        let mut names = std::iter::once(canonical).chain(others.map(|(_, other)| *other));
        names.find(|name| self.has(name)).unwrap_or(field)
    }

    /// Returns the canonical name of a field that stands in the data under any of its names.
    pub(crate) fn canonical<'f>(&self, field: &'f str) -> &'f str {
        let twins = self.name.spec().map_or(&[][..], |row| row.twins);
        let canonical = canonical(twins, field);
        // With both of them in the data, the other is a field of its own.
        let is_own = canonical != field && self.has(field) && self.has(canonical);
        if is_own || !self.has(self.place(field)) {
            field
        } else {
            canonical
        }
    }

    fn has(&self, field: &str) -> bool {
        !self.data.holds(field, None)
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
        match self.data.json() {
            Cow::Borrowed(map) => {
                let found = map.get(field).or_else(|| map.get(self.place(field)));
                found.map(Cow::Borrowed)
            }
            Cow::Owned(mut map) => map.remove(self.place(field)).map(Cow::Owned),
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
        // A stranger is asked for one text, so that it need not be shown as JSON.
        if let (Data::Foreign(foreign), None) = (&self.data, self.at) {
            return foreign.text(self.place(field));
        }
        match self.get(field)? {
            Cow::Borrowed(value) => value.as_str().map(Cow::Borrowed),
            Cow::Owned(Value::String(text)) => Some(Cow::Owned(text)),
            Cow::Owned(_) => None,
        }
    }

    /// Shows all fields as a hook sees them: each that the program gave another name has its canonical one too. The data
    /// is copied only to add such a name, or the `timestamp` of a stamped event.
    pub fn json(&self) -> Cow<'_, Map> {
        let mut fields = self.data.json();
        let twins = self.name.spec().map_or(&[][..], |row| row.twins);
        for (canonical, other) in twins {
            if !fields.contains_key(*canonical)
                && let Some(value) = fields.get(*other).cloned()
            {
                fields.to_mut().insert((*canonical).to_owned(), value);
            }
        }
        if let Some(at) = self.at {
            let stamp = stamp::rfc3339(at).into();
            fields.to_mut().insert(TIMESTAMP.to_owned(), stamp);
        }
        fields
    }

    /// Returns what a matcher is held against.
    pub fn subject(&self) -> Option<Subject<'_>> {
        let tool = self.origin.as_ref().and_then(|origin| origin.tool.as_ref());
        self.subject.as_deref().map(|name| Subject {
            name,
            also: self.also,
            canonical: tool.map(|tool| &*tool.is),
        })
    }

    /// Returns the origin's session id.
    pub fn session(&self) -> Option<&str> {
        self.origin.as_ref()?.session.as_deref()
    }
}

/// Returns the canonical name of a field.
fn canonical<'f>(twins: &[(&'static str, &'static str)], field: &'f str) -> &'f str {
    let twin = twins.iter().find(|(_, other)| *other == field);
    twin.map_or(field, |(canonical, _)| canonical)
}

/// What is known of an event besides its data. Ids and time are given by the program at the edge, never taken here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The host that said it: the id of its row, such as `claude-code`.
    pub host: Cow<'static, str>,
    /// The host's own name for the event, such as `PreToolUse`.
    pub native: Box<str>,
    /// The session that it belongs to.
    pub session: Option<Box<str>>,
    /// The folder of the project in which that session began, where an event before this one told it.
    pub project: Option<Box<Path>>,
    /// The very bytes that the host sent, for hooks that speak the same host's language.
    pub raw: Option<Arc<[u8]>>,
    /// How the host named the tool and its arguments, where that differs from the event's data.
    pub tool: Option<Box<OriginTool>>,
}

/// A host's own names for a tool and its arguments.
///
/// ```
/// use anyhook_core::event::{Event, Origin, OriginTool};
/// use anyhook_core::matcher::{Hit, Matcher};
/// use serde_json::json;
///
/// // The data has the canonical name; matchers look at the host's first.
/// let mut event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
/// event.subject = Some("run_shell_command".into());
/// let tool =
///     OriginTool { name: "run_shell_command".into(), is: "Bash".into(), arguments: [].into() };
/// event.origin = Some(Box::new(Origin { tool: Some(Box::new(tool)), ..Origin::default() }));
/// let hit = |text| Ok(Matcher::parse(text)?.selects(event.subject().as_ref()));
/// assert_eq!((hit("run_shell_command")?, hit("Bash")?), (Hit::Name, Hit::Alias));
/// # Ok::<(), anyhook_core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OriginTool {
    /// The host's name for the tool.
    pub name: Box<str>,
    /// The canonical name that stands in the data.
    pub is: Box<str>,
    /// The arguments that the host calls otherwise: its name, and the one that stands in the data.
    pub arguments: Box<[(&'static str, &'static str)]>,
}
