//! Gemini CLI's own traps: what no other host has.

use std::fmt::Write;

use anyhook_core::event::{Datum, Event, EventName};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::End;
use anyhook_readers::{Answer, Behaviour, Gate, Gravity, reader};
use anyhook_wires::{Host, Reply, host};
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads, responses};

const ID: &str = "gemini-cli";

fn gemini() -> &'static dyn Host {
    host("gemini").unwrap()
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
    gemini()
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap()
}

fn does(native: &str, payload: &Value, reply: &Reply) -> Behaviour {
    reader(ID).unwrap().reads(&Answer {
        event: native,
        payload,
        stdout: reply.stdout.as_bytes(),
        stderr: reply.stderr.as_bytes(),
        exit: i32::from(reply.exit),
    })
}

fn said(native: &str, payload: &Value, result: HookResult) -> (Value, Behaviour) {
    let event = read(payload);
    let (fitted, _) = result.fit(
        event.name.class(),
        event.name.mutable(),
        &gemini().can(&event),
    );
    let reply = gemini().write_result(&event, &fitted);
    assert_eq!((reply.exit, &*reply.stderr), (0, ""));
    let answer = serde_json::from_str(&reply.stdout).unwrap_or_default();
    (answer, does(native, payload, &reply))
}

#[test]
fn a_tool_that_failed_is_an_event_of_its_own() {
    let failed = payload("AfterTool", |payload| {
        payload["tool_response"]["error"].is_object()
    });
    let event = read(&failed);
    assert_eq!(event.name, EventName::new("tool:error"));
    let data = event.data.json();
    assert_eq!(data["error"]["message"], "Command failed with 1");
    assert_eq!(data["tool_name"], "Bash");
    assert_eq!(gemini().write_event(&event), failed);
    assert_eq!(
        gemini().row("PostToolUseFailure").unwrap().name,
        "AfterTool"
    );
    let event = read(&first("AfterTool"));
    assert_eq!(event.name, EventName::new("tool:post"));
}

#[test]
fn a_server_s_tool_is_named_by_the_field_that_names_its_server() {
    let call = payload("BeforeTool", |payload| {
        payload["tool_name"] == "mcp_issue_tracker_create_issue"
    });
    let event = read(&call);
    assert_eq!(
        event.data.json()["tool_name"],
        "mcp__issue_tracker__create_issue"
    );
    assert_eq!(
        event.subject.as_deref(),
        Some("mcp_issue_tracker_create_issue")
    );
    assert_eq!(event.also, [] as [&str; 0]);
    assert_eq!(gemini().write_event(&event), call);

    let mut posing = first("BeforeTool");
    posing["mcp_context"] = json!({"server_name": "x", "tool_name": "harmless"});
    let event = read(&posing);
    assert_eq!(event.data.json()["tool_name"], "Bash");
    assert!(event.also.contains(&"Bash"));
    assert_eq!(gemini().write_event(&event), posing);
}

#[test]
fn a_question_is_never_said_and_never_lost() {
    let (answer, done) = said(
        "BeforeTool",
        &first("BeforeTool"),
        HookResult::ask("really?"),
    );
    assert_eq!(answer["decision"], "deny");
    assert_eq!(done.gate, Gate::Refused { erased: false });
    assert!(done.model_sees[0].contains("really?"));
}

