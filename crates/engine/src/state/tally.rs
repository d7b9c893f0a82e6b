//! What the rules of a session ask it for: marks, and how often which tool was called.

use std::collections::{BTreeMap, BTreeSet};

use anyhook_core::event::Event;
use anyhook_core::manifest::{MarkChange, MarkLifetime};
use anyhook_wires::tools::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SessionState;
use crate::files;

/// The most marks and the most tools that are told apart; of more, none is forgotten and none is added.
const MOST: usize = 256;
/// By these fields of a result, and of what is in it, a host says that a call failed.
const FLAGS: &[&str] = &["is_error", "isError"];
const SUCCESS: &[&str] = &["success", "ok"];
const CODES: &[&str] = &["exit_code", "exitCode", "returncode"];

/// The marks and calls of one session.
///
/// ```
/// use anyhook_engine::core::event::Event;
/// use anyhook_engine::core::manifest::{MarkChange, MarkLifetime};
/// use anyhook_engine::state::Tally;
/// use serde_json::json;
///
/// let mut tally = Tally::default();
/// tally.change(&MarkChange { name: "read-web".into(), lasts: Some(MarkLifetime::Turn) });
/// assert_eq!(tally.marks("read-web"), 1);
///
/// for failures in 0..3 {
///     let input = json!({"command": "make", "description": format!("Try {failures}")});
///     let call = json!({"tool_name": "Bash", "tool_input": input});
///     let before = Event::new("tool:pre", call.clone());
///     tally.hear(&before);
///     assert_eq!((tally.calls(Some("Bash")), tally.repeats(&before)), (failures + 1, failures));
///     tally.hear(&Event::new("tool:error", call.clone()));
/// }
/// tally.begin_turn();
/// assert_eq!((tally.marks("read-web"), tally.calls(None), tally.session_calls(None)), (0, 0, 3));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// How often each mark was set that lasts as long as the session.
    session: BTreeMap<String, u64>,
    /// The same of those that last for the turn.
    turn: BTreeMap<String, u64>,
    calls: BTreeMap<String, CallCounts>,
    /// The names of files that its calls wrote, or may have written.
    written: BTreeSet<String>,
    /// The last call, and how often in a row it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<FailedCall>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct CallCounts {
    session: u64,
    turn: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FailedCall {
    call: String,
    failed: u64,
}

impl Tally {
    /// Stands for every name of a file; no file is called so.
    pub(crate) const ANY: &str = "/";

    /// Sets a mark, or takes one away.
    pub fn change(&mut self, change: &MarkChange) {
        let Some(lasts) = change.lasts else {
            self.session.remove(&change.name);
            self.turn.remove(&change.name);
            return;
        };
        let marks = match lasts {
            MarkLifetime::Turn => &mut self.turn,
            MarkLifetime::Session => &mut self.session,
        };
        add(marks, &change.name, |times| {
            *times = times.saturating_add(1);
        });
    }

    /// Returns how often a mark was set since it was last taken away.
    pub fn marks(&self, name: &str) -> u64 {
        let times = [&self.session, &self.turn].map(|marks| marks.get(name).copied());
        times.into_iter().flatten().fold(0, u64::saturating_add)
    }

    /// Counts a call that begins, and remembers how one ended.
    pub fn hear(&mut self, event: &Event) {
        let (Some(tool), Some(call)) = (event.text("tool_name"), call(event)) else {
            return;
        };
        if event.name.as_str() == "tool:pre" {
            add(&mut self.calls, canonical(&tool), |calls| {
                calls.session = calls.session.saturating_add(1);
                calls.turn = calls.turn.saturating_add(1);
            });
            return;
        }
        let before = self.last.take().filter(|last| last.call == call);
        let before = before.map_or(0, |last| last.failed);
        self.last = has_failed(event).then(|| FailedCall {
            call,
            failed: before.saturating_add(1),
        });
    }

    /// Remembers the last names of files that a call writes. Of too many any name counts as written.
    pub fn wrote(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            if self.written.len() < MOST {
                self.written.insert(name);
            } else if !self.written.contains(&name) {
                self.written.insert(Self::ANY.to_owned());
            }
        }
    }

    /// Returns what its calls wrote, or may have written.
    pub(crate) const fn written(&self) -> &BTreeSet<String> {
        &self.written
    }

    /// Returns how many calls the turn has begun, of one tool or of all.
    pub fn calls(&self, tool: Option<&str>) -> u64 {
        self.sum(tool, |calls| calls.turn)
    }

    /// The same for the whole session.
    pub fn session_calls(&self, tool: Option<&str>) -> u64 {
        self.sum(tool, |calls| calls.session)
    }

    fn sum(&self, tool: Option<&str>, count: impl Fn(&CallCounts) -> u64) -> u64 {
        let is_meant = |name: &String| tool.is_none_or(|tool| tool == name);
        let of = self.calls.iter().filter(|(name, _)| is_meant(name));
        of.map(|(_, calls)| count(calls)).sum()
    }

    /// Returns how often in a row the very call of this event was made just before and failed.
    pub fn repeats(&self, event: &Event) -> u64 {
        let call = call(event);
        let last = self.last.as_ref();
        let same = last.filter(|last| call.as_ref() == Some(&last.call));
        same.map_or(0, |last| last.failed)
    }

    /// Begins a turn: what lasted for the one before is gone.
    pub fn begin_turn(&mut self) {
        self.turn.clear();
        for calls in self.calls.values_mut() {
            calls.turn = 0;
        }
    }
}

impl SessionState {
    /// Begins a session in which these marks are set.
    ///
    /// ```
    /// use anyhook_engine::state::SessionState;
    /// assert_eq!(SessionState::marked(["plan"]).tally.marks("plan"), 1);
    /// ```
    pub fn marked<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut state = Self::default();
        for name in names {
            state.tally.change(&MarkChange {
                name: name.to_owned(),
                lasts: Some(MarkLifetime::Session),
            });
        }
        state
    }
}

fn add<T: Default>(map: &mut BTreeMap<String, T>, name: &str, change: impl FnOnce(&mut T)) {
    if map.len() < MOST || map.contains_key(name) {
        change(map.entry(name.to_owned()).or_default());
    }
}

/// Stands for a call: its tool and its input.
fn call(event: &Event) -> Option<String> {
    let data = event.data.json();
    let (tool, input) = (data.get("tool_name")?, data.get("tool_input")?);
    let mut input = input.clone();
    if let Some(fields) = input.as_object_mut() {
        // An agent says it in other words each time.
        fields.remove("description");
        if let Some(Value::String(line)) = fields.get_mut("command") {
            *line = line.trim().to_owned();
        }
    }
    let parts = [tool.to_string(), input.to_string()];
    Some(files::name_of(&[parts[0].as_bytes(), parts[1].as_bytes()]))
}

/// Tells whether a call ended with a failure: by the event itself, or by what its result says.
fn has_failed(event: &Event) -> bool {
    if event.name.as_str() == "tool:error" {
        return true;
    }
    let data = event.data.json();
    let result = data.get("tool_result").and_then(Value::as_object);
    let said = |names: &[&str], is: fn(&Value) -> bool| {
        let mut places = [Some(&*data), result].into_iter().flatten();
        places.any(|place| names.iter().any(|name| place.get(*name).is_some_and(is)))
    };
    said(FLAGS, |value| value == &Value::Bool(true))
        || said(SUCCESS, |value| value == &Value::Bool(false))
        || said(CODES, |value| value.as_i64().is_some_and(|code| code != 0))
}
