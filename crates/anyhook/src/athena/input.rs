//! The input of a function of a table: the event, flat, with the keys of the original.

use std::borrow::Cow;

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::Profile;
use super::payload::CallerPayload;
use super::specs::{AthenaEvent, ListKind};

/// A view of an event.
///
/// The keys of the event come first, then the arguments of the tool: no argument can pose as the name of its tool. An
/// argument `path` is also found where the tool calls it `file_path`.
///
/// ```
/// use anyhook::athena::{HookTable, EventInput, Return, run_pre_tool_use};
/// use anyhook::hooks;
/// use serde_json::json;
///
/// let hooks = hooks! { PreToolUse: [|input: &EventInput<'_>, id: Option<&str>| {
///     assert_eq!((input.event(), id), ("PreToolUse", Some("c1")));
///     assert_eq!(input.text("tool_name").as_deref(), Some("write"));
///     assert_eq!(input.text("path").as_deref(), Some("a.txt"));
///     assert_eq!(input.get("mode"), None);
///     assert_eq!(input.json()["tool_name"], "write");
/// }] }
/// .finish()?;
/// let spoof = json!({"tool_name": "read", "file_path": "a.txt"});
/// assert_eq!(run_pre_tool_use(&hooks, "write", &spoof, Some("c1")), anyhook::athena::TableAnswer::Ok);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EventInput<'e> {
    pub(super) event: &'e Event,
    pub(super) spec: &'static AthenaEvent,
    pub(super) profile: Profile,
}

impl EventInput<'_> {
    /// Returns the payload of a call of `run_*`. Nothing of a registry that the table is mounted on: its events carry fields that
    /// the original's do not.
    pub(super) fn given(&self) -> Option<&CallerPayload> {
        CallerPayload::of(self.event)
    }

    /// Returns the event's name in the original.
    pub fn event(&self) -> &'static str {
        self.spec.name
    }

    /// Returns a value of the payload.
    pub fn get(&self, key: &str) -> Option<Cow<'_, Value>> {
        if let Some(given) = self.given() {
            let twin = twin(key).filter(|_| self.spec.list == ListKind::PreTool);
            let found = given.own.get(key);
            return found.or_else(|| given.own.get(twin?)).map(Cow::Borrowed);
        }
        match self.keys().find(|(known, _)| *known == key) {
            Some((known, from)) => self.known(known, from),
            None => self.other(key),
        }
    }

    /// Returns a value of the payload that is a text.
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.get(key).and_then(text)
    }

    /// Returns the whole payload. Where a key and an argument have one name, the key stands. Each key of the event is
    /// there, as null where its emitter did not say it.
    pub fn json(&self) -> Map {
        if let Some(given) = self.given() {
            return given.own.clone();
        }
        let mut all = if self.has_own_data() {
            self.event.json().into_owned()
        } else {
            self.arguments().map(Cow::into_owned).unwrap_or_default()
        };
        for (key, from) in self.keys() {
            let value = self.known(key, from).map(Cow::into_owned);
            all.insert((*key).to_owned(), value.unwrap_or_default());
        }
        all
    }

    /// Returns what the function is given beside the payload: the call's id, else the session's, else nothing (ATH-13).
    /// Of the two the first that is there holds, as in the original; one that is no text cannot be given.
    pub(super) fn id(&self) -> Option<Cow<'_, str>> {
        if self.spec.list != ListKind::Flat {
            return self.event.text("tool_use_id");
        }
        let is_there =
            |value: &Cow<'_, Value>| !matches!(**value, Value::Null | Value::Bool(false));
        let of = |key| self.get(key).filter(is_there);
        of("tool_use_id")
            .or_else(|| of("session_id"))
            .and_then(text)
    }

    /// The keys of the payload. In the original a tool's function has the call's id as its second parameter only, so
    /// an argument of that name is one.
    fn keys(&self) -> impl Iterator<Item = &'static (&'static str, Vec<&'static str>)> {
        let drops = self.profile == Profile::Compat && self.spec.list != ListKind::Flat;
        let keys = self.spec.keys.iter();
        keys.filter(move |(key, _)| !(drops && *key == "tool_use_id"))
    }

    fn known(&self, key: &str, from: &[&str]) -> Option<Cow<'_, Value>> {
        let compat = self.profile == Profile::Compat;
        match key {
            // The original's matchers and functions know the tool by its own name.
            "tool_name" => {
                let name = self.event.subject.as_deref();
                name.map(|name| Cow::Owned(Value::from(name)))
            }
            "prompt" if compat && self.spec.canonical == "prompt:submit" => {
                let original = self.event.get(ORIGINAL);
                original.or_else(|| self.event.get("prompt"))
            }
            _ => from.iter().find_map(|field| self.event.get(field)),
        }
    }

    fn other(&self, key: &str) -> Option<Cow<'_, Value>> {
        if self.has_own_data() {
            return self.event.get(key);
        }
        // What a registry is told has the names that all hosts share, so theirs is the one that the tool reads.
        let names = [twin(key), Some(key)];
        let mut names = names.iter().flatten();
        match self.arguments()? {
            Cow::Borrowed(all) => names.find_map(|name| all.get(*name)).map(Cow::Borrowed),
            Cow::Owned(mut all) => names.find_map(|name| all.remove(*name)).map(Cow::Owned),
        }
    }

    /// Whether the payload is whatever the emitter made it.
    fn has_own_data(&self) -> bool {
        self.spec.list == ListKind::Flat && self.spec.keys.is_empty()
    }

    /// The arguments, which stand in the payload itself before the tool runs.
    fn arguments(&self) -> Option<Cow<'_, Map>> {
        if self.spec.list != ListKind::PreTool {
            return None;
        }
        match self.event.get("tool_input")? {
            Cow::Borrowed(value) => value.as_object().map(Cow::Borrowed),
            Cow::Owned(Value::Object(map)) => Some(Cow::Owned(map)),
            Cow::Owned(_) => None,
        }
    }
}

/// Returns the name that hosts have for an argument.
fn twin(key: &str) -> Option<&'static str> {
    (key == "path").then_some("file_path")
}

fn text(value: Cow<'_, Value>) -> Option<Cow<'_, str>> {
    match value {
        Cow::Borrowed(value) => value.as_str().map(Cow::Borrowed),
        Cow::Owned(Value::String(text)) => Some(Cow::Owned(text)),
        Cow::Owned(_) => None,
    }
}

/// Where the prompt stands as it was before any hook rewrote it.
pub(super) const ORIGINAL: &str = "original_prompt";
