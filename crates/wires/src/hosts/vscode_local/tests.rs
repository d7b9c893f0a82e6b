use anyhook_core::event::Event;
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use super::*;
use crate::payload;
use crate::tests::ended;

fn pre(tool: &str, input: &Value) -> Value {
    json!({"timestamp": "t", "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": input, "tool_use_id": "c"})
}

fn read_in(payload: &Value) -> Event {
    let bytes = payload.to_string();
    VSCODE_LOCAL.read_event(bytes.as_bytes(), None).unwrap()
}

fn said(event: &Event, result: HookResult) -> Value {
    let (class, mutable) = (event.name.class(), event.name.mutable());
    let (result, _) = result.fit(class, mutable, &VSCODE_LOCAL.can(event));
    let reply = VSCODE_LOCAL.write_result(event, &result);
    serde_json::from_str(&reply.stdout).unwrap()
}

fn several() -> Value {
    let change = |path: &str| json!({"filePath": path, "oldString": "a", "newString": "b"});
    let changes = [change("/p/a"), change("/p/.env"), change("/p/a")];
    pre(
        "multi_replace_string_in_file",
        &json!({"explanation": "x", "replacements": changes}),
    )
}

#[test]
fn a_guard_of_claude_code_sees_each_file_of_a_call_that_changes_several() {
    let event = read_in(&several());
    let claude = crate::host("claude-code").unwrap();
    let seen: Vec<Value> = payload::parts(&event, claude)
        .iter()
        .map(|part| claude.write_event(part)["tool_input"]["file_path"].clone())
        .collect();
    assert_eq!(seen, ["/p/a", "/p/.env", "/p/a"]);
    assert!(payload::parts(&event, &VSCODE_LOCAL).is_empty());
}

#[test]
fn a_hooks_new_arguments_of_such_a_call_are_the_hosts_own_again() {
    let event = read_in(&several());
    let input = json!({"explanation": "y", "replacements": [{"filePath": "/p/b", "oldString": "a", "newString": "c"}]});
    let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input});
    let answer = json!({"hookSpecificOutput": specific}).to_string();
    let heard = VSCODE_LOCAL
        .read_result(&ended(0, &answer, ""), &event)
        .unwrap();
    assert_eq!(
        said(&event, heard)["hookSpecificOutput"]["updatedInput"],
        input
    );
}

#[test]
fn copilots_names_in_the_settings_are_names_of_the_same_events() {
    for (copilot, native) in [
        ("preToolUse", "PreToolUse"),
        ("agentStop", "Stop"),
        ("stop", "Stop"),
    ] {
        assert_eq!(VSCODE_LOCAL.row(copilot).map(|row| row.name), Some(native));
    }
}
