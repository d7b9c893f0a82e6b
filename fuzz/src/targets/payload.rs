//! `read_event` of every host, and back.
//!
//! An input is a line `HOST [EVENT]`, as the command line has them, and the payload.

use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Kind};
use anyhook::core::taxonomy::Class;
use anyhook::wires::{DecodeError, Host, Reply, host};
use anyhook_readers::Gravity;
use serde_json::Value;

use super::Target;
use super::case::{Case, head, payloads, wire};
use crate::corpus::files;

pub(super) const TARGET: Target = Target {
    name: "payload",
    about: "a payload is read and written again as it was, or refused in the words of its host",
    run,
    fixtures,
    words: &[
        "hook_event_name",
        "hookEventName",
        "tool_name",
        "toolName",
        "tool_input",
        "tool_response",
        "session_id",
        "cwd",
        "permission_mode",
        "command",
        "file_path",
        "event",
        "data",
        "PreToolUse",
        "pre-tool-use",
        "preToolUse",
        "Stop",
        "beforeShellExecution",
        "claude-code",
        "cursor",
        "gemini-cli",
        "copilot-cli",
        "codex-cli",
        "windsurf",
        "kiro",
        "amplifier",
        "universal",
        "cline",
        "goose",
        "Bash",
        "Write",
        "mcp__a__b",
        "apply_patch",
        "*** Begin Patch",
        "timestamp",
        "native",
        "prompt",
        "bypassPermissions",
    ],
};

fn run(bytes: &[u8]) {
    let (words, payload) = head(bytes);
    let wire = wire(words.first().map_or("", String::as_str));
    let hint = words.get(1).map(String::as_str);
    match wire.read_event(payload, hint) {
        Ok(event) => {
            same_json(wire, &event, payload);
            read_again(wire, &event);
            other_forms(&event);
            refused(wire, event);
        }
        Err(error) => unread(wire, &error),
    }
}

/// What is plain JSON is written as it was read: no field is lost, none is changed.
fn same_json(wire: &dyn Host, event: &Event, payload: &[u8]) {
    let Ok(sent) = serde_json::from_slice::<Value>(payload) else {
        return;
    };
    let written = wire.write_event(event);
    if wire.id() != "universal" {
        assert_eq!(written, sent, "{}", wire.id());
        return;
    }
    // Here every field stands under two names: what was sent stands there, and more beside it.
    for (key, value) in sent.as_object().into_iter().flatten() {
        assert_eq!(written.get(key), Some(value), "{key}");
    }
}

/// What was written is read as the same event.
fn read_again(wire: &dyn Host, event: &Event) {
    let native = event.origin.as_ref().map(|origin| origin.native.clone());
    let written = wire.write_event(event).to_string();
    let again = wire.read_event(written.as_bytes(), native.as_deref());
    let again = again.unwrap_or_else(|error| panic!("{}: {error} in {written}", wire.id()));
    assert_eq!(again.name, event.name, "{} {written}", wire.id());
    assert_eq!(again.subject, event.subject, "{} {written}", wire.id());
    assert_eq!(
        again.data.json(),
        event.data.json(),
        "{} {written}",
        wire.id()
    );
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

/// A refusal of what was read holds.
fn refused(wire: &'static dyn Host, event: Event) {
    let Some(native) = event
        .origin
        .as_ref()
        .map(|origin| origin.native.to_string())
    else {
        panic!("{} does not say where an event came from", wire.id());
    };
    let payload = wire.write_event(&event);
    let case = Case {
        wire,
        native,
        payload,
        event,
    };
    case.judge(HookResult::deny("no"));
    case.judge(HookResult::ask("may it?"));
    case.judge(HookResult::proceed());
}

/// What cannot be read is refused where anything can be.
fn unread(wire: &'static dyn Host, error: &DecodeError) {
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

fn fixtures() -> Vec<Vec<u8>> {
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