#[test]
fn a_refusal_after_the_tool_is_told_and_replaces_nothing() {
    let (answer, done) = said(
        "AfterTool",
        &first("AfterTool"),
        HookResult::deny("2 errors"),
    );
    assert_eq!(
        answer,
        json!({"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "2 errors"}})
    );
    assert_eq!(
        done,
        Behaviour {
            model_sees: vec!["2 errors".to_owned()],
            ..Behaviour::default()
        }
    );
}

#[test]
fn a_new_result_replaces_the_old_one_as_a_text() {
    for (result, text) in [
        (json!("[redacted]"), "[redacted]"),
        (json!({"llmContent": "none", "returnDisplay": ""}), "none"),
        (json!({"stdout": "x"}), r#"{"stdout":"x"}"#),
        (json!(""), "a hook took the output away"),
    ] {
        let meant = HookResult::proceed().modify("tool_result", result);
        let (answer, done) = said("AfterTool", &first("AfterTool"), meant);
        assert_eq!(answer, json!({"decision": "deny", "reason": text}));
        assert_eq!(done.result, Some(json!(text)));
    }
}

#[test]
fn new_arguments_are_sent_whole_and_in_the_host_s_own_words() {
    let call = payload("BeforeTool", |payload| payload["tool_name"] == "replace");
    let mut input = read(&call).data.json()["tool_input"].clone();
    assert_eq!(input["replace_all"], true);
    input["new_string"] = json!("c");
    let meant = HookResult::proceed().modify("tool_input", input);
    let (answer, done) = said("BeforeTool", &call, meant);
    let mut expected = call["tool_input"].clone();
    expected["new_string"] = json!("c");
    assert_eq!(answer["hookSpecificOutput"]["tool_input"], expected);
    assert_eq!(answer.get("decision"), None);
    assert_eq!(done.input, Some(expected));
    assert_eq!(done.gravity(), Gravity::Nothing);
}

/// The document merges what is given, so an argument that a hook took away would come back.
#[test]
fn an_argument_that_was_taken_away_refuses_the_call_unless_it_does_nothing() {
    let call = first("BeforeTool");
    let meant = HookResult::proceed().modify("tool_input", json!({"command": "ls"}));
    let (answer, done) = said("BeforeTool", &call, meant);
    assert_eq!(
        answer,
        json!({"decision": "deny", "reason": "A hook took `dir_path` out of `tool_input`, and Gemini CLI might put \
            it back. Try again with: {\"command\":\"ls\"}"})
    );
    assert_eq!(done.gravity(), Gravity::Refuse);
    let meant =
        HookResult::proceed().modify("tool_input", json!({"command": "ls", "dir_path": "."}));
    let (_, done) = said("BeforeTool", &call, meant);
    assert_eq!(done.gravity(), Gravity::Nothing);
    assert_eq!(done.input.unwrap()["command"], "ls");
}

#[test]
fn new_arguments_that_are_no_object_refuse_the_call() {
    let meant = HookResult::proceed().modify("tool_input", json!("ls"));
    let (answer, done) = said("BeforeTool", &first("BeforeTool"), meant);
    assert_eq!(answer["decision"], "deny");
    assert_eq!(done.gravity(), Gravity::Refuse);
}

#[test]
fn the_answers_that_only_this_host_has_take_effect() {
    let table = [
        (
            "AfterTool",
            HookResult::proceed(),
            json!({"tailToolCallRequest": {"name": "glob", "args": {}}}),
        ),
        (
            "AfterAgent",
            HookResult::deny("again"),
            json!({"clearContext": true}),
        ),
        (
            "BeforeModel",
            HookResult::deny("cached"),
            json!({"llm_response": {"candidates": []}}),
        ),
        (
            "AfterModel",
            HookResult::proceed(),
            json!({"llm_response": {"candidates": []}}),
        ),
        (
            "BeforeToolSelection",
            HookResult::proceed(),
            json!({"toolConfig": {"mode": "NONE"}}),
        ),
    ];
    for (native, verdict, fields) in table {
        let fields = fields.as_object().unwrap().clone();
        let meant = verdict.then(HookResult::proceed().native(ID, fields.clone()));
        let payload = first(native);
        let (answer, done) = said(native, &payload, meant.clone());
        let expected: Vec<(String, Value)> = fields.into_iter().collect();
        assert_eq!(done.native, expected, "{native}");
        let raw = ended(0, &answer.to_string(), "");
        let heard = gemini().read_result(&raw, &read(&payload)).unwrap();
        assert_eq!(heard, meant, "{native}");
    }
}

#[test]
fn an_answer_of_its_own_is_not_said_where_the_event_has_none_and_never_overrides_ours() {
    let fields = json!({"decision": "allow", "tool_input": {}, "clearContext": true});
    let native = HookResult::proceed().native(ID, fields.as_object().unwrap().clone());
    let meant = HookResult::deny("no").then(native);
    let (answer, _) = said("BeforeModel", &first("BeforeModel"), meant);
    assert_eq!(answer, json!({"decision": "deny", "reason": "no"}));
}

#[test]
fn a_request_to_the_model_is_rewritten_whole_or_refused() {
    let payload = first("BeforeModel");
    let mut request = payload["llm_request"].clone();
    request["model"] = json!("gemini-3-flash");
    let meant = HookResult::proceed().modify("llm_request", request.clone());
    let (_, done) = said("BeforeModel", &payload, meant);
    assert_eq!(done.native, [("llm_request".to_owned(), request)]);
    let meant = HookResult::proceed().modify("llm_request", json!({"model": "gemini-3-flash"}));
    let (answer, _) = said("BeforeModel", &payload, meant);
    assert_eq!(answer["decision"], "deny");
}

/// Whatever a hook written for this host answers, we take it for no less than the host would.
#[test]
fn every_answer_is_heard_at_least_as_gravely_as_the_host_reads_it() {
    for (native, name, raw) in responses(ID) {
        let payload = first(&native);
        let event = read(&payload);
        let End::Code(exit) = raw.end else {
            unreachable!()
        };
        let host = reader(ID).unwrap().reads(&Answer {
            event: &native,
            payload: &payload,
            stdout: &raw.stdout.kept,
            stderr: &raw.stderr.kept,
            exit,
        });
        let what = format!("{native} {name}: {host:?}");
        let Ok(heard) = gemini().read_result(&raw, &event) else {
            assert_eq!(host.gravity(), Gravity::Nothing, "{what}");
            assert_eq!((&host.input, &host.result), (&None, &None), "{what}");
            continue;
        };
        assert_ne!(heard.verdict.kind(), Kind::Allow, "{what}");
        let kind = heard.verdict.kind();
        match host.gravity() {
            Gravity::Allow | Gravity::Nothing => {}
            Gravity::Ask => assert!(kind >= Kind::Ask, "{what}"),
            Gravity::Refuse => assert!(kind >= Kind::Deny, "{what}"),
            Gravity::Halt => assert_eq!(kind, Kind::Halt, "{what}"),
        }
        let value = |field: &str| Some(heard.effects.rewrite(field)?.value.as_ref()?.json());
        let is_replaced = host.result.is_none() || value("tool_result") == host.result;
        assert!(is_replaced, "{what}");
        assert_eq!(
            value("tool_input").is_some(),
            host.input.is_some(),
            "{what}"
        );
    }
}

#[test]
fn every_answer_of_a_hook_is_heard_as_it_is_meant() {
    let mut all = String::new();
    for (native, name, raw) in responses(ID) {
        let heard = gemini().read_result(&raw, &read(&first(&native)));
        let text = match heard {
            Ok(said) => told(&said),
            Err(fault) => format!("fault: {}", fault.text),
        };
        writeln!(all, "{native} {name}: {text}").unwrap();
    }
    insta::assert_snapshot!(all);
}

fn told(said: &HookResult) -> String {
    let mut parts = vec![said.verdict.kind().as_str().to_owned()];
    let text = said.verdict.text();
    parts.extend((!text.is_empty()).then_some(text));
    for rewrite in said.effects.patch() {
        let value = rewrite.value.as_ref().map(Datum::json).unwrap_or_default();
        parts.push(format!("{} = {value}", rewrite.field));
    }
    let effects = &said.effects;
    parts.extend(
        effects
            .inject()
            .iter()
            .map(|said| format!("context {}", said.text)),
    );
    parts.extend(
        effects
            .notify()
            .iter()
            .map(|said| format!("notice {}", said.text)),
    );
    let natives = effects.native().iter();
    parts.extend(natives.map(|native| format!("native {}", Value::Object(native.fields.clone()))));
    parts.join(" | ")
}

#[test]
fn a_hook_that_died_or_never_started_is_no_softer_than_under_its_host() {
    let event = read(&first("BeforeTool"));
    let mut raw = ended(0, r#"{"decision": "deny", "reason": "frozen"}"#, "");
    raw.end = End::Signal(9);
    let heard = gemini().read_result(&raw, &event).unwrap();
    assert_eq!(heard, HookResult::deny("frozen"));
    raw.end = End::TimedOut;
    assert!(gemini().read_result(&raw, &event).is_err());
    let mut raw = ended(0, "", "");
    raw.end = End::Signal(9);
    assert!(gemini().read_result(&raw, &event).is_err());
    raw.end = End::NotStarted("no such file".to_owned());
    let heard = gemini().read_result(&raw, &event).unwrap();
    assert_eq!(heard, HookResult::deny("no such file"));
}

#[test]
fn a_hook_of_this_host_reads_another_host_s_event_in_this_form() {
    let claude = host("claude-code").unwrap();
    let call = json!({"hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/p",
        "tool_name": "mcp__github__get_issue", "tool_input": {"id": 1}, "error": "timed out"});
    let event = claude
        .read_event(call.to_string().as_bytes(), None)
        .unwrap();
    assert_eq!(
        gemini().write_event(&event),
        json!({"hook_event_name": "AfterTool", "session_id": "s", "cwd": "/p", "transcript_path": "",
            "tool_name": "mcp_github_get_issue", "tool_input": {"id": 1},
            "mcp_context": {"server_name": "github", "tool_name": "get_issue"},
            "tool_response": {"llmContent": "timed out", "returnDisplay": "timed out",
                "error": {"message": "timed out"}}})
    );
    let done = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "ls", "run_in_background": true},
        "tool_response": {"stdout": "a", "stderr": "", "interrupted": false}});
    let event = claude
        .read_event(done.to_string().as_bytes(), None)
        .unwrap();
    let text = r#"{"stdout":"a","stderr":"","interrupted":false}"#;
    assert_eq!(
        gemini().write_event(&event),
        json!({"hook_event_name": "AfterTool", "session_id": "s", "transcript_path": "",
            "tool_name": "run_shell_command", "tool_input": {"command": "ls", "is_background": true},
            "tool_response": {"llmContent": text, "returnDisplay": text}})
    );
}

#[test]
fn a_hook_that_replaces_a_result_here_restrains_every_other_host_too() {
    let claude = host("claude-code").unwrap();
    let done = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}});
    let event = claude
        .read_event(done.to_string().as_bytes(), None)
        .unwrap();
    let raw = ended(0, r#"{"decision": "deny", "reason": "[redacted]"}"#, "");
    let heard = gemini().read_result(&raw, &event).unwrap();
    let expected = HookResult::deny("[redacted]").modify("tool_result", json!("[redacted]"));
    assert_eq!(heard, expected);
}

