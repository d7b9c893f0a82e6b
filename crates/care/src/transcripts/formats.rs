//! How each agent writes its transcripts: one row for each, with what takes a line apart.

mod claude_code;
mod cline;
mod codex_cli;
mod copilot_cli;
mod cursor;
mod factory_droid;
mod gemini_cli;
mod qwen_code;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Call, Session};

/// What a transcript is.
pub(super) enum Form {
    /// An object on each line.
    Lines,
    /// An object on each line, none of which names a call or the session.
    NamelessLines {
        /// Takes what the path tells.
        begin: fn(&mut Session, &Path),
    },
    /// One object.
    Document {
        /// Finds what the agent keeps beside it about the session, in the same form; it is read first.
        beside: fn(&Path) -> Option<PathBuf>,
    },
}

/// How one agent keeps what it did.
pub(super) struct Format {
    /// The agent.
    pub(super) host: &'static str,
    /// The folder, below the person's home.
    pub(super) folder: &'static str,
    /// Tells whether a file of that folder is a transcript.
    pub(super) is_one: fn(&Path) -> bool,
    /// What such a file is.
    pub(super) form: Form,
    /// Takes one object apart.
    pub(super) read: fn(&mut Session, &Value),
    /// The agent's own event before a tool.
    pub(super) gate: &'static str,
    /// Writes a call as the agent would tell a hook of it.
    pub(super) payload: fn(&Session, &Call) -> Value,
}

/// Every format that is read.
pub(super) static FORMATS: &[Format] = &[
    claude_code::ROW,
    codex_cli::ROW,
    gemini_cli::ROW,
    copilot_cli::ROW,
    cline::ROW,
    factory_droid::ROW,
    qwen_code::ROW,
    cursor::ROW,
];

/// Tells whether the transcripts of an agent name no call, so that a call is known by what it does.
pub(super) fn is_nameless(host: &str) -> bool {
    let mut formats = FORMATS.iter().filter(|format| format.host == host);
    formats.any(|format| matches!(format.form, Form::NamelessLines { .. }))
}

fn ends(file: &Path, with: &str) -> bool {
    file.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(with))
}

fn snake(session: &Session, call: &Call) -> Value {
    json!({
        "session_id": session.id, "transcript_path": "", "cwd": call.cwd, "hook_event_name": "PreToolUse",
        "permission_mode": call.mode.as_deref().unwrap_or("default"), "tool_name": call.tool, "tool_input": call.input,
        "tool_use_id": call.id,
    })
}

fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path)?.as_str()
}

fn list<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn moment(value: &Value) -> Option<i64> {
    let at: Timestamp = text(value, "/timestamp")?.parse().ok()?;
    Some(at.as_millisecond())
}

/// Returns a result as text: the text itself, or the parts of one.
fn told(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| text(part, "/text"))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Returns where a session keeps something that is told of it.
type Place = fn(&mut Session) -> &mut Option<String>;

impl Session {
    /// Takes over what a line says about the session, where it says so.
    fn about(&mut self, value: &Value, fields: [(&str, Place); 3]) {
        self.at = moment(value).or(self.at);
        for (path, place) in fields {
            if let Some(told) = text(value, path) {
                *place(self) = Some(told.to_owned());
            }
        }
    }
}
