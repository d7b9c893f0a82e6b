//! Reading what a hook answered that is written for a relative of Claude Code, by that host's own rule.
//!
//! JSON counts on exit 0 only. What a host would drop with a failed run is a fault here; but a refusal, a question or a
//! stop in it stands, so that no hook is heard softer than it meant to speak.

use anyhook_core::can::Coupling;
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::row::{Exit2, Form, Halt, Row, Text};
use super::{Relative, Schema, Updates};
use crate::answer::{self, Answer, Place, SPECIFIC, warning};
use crate::dialects::{SUCCESS, blocked, code, failed, invalid};
use crate::payload;

const BLOCK: i32 = 2;

/// Reads an answer. An event that the host does not have is refused by exit 2 like its gates.
pub(super) fn read(host: &Relative, raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let code = code(raw)?;
    let stderr = raw.stderr.text();
    let has_reason = !stderr.trim().is_empty();
    match (code, row.map_or(Exit2::Blocks, |row| row.exit_2)) {
        (SUCCESS, _) => success(host, raw, event, row),
        (BLOCK, Exit2::Blocks) => Ok(refused(raw, row)),
        (BLOCK, Exit2::BlocksWithReason) if has_reason => Ok(refused(raw, row)),
        (BLOCK, Exit2::Tells) if has_reason => {
            Ok(HookResult::proceed().notifying(warning(stderr.trim())))
        }
        _ => Err(failed(code, raw).into()),
    }
}

fn refused(raw: &Transcript, row: Option<&Row>) -> HookResult {
    let said = blocked(Ok(HookResult::proceed()), None, raw);
    let text = said.verdict.text();
    replacing(said, row, Some(&text))
}

/// Adds what a block does where its reason takes the place of a tool's result.
fn replacing(said: HookResult, row: Option<&Row>, reason: Option<&str>) -> HookResult {
    match reason {
        Some(reason) if row.is_some_and(|row| row.form == Form::Result) => {
            said.modify("tool_result", reason)
        }
        _ => said,
    }
}

/// Returns the reason of a block.
fn block_reason(object: &Map) -> Option<String> {
    let word = object.get("decision").and_then(Value::as_str);
    let reason = object.get("reason").and_then(Value::as_str);
    let reason = reason.filter(|_| word == Some("block"))?;
    Some(reason.to_owned()).filter(|reason| !reason.trim().is_empty())
}

fn success(host: &Relative, raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let stdout = raw.stdout.text();
    let text = stdout.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    let is_list = matches!(host.schema, Schema::Closed(_)) && text.starts_with('[');
    if text.starts_with('{') || is_list {
        return document(host, text, raw, event, row);
    }
    match row.map_or(Text::Ignored, |row| row.text) {
        _ if text.is_empty() => Ok(HookResult::proceed()),
        Text::Context => Ok(HookResult::proceed().inject(text)),
        Text::Ignored => Ok(HookResult::proceed()),
        Text::Fails => Err(invalid("it printed text where only JSON or nothing may stand").into()),
    }
}

/// Reads the one document.
fn document(
    host: &Relative,
    text: &str,
    raw: &Transcript,
    event: &Event,
    row: Option<&Row>,
) -> Said {
    let (mut object, problem) = answer::document(text, raw)?;
    let mut problems: Vec<String> = problem.into_iter().collect();
    if let (Schema::Closed(wrong), Some(row)) = (host.schema, row) {
        problems.extend(wrong(row, &object));
    }
    let is_closed = matches!(host.schema, Schema::Closed(_));
    discard(&mut object, row);
    let reason = block_reason(&object);
    let approves = row.is_some_and(|row| approves(row, &object));
    let mut answer = answer::read(object, event, Place::Nested);
    answer.problems.append(&mut problems);
    if !is_closed {
        named(host, &mut answer, event, row);
    }
    canonical(host, &mut answer, event);
    if !approves {
        answer.distrust();
    }
    if !answer.rest.is_empty() {
        let rest = std::mem::take(&mut answer.rest);
        answer.result = std::mem::take(&mut answer.result).native(host.id, rest);
    }
    let said = prevented(answer.settled()?, row);
    Ok(replacing(said, row, reason.as_deref()))
}

/// Drops what the host overlooks on this event: a hook that says it there does not mean anything by it. Of the wrong type
/// it stays, and is a problem.
fn discard(object: &mut Map, row: Option<&Row>) {
    if row.is_none_or(|row| row.halt != Halt::Ignored) {
        return;
    }
    if object.get("continue").is_some_and(Value::is_boolean) {
        object.shift_remove("continue");
    }
    if object.get("stopReason").is_some_and(Value::is_string) {
        object.shift_remove("stopReason");
    }
}

/// Gives new arguments their canonical names. Where the host lays them over the old ones, so do we.
fn canonical(host: &Relative, answer: &mut Answer, event: &Event) {
    let Some(rewrite) = answer.result.effects.rewrite("tool_input") else {
        return;
    };
    let mut input = rewrite.value.as_ref().map(Datum::json).unwrap_or_default();
    if host.updates == Updates::Merge
        && let Some(Value::Object(mut old)) =
            payload::fields(event, host.id, host.tools).shift_remove("tool_input")
        && let Value::Object(new) = input
    {
        old.extend(new);
        input = Value::Object(old);
    }
    match payload::canonical_input(event, host.id, host.tools, input) {
        Ok(input) => {
            for rewrite in &mut answer.result.effects.edit().patch {
                if rewrite.field == "tool_input" {
                    rewrite.value = Some(Datum::Json(input.clone()));
                }
            }
        }
        Err(error) => answer.problems.push(error.what),
    }
}

/// Tells whether an approval stands where the host looks for one, on an event that has one. Anywhere else it approves
/// nothing there, and so nothing here.
fn approves(row: &Row, top: &Map) -> bool {
    let can = row.native.can;
    let specific = top.get(SPECIFIC).and_then(Value::as_object);
    let word = specific.and_then(|specific| match row.form {
        Form::Permission => specific.get("permissionDecision"),
        Form::Behavior => specific.get("decision")?.get("behavior"),
        Form::Block | Form::Result | Form::Stop | Form::Exit2 | Form::None => None,
    });
    let is_sayable = can.says(Kind::Allow) || can.coupling == Coupling::Approval;
    is_sayable && word.and_then(Value::as_str) == Some("allow")
}

/// What ends the agent elsewhere only prevents the action here.
fn prevented(mut said: HookResult, row: Option<&Row>) -> HookResult {
    let is_action = row.is_some_and(|row| row.halt == Halt::Action);
    if is_action && let Verdict::Halt { reasons } = said.verdict {
        said.verdict = Verdict::Deny { reasons };
    }
    said
}

/// An answer that does not name the event by its own name is meant for another one: it is heard, but approves nothing.
fn named(host: &Relative, answer: &mut Answer, event: &Event, row: Option<&Row>) {
    let expected = row.map(|row| row.native.name);
    if !answer.is_nested || answer.names.as_deref() == expected {
        return;
    }
    let named = answer.names.take().unwrap_or_default();
    answer.warn(format!(
        "a hook's answer names the event `{named}`; {} expects `{}`",
        host.id,
        expected.unwrap_or(event.name.as_str())
    ));
    answer.distrust();
}
