//! Reading what a hook answered that is written for Claude Code, by Claude Code's own rule.
//!
//! JSON counts on every exit code, and exit 2 refuses whatever the JSON says, for its reason if it refuses, else for what
//! the standard error says; other codes without JSON are a failure.
//! Fields that have no meaning for other hosts are kept as native answers.

use std::time::Duration;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use serde_json::Value;

use super::row::{Exit2, Form, Row, Speech, Stop, Text};
use super::{BESIDE, ID, says};
use crate::answer::OWN_FIELDS;
use crate::answer::{self, Answer, Place, SPECIFIC, warning};
use crate::dialects::{SUCCESS, blocked, code, failed};
use crate::json;

const BLOCK: i32 = 2;

/// Reads an answer. An event that Claude Code does not have is refused by exit 2 like its gates.
pub(super) fn read(raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let code = code(raw)?;
    let exit_2 = row.map_or(Exit2::Blocks, |row| row.exit_2);
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
    if row.is_some_and(|row| row.text == Text::Path) {
        return Ok(path(code, text, raw));
    }
    if text.starts_with('{') && (text.ends_with('}') || raw.stdout.dropped > 0) {
        let (said, reason) = document(text, raw, event, row);
        if code == BLOCK && matches!(exit_2, Exit2::Blocks | Exit2::BlocksIfFound) {
            let refuses = matches!(&said, Ok(said) if said.verdict.kind() >= Kind::Deny);
            let is_silent = raw.stderr.text().trim().is_empty();
            let reason = reason.filter(|_| refuses || is_silent);
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

/// Reads a line by which a hook goes on in the background.
pub(super) fn leaves(line: &[u8]) -> Option<Duration> {
    let said = json::object(line.trim_ascii()).ok()?;
    let is_gone = said.get("async") == Some(&Value::Bool(true));
    let time = said.get("asyncTimeout").and_then(Value::as_u64);
    is_gone.then(|| time.map_or(Duration::MAX, Duration::from_millis))
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

/// Drops a stop that the host discards on this event. A message to the person stays: where it cannot be shown it is a
/// loss that is recorded.
fn discard(object: &mut Map, row: Option<&Row>) {
    let Some(can) = row.map(|row| row.native.can) else {
        return;
    };
    if !can.says(Kind::Halt) && row.is_some_and(|row| row.stop == Stop::Nothing) {
        object.shift_remove("continue");
        object.shift_remove("stopReason");
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

/// Tells whether the host takes what it cannot read, such as several documents, for a text for the model. At a gate it
/// is a fault here all the same: it may have been meant as a refusal.
fn is_text(raw: &Transcript, row: Option<&Row>) -> bool {
    let takes_text = |row: &Row| row.text == Text::Context && !row.native.is_gate();
    raw.end == End::Code(SUCCESS) && raw.stdout.dropped == 0 && row.is_some_and(takes_text)
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
        Err(fault) if is_text(raw, row) => {
            let said = HookResult::proceed().inject(text);
            return (Ok(said.notifying(warning(&*fault.text))), None);
        }
        Err(fault) => return (Err(fault), None),
    };
    let message = message(&mut object, event, row);
    discard(&mut object, row);
    let reason = answer::reason(&object);
    let approves = row.is_some_and(|row| approves(&object, row.form));
    let mut answer = answer::read(object, event, Place::Nested);
    if !approves {
        answer.distrust();
    }
    answer.problems.extend(problem);
    named(&mut answer, event, row);
    // What only this host has counts in its place alone: elsewhere it would accept for a person who was not asked.
    answer
        .rest
        .retain(|key, _| !OWN_FIELDS.contains(&&**key) || key == BESIDE);
    if let Some(text) = message {
        answer.result = std::mem::take(&mut answer.result).inject(text);
    }
    if row.is_some_and(|row| row.speech == Speech::SendsOn) {
        answer.result = refusing(std::mem::take(&mut answer.result));
    }
    // Of an answer with a field of the wrong type the host takes nothing, not even its reason.
    let reason = reason.filter(|_| answer.problems.is_empty());
    if !answer.rest.is_empty() {
        let rest = std::mem::take(&mut answer.rest);
        answer.result = std::mem::take(&mut answer.result).native(ID, rest);
    }
    (answer.settled(), reason)
}

/// Makes a refusal of each text for the model.
fn refusing(mut result: HookResult) -> HookResult {
    if result.effects.inject().is_empty() {
        return result;
    }
    let texts = std::mem::take(&mut result.effects.edit().inject);
    let refusals = texts.into_iter().map(|said| HookResult::deny(said.text));
    refusals.fold(result, HookResult::then)
}

/// Tells whether the host would take the answer for an approval: only in its own word, where the event has it. Elsewhere
/// a decision refuses here, and approves nothing.
fn approves(object: &Map, form: Form) -> bool {
    let inside = object.get(SPECIFIC).and_then(Value::as_object);
    let said = |key: &str| inside.and_then(|inside| inside.get(key));
    let is = |word: Option<&Value>, approval: &str| word.and_then(Value::as_str) == Some(approval);
    match form {
        Form::Permission => match said("permissionDecision") {
            Some(word) => is(Some(word), "allow"),
            None => is(object.get("decision"), "approve"),
        },
        Form::Switch => is(said("permissionDecision"), "allow"),
        Form::Behavior => is(said("decision").and_then(|it| it.get("behavior")), "allow"),
        Form::Block | Form::Exit2 | Form::Path | Form::None => false,
    }
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
    answer.rest.shift_remove(SPECIFIC);
}
