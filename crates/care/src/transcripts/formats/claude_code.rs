//! Claude Code: a line for each message, with the calls in it.

use anyhook_core::report::Outcome;
use serde_json::Value;

use super::{Form, Format, ends, list, snake, text, told};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "claude-code",
    folder: ".claude/projects",
    is_one: |file| ends(file, ".jsonl"),
    read: claude,
    gate: "PreToolUse",
    payload: snake,
    form: Form::Lines,
};

fn claude(session: &mut Session, line: &Value) {
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
    let is_side = line.get("isSidechain").and_then(Value::as_bool) == Some(true);
    session.agent = is_side.then(|| text(line, "/agentId").unwrap_or("subagent").to_owned());
    for part in list(line, "/message/content") {
        match text(part, "/type") {
            Some("tool_use") => {
                let input = part.get("input").cloned().unwrap_or_default();
                session.call(
                    text(part, "/id").unwrap_or_default(),
                    text(part, "/name").unwrap_or_default(),
                    input,
                );
            }
            Some("tool_result") => claude_result(session, line, part),
            Some(_) | None => {}
        }
    }
}

fn claude_result(session: &mut Session, line: &Value, part: &Value) {
    let denied = text(line, "/toolDenialKind");
    let decision = text(line, "/permissionDecision/decision");
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let result = told(part.get("content"));
    let by_hook = result
        .as_deref()
        .is_some_and(|text| is_error && text.starts_with("PreToolUse:"));
    let outcome = match (
        denied.is_some() || decision == Some("reject") || by_hook,
        is_error,
    ) {
        (true, _) => Outcome::Refused,
        (false, true) => Outcome::Failed,
        (false, false) => Outcome::Ran,
    };
    let approval = denied.map(|kind| format!("refused: {kind}")).or_else(|| {
        let source = text(line, "/permissionDecision/source").unwrap_or("unknown");
        decision.map(|decision| format!("{decision} by {source}"))
    });
    if let Some(call) = session.result(
        text(part, "/tool_use_id").unwrap_or_default(),
        outcome,
        result,
    ) {
        call.approval = approval;
    }
}
