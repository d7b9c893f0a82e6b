//! `read_event` of every host, and back.
//!
//! An input is a line `HOST [EVENT]`, as the command line has them, and the payload.

use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Kind};
use anyhook::core::taxonomy::Class;
use anyhook::wires::tools;
use anyhook::wires::{DecodeError, Host, Reply, host};
use anyhook_readers::Gravity;
use serde_json::{Map, Value};

use super::case::{Case, head, payloads, wire};
use crate::corpus::files;

pub(super) fn run(bytes: &[u8]) {
    let (words, payload) = head(bytes);
    let wire = wire(words.first().map_or("", String::as_str));
    let hint = words.get(1).map(String::as_str);
    match wire.read_event(payload, hint) {
        Ok(event) => {
            same_json(wire, &event, payload);
            read_again(wire, &event, payload);
            other_forms(&event);
            refused(wire, event);
        }
        Err(error) => unread(wire, &error),
    }
}

/// The fields in which hosts name the event: where the command line knows better, the event is the one that it names.
const NAMES: &[&str] = &[
    "hook_event_name",
    "hookEventName",
    "agent_action_name",
    "hookName",
    "event",
];

/// The fields in which hosts name a tool, and its arguments.
const CALL: &[&str] = &[
    "tool_name",
    "toolName",
    "tool_input",
    "toolInput",
    "toolArgs",
];

/// What is plain JSON is written as it was read: no field is lost, none is changed.
fn same_json(wire: &Host, event: &Event, payload: &[u8]) {
    let Ok(Value::Object(sent)) = serde_json::from_slice::<Value>(payload) else {
        return;
    };
    let written = wire.write_event(event);
    let is_renamed = has_a_tool_of_another_host(event);
    for (key, value) in &sent {
        let is_call = CALL.contains(&&**key) || value.is_object();
        let is_free = NAMES.contains(&&**key) || is_renamed && is_call;
        let now = written.get(key);
        assert!(
            is_free || is_other(wire, key) || now == Some(value),
            "{} {key}: {value} became {now:?}",
            wire.id()
        );
    }
}

/// Tells whether a tool came by the name of another host: it goes by this one's, and so do its arguments, wherever this host
/// keeps them.
fn has_a_tool_of_another_host(event: &Event) -> bool {
    let own = event
        .origin
        .as_ref()
        .and_then(|origin| origin.tool.as_ref());
    own.is_none() && event.get("tool_name").is_some()
}

/// A result is called otherwise by universal hooks, and around an event of Amplifier stands what its loop adds.
fn is_other(wire: &Host, key: &str) -> bool {
    match wire.id() {
        "universal" => ["tool_response", "toolResponse"].contains(&key),
        "amplifier" => key != "data",
        // The tool of another host's name stands in there.
        "athena" => ["input", "tool_input"].contains(&key),
        _ => false,
    }
}

/// What names an event of the host is read as the same event again. What is added to any other form, so that a script
/// which takes it for granted does not fall over, may say more than was sent.
fn read_again(wire: &Host, event: &Event, payload: &[u8]) {
    let sent: Map<String, Value> = serde_json::from_slice(payload).unwrap_or_default();
    let native = event.origin.as_ref().map(|origin| origin.native.clone());
    let names = |value: &Value| {
        value
            .as_str()
            .is_some_and(|name| Some(name) == native.as_deref())
    };
    if !sent.values().any(names) {
        return;
    }
    let is_renamed = has_a_tool_of_another_host(event);
    let written = wire.write_event(event).to_string();
    let again = wire.read_event(written.as_bytes(), native.as_deref());
    let again = again.unwrap_or_else(|error| panic!("{}: {error} in {written}", wire.id()));
    assert_eq!(again.name, event.name, "{} {written}", wire.id());
    let data = |event: &Event| {
        let mut data = event.json().into_owned();
        if let Some(Value::String(tool)) = data.get_mut("tool_name") {
            *tool = tools::canonical(tool).to_owned();
        }
        if is_renamed {
            data.shift_remove("tool_input");
        }
        data
    };
    let (now, was) = (Value::Object(data(&again)), Value::Object(data(event)));
    assert!(
        within(&was, &now),
        "{} {written}: {was} became {now}",
        wire.id()
    );
}

/// Tells whether everything of a value is in another one; objects may have more.
fn within(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            let mut fields = part.iter();
            fields.all(|(key, value)| whole.get(key).is_some_and(|whole| within(value, whole)))
        }
        (part, whole) => part == whole,
    }
}

/// A hook of any other form reads an object that names the event.
fn other_forms(event: &Event) {
    for (form, key) in [
        ("universal", "hookEventName"),
        ("claude-code", "hook_event_name"),
    ] {
        let written = host(form).map(|host| host.write_event(event));
        let name = written.as_ref().and_then(|written| written.get(key));
        assert!(name.is_some_and(Value::is_string), "{form}: {written:?}");
    }
}

/// A refusal of what was read holds. What a host makes of an event that it does not have is not known.
fn refused(wire: &'static Host, event: Event) {
    let origin = event.origin.as_deref();
    let native =
        origin.unwrap_or_else(|| panic!("{} does not say where an event came from", wire.id()));
    let Some(row) = wire
        .row(&native.native)
        .filter(|row| row.event == event.name.as_str())
    else {
        return;
    };
    let case = Case {
        wire,
        native: row.name.to_owned(),
        payload: wire.write_event(&event),
        event,
    };
    case.judge(HookResult::deny("no"));
    case.judge(HookResult::ask("may it?"));
    case.judge(HookResult::proceed());
}

/// What cannot be read is refused where anything can be.
fn unread(wire: &'static Host, error: &DecodeError) {
    assert!(
        !error.what.is_empty() && !error.what.contains('\n'),
        "{:?}",
        error.what
    );
    let row = error.event.as_deref().and_then(|event| wire.row(event));
    let Reply {
        stdout,
        stderr,
        exit,
    } = wire.refuse_unread(row, &error.to_string());
    let Some(row) = row else { return };
    let case = Case::of(wire, row.name);
    let is_gate = case.native == row.name && case.event.name.class() == Class::Gate;
    if is_gate && row.can.says(Kind::Deny) {
        let done = case.reads(stdout.as_bytes(), stderr.as_bytes(), i32::from(exit));
        assert!(
            done.gravity() >= Gravity::Refuse,
            "{} {}: {stdout}{stderr}",
            wire.id(),
            row.name
        );
    }
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
    let own = payloads()
        .into_iter()
        .map(|(wire, native, payload)| format!("{} {native}\n{payload}", wire.id()).into_bytes());
    let hostile = files("fixtures/hostile").into_iter().filter_map(|file| {
        let bytes = std::fs::read(file)
            .ok()
            .filter(|bytes| bytes.len() < 4096)?;
        Some([b"claude-code PreToolUse\n".as_slice(), &bytes].concat())
    });
    own.chain(hostile).collect()
}
