//! Gemini CLI: a line for each message, or one document for all of them.

use anyhook_core::report::Outcome;
use serde_json::Value;

use super::{Form, Format, ends, list, moment, snake, text};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "gemini-cli",
    folder: ".gemini/tmp",
    is_one: |file| {
        file.parent()
            .is_some_and(|folder| folder.ends_with("chats"))
            && (ends(file, ".jsonl") || ends(file, ".json"))
    },
    read: gemini,
    gate: "BeforeTool",
    payload: |session, call| {
        let mut payload = snake(session, call);
        if let Some(name) = payload.get_mut("hook_event_name") {
            *name = "BeforeTool".into();
        }
        payload
    },
    form: Form::Lines,
};

fn gemini(session: &mut Session, line: &Value) {
    if let Some(id) = text(line, "/sessionId") {
        id.clone_into(&mut session.id);
    }
    session.at = moment(line).or(session.at);
    let is_sub = text(line, "/kind").is_some_and(|kind| kind != "main");
    if is_sub {
        session.agent = Some("subagent".to_owned());
    }
    // A whole file of one document has its messages in it, and so has a line that sets them again.
    for message in list(line, "/messages").chain(list(line, "/$set/messages")) {
        gemini_calls(session, message);
    }
    gemini_calls(session, line);
}

fn gemini_calls(session: &mut Session, message: &Value) {
    for call in list(message, "/toolCalls") {
        let id = text(call, "/id").unwrap_or_default();
        let at = session.at;
        session.at = moment(call).or(at);
        session.call(
            id,
            text(call, "/name").unwrap_or_default(),
            call.get("args").cloned().unwrap_or_default(),
        );
        session.at = at;
        let answer = list(call, "/result").next();
        let error = answer.and_then(|answer| text(answer, "/functionResponse/response/error"));
        let output = answer.and_then(|answer| text(answer, "/functionResponse/response/output"));
        let outcome = match text(call, "/status") {
            Some("success") => Outcome::Ran,
            Some("cancelled") => Outcome::Refused,
            Some("error")
                if error.is_some_and(|text| {
                    text.contains("(anyhook why ") || text.contains("blocked by hook")
                }) =>
            {
                Outcome::Refused
            }
            Some("error") => Outcome::Failed,
            Some(_) | None => continue,
        };
        session.result(id, outcome, error.or(output).map(str::to_owned));
    }
}
