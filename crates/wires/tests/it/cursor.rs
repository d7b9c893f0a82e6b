//! Cursor's own traps: what no other host has.

mod calls;

use anyhook_core::event::{Event, EventName};
use anyhook_core::result::{HookResult, Kind};
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "cursor";

fn cursor() -> &'static Host {
    host(ID).unwrap()
}

fn payload(name: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    Case::such(ID, name, is_it).payload
}

fn first(name: &str) -> Value {
    payload(name, |_| true)
}

fn case(payload: &Value) -> Case {
    let native = payload["hook_event_name"].as_str().unwrap();
    Case::new(ID, native, payload.clone())
}

fn read(payload: &Value) -> Event {
    case(payload).event
}

#[test]
fn the_event_that_comes_later_for_the_same_call_is_known() {
    for (tool, later) in [
        ("Shell", Some("beforeShellExecution")),
        ("MCP:create_issue", Some("beforeMCPExecution")),
        ("Write", None),
        ("Read", None),
    ] {
        let call = payload("preToolUse", |payload| payload["tool_name"] == tool);
        let found = cursor().asks_later(&read(&call));
        assert_eq!(found.map(|row| row.name), later, "{tool}");
        if let Some(row) = found {
            assert!(row.can.says(Kind::Ask) && row.event == "tool:pre");
        }
    }
    assert!(
        cursor()
            .asks_later(&read(&first("beforeShellExecution")))
            .is_none()
    );
    let claude = Event::new("tool:pre", json!({"tool_name": "Shell", "tool_input": {}}));
    assert!(cursor().asks_later(&claude).is_none());
}

/// Every hook of Cursor prints it, and under another host it would skip a question.
#[test]
fn an_allow_of_a_hook_approves_nothing() {
    let claude = host("claude-code").unwrap();
    let bash = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    });
    let event = claude
        .read_event(bash.to_string().as_bytes(), None)
        .unwrap();
    let heard = cursor().read_result(&ended(0, r#"{"permission": "allow"}"#, ""), &event);
    assert_eq!(heard.unwrap(), HookResult::proceed());
    let rewrites = r#"{"permission": "allow", "updated_input": {"command": "ls -l"}}"#;
    let heard = cursor()
        .read_result(&ended(0, rewrites, ""), &event)
        .unwrap();
    let meant = HookResult::proceed().modify("tool_input", json!({"command": "ls -l"}));
    assert_eq!(heard, meant);
}

#[test]
fn a_hook_on_any_of_the_host_s_events_reads_another_host_s_call_in_that_form() {
    let claude = host("claude-code").unwrap();
    let told = |call: &str| {
        let mut call: Value = serde_json::from_str(call).unwrap();
        for (field, value) in [
            ("session_id", json!("s")),
            ("cwd", json!("/p")),
            ("tool_response", json!({"ok": true})),
        ] {
            call[field] = value;
        }
        let bytes = call.to_string();
        claude.read_event(bytes.as_bytes(), None).unwrap()
    };
    for row in include_str!("cursor/forms.txt").lines().skip(1) {
        let [call, native, expected] = row.split(" ⇒ ").collect::<Vec<_>>().try_into().unwrap();
        let written = cursor().write_as(&told(call), native);
        let expected: Value = serde_json::from_str(expected).unwrap();
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&written[field], value, "{native} {field}: {written}");
        }
        let lifted = native.starts_with("beforeShell") || native == "beforeReadFile";
        assert_eq!(
            written.get("tool_name").is_none(),
            lifted || native == "afterFileEdit"
        );
    }
    let shell = told(
        r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#,
    );
    // What the host does not take on that event, its hooks do not mean there.
    let rewrites = r#"{"permission": "allow", "updated_input": {"command": "ls -l"}}"#;
    let raw = ended(0, rewrites, "");
    let heard = cursor().read_as(&raw, &shell, "beforeShellExecution");
    assert_eq!(heard.unwrap(), HookResult::proceed());
    let heard = cursor().read_as(&raw, &shell, "preToolUse").unwrap();
    assert_eq!(heard.effects.patch().len(), 1);
}
