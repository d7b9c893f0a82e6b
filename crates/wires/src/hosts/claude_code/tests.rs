use anyhook_core::can::Capabilities;
use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind};
use serde_json::{Value, json};

use super::*;
use crate::tests::ended;
use crate::{DecodeError, Reply};

fn read(payload: &Value) -> Event {
    CLAUDE_CODE
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap()
}

fn on(event: &str) -> Event {
    let payload =
        json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}, "prompt": "hi"});
    read(&payload)
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
fn an_unreadable_payload_is_of_the_event_that_the_command_line_names_and_else_of_none() {
    let cut = br#"{"tool_input": {"hook_event_name": "Stop"}, "hook_event_name": "PreToolUse", "#;
    assert_eq!(CLAUDE_CODE.read_event(cut, None).unwrap_err().event, None);
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
    assert_eq!(CLAUDE_CODE.can(&event), Capabilities::NOTHING);
    assert_eq!(
        CLAUDE_CODE.write_result(&event, &HookResult::deny("no")),
        Reply::default()
    );
}

#[test]
fn a_text_at_the_end_of_a_turn_waits_and_one_of_a_hook_of_this_host_refuses_the_end() {
    let event = on("Stop");
    let can = Capabilities {
        later: anyhook_core::can::Deferral::Outbox,
        ..CLAUDE_CODE.can(&event)
    };
    let (said, losses) =
        HookResult::proceed()
            .inject("two files are open")
            .fit(event.name.class(), &[], &can);
    assert_eq!(CLAUDE_CODE.write_result(&event, &said), Reply::default());
    assert_eq!(losses[0].became, anyhook_core::fit::Substitute::Later);

    let specific = json!({"hookEventName": "Stop", "additionalContext": "two files are open"});
    let mut answer = json!({ "hookSpecificOutput": specific });
    let heard =
        |answer: &Value| CLAUDE_CODE.read_result(&ended(0, &answer.to_string(), ""), &event);
    assert_eq!(heard(&answer), Ok(HookResult::deny("two files are open")));
    answer["continue"] = json!(false);
    assert_eq!(heard(&answer).unwrap().verdict.kind(), Kind::Halt);
}

#[test]
fn a_text_over_the_cap_of_the_host_is_written_whole() {
    let long = "x".repeat(30_000);
    let said = HookResult::proceed().inject(long.clone());
    let reply = CLAUDE_CODE.write_result(&on("SessionStart"), &said);
    let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], long);
}