#[test]
fn what_cannot_be_read_is_refused_where_something_can_be_refused() {
    for row in gemini().rows() {
        let reply = gemini().refuse_unread(Some(row), "it is no JSON");
        let done = does(row.name, &json!({}), &reply);
        let expected = match row.name {
            "BeforeTool" | "BeforeAgent" | "BeforeModel" => Gravity::Refuse,
            _ => Gravity::Nothing,
        };
        assert_eq!(done.gravity(), expected, "{}", row.name);
    }
    let reply = gemini().refuse_unread(None, "it is no JSON");
    let done = does("BeforeTool", &json!({}), &reply);
    assert_eq!(done.model_sees, ["it is no JSON"]);
    assert_eq!(done.gravity(), Gravity::Refuse);
}

/// What a hook says that was written for Claude Code and nothing else: it reads Claude Code's payload and answers so.
fn claude_s(
    native: &str,
    payload: &Value,
    hook: impl Fn(&Value) -> (i32, String, String),
) -> Behaviour {
    let claude = host("claude-code").unwrap();
    let event = read(payload);
    let (exit, stdout, stderr) = hook(&claude.write_event(&event));
    let heard = claude
        .read_result(&ended(exit, &stdout, &stderr), &event)
        .unwrap();
    said(native, payload, heard).1
}

