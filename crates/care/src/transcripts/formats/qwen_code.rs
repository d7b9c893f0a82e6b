//! Qwen Code: a line for each message. Its hooks hear of a call by another id, and have that of the transcript beside it.

use anyhook_core::report::Outcome;
use serde_json::Value;

use super::{Form, Format, ends, list, snake, text};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "qwen-code",
    folder: ".qwen/projects",
    is_one: |file| {
        let folder = file.parent();
        folder.is_some_and(|folder| folder.ends_with("chats")) && ends(file, ".jsonl")
    },
    form: Form::Lines,
    read,
    gate: "PreToolUse",
    payload: snake,
};

fn read(session: &mut Session, line: &Value) {
    if let Some(id) = text(line, "/sessionId") {
        id.clone_into(&mut session.id);
    }
    session.about(
        line,
        [
            ("/cwd", |of| &mut of.cwd),
            ("/version", |of| &mut of.version),
            ("/permissionMode", |of| &mut of.mode),
        ],
    );
    for part in list(line, "/message/parts") {
        if let Some(call) = part.get("functionCall") {
            session.call(
                text(call, "/id").unwrap_or_default(),
                text(call, "/name").unwrap_or_default(),
                call.get("args").cloned().unwrap_or_default(),
            );
        }
    }
    let Some(came) = line.get("toolCallResult") else {
        return;
    };
    let outcome = match (text(came, "/status"), text(came, "/errorType")) {
        (Some("success"), _) => Outcome::Ran,
        (Some("cancelled"), _) | (Some("error"), Some("execution_denied")) => Outcome::Refused,
        (Some("error"), _) => Outcome::Failed,
        (Some(_) | None, _) => return,
    };
    let response =
        list(line, "/message/parts").find_map(|part| part.pointer("/functionResponse/response"));
    let told = response.and_then(|said| text(said, "/error").or(text(said, "/output")));
    let id = text(came, "/callId").unwrap_or_default();
    session.result(id, outcome, told.map(str::to_owned));
}
