//! Cline's own traps: a refusal ends the run, and exit codes decide nothing.

use anyhook_core::result::HookResult;
use anyhook_wires::{Host, Reply, host};
use serde_json::{Value, json};

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "cline";

fn cline() -> &'static dyn Host {
    host(ID).unwrap()
}

fn answer(reply: &Reply) -> Value {
    serde_json::from_str(&reply.stdout).unwrap()
}

#[test]
fn what_cannot_be_put_or_changed_is_a_refusal() {
    let case = Case::first(ID, "PreToolUse");
    for meant in [
        HookResult::ask("sure?"),
        HookResult::proceed().modify("tool_input", json!({"command": "ls"})),
    ] {
        // Fitted or not.
        let unfitted = cline().write_result(&case.event, &meant);
        for reply in [case.says(meant).1, unfitted] {
            assert_eq!(answer(&reply)["cancel"], true);
        }
    }
}

#[test]
fn of_several_answers_one_that_cancels_counts() {
    let case = Case::first(ID, "PreToolUse");
    let yes = "HOOK_CONTROL\t{\"cancel\": true, \"errorMessage\": \"frozen\"}\n";
    let no = "HOOK_CONTROL\t{\"cancel\": false}\n";
    let broken = "HOOK_CONTROL\t{\n";
    for lines in [[yes, no], [no, yes], [yes, broken], [broken, yes]] {
        let heard = case.hears(&ended(0, &lines.concat(), ""));
        assert_eq!(heard.unwrap(), HookResult::halt("frozen"));
    }
    assert!(case.hears(&ended(0, &[no, broken].concat(), "")).is_err());
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
        let mut payload = Case::first(ID, "PreToolUse").payload;
        payload["preToolUse"] = call;
        let bytes = payload.to_string();
        let error = cline().read_event(bytes.as_bytes(), None).unwrap_err();
        assert_eq!(error.event.as_deref(), Some("PreToolUse"));
        let reply = cline().refuse_unread(cline().row("PreToolUse"), &error.to_string());
        assert_eq!(answer(&reply)["cancel"], true);
    }
    let reply = cline().refuse_unread(None, "broken");
    assert_eq!(answer(&reply)["cancel"], true);
}

/// A payload that the command line wrote.
fn seen(name: &str, tool: Option<&str>) -> Case {
    Case::such(ID, name, |payload| {
        let is_called = tool.is_none_or(|tool| payload["tool_call"]["name"] == tool);
        payload.get("agent_id").is_some() && is_called
    })
}

#[test]
fn the_command_line_is_told_a_rewrite_in_its_own_form_and_without_an_approval() {
    let case = seen("PreToolUse", Some("run_commands"));
    let told = |meant: HookResult| {
        let (_, reply, losses) = case.says(meant);
        (answer(&reply), losses.len())
    };
    let input = json!({"command": "echo other"});
    for verdict in [HookResult::proceed(), HookResult::allow()] {
        let (answer, _) = told(verdict.modify("tool_input", input.clone()));
        let list = json!({"commands": ["echo other"]});
        assert_eq!(answer, json!({"cancel": false, "overrideInput": list}));
    }
    for odd in [json!({}), json!("ls"), json!({"command": 7})] {
        let (answer, losses) = told(HookResult::proceed().modify("tool_input", odd));
        assert_eq!((&answer["cancel"], losses), (&json!(true), 1));
    }
    let asked = HookResult::ask("sure?").modify("tool_input", input);
    assert_eq!(told(asked).0["cancel"], true);
}

#[test]
fn what_the_command_line_drops_is_a_loss_and_the_extension_still_hears_it() {
    for (native, meant) in [
        ("TaskStart", HookResult::halt("frozen")),
        ("UserPromptSubmit", HookResult::deny("frozen")),
    ] {
        let mut payload = seen("TaskStart", None).payload;
        payload["hookName"] = json!(native);
        payload["userPromptSubmit"] = json!({"prompt": "go on"});
        let (_, reply, losses) = Case::new(ID, native, payload).says(meant.clone());
        assert_eq!(answer(&reply), json!({"cancel": false}));
        assert!(!losses.is_empty(), "{native}");
        let (_, reply, _) = Case::first(ID, native).says(meant);
        assert_eq!(answer(&reply)["cancel"], true, "{native}");
    }
}
