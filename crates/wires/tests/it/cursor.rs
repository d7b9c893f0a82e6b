//! Cursor's own traps: what no other host has.

mod calls;

use std::fmt::Write;

use anyhook_core::event::{Event, EventName};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Behaviour, Gate, Gravity, reader};
use anyhook_wires::{Host, Neutral, Reply, host};
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads, responses};

const ID: &str = "cursor";

fn cursor() -> &'static dyn Host {
    host(ID).unwrap()
}

fn payload(name: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    let mut all = payloads(ID).into_iter();
    let found = all.find(|(event, payload)| event == name && is_it(payload));
    found.unwrap().1
}

fn first(name: &str) -> Value {
    payload(name, |_| true)
}

fn read(payload: &Value) -> Event {
    let bytes = payload.to_string();
    cursor().read_event(bytes.as_bytes(), None).unwrap()
}

fn does(payload: &Value, reply: &Reply) -> Behaviour {
    reader(ID).unwrap().reads(&Answer {
        event: payload["hook_event_name"].as_str().unwrap(),
        payload,
        stdout: reply.stdout.as_bytes(),
        stderr: reply.stderr.as_bytes(),
        exit: i32::from(reply.exit),
    })
}

fn said(payload: &Value, result: HookResult) -> (Value, Behaviour) {
    let event = read(payload);
    let can = cursor().can(&event);
    let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
    let reply = cursor().write_result(&event, &fitted);
    assert_eq!((reply.exit, &*reply.stderr), (0, ""));
    let answer = serde_json::from_str(&reply.stdout).unwrap();
    (answer, does(payload, &reply))
}

#[test]
fn every_gate_is_answered_with_a_permission_and_everything_with_an_object() {
    for (name, payload) in payloads(ID) {
        let (answer, done) = said(&payload, HookResult::proceed());
        let expected = match cursor().row(&name).unwrap().neutral {
            Neutral::Allow => json!({"permission": "allow"}),
            Neutral::Silent if name == "beforeSubmitPrompt" => json!({"continue": true}),
            Neutral::Silent => json!({}),
        };
        assert_eq!(answer, expected, "{name}");
        assert_eq!(done.errors, Vec::<String>::new(), "{name}");
    }
    let mut unknown = first("stop");
    unknown["hook_event_name"] = json!("beforeSomethingNew");
    let event = read(&unknown);
    assert_eq!(event.name.as_str(), "cursor:before-something-new");
    let reply = cursor().write_result(&event, &HookResult::proceed());
    assert_eq!(reply.stdout, "{}\n");
}

