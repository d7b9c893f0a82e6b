use anyhook_core::event::Event;
use serde_json::{Value, json};

use super::*;
use crate::tests::ended;

const PATCH: &str =
    "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** Delete File: b.ts\n*** End Patch\n";

fn read(payload: &Value, hint: &str) -> Event {
    let bytes = payload.to_string();
    COPILOT_CLI
        .read_event(bytes.as_bytes(), Some(hint))
        .unwrap()
}

fn pre(tool: &str, arguments: impl Into<Value>) -> Value {
    let arguments: Value = arguments.into();
    json!({"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": tool, "toolArgs": arguments})
}

fn pascal(tool: &str, input: impl Into<Value>) -> Value {
    let input: Value = input.into();
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "t", "cwd": "/p",
        "tool_name": tool, "tool_input": input})
}

/// What a guard sees of a call: the tool and its arguments.
fn call(event: &Event) -> (Value, Value) {
    let data = event.data.json();
    (data["tool_name"].clone(), data["tool_input"].clone())
}

#[test]
fn rewritten_arguments_of_a_text_are_a_text_again() {
    let mut event = read(&pre("bash", json!("{\"command\": \"ls\"}")), "preToolUse");
    let mut data = event.data.json().into_owned();
    data["tool_input"] = json!({"command": "ls -l"});
    event.data = data.into();
    assert_eq!(
        COPILOT_CLI.write_event(&event)["toolArgs"],
        json!("{\"command\":\"ls -l\"}")
    );
}

#[test]
fn a_patch_under_the_name_of_an_edit_is_asked_about_as_all_that_it_may_be() {
    let payload = pascal("Edit", json!(PATCH));
    let event = read(&payload, "PreToolUse");
    assert_eq!(call(&event).0, json!("apply_patch"));
    let subject = event.subject().unwrap();
    assert_eq!(
        (subject.name, subject.canonical),
        ("Edit", Some("apply_patch"))
    );
    for name in ["Write", "Delete", "git_apply_patch"] {
        assert!(subject.also.contains(&name), "{name}");
    }
    assert_eq!(COPILOT_CLI.write_event(&event), payload);
}

#[test]
fn a_payload_without_a_name_takes_it_from_the_command_line_in_any_spelling() {
    let payload = pre("bash", json!({"command": "ls"}));
    for hint in ["preToolUse", "PreToolUse", "pre-tool-use", "tool:pre"] {
        assert_eq!(read(&payload, hint).name.as_str(), "tool:pre", "{hint}");
    }
    let nameless = COPILOT_CLI.read_event(payload.to_string().as_bytes(), None);
    assert!(nameless.unwrap_err().what.contains("hook_event_name"));
}

#[test]
fn a_hook_reads_the_casing_of_its_key() {
    let camel = pre("bash", json!({"command": "ls"}));
    let event = read(&camel, "preToolUse");
    let written = COPILOT_CLI.write_as(&event, "PreToolUse");
    assert_eq!(written["hook_event_name"], "PreToolUse");
    assert_eq!(
        (&written["tool_name"], &written["tool_input"]),
        (&json!("Bash"), &json!({"command": "ls"}))
    );
    assert_eq!(COPILOT_CLI.write_as(&event, "preToolUse"), camel);
    let claude = Event::new(
        "tool:pre",
        json!({"session_id": "s", "tool_name": "mcp__linear__list", "tool_input": {}}),
    );
    assert_eq!(COPILOT_CLI.write_event(&claude)["toolName"], "linear-list");
}

#[test]
fn a_hooks_new_arguments_are_canonical_in_every_form_that_it_may_write() {
    let event = read(
        &pre("create", json!({"path": "/p/a", "file_text": "x"})),
        "preToolUse",
    );
    let expected = json!({"file_path": "/p/b", "content": "y"});
    let given = json!({"path": "/p/b", "file_text": "y"});
    for stdout in [
        json!({"modifiedArgs": given}),
        json!({"updatedInput": given}),
        json!({"modifiedArgs": given.to_string()}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": given}}),
    ] {
        let said = COPILOT_CLI
            .read_result(&ended(0, &stdout.to_string(), ""), &event)
            .unwrap();
        let value = said
            .effects
            .rewrite("tool_input")
            .and_then(|it| it.value.as_ref());
        assert_eq!(
            value.map(anyhook_core::event::Datum::json),
            Some(expected.clone())
        );
        let reply = COPILOT_CLI.write_result(&event, &said);
        assert_eq!(
            reply.stdout,
            format!("{}\n", json!({"modifiedArgs": given}))
        );
    }
}
