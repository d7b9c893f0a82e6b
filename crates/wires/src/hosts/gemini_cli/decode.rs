//! Reading the answer of a hook that is written for Gemini CLI, by Gemini CLI's own rule.
//!
//! The first stream with a text counts. JSON decides by itself at every exit code; a plain text refuses at every code
//! from 2 on, and 127, where the script is missing, is such a code.

use anyhook_core::can::Visibility;
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::End;
use serde_json::Value;

use super::{ID, TOOLS};
use crate::answer::{NO_REASON, SPECIFIC, invalid, trimmed, warning};
use crate::dialects::{code, failed};
use crate::hosts::relative::decode::HookRun;
use crate::hosts::relative::row::{Form, HostRow};
use crate::payload;

/// Reads an answer. An event that Gemini CLI does not have is refused like its gates.
pub(super) fn read(run: HookRun<'_>) -> HandlerResult {
    let HookRun { raw, row, .. } = run;
    let ended = || code(raw).err().unwrap_or_else(|| failed(0, raw).into());
    let exit = match &raw.end {
        End::Code(code) => *code,
        // The host runs hooks in a shell, which says that the script is missing and leaves with 127.
        End::NotStarted(why) => return refused(run, why, 127),
        End::Signal(_) => 0,
        End::TimedOut => return Err(ended()),
    };
    let (stdout, stderr) = (raw.stdout.text(), raw.stderr.text());
    let streams = [trimmed(&stdout), trimmed(&stderr)].into_iter();
    let whole = streams
        .clone()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    // A text in quotes is parsed once more.
    let inner: Option<String> = serde_json::from_str(whole).ok();
    let text = inner.as_deref().map_or(whole, trimmed);
    let is_mute = row.is_none_or(|row| row.can.notify == Visibility::No);
    let said = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => document(run, text),
        Ok(_) => Err(invalid("it answered with JSON that is no object").into()),
        // What was meant to be an answer counts as far as it can be made out, but what the host refuses stays refused.
        Err(_) if exit >= 2 && !whole.is_empty() => refused(run, whole, exit),
        Err(_) if text.starts_with('{') => document(run, text),
        Err(_) if exit != 0 => Err(failed(exit, raw).into()),
        Err(_) if whole.is_empty() || is_mute => Ok(HookResult::proceed()),
        Err(_) => Ok(HookResult::proceed().notify(whole)),
    };
    match said {
        // The host takes this for success. What a hook said before it died counts if it restrains; its silence is a failure.
        said if !matches!(raw.end, End::Signal(_)) => said,
        Ok(said) if restrains(&said) => Ok(said),
        _ => Err(ended()),
    }
}

fn restrains(said: &HookResult) -> bool {
    said.verdict.kind() >= Kind::Ask || !said.effects.patch().is_empty()
}

/// What a plain text with such an exit code says.
fn refused(run: HookRun<'_>, text: &str, exit: i32) -> HandlerResult {
    match form(run.row) {
        Form::None => Err(failed(exit, run.raw).into()),
        Form::Result => Ok(replaced(run.event, text.to_owned())),
        _ => Ok(HookResult::deny(text)),
    }
}

/// Reads the one document. What restrains stands, whatever else is wrong with the answer.
fn document(run: HookRun<'_>, text: &str) -> HandlerResult {
    let mut answer = match run.document(text) {
        Ok(answer) => answer,
        Err(fault) => return unreadable(run, text, fault),
    };
    if restrains(&answer.result) && !answer.problems.is_empty() {
        let problems = std::mem::take(&mut answer.problems);
        answer.warn(problems.join("; "));
    }
    answer.settled()
}

fn unreadable(run: HookRun<'_>, text: &str, fault: Box<Fault>) -> HandlerResult {
    let text = text.to_ascii_lowercase();
    let denies = text.contains("\"deny\"") || text.contains("\"block\"");
    let said = match form(run.row) {
        Form::Result if denies => replaced(run.event, NO_REASON.to_owned()),
        form if denies && form != Form::None => HookResult::deny(NO_REASON),
        _ => return Err(fault),
    };
    Ok(said.notifying(warning(&*fault.text)))
}

fn form(row: Option<&HostRow>) -> Form {
    row.map_or(Form::Block, |row| row.form)
}

/// The host shows the reason in the place of the tool's result. Another host may take no result of this shape, so there the
/// reason is said as a refusal, too.
fn replaced(event: &Event, reason: String) -> HookResult {
    let said = HookResult::proceed().modify("tool_result", Value::from(reason.as_str()));
    if payload::own(event, ID).is_some() {
        return said;
    }
    HookResult::deny(reason).then(said)
}

/// Takes what this host reads in a way of its own.
pub(super) fn before(run: HookRun<'_>, top: &mut Map, problems: &mut Vec<String>) -> HookResult {
    let HookRun { event, row, .. } = run;
    let mut said = HookResult::proceed();
    match form(row) {
        // The host does not look at them on this event.
        Form::None => ["decision", "reason", "continue", "stopReason"]
            .into_iter()
            .for_each(|field| drop(top.shift_remove(field))),
        Form::Result => {
            let decision = top.get("decision").and_then(Value::as_str);
            if decision.is_some_and(is_denial) {
                top.shift_remove("decision");
                said = replaced(event, reason(top));
            }
        }
        _ => {}
    }
    if let Some(Value::Object(fields)) = top.get_mut(SPECIFIC) {
        said = said.then(specific(run, fields, problems));
    }
    said
}

/// Takes what belongs to one event of this host, and drops what only Claude Code reads there.
fn specific(run: HookRun<'_>, fields: &mut Map, problems: &mut Vec<String>) -> HookResult {
    for foreign in ["updatedInput", "updatedToolOutput", "updatedMCPToolOutput"] {
        fields.shift_remove(foreign);
    }
    let mut said = HookResult::proceed();
    let Some(row) = run.row else {
        return said;
    };
    for field in row.can.rewrite {
        let Some(given) = fields.shift_remove(*field) else {
            continue;
        };
        match merged(run.event, field, given) {
            Ok(value) => said = said.modify(*field, value),
            Err(problem) => problems.push(problem),
        }
    }
    said.then(run.own_answers(fields))
}

/// New arguments are merged into those that are there, as the document has it: a hook of this host need not name all of them,
/// and cannot take one away.
fn merged(event: &Event, field: &str, given: Value) -> Result<Value, String> {
    let Value::Object(given) = given else {
        return Err(format!("`{field}` must be an object"));
    };
    let own = payload::fields(event, ID, &TOOLS);
    let old = own.get(field).and_then(Value::as_object);
    let mut whole = old.cloned().unwrap_or_default();
    whole.extend(given);
    let whole = Value::Object(whole);
    if field != "tool_input" {
        return Ok(whole);
    }
    payload::canonical_input(event, ID, &TOOLS, whole).map_err(|error| error.what)
}

fn is_denial(decision: &str) -> bool {
    matches!(&*decision.trim().to_ascii_lowercase(), "deny" | "block")
}

/// The reason as the host finds it.
fn reason(top: &Map) -> String {
    let mut texts = ["stopReason", "reason"]
        .iter()
        .filter_map(|field| top.get(*field)?.as_str());
    let found = texts.find(|text| !text.is_empty());
    found.unwrap_or(NO_REASON).to_owned()
}
