//! Cline's own traps: a refusal ends the run, and exit codes decide nothing.

use anyhook_core::event::{Event, EventName};
use anyhook_core::fit::Loss;
use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::{Answer, Behaviour, Gate, Gravity, reader};
use anyhook_wires::{Host, Reply, fitted, host};
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads, responses};

const ID: &str = "cline";

fn cline() -> &'static dyn Host {
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
    cline().read_event(bytes.as_bytes(), None).unwrap()
}

fn does(native: &str, stdout: &[u8], exit: i32) -> Behaviour {
    reader(ID).unwrap().reads(&Answer {
        event: native,
        payload: &json!({}),
        stdout,
        stderr: b"",
        exit,
    })
}

fn said(native: &str, result: HookResult) -> (Value, Behaviour) {
    let event = read(&first(native));
    let can = cline().can(&event);
    let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
    let reply = cline().write_result(&event, &fitted);
    assert_eq!((reply.exit, &*reply.stderr), (0, ""));
    let answer = serde_json::from_str(&reply.stdout).unwrap();
    (answer, does(native, reply.stdout.as_bytes(), 0))
}

#[test]
fn a_refusal_ends_the_run_where_it_can_and_is_told_where_it_comes_too_late() {
    let cancelled = json!({"cancel": true, "errorMessage": "frozen"});
    for (native, meant) in [
        ("PreToolUse", HookResult::deny("frozen")),
        ("UserPromptSubmit", HookResult::deny("frozen")),
        ("PostToolUse", HookResult::halt("frozen")),
        ("TaskStart", HookResult::halt("frozen")),
    ] {
        let (answer, done) = said(native, meant);
        assert_eq!((&answer, done.gate), (&cancelled, Gate::Stops), "{native}");
    }
    let (answer, done) = said("PostToolUse", HookResult::deny("2 errors"));
    assert_eq!(
        answer,
        json!({"cancel": false, "contextModification": "2 errors"})
    );
    assert_eq!(
        (done.gate, &*done.model_sees),
        (Gate::Runs, &["2 errors".to_owned()][..])
    );
    let (answer, _) = said("TaskComplete", HookResult::deny("go on"));
    assert_eq!(answer, json!({"cancel": false}));
}

#[test]
fn what_cannot_be_put_or_changed_is_a_refusal() {
    let input = json!({"command": "ls"});
    for meant in [
        HookResult::ask("sure?"),
        HookResult::proceed().modify("tool_input", input),
    ] {
        let (_, done) = said("PreToolUse", meant.clone());
        assert!(done.gravity() >= Gravity::Refuse);
        // Fitted or not.
        let reply = cline().write_result(&read(&first("PreToolUse")), &meant);
        let done = does("PreToolUse", reply.stdout.as_bytes(), 0);
        assert!(done.gravity() >= Gravity::Refuse);
    }
}

#[test]
fn an_answer_of_a_hook_is_never_said_softer_than_the_host_would_take_it() {
    for (native, name, raw) in responses(ID) {
        let anyhook_core::transcript::End::Code(exit) = raw.end else {
            unreachable!()
        };
        let meant = does(&native, &raw.stdout.kept, exit);
        let Ok(heard) = cline().read_result(&raw, &read(&first(&native))) else {
            assert_eq!(
                meant.gravity(),
                Gravity::Nothing,
                "{native} {name} {meant:?}"
            );
            continue;
        };
        let (_, ours) = said(&native, heard);
        let what = format!("{native} {name}\n{meant:?}\n{ours:?}");
        assert!(ours.gravity() >= meant.gravity(), "{what}");
        for text in meant.model_sees.iter().chain(&meant.person_sees) {
            let seen = ours.model_sees.iter().chain(&ours.person_sees);
            assert!(seen.into_iter().any(|seen| seen == text), "{what}");
        }
    }
}

