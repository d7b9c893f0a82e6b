//! Reading what a hook answered that is written for Copilot, by Copilot's own rule.
//!
//! Exit 0 is an answer, 2 refuses on the gates and warns elsewhere, beside what the answer says, and any other code is a
//! failure, which the host takes for a refusal of a tool: the loader says so where it makes the hook.

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::form::Surface;
use super::results::changed;
use super::row::{Exit2, Form, Row};
use super::{ID, arguments, tools::TOOLS};
use crate::answer::{self, Answer, Place, SPECIFIC, warning};
use crate::dialects::{SUCCESS, blocked, code, failed};
use crate::{json, payload};

const BLOCK: i32 = 2;

/// What Claude Code's hooks say, and Copilot does not hear: such a hook means nothing by it here. Its message to the person
/// is a loss that is recorded.
const UNHEARD: &[&str] = &["continue", "stopReason", "suppressOutput"];

/// Reads an answer. An event that Copilot does not have is refused by exit 2 like its gates.
pub(in crate::hosts) fn read(surface: &Surface, raw: &Transcript, event: &Event) -> Said {
    let row = surface.row_of(event);
    match (code(raw)?, row.map_or(Exit2::Refuses, |row| row.exit_2)) {
        (SUCCESS, _) => document(surface, raw, event, row).0,
        (BLOCK, Exit2::Refuses) => {
            let (said, reason) = document(surface, raw, event, row);
            Ok(blocked(said, reason.as_deref(), raw))
        }
        (BLOCK, Exit2::Tells) => Ok(told(raw)),
        (BLOCK, Exit2::Warns) => match document(surface, raw, event, row).0 {
            Ok(said) => Ok(said.then(warned(raw))),
            Err(_) => Ok(warned(raw)),
        },
        (code, _) => Err(failed(code, raw).into()),
    }
}

fn told(raw: &Transcript) -> HookResult {
    match raw.stdout.text().trim() {
        "" => HookResult::proceed(),
        text => HookResult::proceed().inject(text),
    }
}

fn warned(raw: &Transcript) -> HookResult {
    match raw.stderr.text().trim() {
        "" => HookResult::proceed(),
        text => HookResult::proceed().notifying(warning(text)),
    }
}

/// Reads the one document that is left when lines of progress are taken away, and the reason that it gives. Of several
/// the host takes none; here that is a fault, like everything that looks like JSON and is none.
fn document(
    surface: &Surface,
    raw: &Transcript,
    event: &Event,
    row: Option<&Row>,
) -> (Said, Option<String>) {
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
    let reason = reason(&object);
    (answered(surface, object, problem, event, row), reason)
}

fn is_progress(line: &str) -> bool {
    let line = json::object(line.trim().as_bytes());
    line.is_ok_and(|line| line.get("type").and_then(Value::as_str) == Some("progress"))
}

fn reason(object: &Map) -> Option<String> {
    answer::reason(object).or_else(|| {
        let message = object.get("message").and_then(Value::as_str);
        message.filter(|text| !text.is_empty()).map(str::to_owned)
    })
}

fn answered(
    surface: &Surface,
    mut object: Map,
    problem: Option<String>,
    event: &Event,
    row: Option<&Row>,
) -> Said {
    let form = row.map_or(Form::None, |row| row.form);
    let approves = approves(&object, form);
    let stops = stops(&mut object, form);
    let rewrites = rewrites(&mut object);
    let result = object.shift_remove("modifiedResult");
    let prompt = object.shift_remove("modifiedPrompt");
    for field in UNHEARD {
        object.shift_remove(*field);
    }
    if form == Form::Behavior {
        behavior(&mut object);
    }
    let mut answer = answer::read(object, event, Place::Anywhere);
    answer.problems.extend(problem);
    if !approves {
        answer.distrust();
    }
    if stops {
        let refusal = std::mem::take(&mut answer.result);
        let why = refusal.verdict.text();
        answer.result = refusal.then(HookResult::halt(why));
    }
    for input in rewrites {
        rewrite(surface, &mut answer, event, input);
    }
    if let Some(result) = result.filter(|result| !result.is_null()) {
        let result = changed(event, result);
        answer.result = std::mem::take(&mut answer.result).modify("tool_result", result);
    }
    match prompt {
        Some(Value::String(prompt)) => {
            answer.result = std::mem::take(&mut answer.result).modify("prompt", prompt);
        }
        None | Some(Value::Null) => {}
        Some(other) => answer.problems.push(format!(
            "`modifiedPrompt` must be a string, and is {}",
            json::kind(&other)
        )),
    }
    if !answer.rest.is_empty() {
        let rest = std::mem::take(&mut answer.rest);
        answer.result = std::mem::take(&mut answer.result).native(ID, rest);
    }
    answer.settled()
}

/// Tells whether the host would take the answer for an approval: only in its own words, where it puts them.
fn approves(object: &Map, form: Form) -> bool {
    let field = match form {
        Form::Permission => "permissionDecision",
        Form::Behavior => "behavior",
        Form::Block | Form::None => return false,
    };
    object.get(field).and_then(Value::as_str) == Some("allow")
}

/// Takes the word out of a refused permission request that ends the turn.
fn stops(object: &mut Map, form: Form) -> bool {
    let refuses = object.get("behavior").and_then(Value::as_str) == Some("deny");
    let stops = object.get("interrupt") == Some(&Value::Bool(true));
    let is_stop = form == Form::Behavior && refuses && stops;
    if is_stop {
        object.shift_remove("interrupt");
    }
    is_stop
}

/// Takes new arguments out of an answer, wherever they stand; the last that is said holds.
fn rewrites(object: &mut Map) -> Vec<Value> {
    let mut found = Vec::new();
    if let Some(Value::Object(nested)) = object.get_mut(SPECIFIC) {
        found.extend(nested.shift_remove("updatedInput"));
    }
    for field in ["updatedInput", "modifiedArgs"] {
        found.extend(object.shift_remove(field));
    }
    found.retain(|input| !input.is_null());
    found
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

fn rewrite(surface: &Surface, answer: &mut Answer, event: &Event, input: Value) {
    let fields = payload::fields(event, surface.id, &TOOLS);
    let native = fields.get("tool_name").and_then(Value::as_str);
    match arguments::canonical(native.unwrap_or_default(), input) {
        Ok(input) if input.is_object() => {
            answer.result = std::mem::take(&mut answer.result).modify("tool_input", input);
        }
        Ok(input) => answer.problems.push(format!(
            "`modifiedArgs` must be an object, and is {}",
            json::kind(&input)
        )),
        Err(error) => answer.problems.push(format!("`modifiedArgs`: {error}")),
    }
    if answer.result.verdict.kind() == Kind::Allow && !answer.problems.is_empty() {
        answer.distrust();
    }
}
