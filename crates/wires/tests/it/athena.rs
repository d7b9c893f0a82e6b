//! What an Elixir program has of its own: its payload around its payload, and one return for an answer.

use anyhook_core::effects::{Injection, Placing};
use anyhook_core::event::Event;
use anyhook_core::fit::{Became, Lost};
use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
use anyhook_wires::dialects::read_universal;
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::Case;

fn wire() -> &'static dyn Host {
    host("athena").unwrap()
}

fn read(payload: &Value) -> Event {
    let bytes = payload.to_string();
    wire().read_event(bytes.as_bytes(), None).unwrap()
}

fn refused(payload: &Value) -> String {
    let bytes = payload.to_string();
    let error = wire().read_event(bytes.as_bytes(), None).unwrap_err();
    error.what
}

fn first(native: &str) -> Event {
    Case::first("athena", native).event
}

/// What is said about an event, once it is fitted: the answer, and what that lost.
fn answered(event: &Event, said: HookResult) -> (Value, Vec<(Lost, Became)>) {
    let (said, losses) = said.fit(event.name.class(), event.name.mutable(), &wire().can(event));
    let reply = wire().write_result(event, &said);
    assert_eq!((&*reply.stderr, reply.exit), ("", 0));
    let losses = losses.into_iter().map(|loss| (loss.what, loss.became));
    (
        serde_json::from_str(&reply.stdout).unwrap(),
        losses.collect(),
    )
}

#[test]
fn a_tool_under_the_name_that_everybody_uses_has_this_hosts_arguments_all_the_same() {
    let call = |path: &str| {
        let arguments = json!({path: "a", "content": "x"});
        json!({"event": "PermissionDenied", "input": {"tool_name": "Write", "tool_use_id": "c", "arguments": arguments}})
    };
    for payload in [call("path"), call("file_path")] {
        let event = read(&payload);
        assert_eq!(event.get("tool_input").unwrap()["file_path"], "a");
        // It is written as it came.
        assert_eq!(
            read(&wire().write_event(&event)).data.json(),
            event.data.json()
        );
    }
}

#[test]
fn no_argument_can_pose_as_what_stands_around_the_payload() {
    let arguments = json!({"event": "Stop", "id": "7", "input": {}, "session_id": "another", "cwd": "/", "tool_input": {}});
    let mut input = arguments.clone();
    input["tool_name"] = json!("github_create_issue");
    let event =
        read(&json!({"event": "PreToolUse", "id": "c1", "session_id": "s1", "input": input}));
    assert_eq!(
        (event.name.as_str(), event.session()),
        ("tool:pre", Some("s1"))
    );
    assert_eq!(event.get("tool_input").as_deref(), Some(&arguments));
    assert_eq!(event.get("cwd"), None);
}

#[test]
fn two_values_for_one_thing_are_refused_and_two_keys_of_one_name_too() {
    let call = |more: Value| {
        let mut payload =
            json!({"event": "PreToolUse", "input": {"tool_name": "write", "path": "a"}});
        for (key, value) in more.as_object().unwrap() {
            payload[key] = value.clone();
        }
        payload
    };
    let mut spoofed = call(json!({"id": "c1"}));
    spoofed["input"]["tool_use_id"] = json!("c2");
    assert_eq!(
        refused(&spoofed),
        "the payload has two values for `tool_use_id`, and they differ"
    );
    assert_eq!(
        refused(&call(json!({"tool_input": {"path": "b"}}))),
        "the payload has two values for `tool_input`, and they differ"
    );
    assert_eq!(
        refused(
            &json!({"event": "UserPromptSubmit", "id": "s2", "input": {"prompt": "x", "session_id": "s1"}})
        ),
        "the payload has two values for `session_id`, and they differ"
    );
    // What a map with `:tool_name` and a model's own `"tool_name"` is encoded to.
    let twice = br#"{"event": "PreToolUse", "input": {"tool_name": "write", "path": ".env", "tool_name": "read"}}"#;
    assert!(wire().read_event(twice, None).is_err());
}

