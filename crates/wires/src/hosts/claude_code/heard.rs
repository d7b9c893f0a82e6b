//! Reading what a hook answered that is written for Claude Code, by Claude Code's own rule.
//!
//! JSON counts on every exit code, and exit 2 refuses whatever the JSON says; other codes without JSON are a failure.
//! Fields that have no meaning for other hosts are kept as native answers.

use anyhook_core::can::Shown;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::row::{Exit2, Form, Row, Speech, Text};
use super::{ID, says};
use crate::answer::{self, Answer, Place, SPECIFIC, warning};
use crate::dialects::{SUCCESS, blocked, code, failed};

const BLOCK: i32 = 2;

/// Reads an answer. An event that Claude Code does not have is refused by exit 2 like its gates.
pub(super) fn read(raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let code = code(raw)?;
    let exit_2 = row.map_or(Exit2::Blocks, |row| row.exit_2);
    let stdout = raw.stdout.text();
    let text = stdout.trim();
    if row.is_some_and(|row| row.text == Text::Path) {
        return Ok(path(code, text, raw));
    }
    if text.starts_with('{') && (text.ends_with('}') || raw.stdout.dropped > 0) {
        let (said, reason) = document(text, raw, event, row);
        if code == BLOCK && matches!(exit_2, Exit2::Blocks | Exit2::BlocksIfFound) {
            return Ok(blocked(said, reason.as_deref(), raw));
        }
        return said;
    }
    match (code, exit_2) {
        (SUCCESS, _) => Ok(plain(text, row)),
        (BLOCK, Exit2::BlocksIfFound) if text.is_empty() && is_missing(raw) => {
            Err(failed(code, raw).into())
        }
        (BLOCK, Exit2::Blocks | Exit2::BlocksIfFound) => {
            Ok(blocked(Ok(HookResult::proceed()), None, raw))
        }
        (BLOCK, Exit2::Tells) if !raw.stderr.kept.is_empty() => {
            Ok(HookResult::proceed().notifying(warning(raw.stderr.text().trim())))
        }
        _ => Err(failed(code, raw).into()),
    }
}

/// Reads the path of a worktree. A hook that fails, or says no path, has made none, and the host goes no further.
fn path(code: i32, text: &str, raw: &Transcript) -> HookResult {
    let mut lines = text.lines().map(str::trim).rev();
    match lines.find(|line| !line.is_empty()) {
        Some(path) if code == SUCCESS => {
            let fields = Map::from_iter([("worktreePath".to_owned(), path.into())]);
            HookResult::proceed().native(ID, fields)
        }
        _ => blocked(Ok(HookResult::proceed()), None, raw),
    }
}

/// Tells that a shell left with 2 because it did not find the script.
fn is_missing(raw: &Transcript) -> bool {
    let stderr = raw.stderr.text();
    stderr.contains("No such file or directory") || stderr.contains("not found")
}

fn plain(text: &str, row: Option<&Row>) -> HookResult {
    if text.is_empty() || row.is_none_or(|row| row.text != Text::Context) {
        return HookResult::proceed();
    }
    HookResult::proceed().inject(text)
}

/// Drops what the host discards on this event: a hook that says it there does not mean anything by it.
fn discard(object: &mut Map, row: Option<&Row>) {
    let Some(can) = row.map(|row| row.native.can) else {
        return;
    };
    if !can.says(Kind::Halt) {
        object.shift_remove("continue");
        object.shift_remove("stopReason");
    }
    if can.notify == Shown::No {
        object.shift_remove("systemMessage");
    }
}

/// Takes a system message that is for the model.
fn message(object: &mut Map, event: &Event, row: Option<&Row>) -> Option<String> {
    let Some(Speech::Message(field, value)) = row.map(|row| row.speech) else {
        return None;
    };
    if !says(event, field, value) {
        return None;
    }
    let text = object.get("systemMessage")?.as_str()?.to_owned();
    object.shift_remove("systemMessage");
    Some(text).filter(|text| !text.is_empty())
}

/// Reads the one document, and the reason that it gives.
fn document(
    text: &str,
    raw: &Transcript,
    event: &Event,
    row: Option<&Row>,
) -> (Said, Option<String>) {
    let (mut object, problem) = match answer::document(text, raw) {
        Ok(read) => read,
        Err(fault) => return (Err(fault), None),
    };
    let message = message(&mut object, event, row);
    discard(&mut object, row);
    let reason = answer::reason(&object);
    let misplaced = approves_elsewhere(&object, row);
    let mut answer = answer::read(object, event, Place::Nested);
    if misplaced {
        answer.distrust();
    }
    answer.problems.extend(problem);
    named(&mut answer, event, row);
    if let Some(text) = message {
        answer.result = std::mem::take(&mut answer.result).inject(text);
    }
    // Of an answer with a field of the wrong type the host takes nothing, not even its reason.
    let reason = reason.filter(|_| answer.problems.is_empty());
    if !answer.rest.is_empty() {
        let rest = std::mem::take(&mut answer.rest);
        answer.result = std::mem::take(&mut answer.result).native(ID, rest);
    }
    (answer.settled(), reason)
}

/// Tells whether a decision stands beside `hookSpecificOutput` where the host looks for it inside: such a word refuses
/// here, and approves nothing.
fn approves_elsewhere(object: &Map, row: Option<&Row>) -> bool {
    let inside = object.get(SPECIFIC).and_then(Value::as_object);
    let has = |key: &str| inside.is_some_and(|inside| inside.contains_key(key));
    // There it has one word that approves.
    let approves = object.get("decision").and_then(Value::as_str) == Some("approve");
    let is_honoured = approves && row.is_some_and(|row| row.form == Form::Permission);
    let is_there = object.contains_key("decision");
    is_there && !is_honoured && !has("decision") && !has("permissionDecision")
}

/// The host drops an answer that does not name the event by its own name. Here it is heard, but approves nothing.
fn named(answer: &mut Answer, event: &Event, row: Option<&Row>) {
    let expected = row.map(|row| row.native.name);
    if !answer.is_nested || answer.names.as_deref() == expected {
        return;
    }
    let named = answer.names.take().unwrap_or_default();
    answer.warn(format!(
        "a hook's answer names the event `{named}`; Claude Code expects `{}` and drops it",
        expected.unwrap_or(event.name.as_str())
    ));
    answer.distrust();
}
