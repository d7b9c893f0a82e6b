use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::question::{Question, Who};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::{Value, json};

use super::*;
use crate::{DecodeError, Host, Reply, Wire};

fn read(payload: &Value) -> Event {
    CLAUDE_CODE
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap()
}

fn pre_tool_use(more: &Value) -> Event {
    let mut payload = json!({"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    payload
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    read(&payload)
}

fn on(event: &str) -> Event {
    let payload =
        json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}, "prompt": "hi"});
    read(&payload)
}

fn say(event: &Event, result: &HookResult) -> Value {
    let reply = CLAUDE_CODE.write_result(event, result);
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
    CLAUDE_CODE.read_result(&raw, event)
}

#[test]
fn a_tool_served_by_mcp_goes_by_no_other_name() {
    let event = pre_tool_use(&json!({"mcp_server": {"name": "files"}}));
    assert_eq!(event.also, &[] as &[&str]);
}

#[test]
fn an_event_that_the_command_line_names_holds_against_the_payload() {
    let name = |payload: &str, hint: Option<&str>| {
        let event = CLAUDE_CODE.read_event(payload.as_bytes(), hint)?;
        let native = event.origin.map(|origin| origin.native.to_string());
        Ok::<_, DecodeError>((event.name.as_str().to_owned(), native.unwrap_or_default()))
    };
    let stop = Ok(("stop".to_owned(), "Stop".to_owned()));
    assert_eq!(name(r#"{"hook_event_name": "Stop"}"#, None), stop);
    assert_eq!(
        name(r#"{"hook_event_name": "Notification"}"#, Some("stop")),
        stop
    );
    assert_eq!(
        name(r#"{"hook_event_name": "Stop"}"#, Some("Unheard")),
        stop
    );
    assert_eq!(name("{}", Some("stop")), stop);
    assert_eq!(name(r#"{"hook_event_name": 5}"#, Some("stop")), stop);
    assert_eq!(
        name("{}", None).unwrap_err().what,
        "the payload has no `hook_event_name`, and nothing else names the event"
    );
    assert_eq!(
        name(r#"{"hook_event_name": 5}"#, None).unwrap_err().what,
        "`hook_event_name` must be a string, and is a number"
    );
}

#[test]
fn a_payload_that_hides_what_is_decided_about_is_refused() {
    let refused = [
        (
            json!({"hook_event_name": "PreToolUse"}),
            "`tool_name` must be a string, and is missing",
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": ["Write"], "tool_input": {}}),
            "`tool_name` must be a string, and is an array",
        ),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "Write", "tool_input": ".env"}),
            "`tool_input` must be an object, and is a string",
        ),
        (
            json!({"hook_event_name": "UserPromptSubmit", "prompt": null}),
            "`prompt` must be a string, and is null",
        ),
    ];
    for (payload, what) in refused {
        let error = CLAUDE_CODE
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap_err();
        assert_eq!(error.what, what);
        assert_eq!(error.event.as_deref(), payload["hook_event_name"].as_str());
    }
}

#[test]
fn an_unreadable_payload_still_tells_its_event() {
    let cut = br#"{"tool_input": {"hook_event_name": "Stop"}, "hook_event_name": "PreToolUse", "#;
    let error = CLAUDE_CODE.read_event(cut, None).unwrap_err();
    assert_eq!(error.event.as_deref(), Some("PreToolUse"));
    let error = CLAUDE_CODE
        .read_event(cut, Some("SessionStart"))
        .unwrap_err();
    assert_eq!(error.event.as_deref(), Some("SessionStart"));
    let error = CLAUDE_CODE
        .read_event(b"nonsense", Some("Stop"))
        .unwrap_err();
    assert_eq!(error.event.as_deref(), Some("Stop"));
}

#[test]
fn an_unknown_event_is_neutral_and_keeps_its_name() {
    let payload = json!({"hook_event_name": "BrandNewHTTPThing", "x": 1});
    let event = read(&payload);
    assert_eq!(event.name.as_str(), "claude-code:brand-new-httpthing");
    assert_eq!(CLAUDE_CODE.write_event(&event), payload);
    assert_eq!(CLAUDE_CODE.can(&event), Can::NOTHING);
    assert_eq!(
        CLAUDE_CODE.write_result(&event, &HookResult::deny("no")),
        Reply::default()
    );
}

#[test]
fn a_rewrite_alone_is_said_without_a_decision_in_every_mode() {
    let rewrite = HookResult::proceed().modify("tool_input", json!({"command": "pnpm test"}));
    let said = |mode: &str, result: &HookResult| {
        let event = pre_tool_use(&json!({"permission_mode": mode}));
        let can = CLAUDE_CODE.can(&event);
        let (fitted, losses) = result
            .clone()
            .fit(event.name.class(), event.name.mutable(), &can);
        assert_eq!(losses, [], "{mode}");
        say(&event, &fitted)
    };
    for mode in [
        "default",
        "plan",
        "acceptEdits",
        "auto",
        "bypassPermissions",
    ] {
        let specific =
            json!({"hookEventName": "PreToolUse", "updatedInput": {"command": "pnpm test"}});
        let alone = json!({ "hookSpecificOutput": specific });
        assert_eq!(said(mode, &rewrite), alone, "{mode}");
        for (verdict, word) in [
            (HookResult::allow(), "allow"),
            (HookResult::ask("so?"), "ask"),
        ] {
            let said = said(mode, &verdict.then(rewrite.clone()))["hookSpecificOutput"].clone();
            let found = (&said["permissionDecision"], &said["updatedInput"]);
            assert_eq!(found, (&json!(word), &json!({"command": "pnpm test"})));
        }
    }
}

#[test]
fn a_text_at_the_end_of_a_turn_waits_and_one_of_a_hook_of_this_host_refuses_the_end() {
    let event = on("Stop");
    let can = Can {
        later: anyhook_core::can::Later::Outbox,
        ..CLAUDE_CODE.can(&event)
    };
    let (said, losses) =
        HookResult::proceed()
            .inject("two files are open")
            .fit(event.name.class(), &[], &can);
    assert_eq!(CLAUDE_CODE.write_result(&event, &said), Reply::default());
    assert_eq!(losses[0].became, anyhook_core::fit::Became::Later);

    let specific = json!({"hookEventName": "Stop", "additionalContext": "two files are open"});
    let mut answer = json!({ "hookSpecificOutput": specific });
    let heard = |answer: &Value| hear(&event, 0, &answer.to_string(), "");
    assert_eq!(heard(&answer), Ok(HookResult::deny("two files are open")));
    answer["continue"] = json!(false);
    assert_eq!(heard(&answer).unwrap().verdict.kind(), Kind::Halt);
}

#[test]
fn what_was_not_fitted_is_never_said_softer() {
    let rewrite = HookResult::proceed().modify("tool_input", json!({"command": "rm"}));
    let gate = pre_tool_use(&json!({}));
    assert_eq!(
        say(&gate, &rewrite)["hookSpecificOutput"],
        json!({"hookEventName": "PreToolUse", "updatedInput": {"command": "rm"}})
    );
    let request = on("PermissionRequest");
    assert_eq!(
        say(&request, &rewrite)["hookSpecificOutput"]["decision"]["behavior"],
        "deny"
    );
    let ask = HookResult::ask("sure?");
    assert_eq!(
        say(&request, &ask)["hookSpecificOutput"]["decision"]["behavior"],
        "deny"
    );
    assert_eq!(say(&on("Stop"), &ask)["decision"], "block");
    assert_eq!(
        say(&on("PreCompact"), &HookResult::halt("enough"))["decision"],
        "block"
    );
}

#[test]
fn arguments_that_are_no_object_are_a_refusal() {
    let event = pre_tool_use(&json!({}));
    let answer = say(
        &event,
        &HookResult::allow().modify("tool_input", "rm -rf /"),
    );
    assert_eq!(
        answer,
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "a hook changed the arguments to something that is no object"}})
    );
}

#[test]
fn a_new_result_has_the_form_of_the_tool_or_is_told_as_a_loss() {
    let post = |tool: &str, result: Value| {
        read(&json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": result}))
    };
    let said = |event: &Event, value: Value| {
        let result = HookResult::proceed().modify("tool_result", value);
        let (said, losses) = crate::fitted(&CLAUDE_CODE, event, result, &CLAUDE_CODE.can(event));
        let said = say(event, &said);
        let output = said["hookSpecificOutput"]["updatedToolOutput"].clone();
        (output, said["decision"].clone(), losses.len())
    };
    let shell = post(
        "Bash",
        json!({"stdout": "key=1", "stderr": "", "interrupted": false}),
    );
    let text = json!({"stdout": "[redacted]", "stderr": "", "interrupted": false});
    assert_eq!(
        said(&shell, json!("[redacted]")),
        (text.clone(), Value::Null, 0)
    );
    assert_eq!(said(&shell, text.clone()), (text, Value::Null, 0));
    let dropped = (Value::Null, json!("block"), 1);
    assert_eq!(said(&shell, json!({"text": "x"})), dropped);
    let file = post("Write", json!({"filePath": "/p/a"}));
    assert_eq!(said(&file, json!("[redacted]")), dropped);
    let served = post("mcp__a__b", json!({"x": 1}));
    assert_eq!(said(&served, json!("y")), (json!("y"), Value::Null, 0));
}

#[test]
fn a_call_is_put_off_only_where_nothing_was_changed() {
    let mut question = Question::new("later");
    question.who = Who::Host;
    let defer = HookResult::asks(question);
    let event = pre_tool_use(&json!({}));
    let decision = |result: &HookResult| {
        say(&event, result)["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!(decision(&defer), "defer");
    assert_eq!(
        decision(&defer.clone().then(HookResult::ask("sure?"))),
        "ask"
    );
    assert_eq!(decision(&defer.modify("tool_input", json!({}))), "ask");
}

#[test]
fn a_native_answer_never_overrides_our_words() {
    let fields = json!({
        "decision": "approve", "continue": true, "async": true, "terminalSequence": "\u{7}", "sessionTitle": "Shop",
        "hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow", "updatedInput": {},
            "additionalContext": "x", "watchPaths": ["a"]},
    });
    let native = |result: HookResult| result.native(ID, fields.as_object().unwrap().clone());
    assert_eq!(
        say(&pre_tool_use(&json!({})), &native(HookResult::deny("no"))),
        json!({"terminalSequence": "\u{7}", "hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "no", "sessionTitle": "Shop",
            "watchPaths": ["a"]}})
    );
    let other = HookResult::proceed().native("codex", fields.as_object().unwrap().clone());
    assert_eq!(say(&pre_tool_use(&json!({})), &other), Value::Null);
}

#[test]
fn permissions_come_with_an_approval_and_an_interruption_with_a_refusal() {
    let fields = json!({"updatedPermissions": [{"type": "setMode"}], "interrupt": true});
    let native = |result: HookResult| result.native(ID, fields.as_object().unwrap().clone());
    let event = on("PermissionRequest");
    let decision =
        |result: HookResult| say(&event, &native(result))["hookSpecificOutput"]["decision"].clone();
    assert_eq!(
        decision(HookResult::allow()),
        json!({"behavior": "allow", "updatedPermissions": [{"type": "setMode"}]})
    );
    assert_eq!(
        decision(HookResult::deny("no")),
        json!({"behavior": "deny", "message": "no", "interrupt": true})
    );
    assert_eq!(say(&event, &native(HookResult::proceed())), Value::Null);
}

#[test]
fn a_text_over_the_cap_of_the_host_is_written_whole() {
    let long = "x".repeat(30_000);
    let answer = say(
        &on("SessionStart"),
        &HookResult::proceed().inject(long.clone()),
    );
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], long);
}

#[test]
fn the_policy_of_an_organisation_cannot_be_refused() {
    let event = |source: &str| read(&json!({"hook_event_name": "ConfigChange", "source": source}));
    assert_eq!(
        CLAUDE_CODE.can(&event("policy_settings")).verdicts,
        &[] as &[Kind]
    );
    assert_eq!(
        CLAUDE_CODE.can(&event("project_settings")).verdicts,
        [Kind::Deny]
    );
}