#[test]
fn a_guard_and_a_rewriter_of_claude_code_work_unchanged_under_gemini() {
    let call = payload("BeforeTool", |payload| payload["tool_name"] == "replace");
    let guard = |payload: &Value| {
        assert_eq!(payload["hook_event_name"], "PreToolUse");
        let is_edit = payload["tool_name"] == "Edit";
        let path = payload["tool_input"]["file_path"].as_str().unwrap();
        assert!(is_edit && path.ends_with("cart.ts"));
        (2, String::new(), "the cart is frozen".to_owned())
    };
    let done = claude_s("BeforeTool", &call, guard);
    assert_eq!(done.gate, Gate::Refused { erased: false });
    assert_eq!(done.model_sees, ["the cart is frozen"]);

    let rewriter = |payload: &Value| {
        let mut input = payload["tool_input"].clone();
        input["replace_all"] = json!(false);
        let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": input});
        (
            0,
            json!({"hookSpecificOutput": specific}).to_string(),
            String::new(),
        )
    };
    let done = claude_s("BeforeTool", &call, rewriter);
    let mut expected = call["tool_input"].clone();
    expected["allow_multiple"] = json!(false);
    assert_eq!(done.input, Some(expected));
    assert_eq!(done.gate, Gate::Runs);

    let stopper = |payload: &Value| {
        assert_eq!(
            payload["last_assistant_message"],
            "Done: src/cart/discount.ts"
        );
        let answer = json!({"decision": "block", "reason": "test first"});
        (0, answer.to_string(), String::new())
    };
    let done = claude_s("AfterAgent", &first("AfterAgent"), stopper);
    assert_eq!(done.gate, Gate::KeepsWorking);
    assert_eq!(done.model_sees, ["test first"]);
}

#[test]
fn the_one_address_of_a_fetch_is_where_guards_look_and_a_new_one_reaches_the_prompt() {
    let of = |prompt: &str| {
        let mut fetch = payload("BeforeTool", |one| one["tool_name"] == "web_fetch");
        fetch["tool_input"]["prompt"] = prompt.into();
        let event = read(&fetch);
        assert_eq!(gemini().write_event(&event), fetch);
        event
    };
    let url = |prompt: &str| of(prompt).data.json()["tool_input"].get("url").cloned();
    assert_eq!(
        url("Read <https://a.example/x>, please"),
        Some(json!("https://a.example/x"))
    );
    assert_eq!(url("Read https://a.example and http://b.example"), None);
    assert_eq!(url("Read it"), None);
    let event = of("Read https://a.example/x.");
    let input = json!({"prompt": "Read https://a.example/x.", "url": "https://b.example/y"});
    let said = HookResult::allow().modify("tool_input", input);
    let reply = gemini().write_result(&event, &said);
    let said: Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(
        said["hookSpecificOutput"]["tool_input"],
        json!({"prompt": "Read https://b.example/y."})
    );
}
