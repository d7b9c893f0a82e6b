//! Cursor: a line for each message. Its form is that which several programs that read it describe, and no transcript of it was at
//! hand; so it has no ids, no times, and mostly no results.

use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhook_core::report::Outcome;
use serde_json::{Value, json};

use super::{Form, Format, ends, list, text, told};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "cursor",
    folder: ".cursor/projects",
    is_one: |file| {
        let mut folders = file.ancestors();
        let is_kept = folders.any(|folder| folder.ends_with("agent-transcripts"));
        is_kept && ends(file, ".jsonl")
    },
    form: Form::NamelessLines { begin },
    read,
    gate: "preToolUse",
    payload: |session, call| {
        json!({
            "conversation_id": session.id, "hook_event_name": "preToolUse", "tool_name": call.tool, "tool_input": call.input,
        })
    },
};

/// The name of the file is the conversation, which hooks are told as well. The folder is no name of the project: it is cut, and
/// everything but letters and digits is a dash in it.
fn begin(session: &mut Session, path: &Path) {
    let name = path.file_stem().unwrap_or_default();
    session.id = name.to_string_lossy().into_owned();
    let folder = path.parent().and_then(Path::file_name);
    session.agent = (folder == Some("subagents".as_ref())).then(|| "subagent".to_owned());
    // The last time that something was added is all that is known of the times of calls.
    let changed = path.metadata().and_then(|meta| meta.modified()).ok();
    let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    session.at = since.and_then(|since| since.as_millis().try_into().ok());
}

fn read(session: &mut Session, line: &Value) {
    for (at, part) in list(line, "/message/content").enumerate() {
        match text(part, "/type") {
            Some("tool_use") => {
                // Lines are only added, so a call stays where it is.
                let id = format!("line {} part {at}", session.line);
                let tool = text(part, "/name").unwrap_or_default();
                let input = part.get("input").cloned().unwrap_or_default();
                session.call(&id, tool, input);
            }
            Some("tool_result") => result(session, part),
            Some(_) | None => {}
        }
    }
}

/// What came of the oldest call without a result: a result names no call.
fn result(session: &mut Session, part: &Value) {
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let waits = |call: &&mut crate::transcripts::Call| call.outcome == Outcome::Unknown;
    if let Some(call) = session.calls.iter_mut().find(waits) {
        call.outcome = if is_error {
            Outcome::Failed
        } else {
            Outcome::Ran
        };
        call.result = told(part.get("content"));
    }
}
