//! Gemini CLI's own traps: what no other host has.

use anyhook_core::result::HookResult;
use anyhook_core::transcript::End;
use anyhook_readers::{Behaviour, Gate};
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "gemini-cli";

fn gemini() -> &'static Host {
    host("gemini").unwrap()
}

fn such(native: &str, is_it: impl Fn(&Value) -> bool) -> Case {
    Case::such(ID, native, is_it)
}

fn first(native: &str) -> Case {
    Case::first(ID, native)
}

#[test]
fn a_hook_that_died_or_never_started_is_no_softer_than_under_its_host() {
    let call = first("BeforeTool");
    let mut raw = ended(0, r#"{"decision": "deny", "reason": "frozen"}"#, "");
    raw.end = End::Signal(9);
    let heard = call.hears(&raw).unwrap();
    assert_eq!(heard, HookResult::deny("frozen"));
    raw.end = End::TimedOut;
    assert!(call.hears(&raw).is_err());
    let mut raw = ended(0, "", "");
    raw.end = End::Signal(9);
    assert!(call.hears(&raw).is_err());
    raw.end = End::NotStarted("no such file".to_owned());
    let heard = call.hears(&raw).unwrap();
    assert_eq!(heard, HookResult::deny("no such file"));
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

/// What a hook says that was written for Claude Code and nothing else: it reads Claude Code's payload and answers so.
fn of_claude(case: &Case, hook: impl Fn(&Value) -> (i32, String, String)) -> Behaviour {
    let claude = host("claude-code").unwrap();
    let (exit, stdout, stderr) = hook(&claude.write_event(&case.event));
    let raw = ended(exit, &stdout, &stderr);
    case.told(claude.read_result(&raw, &case.event).unwrap()).1
}

#[test]
fn a_guard_and_a_rewriter_of_claude_code_work_unchanged_under_gemini() {
    let call = such("BeforeTool", |payload| payload["tool_name"] == "replace");
    let guard = |payload: &Value| {
        assert_eq!(payload["hook_event_name"], "PreToolUse");
        let is_edit = payload["tool_name"] == "Edit";
        let path = payload["tool_input"]["file_path"].as_str().unwrap();
        assert!(is_edit && path.ends_with("cart.ts"));
        (2, String::new(), "the cart is frozen".to_owned())
    };
    let done = of_claude(&call, guard);
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
    let done = of_claude(&call, rewriter);
    let mut expected = call.payload["tool_input"].clone();
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
    let done = of_claude(&first("AfterAgent"), stopper);
    assert_eq!(done.gate, Gate::KeepsWorking);
    assert_eq!(done.model_sees, ["test first"]);
}