#[test]
fn a_payload_without_its_frame_is_refused_and_says_what_is_missing() {
    assert_eq!(
        refused(&json!({"event": "PreToolUse", "tool_name": "write", "path": "a"})),
        "`input` must be an object, and is missing"
    );
    assert_eq!(
        refused(&json!({"event": "PreToolUse", "input": {"path": "a"}})),
        "`input.tool_name` must be a string, and is missing"
    );
    assert_eq!(
        refused(&json!({"event": "UserPromptSubmit", "input": {"prompt": {"text": "x"}}})),
        "`prompt` must be a string or null, and is an object"
    );
    assert_eq!(
        refused(&json!({"event": "Stop", "id": 7, "input": {}})),
        "`id` must be a string or null, and is a number"
    );
    let error = wire().read_event(b"{", Some("PreToolUse")).unwrap_err();
    let reply = wire().refuse_unread(wire().row("PreToolUse"), &error.what);
    assert!(
        reply.stdout.starts_with(r#"{"return":"deny","reason":""#),
        "{reply:?}"
    );
    for (native, word) in [
        ("UserPromptSubmit", "halt"),
        ("PermissionRequest", "halt"),
        ("ChatParams", "halt"),
        ("Stop", "ok"),
        ("SubagentStart", "ok"),
    ] {
        let reply = wire().refuse_unread(wire().row(native), "it is no JSON");
        let said: Value = serde_json::from_str(&reply.stdout).unwrap();
        assert_eq!(said["return"], word, "{native}");
        let told = if word == "ok" {
            &said["notices"][0]
        } else {
            &said["reason"]
        };
        assert_eq!(told, "it is no JSON", "{native}");
    }
}

#[test]
fn a_run_without_a_prompt_has_an_empty_one_to_every_hook() {
    let payload = json!({"event": "UserPromptSubmit", "id": "s1",
        "input": {"prompt": null, "session_id": "s1", "parent_session_id": null}});
    let event = read(&payload);
    assert_eq!(event.text("prompt").as_deref(), Some(""));
    assert_eq!(wire().write_event(&event), payload);
}

#[test]
fn each_of_the_six_returns_is_said_where_the_loop_hears_it() {
    let said = |native: &str, said: HookResult| answered(&first(native), said);
    let none = Vec::new();
    assert_eq!(
        said("PreToolUse", HookResult::proceed()),
        (json!({"return": "ok"}), none.clone())
    );
    assert_eq!(
        said("PreToolUse", HookResult::deny("frozen")),
        (json!({"return": "deny", "reason": "frozen"}), none.clone())
    );
    assert_eq!(
        said("PostToolUse", HookResult::halt("spent")),
        (json!({"return": "halt", "reason": "spent"}), none.clone())
    );
    let ticket = Injection {
        name: Some("ticket-context".into()),
        ..Injection::new("ENG-1234")
    };
    assert_eq!(
        said("ChatParams", HookResult::proceed().injecting(ticket)),
        (
            json!({"return": "inject", "messages": [
                {"role": "system", "content": "ENG-1234", "name": "ticket-context"}]}),
            none.clone()
        )
    );
    assert_eq!(
        said(
            "UserPromptSubmit",
            HookResult::proceed().modify("prompt", "Deploy.")
        ),
        (
            json!({"return": "transform", "prompt": "Deploy."}),
            none.clone()
        )
    );
    let warning = Injection {
        place: Placing::LastToolResult,
        ..Injection::new("one warning")
    };
    assert_eq!(
        said("PostToolUse", HookResult::proceed().injecting(warning)),
        (
            json!({"return": "augment", "text": "one warning"}),
            none.clone()
        )
    );
    assert_eq!(
        said("Stop", HookResult::proceed().notify("a hook failed")),
        (json!({"return": "ok", "notices": ["a hook failed"]}), none)
    );
}

#[test]
fn an_answer_is_one_return_and_the_text_beside_it_waits() {
    let event = first("UserPromptSubmit");
    let later = (Lost::Injection, Became::Later);
    let both = HookResult::proceed()
        .modify("prompt", "Deploy.")
        .inject("the tests are red");
    assert_eq!(
        answered(&event, both),
        (
            json!({"return": "transform", "prompt": "Deploy."}),
            vec![later.clone()]
        )
    );
    let halted = HookResult::halt("spent").inject("the tests are red");
    assert_eq!(
        answered(&first("PostToolUse"), halted),
        (
            json!({"return": "halt", "reason": "spent"}),
            vec![later.clone()]
        )
    );
    assert_eq!(
        answered(
            &first("PreToolUse"),
            HookResult::proceed().inject("context")
        ),
        (json!({"return": "ok"}), vec![later])
    );
}

#[test]
fn a_prompt_that_is_no_text_halts_where_the_loop_would_go_on_with_the_old_one() {
    let event = first("UserPromptSubmit");
    let (answer, _) = answered(
        &event,
        HookResult::proceed().modify("prompt", json!({"text": "x"})),
    );
    assert_eq!(answer["return"], "halt");
}

#[test]
fn a_refusal_carries_its_code_and_what_belongs_to_it() {
    let reason = Reason {
        code: Some("user_denied".into()),
        detail: Some(json!({"rule": "secrets"})),
        ..Reason::new("protected")
    };
    let said = HookResult::from(Verdict::Deny {
        reasons: [reason].into(),
    });
    let (answer, _) = answered(&first("PreToolUse"), said.clone());
    assert_eq!(
        answer,
        json!({"return": "deny", "reason": "protected", "code": "user_denied", "metadata": {"rule": "secrets"}})
    );
    let raw = crate::fixtures::ended(0, &answer.to_string(), "");
    assert_eq!(read_universal(&raw, &first("PreToolUse")), Ok(said));
}

#[test]
fn a_hook_of_any_manifest_may_answer_in_the_words_of_ex_athena() {
    let event = Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {}}));
    let says = |text: &str| read_universal(&crate::fixtures::ended(0, text, ""), &event);
    assert_eq!(
        says(r#"{"return": "deny", "reason": "frozen"}"#),
        Ok(HookResult::deny("frozen"))
    );
    // A refusal in either form is one.
    for both in [
        r#"{"return": "ok", "decision": "block", "reason": "frozen"}"#,
        r#"{"return": "ok", "action": "deny", "reason": "frozen"}"#,
        r#"{"return": "transform", "prompt": 7, "action": "deny", "reason": "frozen"}"#,
        r#"{"return": "deny", "reason": "frozen", "action": "continue"}"#,
    ] {
        assert_eq!(says(both).unwrap().verdict.kind(), Kind::Deny, "{both}");
    }
    for wrong in [
        r#"{"return": "allow"}"#,
        r#"{"return": ["deny", "no"]}"#,
        r#"{"return": "inject", "messages": []}"#,
        r#"{"return": "transform", "prompt": "x"}"#,
        r#"{"return": "augment", "text": "x"}"#,
    ] {
        assert!(says(wrong).is_err(), "{wrong}");
    }
}
