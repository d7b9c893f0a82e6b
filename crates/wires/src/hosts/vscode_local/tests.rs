use std::time::Duration;

use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::json;

use anyhook_core::event::Event;
use serde_json::Value;

use super::*;
use crate::payload;
use crate::{Host, Wire};

fn pre(tool: &str, input: &Value) -> Value {
    json!({"timestamp": "t", "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": input, "tool_use_id": "c"})
}

fn read_in(payload: &Value) -> Event {
    let bytes = payload.to_string();
    VSCODE_LOCAL.read_event(bytes.as_bytes(), None).unwrap()
}

fn answer(exit: i32, stdout: &str, event: &Event) -> Said {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: capture(stdout),
        stderr: capture("why"),
        end: End::Code(exit),
        took: Duration::from_millis(5),
    };
    VSCODE_LOCAL.read_result(&raw, event)
}

fn heard(stdout: &Value, event: &Event) -> HookResult {
    answer(0, &stdout.to_string(), event).unwrap()
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
fn every_file_of_a_call_that_changes_several_is_listed_for_a_guard() {
    let payload = several();
    let event = read_in(&payload);
    let edit = |path: &str| json!({"file_path": path, "old_string": "a", "new_string": "b"});
    assert_eq!(
        event.data.json()["tool_input"],
        json!({
            "explanation": "x",
            "edits": [edit("/p/a"), edit("/p/.env"), edit("/p/a")],
            "files": [{"path": "/p/a", "change": "update"}, {"path": "/p/.env", "change": "update"}],
        })
    );
    assert_eq!(VSCODE_LOCAL.write_event(&event), payload);
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
    let heard = heard(&json!({"hookSpecificOutput": specific}), &event);
    assert_eq!(
        said(&event, heard)["hookSpecificOutput"]["updatedInput"],
        input
    );
}

#[test]
fn a_list_of_files_that_came_with_the_call_goes_back_with_it() {
    let input = json!({"replacements": [{"filePath": "/p/a"}], "files": ["mine"]});
    let payload = pre("multi_replace_string_in_file", &input);
    assert_eq!(VSCODE_LOCAL.write_event(&read_in(&payload)), payload);
}

#[test]
fn a_name_of_an_mcp_tool_that_could_be_cut_twice_stays_as_it_is() {
    let named = |tool: &str| {
        let event = read_in(&pre(tool, &json!({})));
        (event.text("tool_name").unwrap().into_owned(), event.also)
    };
    assert_eq!(
        named("mcp_linear_list"),
        ("mcp__linear__list".to_owned(), [].as_slice())
    );
    assert_eq!(
        named("mcp_github_create_issue"),
        ("mcp_github_create_issue".to_owned(), [].as_slice())
    );
}

#[test]
fn early_payloads_are_read_and_written_as_they_came() {
    let payload = json!({"timestamp": "t", "sessionId": "s", "hookEventName": "PreToolUse",
        "toolName": "create_file", "toolInput": {"filePath": "/p/a", "content": "x"}, "toolUseId": "c"});
    let event = read_in(&payload);
    assert_eq!(
        (event.session(), event.subject.as_deref()),
        (Some("s"), Some("create_file"))
    );
    assert_eq!(event.data.json()["tool_input"]["file_path"], "/p/a");
    assert_eq!(VSCODE_LOCAL.write_event(&event), payload);
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