#[test]
fn answers_are_heard_whatever_the_exit_code_and_wherever_the_line_stands() {
    let event = read(&first("PreToolUse"));
    let heard: Vec<(String, Option<HookResult>)> = responses(ID)
        .into_iter()
        .filter(|(native, ..)| native == "PreToolUse")
        .map(|(_, name, raw)| (name, cline().read_result(&raw, &event).ok()))
        .collect();
    for (name, said) in heard {
        let expected = match &*name {
            "nothing" | "text" => Some(HookResult::proceed()),
            "cancel" | "cancel_exit1" | "control_line" => Some(HookResult::halt("frozen")),
            "not_cancelled" | "context" => Some(HookResult::proceed().inject("main")),
            "override" => {
                Some(HookResult::proceed().modify("tool_input", json!({"command": "ls"})))
            }
            "exit2" | "broken" => None,
            // A refusal that is not quite well said stands, with a warning.
            _ => {
                assert_eq!(said.unwrap().verdict.kind(), Kind::Halt, "{name}");
                continue;
            }
        };
        assert_eq!(said, expected, "{name}");
    }
}

#[test]
fn of_several_answers_one_that_cancels_counts() {
    let event = read(&first("PreToolUse"));
    let yes = "HOOK_CONTROL\t{\"cancel\": true, \"errorMessage\": \"frozen\"}\n";
    let no = "HOOK_CONTROL\t{\"cancel\": false}\n";
    let broken = "HOOK_CONTROL\t{\n";
    for lines in [[yes, no], [no, yes], [yes, broken], [broken, yes]] {
        let heard = cline().read_result(&ended(0, &lines.concat(), ""), &event);
        assert_eq!(heard.unwrap(), HookResult::halt("frozen"));
    }
    let heard = cline().read_result(&ended(0, &[no, broken].concat(), ""), &event);
    assert!(heard.is_err());
}

#[test]
fn a_call_is_canonical_and_a_failed_one_is_an_event_of_its_own() {
    let write = payload("PreToolUse", |payload| {
        payload["preToolUse"]["toolName"] == "write_to_file"
    });
    let event = read(&write);
    let data = event.data.json();
    assert_eq!(
        (&data["tool_name"], &data["tool_input"]),
        (
            &json!("Write"),
            &json!({"file_path": "a.ts", "content": "x"})
        )
    );
    assert_eq!(
        (&data["session_id"], &data["cwd"]),
        (&json!("task-1"), &json!("/home/dev/demo"))
    );
    let failed = payload("PostToolUse", |payload| {
        payload["postToolUse"]["success"] == false
    });
    let event = read(&failed);
    assert_eq!(event.name, EventName::new("tool:error"));
    assert_eq!(event.data.json()["error"], "exit 1");
    assert_eq!(
        read(&first("PostToolUse")).name,
        EventName::new("tool:post")
    );
    assert_eq!(read(&first("TaskResume")).data.json()["source"], "resume");
}

#[test]
fn a_server_s_tool_goes_by_both_names() {
    let call = payload("PreToolUse", |payload| {
        payload["preToolUse"]["toolName"] == "use_mcp_tool"
    });
    let event = read(&call);
    assert_eq!(event.data.json()["tool_name"], "mcp__linear__create_issue");
    assert_eq!(event.subject.as_deref(), Some("use_mcp_tool"));
    assert_eq!(event.also, [] as [&str; 0]);
}

#[test]
fn a_call_that_cannot_be_seen_is_no_event_and_is_refused_in_words() {
    for call in [
        json!({"toolName": 1, "parameters": {}}),
        json!({"toolName": "execute_command", "parameters": "rm"}),
        json!({"toolName": "run_commands", "parameters": {"commands": ["echo '", "rm"]}}),
        json!({"toolName": "run_commands", "parameters": {"command": "rm", "args": "[\"-rf\"]"}}),
        json!("rm"),
    ] {
        let mut payload = first("PreToolUse");
        payload["preToolUse"] = call;
        let bytes = payload.to_string();
        let error = cline().read_event(bytes.as_bytes(), None).unwrap_err();
        assert_eq!(error.event.as_deref(), Some("PreToolUse"));
        let reply = cline().refuse_unread(cline().row("PreToolUse"), &error.to_string());
        let done = does("PreToolUse", reply.stdout.as_bytes(), 0);
        assert_eq!(done.gate, Gate::Stops);
    }
    let done = does(
        "PreToolUse",
        cline().refuse_unread(None, "broken").stdout.as_bytes(),
        0,
    );
    assert_eq!(done.gate, Gate::Stops);
    let end = cline().row("TaskComplete");
    assert_eq!(cline().refuse_unread(end, "broken"), Reply::default());
}

