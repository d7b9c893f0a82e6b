//! Behaviour that only Claude Code has.

use anyhook_core::can::{Capabilities, Visibility};
use anyhook_core::event::{Event, Map};
use anyhook_core::question::Answerer;
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::{Value, json};

use super::BESIDE;
use super::table::OWN_FIELDS;
use crate::answer::{ParsedAnswer, SPECIFIC};
use crate::hosts::relative::decode::{self as family, HookRun};
use crate::hosts::relative::row::{Form, HaltMeaning, HostRow};
use crate::hosts::relative::{Host, NAME, encode};
use crate::{json as read_json, tools};

/// The event goes by the name that its hook knows: one of ours may be two of this host's. The tool of another host's event goes
/// by Claude Code's name for it.
pub(super) fn write_as(host: &Host, event: &Event, native: &str) -> Value {
    let mut written = host.write_event(event);
    if let Value::Object(data) = &mut written {
        data.insert(NAME.to_owned(), native.into());
    }
    if let (Value::Object(data), None) = (&mut written, host.origin_of(event))
        && let Some(tool) = data.get("tool_name").and_then(Value::as_str)
    {
        let canonical = tools::canonical(tool).to_owned();
        data.insert("tool_name".to_owned(), canonical.into());
    }
    written
}

/// An old word approves too, where the new one is not given.
pub(super) fn approves(host: &Host, row: &HostRow, top: &Map) -> bool {
    let specific = top.get(SPECIFIC).and_then(Value::as_object);
    let has_word = specific.is_some_and(|specific| specific.contains_key("permissionDecision"));
    let is_old = row.form == Form::Permission && !has_word;
    family::approves(host, row, top)
        || is_old && top.get("decision").and_then(Value::as_str) == Some("approve")
}

/// Drops a stop that the host discards on this event, whatever it is. A message to the person stays: where it cannot be shown
/// it is a loss that is recorded.
pub(super) fn before(run: HookRun<'_>, object: &mut Map, _: &mut Vec<String>) -> HookResult {
    if run
        .row
        .is_some_and(|row| !row.can.says(Kind::Halt) && row.halt == HaltMeaning::Ignored)
    {
        object.shift_remove("continue");
        object.shift_remove("stopReason");
    }
    HookResult::proceed()
}

/// What only this host has counts in its place alone: elsewhere it would accept for a person who was not asked.
pub(super) fn after(answer: &mut ParsedAnswer, _: Option<&HostRow>) {
    answer
        .rest
        .retain(|key, _| !OWN_FIELDS.contains(&&**key) || key == BESIDE);
}

/// Tells whether a hook goes on in the background by this line.
pub(super) fn leaves(line: &[u8]) -> bool {
    let said = read_json::object(line.trim_ascii());
    said.is_ok_and(|said| said.get("async") == Some(&Value::Bool(true)))
}

/// The host puts off a call that only the host may decide about; it asks about every other, and about one with new arguments,
/// which it would forget while it waits.
pub(super) fn ask(result: &HookResult) -> &'static str {
    let Verdict::Ask { questions } = &result.verdict else {
        return "ask";
    };
    let only_host = questions
        .iter()
        .all(|question| question.who == Answerer::Host);
    if only_host && result.effects.patch().is_empty() {
        return "defer";
    }
    "ask"
}

/// The host hides an output where it takes every field that an answer can have.
pub(super) fn hides(_: &HostRow, can: &Capabilities) -> bool {
    can.notify == Visibility::Yes && can.says(Kind::Halt)
}

/// The field by which the result of a shell is known.
const SHELL: &str = "stdout";

/// Puts a text into the form of a shell's result, where the event tells of a shell.
pub(super) fn value(
    host: &Host,
    event: &Event,
    field: &str,
    value: Value,
) -> Result<Value, String> {
    let was = event.get(field);
    let is_shell = was.is_some_and(|was| was.get(SHELL).is_some());
    match value {
        Value::String(text) if field == "tool_result" && is_shell => {
            Ok(json!({SHELL: text, "stderr": "", "interrupted": false}))
        }
        value => encode::value(host, event, field, value),
    }
}

/// Finds arguments of a shell without a command: the call fails with them, and no message would say why. And a new result of
/// another kind than the tool's own, which the host drops without a word; the tool of a server takes any.
pub(super) fn overlooks(event: &Event, field: &str, value: &Value) -> Option<&'static str> {
    let tool = event.text("tool_name")?;
    if field == "tool_input" {
        let is_odd = tool == "Bash" && !value.get("command").is_some_and(Value::is_string);
        return is_odd.then_some("a hook took the command of the shell away");
    }
    let was = event.get(field)?;
    let is_kind = std::mem::discriminant(value) == std::mem::discriminant(&*was);
    let is_shell = was.get(SHELL).is_some() && value.get(SHELL).is_none();
    let is_odd = !tool.starts_with("mcp__") && (!is_kind || is_shell);
    is_odd.then_some("a hook changed the result of the tool to a form that Claude Code drops")
}
