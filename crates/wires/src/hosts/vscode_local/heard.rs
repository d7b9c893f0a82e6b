//! Reading what a hook answered that is written for VS Code, by VS Code's own rule.
//!
//! JSON counts on exit 0, exit 2 refuses where the event can be refused, and any other code is a failure, which the host
//! shows and overlooks.

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::call;
use super::rows::{Form, Row};
use crate::answer::{self, Answer, Place, SPECIFIC};
use crate::dialects::{SUCCESS, blocked, code, failed};
use crate::json;

const BLOCK: i32 = 2;

/// Reads an answer. An event that VS Code does not have is refused by exit 2 like its gates.
pub(super) fn read(raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let form = row.map_or(Form::Exit2, |row| row.form);
    match code(raw)? {
        SUCCESS => document(raw, event, row),
        BLOCK if form != Form::None => Ok(blocked(Ok(HookResult::proceed()), None, raw)),
        code => Err(failed(code, raw).into()),
    }
}

fn document(raw: &Transcript, event: &Event, row: Option<&Row>) -> Said {
    let stdout = raw.stdout.text();
    let text = stdout.trim();
    if !text.starts_with('{') {
        return Ok(HookResult::proceed());
    }
    let (mut object, problem) = answer::document(text, raw)?;
    let input = updated_input(&mut object);
    let approves = row.is_some_and(|row| approves(&object, row));
    let mut answer = answer::read(object, event, Place::Nested);
    answer.problems.extend(problem);
    named(&mut answer, event, row);
    if !approves {
        answer.distrust();
    }
    if let Some(input) = input {
        rewrite(&mut answer, event, input);
    }
    // What is left means nothing to the host.
    answer.settled()
}

fn updated_input(object: &mut Map) -> Option<Value> {
    let specific = object.get_mut(SPECIFIC)?.as_object_mut()?;
    let input = specific.shift_remove("updatedInput")?;
    (!input.is_null()).then_some(input)
}

/// Tells whether the host would take the answer for an approval: only of a tool, under the event's own name.
fn approves(object: &Map, row: &Row) -> bool {
    let text = |field: &str| object.get(SPECIFIC)?.get(field)?.as_str();
    row.form == Form::Permission
        && text("hookEventName") == Some(row.native.name)
        && text("permissionDecision") == Some("allow")
}

/// The host drops an answer that does not name the event by its own name. Here it is heard, but approves nothing.
fn named(answer: &mut Answer, event: &Event, row: Option<&Row>) {
    let expected = row.map(|row| row.native.name);
    if !answer.is_nested || answer.names.as_deref() == expected {
        return;
    }
    let named = answer.names.take().unwrap_or_default();
    answer.warn(format!(
        "a hook's answer names the event `{named}`; VS Code expects `{}` and drops it",
        expected.unwrap_or(event.name.as_str())
    ));
    answer.distrust();
}

fn rewrite(answer: &mut Answer, event: &Event, input: Value) {
    match call::canonical(event, input) {
        Ok(input) if input.is_object() => {
            answer.result = std::mem::take(&mut answer.result).modify("tool_input", input);
        }
        Ok(input) => answer.problems.push(format!(
            "`updatedInput` must be an object, and is {}",
            json::kind(&input)
        )),
        Err(error) => answer.problems.push(format!("`updatedInput`: {error}")),
    }
}
