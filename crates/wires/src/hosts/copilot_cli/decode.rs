//! Reading the answer of a hook that is written for Copilot, by Copilot's own rule.
//!
//! Exit 0 is an answer, 2 refuses on the gates and warns elsewhere, beside what the answer says, and any other code is a
//! failure, which the host takes for a refusal of a tool: the loader says so where it makes the hook.

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::arguments;
use super::results::changed;
use super::table::TOOLS;
use crate::answer::{self, NO_REASON, SPECIFIC, warning};
use crate::dialects::{BLOCK, SUCCESS, blocked, code, failed};
use crate::hosts::relative::Host;
use crate::hosts::relative::decode::HookRun;
use crate::hosts::relative::row::{Exit2Meaning, Form};
use crate::{DecodeError, json, payload};

/// What Claude Code's hooks say, and Copilot does not hear: such a hook means nothing by it here. Its message to the person
/// is a loss that is recorded.
const UNHEARD: &[&str] = &["continue", "stopReason", "suppressOutput"];

/// Reads an answer. An event that Copilot does not have is refused by exit 2 like its gates.
pub(super) fn read(run: HookRun<'_>) -> HandlerResult {
    let raw = run.raw;
    let warned = |said: HookResult| match raw.stderr.text().trim() {
        "" => said,
        text => said.notifying(warning(text)),
    };
    match (code(raw)?, run.exit_2()) {
        (SUCCESS, _) => document(run).0,
        (BLOCK, Exit2Meaning::Blocks) => {
            let (said, reason) = document(run);
            Ok(blocked(said, reason.as_deref(), raw))
        }
        (BLOCK, Exit2Meaning::Context) => {
            let text = raw.stdout.text();
            let text = Some(text.trim()).filter(|text| !text.is_empty());
            Ok(text
                .into_iter()
                .fold(HookResult::proceed(), HookResult::inject))
        }
        (BLOCK, Exit2Meaning::Tells) => {
            let said = document(run).0;
            Ok(warned(said.unwrap_or_else(|_| HookResult::proceed())))
        }
        (code, _) => Err(failed(code, raw).into()),
    }
}

/// Reads the one document that is left when lines of progress are taken away, and the reason that it gives. Of several
/// the host takes none; here that is a fault, like everything that looks like JSON and is none.
fn document(run: HookRun<'_>) -> (HandlerResult, Option<String>) {
    let raw = run.raw;
    let stdout = raw.stdout.text();
    let rest: Vec<&str> = stdout.lines().filter(|line| !is_progress(line)).collect();
    let rest = rest.join("\n");
    let text = answer::trimmed(&rest);
    if !text.starts_with('{') {
        return (Ok(HookResult::proceed()), None);
    }
    let (object, problem) = match answer::document(text, raw) {
        Ok(read) => read,
        Err(fault) => return (Err(fault), None),
    };
    let message = object.get("message").and_then(Value::as_str);
    let message = message.filter(|text| !text.is_empty());
    let reason = answer::reason(&object).or(message.map(str::to_owned));
    (run.answered(object, problem).settled(), reason)
}

fn is_progress(line: &str) -> bool {
    let line = json::object(line.trim().as_bytes());
    line.is_ok_and(|line| line.get("type").and_then(Value::as_str) == Some("progress"))
}

/// Takes what this host has under names of its own.
pub(super) fn before(run: HookRun<'_>, object: &mut Map, problems: &mut Vec<String>) -> HookResult {
    let HookRun { host, event, .. } = run;
    let mut said = HookResult::proceed();
    // Wherever new arguments stand; the last that are said hold.
    let nested = object.get_mut(SPECIFIC).and_then(Value::as_object_mut);
    let nested = nested.and_then(|nested| answer::taken(nested, "updatedInput"));
    let beside = ["updatedInput", "modifiedArgs"];
    let beside = beside.map(|field| answer::taken(object, field));
    for input in [nested].into_iter().chain(beside).flatten() {
        match rewrite(host, event, input) {
            Ok(input) => said = said.modify("tool_input", input),
            Err(problem) => problems.push(problem),
        }
    }
    if let Some(result) = answer::taken(object, "modifiedResult") {
        said = said.modify("tool_result", changed(event, result));
    }
    if let Some(prompt) = answer::text(object, "modifiedPrompt", problems) {
        said = said.modify("prompt", prompt);
    }
    for field in UNHEARD {
        object.shift_remove(*field);
    }
    if run.has_form(Form::Answer) {
        said = said.then(stop(object));
        behavior(object);
    }
    said
}

/// Reads a refused permission request that ends the turn, and takes its word out.
fn stop(object: &mut Map) -> HookResult {
    let text = |field: &str| object.get(field).and_then(Value::as_str);
    let refuses = text("behavior") == Some("deny");
    if !refuses || object.get("interrupt") != Some(&Value::Bool(true)) {
        return HookResult::proceed();
    }
    let mut reasons = ["message", "reason", "systemMessage"].into_iter();
    let reason = reasons.find_map(|field| text(field).filter(|text| !text.is_empty()));
    let said = HookResult::halt(reason.unwrap_or(NO_REASON));
    object.shift_remove("interrupt");
    said
}

/// Puts the words of a permission request where Claude Code has them.
fn behavior(object: &mut Map) {
    let Some(behavior) = object.shift_remove("behavior") else {
        return;
    };
    let mut decision = Map::from_iter([("behavior".to_owned(), behavior)]);
    decision.extend(
        object
            .shift_remove("message")
            .map(|text| ("message".to_owned(), text)),
    );
    object.insert("decision".to_owned(), Value::Object(decision));
}

fn rewrite(host: &Host, event: &Event, input: Value) -> Result<Value, String> {
    let fields = payload::fields(event, host.id, &TOOLS);
    let native = fields.get("tool_name").and_then(Value::as_str);
    match arguments::canonical(native.unwrap_or_default(), input) {
        Ok(input) if input.is_object() => Ok(input),
        Ok(input) => Err(DecodeError::wrong("modifiedArgs", "an object", Some(&input)).what),
        Err(error) => Err(format!("`modifiedArgs`: {error}")),
    }
}
