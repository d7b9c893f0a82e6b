//! Reading what a hook answered that is written for a relative of Claude Code, by that host's own rule.
//!
//! Where JSON counts is each host's own ([`Counts`]). What a host would drop with a failed run is a fault here; but a refusal,
//! a question or a stop in it stands, so that no hook is heard softer than it meant to speak.

use anyhook_core::can::Coupling;
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::row::{Exit2, Form, Halt, Row, Text};
use super::said::runnable;
use super::{Counts, Relative, Schema, Updates};
use crate::answer::{self, Answer, Place, SPECIFIC, given, invalid, warning};
use crate::dialects::{SUCCESS, blocked, code, failed};
use crate::payload;

const BLOCK: i32 = 2;

/// Reads an answer. An event that the host does not have is refused by exit 2 like its gates.
pub(super) fn read(host: &Relative, raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let code = code(raw)?;
    let stderr = raw.stderr.text();
    let has_reason = !stderr.trim().is_empty();
    if host.aborts == Some(code) {
        return Ok(HookResult::halt(given(stderr.trim())));
    }
    if let Some(said) = beside(host, code, raw, event, row) {
        return Ok(said);
    }
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

/// Reads JSON that counts though the run is no success, or though it stands on the standard error. Of a failed run only what
/// refuses is taken: whether the rest counts is not worth the risk.
fn beside(
    host: &Relative,
    code: i32,
    raw: &Transcript,
    event: &Event,
    row: Option<&Row>,
) -> Option<HookResult> {
    let (stdout, stderr) = (raw.stdout.text(), raw.stderr.text());
    let (stdout, stderr) = (answer::trimmed(&stdout), answer::trimmed(&stderr));
    let text = match (host.json, code) {
        (Counts::OnSuccess, _) | (Counts::Always, SUCCESS) | (Counts::OnEitherStream, BLOCK) => "",
        (Counts::OnEitherStream, _) if stdout.is_empty() => stderr,
        (Counts::OnEitherStream, SUCCESS) => "",
        (Counts::Always | Counts::OnEitherStream, _) => stdout,
    };
    let is_object = text.starts_with('{');
    let said = is_object.then(|| document(host, text, raw, event, row).ok())??;
    match code {
        SUCCESS => Some(said),
        _ if said.verdict.kind() < Kind::Ask => None,
        BLOCK => Some(said.then(refused(raw, row))),
        _ => Some(said),
    }
}

fn refused(raw: &Transcript, row: Option<&Row>) -> HookResult {
    let said = blocked(Ok(HookResult::proceed()), None, raw);
    let text = said.verdict.text();
    if row.is_some_and(|row| row.form == Form::Result) {
        return said.modify("tool_result", text.as_str());
    }
    said
}

fn success(host: &Relative, raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
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
    stop_as_block(&mut object, row);
    let replacement = row.and_then(|row| replacement(&object, row));
    discard(&mut object, row);
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
    Ok(match replacement {
        Some(text) => said.modify("tool_result", text),
        None => said,
    })
}

/// Says a stop that only replaces a result as the block that does the same, where a block does.
fn stop_as_block(object: &mut Map, row: Option<&Row>) {
    let is_block = row.is_some_and(|row| (row.form, row.halt) == (Form::Result, Halt::Result));
    if is_block && stops(object) && object.get("decision").is_none_or(Value::is_null) {
        object.insert("decision".to_owned(), "block".into());
        let why = object.get("stopReason").cloned();
        object.insert("reason".to_owned(), why.unwrap_or_default());
    }
}

fn stops(object: &Map) -> bool {
    object.get("continue") == Some(&Value::Bool(false))
}

/// Returns the text that takes the place of the tool's result.
fn replacement(object: &Map, row: &Row) -> Option<String> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    if row.form == Form::Result {
        let is_block = text("decision") == Some("block");
        let reason = text("reason").filter(|reason| is_block && !reason.trim().is_empty());
        return reason.map(str::to_owned);
    }
    let mut reasons = ["stopReason", "reason"].into_iter().filter_map(text);
    let reason = reasons.find(|reason| !reason.is_empty());
    let is_replaced = row.halt == Halt::Result && stops(object);
    reason.filter(|_| is_replaced).map(str::to_owned)
}

/// Drops what the host overlooks on this event: a hook that says it there does not mean anything by it. Of the wrong type
/// it stays, and is a problem.
fn discard(object: &mut Map, row: Option<&Row>) {
    let halt = row.map_or(Halt::Agent, |row| row.halt);
    if !matches!(halt, Halt::Ignored | Halt::Result) {
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
            payload::fields(event, host.id, host.facts.tools).shift_remove("tool_input")
        && let Value::Object(new) = input
    {
        old.extend(new);
        input = Value::Object(old);
    }
    match payload::canonical_input(event, host.id, host.facts.tools, input) {
        // The host does not run the tool at all with arguments that it cannot be called with.
        Ok(input)
            if host.updates != Updates::Merge
                && input.is_object()
                && answer.result.verdict.kind() == Kind::Allow
                && let Err(why) = runnable(host, event, input.clone()) =>
        {
            answer.result.verdict = HookResult::deny(why).verdict;
        }
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
