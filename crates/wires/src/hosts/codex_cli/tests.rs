use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::{Value, json};

use super::*;
use crate::{Host, Wire};

const PATCH: &str = "*** Begin Patch\n*** Add File: a.ts\n+x\n*** Delete File: b.ts\n*** End Patch";

fn read(payload: &Value) -> Event {
    CODEX_CLI
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap()
}

fn call(tool: &str, input: Value, mode: &str) -> Event {
    let mut payload = json!({"hook_event_name": "PreToolUse", "turn_id": "t", "session_id": "s",
        "permission_mode": mode, "tool_name": tool});
    payload["tool_input"] = input;
    read(&payload)
}

fn bash() -> Event {
    call("Bash", json!({"command": "ls"}), "default")
}

fn on(event: &str) -> Event {
    read(
        &json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"},
        "prompt": "hi", "tool_response": "ok"}),
    )
}

fn say(event: &Event, result: HookResult) -> Value {
    let can = CODEX_CLI.can(event);
    let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
    let reply = CODEX_CLI.write_result(event, &fitted);
    assert_eq!((reply.exit, &*reply.stderr), (0, ""));
    serde_json::from_str(&reply.stdout).unwrap_or_default()
}

fn hear(event: &Event, exit: i32, stdout: &str, stderr: &str) -> Said {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end: End::Code(exit),
        took: Duration::from_millis(5),
    };
    CODEX_CLI.read_result(&raw, event)
}

fn hear_json(event: &Event, answer: &Value) -> Said {
    hear(event, 0, &answer.to_string(), "")
}

fn output(event: &str, fields: &Value) -> Value {
    let mut specific = json!({ "hookEventName": event });
    let more = fields.as_object().unwrap().clone();
    specific.as_object_mut().unwrap().extend(more);
    json!({ "hookSpecificOutput": specific })
}

#[test]
fn a_rewrite_alone_is_a_refusal_unless_the_mode_permits_everything() {
    let rewrite = HookResult::proceed().modify("tool_input", json!({"command": "ls -l"}));
    let said = |mode: &str| {
        let event = call("Bash", json!({"command": "ls"}), mode);
        say(&event, rewrite.clone())["hookSpecificOutput"]["permissionDecision"].clone()
    };
    for mode in ["default", "acceptEdits", "plan", "dontAsk", ""] {
        assert_eq!(said(mode), "deny", "{mode}");
    }
    assert_eq!(said("bypassPermissions"), "allow");
}

#[test]
fn a_rewritten_patch_is_said_as_the_command_that_the_host_knows() {
    let event = call("apply_patch", json!({ "command": PATCH }), "default");
    let mut input = event.data.json()["tool_input"].clone();
    input["patch"] = "*** Begin Patch\n*** End Patch".into();
    let said = say(&event, HookResult::allow().modify("tool_input", input));
    assert_eq!(
        said["hookSpecificOutput"]["updatedInput"],
        json!({"command": "*** Begin Patch\n*** End Patch"})
    );
}

#[test]
fn arguments_that_the_host_would_drop_are_a_refusal() {
    let wrong = |event: &Event, input: Value| {
        let said = say(event, HookResult::allow().modify("tool_input", input));
        said["hookSpecificOutput"]["permissionDecisionReason"].clone()
    };
    let gone = "a hook took the argument `command` away, which cannot be said here";
    assert_eq!(wrong(&bash(), json!({"cmd": "ls"})), gone);
    assert_eq!(wrong(&bash(), json!({"command": ["ls"]})), gone);
    let patch = call("apply_patch", json!({ "command": PATCH }), "default");
    assert_eq!(wrong(&patch, json!({"files": []})), gone);
    let tool = call("mcp__files__write", json!({"path": "a"}), "default");
    assert_eq!(
        wrong(&tool, json!("a")),
        "a hook changed the arguments to something that is no object"
    );
}

#[test]
fn a_reason_is_never_empty() {
    let none = "a hook refused this and gave no reason";
    let said = say(&bash(), HookResult::deny(" "));
    assert_eq!(said["hookSpecificOutput"]["permissionDecisionReason"], none);
    assert_eq!(say(&on("Stop"), HookResult::deny(""))["reason"], none);
    assert_eq!(
        say(&on("PreCompact"), HookResult::deny(""))["stopReason"],
        none
    );
    let blind = CODEX_CLI.refuse_unread(None, "");
    assert_eq!((blind.exit, blind.stderr), (2, format!("{none}\n")));
}

#[test]
fn feedback_about_a_result_leaves_it_standing_and_another_result_takes_its_place() {
    let event = on("PostToolUse");
    assert_eq!(
        say(&event, HookResult::deny("lint failed")),
        output("PostToolUse", &json!({"additionalContext": "lint failed"}))
    );
    let replace = |value: Value| say(&event, HookResult::proceed().modify("tool_result", value));
    let block = |reason: &str| json!({"decision": "block", "reason": reason});
    assert_eq!(replace(json!("[redacted]")), block("[redacted]"));
    assert_eq!(replace(json!({"ok": true})), block("{\"ok\":true}"));
    // Without a word in it the block would be dropped, and the old result seen.
    assert_eq!(replace(json!(" ")), block("a hook took the result away"));
}

#[test]
fn new_arguments_of_a_hook_are_heard_by_their_canonical_names() {
    let event = call("apply_patch", json!({ "command": PATCH }), "default");
    let new = "*** Begin Patch\n*** Add File: c.ts\n+x\n*** End Patch";
    let allow = json!({"permissionDecision": "allow", "updatedInput": {"command": new}});
    let files = json!([{"path": "c.ts", "change": "add"}]);
    let answer = output("PreToolUse", &allow);
    let heard = hear_json(&event, &answer).unwrap();
    assert_eq!(
        heard,
        HookResult::allow_because("").modify("tool_input", json!({"patch": new, "files": files}))
    );
    assert_eq!(say(&event, heard), answer);
}
