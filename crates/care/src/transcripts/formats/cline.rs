//! Cline: one document for a session, and one beside it that says where the session was.

use anyhook_core::report::Outcome;
use serde_json::{Value, json};

use super::{Form, Format, ends, list, text, told};
use crate::transcripts::Session;

const MESSAGES: &str = ".messages.json";

/// The row.
pub(super) const ROW: Format = Format {
    host: "cline",
    folder: ".cline/data/sessions",
    is_one: |file| ends(file, MESSAGES),
    form: Form::Document {
        beside: |file| {
            let name = file.file_name()?.to_str()?.strip_suffix(MESSAGES)?;
            Some(file.with_file_name(format!("{name}.json")))
        },
    },
    read,
    gate: "PreToolUse",
    payload: |session, call| {
        json!({
            "clineVersion": call.version, "taskId": session.id, "sessionContext": {"rootSessionId": session.id},
            "workspaceRoots": call.cwd.as_slice(), "hookName": "tool_call", "tool_call": {"id": call.id},
            "preToolUse": {"toolName": call.tool, "parameters": call.input},
        })
    },
};

fn read(session: &mut Session, document: &Value) {
    let id = text(document, "/sessionId").or(text(document, "/session_id"));
    if let Some(id) = id {
        id.clone_into(&mut session.id);
    }
    session.about(
        document,
        [
            ("/cwd", |of| &mut of.cwd),
            ("/origin/version", |of| &mut of.version),
            ("/mode", |of| &mut of.mode),
        ],
    );
    let agent = text(document, "/agent").filter(|agent| *agent != "lead");
    session.agent = agent.map(str::to_owned);
    for message in list(document, "/messages") {
        session.at = message.get("ts").and_then(Value::as_i64).or(session.at);
        for part in list(message, "/content") {
            read_part(session, part);
        }
    }
}

fn read_part(session: &mut Session, part: &Value) {
    match text(part, "/type") {
        Some("tool_use") => session.call(
            text(part, "/id").unwrap_or_default(),
            text(part, "/name").unwrap_or_default(),
            part.get("input").cloned().unwrap_or_default(),
        ),
        Some("tool_result") => {
            let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
            let result = told(part.get("content"));
            let by_hook = result
                .as_deref()
                .is_some_and(|text| text.contains("(anyhook why "));
            let outcome = match (is_error, by_hook) {
                (true, true) => Outcome::Refused,
                (true, false) => Outcome::Failed,
                (false, _) => Outcome::Ran,
            };
            let id = text(part, "/tool_use_id").unwrap_or_default();
            session.result(id, outcome, result);
        }
        Some(_) | None => {}
    }
}