/// A payload that the command line wrote.
fn seen(name: &str, tool: Option<&str>) -> Value {
    payload(name, |payload| {
        let is_called = tool.is_none_or(|tool| payload["tool_call"]["name"] == tool);
        payload.get("agent_id").is_some() && is_called
    })
}

fn told(payload: &Value, native: &str, result: HookResult) -> (Value, Behaviour, Vec<Loss>) {
    let event = read(payload);
    let (said, losses) = fitted(cline(), &event, result, &cline().can(&event));
    let reply = cline().write_result(&event, &said);
    let done = reader(ID).unwrap().reads(&Answer {
        event: native,
        payload,
        stdout: reply.stdout.as_bytes(),
        stderr: b"",
        exit: 0,
    });
    (serde_json::from_str(&reply.stdout).unwrap(), done, losses)
}

#[test]
fn the_command_line_says_a_list_of_commands_and_hooks_see_one() {
    let event = read(&seen("PreToolUse", Some("run_commands")));
    let data = event.data.json();
    assert_eq!(
        (&data["tool_name"], &data["tool_input"]),
        (&json!("Bash"), &json!({"command": "echo ran > probe.txt"}))
    );
    let event = read(&seen("PreToolUse", Some("editor")));
    assert_eq!(
        event.data.json()["tool_input"],
        json!({"file_path": "/home/dev/shop/.env", "new_string": "KEY=1"})
    );
}

#[test]
fn the_command_line_is_told_a_rewrite_in_its_own_form_and_without_an_approval() {
    let payload = seen("PreToolUse", Some("run_commands"));
    let input = json!({"command": "echo other"});
    for verdict in [HookResult::proceed(), HookResult::allow()] {
        let meant = verdict.modify("tool_input", input.clone());
        let (answer, done, _) = told(&payload, "PreToolUse", meant);
        let list = json!({"commands": ["echo other"]});
        assert_eq!(answer, json!({"cancel": false, "overrideInput": list}));
        assert_eq!((done.gate, done.input), (Gate::Runs, Some(list)));
    }
    for odd in [json!({}), json!("ls"), json!({"command": 7})] {
        let meant = HookResult::proceed().modify("tool_input", odd);
        let (_, done, losses) = told(&payload, "PreToolUse", meant);
        assert_eq!((done.gate, losses.len()), (Gate::Stops, 1));
    }
    let asked = HookResult::ask("sure?").modify("tool_input", input);
    assert_eq!(told(&payload, "PreToolUse", asked).1.gate, Gate::Stops);
}

#[test]
fn what_the_command_line_drops_is_a_loss_and_the_extension_still_hears_it() {
    let prompt = |payload: &mut Value| payload["userPromptSubmit"] = json!({"prompt": "go on"});
    for (native, meant) in [
        ("TaskStart", HookResult::halt("frozen")),
        ("UserPromptSubmit", HookResult::deny("frozen")),
    ] {
        let mut payload = seen("TaskStart", None);
        payload["hookName"] = json!(native);
        prompt(&mut payload);
        let (answer, done, losses) = told(&payload, native, meant.clone());
        assert_eq!((answer, done.gate), (json!({"cancel": false}), Gate::Runs));
        assert!(!losses.is_empty(), "{native}");
        let (_, done) = said(native, meant);
        assert_eq!(done.gate, Gate::Stops, "{native}");
    }
}

#[test]
fn a_payload_of_the_command_line_is_known_without_a_hint() {
    for (native, event) in [("PreToolUse", "tool:pre"), ("TaskStart", "session:start")] {
        let payload = seen(native, None);
        let read = read(&payload);
        assert_eq!(read.name, EventName::new(event));
        assert_eq!(&*read.origin.as_deref().unwrap().native, native);
        assert_eq!(cline().write_event(&read), payload);
    }
}