#[test]
fn a_question_is_put_where_the_host_asks_and_is_a_refusal_elsewhere() {
    for (name, payload) in payloads(ID) {
        let event = read(&payload);
        if cursor().row(&name).unwrap().neutral != Neutral::Allow {
            continue;
        }
        let (answer, done) = said(&payload, HookResult::ask("really?"));
        let asks = ["beforeShellExecution", "beforeMCPExecution"].contains(&&*name);
        let expected = if asks { "ask" } else { "deny" };
        assert_eq!(answer["permission"], expected, "{name}");
        let least = if asks { Gravity::Ask } else { Gravity::Refuse };
        assert_eq!(done.gravity(), least, "{name}");
        // A question that was not fitted is never let through.
        let reply = cursor().write_result(&event, &HookResult::ask("really?"));
        assert!(does(&payload, &reply).gravity() >= Gravity::Ask, "{name}");
    }
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

#[test]
fn exit_2_of_a_hook_refuses_on_gates_and_is_a_failure_elsewhere() {
    for row in cursor().rows() {
        let event = read(&first(row.name));
        let heard = cursor().read_result(&ended(2, "", "frozen"), &event);
        let is_gate = row.neutral == Neutral::Allow || row.name == "beforeSubmitPrompt";
        match heard {
            Ok(said) => assert_eq!((said, is_gate), (HookResult::deny("frozen"), true)),
            Err(fault) => assert!(!is_gate, "{} {}", row.name, fault.text),
        }
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
fn an_event_of_another_host_has_what_this_event_always_has() {
    let stop = Event::new(
        "stop",
        json!({"session_id": "s", "cwd": "/p", "stop_hook_active": true}),
    );
    let written = cursor().write_event(&stop);
    for (field, value) in [
        ("hook_event_name", json!("stop")),
        ("conversation_id", json!("s")),
        ("status", json!("completed")),
        ("loop_count", json!(1)),
    ] {
        assert_eq!(written[field], value, "{field}");
    }
    let mcp = Event::new(
        "tool:post",
        json!({"session_id": "s", "tool_name": "mcp__linear__get", "tool_input": {}, "tool_result": {"a": 1}}),
    );
    let written = cursor().write_event(&mcp);
    assert_eq!(written["tool_name"], "MCP:get");
    assert_eq!(written["tool_output"], r#"{"a":1}"#);
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
fn versions_that_drop_context_are_told_none() {
    for (version, tells) in [
        ("3.12.17", false),
        ("3.18.2", true),
        ("2026.09.10-fd3934a", true),
    ] {
        let start = payload("sessionStart", |payload| {
            payload["cursor_version"] == version
        });
        let (answer, _) = said(&start, HookResult::proceed().inject("main"));
        assert_eq!(
            answer.get("additional_context").is_some(),
            tells,
            "{version}"
        );
    }
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

fn behaviour(native: &str, payload: &Value, raw: &Transcript) -> Behaviour {
    let End::Code(exit) = raw.end else {
        unreachable!()
    };
    reader(ID).unwrap().reads(&Answer {
        event: native,
        payload,
        stdout: &raw.stdout.kept,
        stderr: &raw.stderr.kept,
        exit,
    })
}

#[test]
fn an_answer_of_a_hook_is_never_said_softer_than_the_host_would_take_it() {
    for (native, name, raw) in responses(ID) {
        let payload = first(&native);
        let meant = behaviour(&native, &payload, &raw);
        let Ok(heard) = cursor().read_result(&raw, &read(&payload)) else {
            assert!(
                meant.gravity() <= Gravity::Nothing,
                "{native} {name} {meant:?}"
            );
            continue;
        };
        let (_, ours) = said(&payload, heard);
        let what = format!("{native} {name}\n{meant:?}\n{ours:?}");
        // What a hook says nothing with here is an `allow`.
        let is_neutral = meant.gravity() <= Gravity::Nothing;
        assert!(is_neutral || ours.gravity() >= meant.gravity(), "{what}");
        for text in meant.model_sees.iter().chain(&meant.person_sees) {
            let seen = ours.model_sees.iter().chain(&ours.person_sees);
            let is_seen = seen.into_iter().any(|seen| seen.contains(&**text));
            assert!(
                is_seen || meant.gate == Gate::AskedOf(anyhook_readers::Asked::Person),
                "{what}"
            );
        }
        assert_eq!(
            (&ours.input, &ours.result),
            (&meant.input, &meant.result),
            "{what}"
        );
        assert_eq!(ours.native, meant.native, "{what}");
    }
}

#[test]
fn every_answer_of_a_hook_is_heard_as_it_is_meant() {
    let mut all = String::new();
    for (native, name, raw) in responses(ID) {
        write!(all, "{native} {name}: ").unwrap();
        match cursor().read_result(&raw, &read(&first(&native))) {
            Ok(said) => {
                let effects = &said.effects;
                write!(
                    all,
                    "{} {:?}",
                    said.verdict.kind().as_str(),
                    said.verdict.text()
                )
                .unwrap();
                for inject in effects.inject() {
                    write!(all, " model: {:?}", inject.text).unwrap();
                }
                for notice in effects.notify() {
                    write!(all, " person: {:?}", notice.text).unwrap();
                }
                for rewrite in effects.patch() {
                    let value = rewrite.value.as_ref().unwrap().json();
                    write!(all, " {} = {value}", rewrite.field).unwrap();
                }
                for fields in effects.native() {
                    write!(all, " native: {}", Value::Object(fields.fields.clone())).unwrap();
                }
            }
            Err(fault) => write!(all, "fault: {}", fault.text).unwrap(),
        }
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}
