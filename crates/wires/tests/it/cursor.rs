//! Cursor's own traps: what no other host has.

mod calls;

use anyhook_core::event::{Event, EventName};
use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::{Behaviour, Gate, Gravity};
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::{Case, left};
use crate::fixtures::ended;

const ID: &str = "cursor";

fn cursor() -> &'static dyn Host {
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

fn said(payload: &Value, meant: HookResult) -> (Value, Behaviour) {
    case(payload).told(meant)
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

#[test]
fn an_end_is_refused_by_what_comes_next_and_only_while_the_host_sends_it() {
    let (answer, done) = said(&first("stop"), HookResult::deny("run the tests"));
    assert_eq!(answer, json!({"followup_message": "run the tests"}));
    assert_eq!(done.gate, Gate::KeepsWorking);
    let table = [
        ("stop", "error", 0, true),
        ("stop", "aborted", 0, false),
        ("stop", "completed", 5, false),
        ("stop", "completed", 2, true),
        ("subagentStop", "completed", 0, true),
        ("subagentStop", "error", 0, false),
        ("subagentStop", "completed", 5, false),
    ];
    for (native, status, loops, refuses) in table {
        let end = payload(native, |payload| {
            payload["status"] == status && payload["loop_count"] == loops
        });
        let (_, done) = said(&end, HookResult::deny("again"));
        let kept = done.gate == Gate::KeepsWorking;
        assert_eq!(kept, refuses, "{native} {status} {loops}");
        assert_eq!(read(&end).data.json()["stop_hook_active"], loops > 0);
    }
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
    let told = |event: &str, tool: &str, input: Value| {
        let call = json!({"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool,
            "tool_input": input, "tool_response": {"ok": true}});
        let bytes = call.to_string();
        claude.read_event(bytes.as_bytes(), None).unwrap()
    };
    let shell = told("PreToolUse", "Bash", json!({"command": "ls"}));
    let edit = told(
        "PostToolUse",
        "Edit",
        json!({"file_path": "/p/a", "old_string": "x", "new_string": "y"}),
    );
    let write = told(
        "PostToolUse",
        "Write",
        json!({"file_path": "/p/a", "content": "z"}),
    );
    let served = told("PreToolUse", "mcp__linear__get", json!({"id": 1}));
    let read = told("PreToolUse", "Read", json!({"file_path": "/p/a"}));
    let table = [
        (
            &shell,
            "beforeShellExecution",
            json!({"command": "ls", "cwd": "/p", "sandbox": false}),
        ),
        (
            &shell,
            "beforeShellCommand",
            json!({"hook_event_name": "beforeShellExecution"}),
        ),
        (
            &shell,
            "preToolUse",
            json!({"tool_name": "Shell", "tool_input": {"command": "ls"}}),
        ),
        (
            &edit,
            "afterFileEdit",
            json!({"file_path": "/p/a", "edits": [{"old_string": "x", "new_string": "y"}]}),
        ),
        (
            &write,
            "afterFileEdit",
            json!({"file_path": "/p/a", "edits": [{"old_string": "", "new_string": "z"}]}),
        ),
        (
            &served,
            "beforeMCPExecution",
            json!({"tool_name": "get", "tool_input": "{\"id\":1}", "mcp_server_name": "linear"}),
        ),
        (
            &read,
            "beforeReadFile",
            json!({"file_path": "/p/a", "conversation_id": "s"}),
        ),
        (
            &edit,
            "postToolUse",
            json!({"tool_name": "Edit", "tool_output": "{\"ok\":true}"}),
        ),
    ];
    for (event, native, expected) in table {
        let written = cursor().write_as(event, native);
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&written[field], value, "{native} {field}: {written}");
        }
        let lifted = native.starts_with("beforeShell") || native == "beforeReadFile";
        assert_eq!(
            written.get("tool_name").is_none(),
            lifted || native == "afterFileEdit"
        );
    }
    // What the host does not take on that event, its hooks do not mean there.
    let rewrites = r#"{"permission": "allow", "updated_input": {"command": "ls -l"}}"#;
    let raw = ended(0, rewrites, "");
    let heard = cursor().read_as(&raw, &shell, "beforeShellExecution");
    assert_eq!(heard.unwrap(), HookResult::proceed());
    let heard = cursor().read_as(&raw, &shell, "preToolUse").unwrap();
    assert_eq!(heard.effects.patch().len(), 1);
}

#[test]
fn new_arguments_are_said_in_the_host_s_own_words_and_must_be_an_object() {
    let edit = payload("preToolUse", |payload| payload["tool_name"] == "StrReplace");
    let input = json!({"file_path": "/p/b", "old_string": "a", "new_string": "c"});
    let (answer, done) = said(&edit, HookResult::proceed().modify("tool_input", input));
    let expected = json!({"path": "/p/b", "old_string": "a", "new_string": "c"});
    assert_eq!(
        answer,
        json!({"permission": "allow", "updated_input": expected})
    );
    assert_eq!(done.input, Some(expected));
    let meant = HookResult::proceed().modify("tool_input", json!("ls"));
    let (answer, done) = said(&first("preToolUse"), meant);
    assert_eq!(
        (answer["permission"].as_str(), done.gravity()),
        (Some("deny"), Gravity::Refuse)
    );
    // Later events of the same call take none.
    let meant = HookResult::proceed().modify("tool_input", json!({"command": "ls"}));
    let (answer, done) = said(&first("beforeShellExecution"), meant);
    assert_eq!(
        (answer.get("updated_input"), done.gravity()),
        (None, Gravity::Refuse)
    );
}

#[test]
fn a_result_is_replaced_for_a_server_s_tool_only_and_by_an_object() {
    let mcp = payload("postToolUse", |payload| {
        payload["tool_name"] == "MCP:create_issue"
    });
    let (_, done) = said(
        &mcp,
        HookResult::proceed().modify("tool_result", json!({"id": 0})),
    );
    assert_eq!(done.result, Some(json!({"id": 0})));
    let (_, done) = said(
        &mcp,
        HookResult::proceed().modify("tool_result", json!("gone")),
    );
    assert_eq!(
        done.result,
        Some(json!({"content": [{"type": "text", "text": "gone"}]}))
    );
    let meant = HookResult::proceed().modify("tool_result", json!({"id": 0}));
    let (answer, _) = said(&first("postToolUse"), meant);
    assert_eq!(answer.get("updated_mcp_tool_output"), None);
}

#[test]
fn only_what_a_native_answer_must_be_is_said() {
    for (fields, said_back) in [
        (json!({"env": {"A": "1"}}), true),
        (json!({"env": "A=1"}), false),
    ] {
        let meant = HookResult::proceed().native(ID, fields.as_object().unwrap().clone());
        let (answer, done) = said(&first("sessionStart"), meant);
        assert_eq!(answer.get("env").is_some(), said_back);
        assert_eq!(done.errors, Vec::<String>::new());
    }
}
