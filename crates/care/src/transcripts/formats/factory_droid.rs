//! Factory Droid: a line for each message, and one for each hook that it asked.

use anyhook_core::report::Outcome;
use serde_json::Value;

use super::{Form, Format, ends, list, snake, text, told};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "factory-droid",
    folder: ".factory/sessions",
    is_one: |file| ends(file, ".jsonl"),
    form: Form::Lines,
    read,
    gate: "PreToolUse",
    payload: snake,
};

/// Who refused a call that a hook refused.
const BY_HOOK: &str = "refused by a hook";

fn read(session: &mut Session, line: &Value) {
    session.about(
        line,
        [
            ("/cwd", |of| &mut of.cwd),
            ("/appVersion", |of| &mut of.version),
            ("/message/interactionMode", |of| &mut of.mode),
        ],
    );
    if text(line, "/type") == Some("session_start") {
        text(line, "/id")
            .unwrap_or_default()
            .clone_into(&mut session.id);
    }
    let Some(message) = line.get("message") else {
        return;
    };
    if text(message, "/hookEventName") == Some("PreToolUse") && refuses(message) {
        let id = text(message, "/hookToolCallId").unwrap_or_default();
        if let Some(call) = session.known(id) {
            call.approval = Some(BY_HOOK.to_owned());
        }
    }
    for part in list(message, "/content") {
        match text(part, "/type") {
            Some("tool_use") => session.call(
                text(part, "/id").unwrap_or_default(),
                text(part, "/name").unwrap_or_default(),
                part.get("input").cloned().unwrap_or_default(),
            ),
            Some("tool_result") => read_result(session, part),
            Some(_) | None => {}
        }
    }
}

/// Tells whether one of the hooks refused.
fn refuses(message: &Value) -> bool {
    list(message, "/hookResults").any(|result| {
        let said =
            text(result, "/stdout").and_then(|said| serde_json::from_str::<Value>(said).ok());
        let said = said.unwrap_or_default();
        result.get("exitCode").and_then(Value::as_i64) == Some(2)
            || text(&said, "/hookSpecificOutput/permissionDecision") == Some("deny")
            || text(&said, "/decision") == Some("block")
    })
}

fn read_result(session: &mut Session, part: &Value) {
    let id = text(part, "/tool_use_id").unwrap_or_default();
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let by_hook = session
        .known(id)
        .is_some_and(|call| call.approval.as_deref() == Some(BY_HOOK));
    let outcome = match (is_error, by_hook) {
        (true, true) => Outcome::Refused,
        (true, false) => Outcome::Failed,
        (false, _) => Outcome::Ran,
    };
    session.result(id, outcome, told(part.get("content")));
}
