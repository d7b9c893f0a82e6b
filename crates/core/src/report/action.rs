//! The action of an event, as the record keeps it beside the decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Map;
use crate::words::words;

/// The action that was decided: who did what, where, and under which hooks.
///
/// The data is what the agent sent, before any hook rewrote it. A store that keeps it hides what is secret and cuts what is
/// long, and says so in [`ActionRecord::hidden`] and [`ActionRecord::cut`].
///
/// ```
/// use anyhook_core::report::ActionRecord;
/// use serde_json::json;
///
/// let action: ActionRecord = serde_json::from_value(json!({
///     "project": "/src/shop",
///     "data": {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "git push --force"}},
/// }))?;
/// assert_eq!(action.text("tool_use_id"), Some("t1"));
/// assert_eq!(action.telling(), Some("git push --force".into()));
/// assert!(action.is_whole());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ActionRecord {
    /// The folder of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Box<str>>,
    /// The name of the person's account on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Box<str>>,
    /// The version of the agent, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<Box<str>>,
    /// A digest of the hooks that held, those of other events included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Box<str>>,
    /// The revision of the administrator's policy that held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Box<str>>,
    /// Who answered the questions of hooks, and how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approval: Vec<Box<str>>,
    /// The event's data.
    pub data: Map,
    /// The rules of redaction that hid something in this record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Box<str>>,
    /// The places of texts that were cut or left out; with one of these the event cannot be replayed whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<Box<str>>,
    /// Where it was read, if no hook was asked and the agent's own transcript tells of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<TranscriptEntry>,
}

/// A line of a transcript that an agent kept.
///
/// ```
/// use anyhook_core::report::{TranscriptEntry, Outcome};
/// let of = TranscriptEntry { file: "/t.jsonl".into(), line: 7, outcome: Outcome::Ran, result: None };
/// assert_eq!(serde_json::to_string(&of)?, r#"{"file":"/t.jsonl","line":7,"outcome":"ran"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranscriptEntry {
    /// The transcript.
    pub file: Box<str>,
    /// The line, counted from 1.
    pub line: u64,
    /// What became of the call.
    pub outcome: Outcome,
    /// What the tool answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<str>>,
}

/// What became of a call, as the agent's transcript tells it.
///
/// ```
/// use anyhook_core::report::Outcome;
/// assert_eq!(Outcome::Refused.as_str(), "refused");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Ran,
    /// It ran and failed, or could not run.
    Failed,
    /// A person or a hook refused it.
    Refused,
    /// The transcript has no result of it.
    Unknown,
}

words!(Outcome { Ran = "ran", Failed = "failed", Refused = "refused", Unknown = "unknown" });

/// The fields that say most of what an action is, the most telling first.
const TELLING: &[&str] = &[
    "command",
    "file_path",
    "notebook_path",
    "path",
    "url",
    "query",
    "pattern",
    "prompt",
    "description",
];

impl ActionRecord {
    /// Returns a text of the data.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.data.get(field)?.as_str()
    }

    /// Returns the one text that says what was attempted: the command, the file, the prompt; else all of the input.
    pub fn telling(&self) -> Option<String> {
        let input = match self.data.get("tool_input") {
            Some(Value::Object(input)) => input,
            Some(Value::String(text)) => return Some(text.clone()),
            Some(other) => return Some(other.to_string()),
            None => &self.data,
        };
        let mut telling = TELLING.iter().filter_map(|field| input.get(*field));
        if let Some(text) = telling.find_map(Value::as_str) {
            return Some(text.to_owned());
        }
        (self.data.contains_key("tool_input") && !input.is_empty())
            .then(|| Value::from(input.clone()).to_string())
    }

    /// Tells whether the event can be replayed as it was, but for what redaction hid.
    pub fn is_whole(&self) -> bool {
        self.cut.is_empty()
    }
}
