//! Copilot CLI: a line for each event.

use anyhook_core::report::Outcome;
use serde_json::{Value, json};

use super::{Form, Format, text};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "copilot-cli",
    folder: ".copilot/session-state",
    is_one: |file| file.file_name().is_some_and(|name| name == "events.jsonl"),
    read: copilot,
    gate: "preToolUse",
    payload: |session, call| {
        json!({
            "sessionId": session.id, "timestamp": call.at, "cwd": call.cwd, "toolName": call.tool, "toolArgs": call.input,
        })
    },
    form: Form::Lines,
};

fn copilot(session: &mut Session, line: &Value) {
    session.about(
        line,
        [
            ("/data/context/cwd", |of| &mut of.cwd),
            ("/data/copilotVersion", |of| &mut of.version),
            ("/data/mode", |of| &mut of.mode),
        ],
    );
    let Some(data) = line.get("data") else { return };
    let id = text(data, "/toolCallId").unwrap_or_default();
    match text(line, "/type") {
        Some("session.start") => text(data, "/sessionId")
            .unwrap_or_default()
            .clone_into(&mut session.id),
        Some("tool.execution_start") => {
            session.agent = text(data, "/parentToolCallId").map(|_| "subagent".to_owned());
            session.call(
                id,
                text(data, "/toolName").unwrap_or_default(),
                data.get("arguments").cloned().unwrap_or_default(),
            );
        }
        Some("tool.execution_complete") => {
            let is_denied = text(data, "/error/code") == Some("denied");
            let code = data
                .pointer("/shellExecution/exitCode")
                .and_then(Value::as_i64)
                .unwrap_or_default();
            let worked = data.get("success").and_then(Value::as_bool) == Some(true);
            let outcome = match (is_denied, worked && code == 0) {
                (true, _) => Outcome::Refused,
                (false, true) => Outcome::Ran,
                (false, false) => Outcome::Failed,
            };
            let result = text(data, "/result/content").or(text(data, "/error/message"));
            session.result(id, outcome, result.map(str::to_owned));
        }
        Some("permission.completed") => {
            let kind = text(data, "/result/kind").unwrap_or_default().to_owned();
            if let Some(call) = session.known(id) {
                call.approval = Some(kind);
            }
        }
        Some(_) | None => {}
    }
}
