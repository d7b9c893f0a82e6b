use std::time::Duration;

use anyhook_core::transcript::{Capture, End};
use serde_json::{Value, json};

use super::*;

fn raw(end: End, stdout: &str, stderr: &str) -> Transcript {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end,
        took: Duration::from_millis(1_500),
    }
}

fn pre_tool_use() -> Event {
    Event::new(
        "pre-tool-use",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    )
}

/// Reads an answer to `pre-tool-use` that a process printed before it left with this code.
fn read(code: i32, stdout: &str, stderr: &str) -> Said {
    read_universal(&raw(End::Code(code), stdout, stderr), &pre_tool_use())
}

fn answer(object: &Value) -> Said {
    read(0, &object.to_string(), "")
}

fn on(event: &str, object: &Value) -> Said {
    let event = Event::new(event, json!({}));
    read_universal(&raw(End::Code(0), &object.to_string(), ""), &event)
}

#[expect(clippy::unnecessary_wraps, reason = "it stands beside what was said")]
fn warn(result: HookResult, text: &str) -> Said {
    Ok(result.notifying(warning(text)))
}

fn fault(kind: FaultKind, text: &str) -> Said {
    Err(Box::new(Fault::new(kind, text)))
}

#[test]
fn silence_and_the_empty_object_have_nothing_to_say() {
    for stdout in ["", "\n", "{}", "{}\n{}"] {
        assert_eq!(
            read(0, stdout, "chatter"),
            Ok(HookResult::proceed()),
            "{stdout:?}"
        );
    }
}

#[test]
fn exit_2_refuses_whatever_was_printed() {
    let deny = |reason: &str| Ok(HookResult::deny(reason));
    assert_eq!(read(2, "", "frozen\n"), deny("frozen"));
    assert_eq!(
        read(2, "", ""),
        deny("a hook refused this and gave no reason")
    );
    assert_eq!(read(2, "plain text", "frozen"), deny("frozen"));
    assert_eq!(
        read(2, r#"{"permissionDecision": "allow"}"#, "frozen"),
        deny("frozen")
    );
    assert_eq!(
        read(2, r#"{"reason": "of the JSON"}"#, "frozen"),
        deny("of the JSON")
    );
    assert_eq!(
        read(
            2,
            r#"{"hookSpecificOutput": {"permissionDecisionReason": "of the JSON"}}"#,
            "frozen"
        ),
        deny("of the JSON")
    );
    assert_eq!(
        read(2, r#"{"decision": "block"}"#, "frozen"),
        deny("frozen")
    );
    assert_eq!(
        read(
            2,
            r#"{"continue": false, "stopReason": "enough"}"#,
            "frozen"
        ),
        Ok(HookResult::halt("enough"))
    );
    assert_eq!(
        read(2, r#"{"additionalContext": "look"}"#, "frozen"),
        Ok(HookResult::deny("frozen").inject("look"))
    );
}

#[test]
fn exit_2_refuses_even_if_its_json_cannot_be_read() {
    assert_eq!(
        read(2, "{\"a\": }", "frozen"),
        warn(
            HookResult::deny("frozen"),
            "line 1 of its output looks like JSON and is none (expected value): `{\"a\": }`"
        )
    );
    assert_eq!(
        read(2, "{\"permission\": \"allow\"}", "frozen"),
        warn(
            HookResult::deny("frozen"),
            "it answered with `permission`, which no form of an answer has"
        )
    );
}

#[test]
fn any_other_end_is_a_fault() {
    assert_eq!(
        read(1, r#"{"decision": "block"}"#, "\nboom\nmore"),
        fault(FaultKind::ExitCode, "exit code 1: boom")
    );
    assert_eq!(
        read(127, "", ""),
        fault(FaultKind::ExitCode, "exit code 127")
    );
    let ended = |end: End| read_universal(&raw(end, "", "last words"), &pre_tool_use());
    assert_eq!(
        ended(End::Signal(9)),
        fault(FaultKind::Signal, "signal 9 ended it: last words")
    );
    assert_eq!(
        ended(End::TimedOut),
        fault(
            FaultKind::TimedOut,
            "it did not end in time, and was stopped after 1.5 s: last words"
        )
    );
    assert_eq!(
        ended(End::NotStarted("`guard` was not found".to_owned())),
        fault(FaultKind::NotStarted, "`guard` was not found")
    );
}

#[test]
fn noise_of_a_shell_profile_hides_no_answer() {
    let stdout = "Welcome to Zürich\n{\"decision\": \"block\", \"reason\": \"frozen\"}\n";
    assert_eq!(read(0, stdout, ""), Ok(HookResult::deny("frozen")));
}

#[test]
fn an_approval_that_may_be_a_piece_of_something_else_is_a_fault_also_where_it_rewrites() {
    let rewrites = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"command": "ls -l"},
    }});
    for answer in [json!({"decision": "allow"}), rewrites] {
        let why = "it approved, and that does not count: other text stands on its line";
        assert_eq!(
            read(0, &format!("loading... {answer}"), ""),
            fault(FaultKind::InvalidAnswer, why)
        );
    }
}

#[test]
fn what_looks_like_an_answer_and_is_none_is_a_fault() {
    assert_eq!(
        read(0, "{'decision': 'block'}", ""),
        fault(
            FaultKind::InvalidAnswer,
            "line 1 of its output looks like JSON and is none (key must be a string): `{'decision': 'block'}`"
        )
    );
    let mut cut = raw(End::Code(0), "{\"additionalContext\": \"aaaa", "");
    cut.stdout.dropped = 7;
    assert_eq!(
        read_universal(&cut, &pre_tool_use()),
        fault(
            FaultKind::InvalidAnswer,
            "its output was cut after 27 bytes, 7 more were dropped; line 1 of its output looks like JSON and is \
             none (it ends before the JSON is complete): `{\"additionalContext\": \"aaaa`"
        )
    );
}

#[test]
fn what_is_too_long_to_be_read_to_its_end_is_a_fault_for_it_may_have_refused_there() {
    let cut = |event: &Event, stdout: &str| {
        let mut raw = raw(End::Code(0), stdout, "");
        raw.stdout.dropped = 7;
        read_universal(&raw, event)
    };
    let why = "its output was cut after 5 bytes, 7 more were dropped";
    let tool = pre_tool_use();
    assert_eq!(cut(&tool, "noise"), fault(FaultKind::OverLimit, why));
    // A text for the model is told, and that it is not all.
    let start = Event::new("session:start", json!({}));
    let said = cut(&start, "noise").unwrap();
    assert_eq!(&*said.effects.inject()[0].text, "noise");
    let notice = format!("a hook said more to the model than is kept: {why}");
    assert_eq!(&*said.effects.notify()[0].text, notice);
    // A refusal that could be read stands.
    let said = cut(&tool, "{\"decision\": \"block\", \"reason\": \"no\"} noise").unwrap();
    assert_eq!(said.verdict.kind(), Kind::Deny);
}

#[test]
fn an_object_that_no_dialect_owns_is_a_fault_that_names_its_keys() {
    assert_eq!(
        answer(&json!({"permission": "deny", "user_message": "no"})),
        fault(
            FaultKind::InvalidAnswer,
            "it answered with `permission`, `user_message`, which no form of an answer has"
        )
    );
    assert_eq!(
        answer(&json!({"continue": true, "permission": "deny"})),
        fault(
            FaultKind::InvalidAnswer,
            "its answer has nothing to say but `permission`"
        )
    );
    assert_eq!(
        answer(&json!({"decision": "block", "reason": "frozen", "resaon": "x"})),
        warn(
            HookResult::deny("frozen"),
            "a hook's answer has unknown fields: `resaon`"
        )
    );
}

#[test]
fn every_shape_of_the_seed_is_read() {
    let shapes = [
        (
            json!({"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "deny",
                "permissionDecisionReason": "frozen", "updatedInput": {}}}),
            HookResult::deny("frozen"),
        ),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}),
            HookResult::ask("sure?"),
        ),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "ls"}}}),
            HookResult::allow().modify("tool_input", json!({"command": "ls"})),
        ),
        (
            json!({"permissionDecision": "deny", "reason": "frozen"}),
            HookResult::deny("frozen"),
        ),
        (
            json!({"decision": "block", "reason": "frozen"}),
            HookResult::deny("frozen"),
        ),
        (
            json!({"decision": "deny", "reason": "frozen"}),
            HookResult::deny("frozen"),
        ),
        (json!({"decision": "approve"}), HookResult::allow()),
        (
            json!({"decision": "allow", "reason": "fine"}),
            HookResult::allow_because("fine"),
        ),
        (
            json!({"decision": "ask", "reason": "sure?"}),
            HookResult::ask("sure?"),
        ),
        (
            json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}),
            HookResult::deny("no"),
        ),
        (
            json!({"decision": {"behavior": "allow", "updatedInput": {"command": "ls"}}}),
            HookResult::allow().modify("tool_input", json!({"command": "ls"})),
        ),
        (
            json!({"continue": false, "stopReason": "enough"}),
            HookResult::halt("enough"),
        ),
        (json!({"continue": true}), HookResult::proceed()),
        (
            json!({"systemMessage": "look"}),
            HookResult::proceed().notify("look"),
        ),
        (
            json!({"additionalContext": "branch"}),
            HookResult::proceed().inject("branch"),
        ),
        (
            json!({"hookSpecificOutput": {"additionalContext": "branch"}}),
            HookResult::proceed().inject("branch"),
        ),
        (
            json!({"updatedToolOutput": "[redacted]"}),
            HookResult::proceed().modify("tool_result", "[redacted]"),
        ),
        (
            json!({"decision": null, "systemMessage": null}),
            HookResult::proceed(),
        ),
        (
            json!({"decision": {"behavior": "deny", "message": "no", "interrupt": true}}),
            HookResult::deny("no").native(
                "claude-code",
                json!({"interrupt": true}).as_object().unwrap().clone(),
            ),
        ),
        (
            json!({"sessionTitle": "Shop", "systemMessage": "look"}),
            HookResult::proceed().notify("look").native(
                "claude-code",
                json!({"sessionTitle": "Shop"}).as_object().unwrap().clone(),
            ),
        ),
    ];
    for (shape, expected) in shapes {
        assert_eq!(answer(&shape), Ok(expected), "{shape}");
    }
    let hidden = answer(&json!({"suppressOutput": true})).unwrap();
    assert!(hidden.effects.get().unwrap().suppress_output);
}

#[test]
fn other_events_take_the_same_words() {
    for event in [
        "permission-request",
        "pre-prompt",
        "stop",
        "sub-agent-end",
        "post-tool-use",
    ] {
        let specific = json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "deny",
            "permissionDecisionReason": "not yet"}});
        assert_eq!(
            on(event, &specific),
            Ok(HookResult::deny("not yet")),
            "{event}"
        );
        let block = json!({"decision": "block", "reason": "not yet"});
        assert_eq!(
            on(event, &block),
            Ok(HookResult::deny("not yet")),
            "{event}"
        );
    }
    assert_eq!(
        on("pre-prompt", &json!({"updatedInput": {"prompt": "better"}})),
        Ok(HookResult::proceed().modify("prompt", "better"))
    );
    assert_eq!(
        on("stop", &json!({"updatedInput": {"prompt": "better"}})),
        fault(
            FaultKind::InvalidAnswer,
            "`updatedInput` cannot change `prompt` on this event"
        )
    );
}

#[test]
fn a_wrong_type_is_a_fault_that_names_field_and_value() {
    let wrong = [
        (
            json!({"permissionDecision": 5}),
            "`permissionDecision` must be allow, ask, deny or block, and is a number: `5`",
        ),
        (
            json!({"decision": "maybe"}),
            "`decision` must be allow, ask, deny or block, and is a string: `\"maybe\"`",
        ),
        (
            json!({"decision": {"behaviour": "deny"}}),
            "`decision` has no `behavior`",
        ),
        (
            json!({"systemMessage": ["a"]}),
            "`systemMessage` must be a string, and is an array: `[\"a\"]`",
        ),
        (
            json!({"permissionDecision": "allow", "updatedInput": "ls"}),
            "`updatedInput` must be an object, and is a string: `\"ls\"`",
        ),
        (
            json!({"continue": 0}),
            "`continue` must be true or false, and is a number: `0`",
        ),
        (
            json!({"hookSpecificOutput": "deny"}),
            "`hookSpecificOutput` must be an object, and is a string: `\"deny\"`",
        ),
    ];
    for (shape, text) in wrong {
        assert_eq!(
            answer(&shape),
            fault(FaultKind::InvalidAnswer, text),
            "{shape}"
        );
    }
}

#[test]
fn a_refusal_beside_something_wrong_stays_a_refusal() {
    assert_eq!(
        answer(&json!({"decision": "block", "reason": 5})),
        warn(
            HookResult::deny("a hook refused this and gave no reason"),
            "`reason` must be a string, and is a number: `5`"
        )
    );
    assert_eq!(
        answer(&json!({"permissionDecision": "Deny", "reason": "frozen"})),
        warn(
            HookResult::deny("frozen"),
            "`permissionDecision` must be in lower case, and is a string: `\"Deny\"`"
        )
    );
    assert_eq!(
        answer(&json!({"continue": "false"})),
        warn(
            HookResult::halt("a hook refused this and gave no reason"),
            "`continue` must be true or false, and is a string: `\"false\"`"
        )
    );
    assert_eq!(
        read(
            0,
            "{\"decision\": \"block\", \"reason\": \"frozen\"}\n{\"decision\": ",
            ""
        ),
        warn(
            HookResult::deny("frozen"),
            "line 2 of its output looks like JSON and is none (it ends before the JSON is complete): \
             `{\"decision\":`"
        )
    );
    assert!(read(0, "{\"decision\": \"allow\"}\n{\"decision\": ", "").is_err());
}

#[test]
fn an_approval_of_another_event_does_not_count() {
    let named = |name: &str, decision: &str| {
        answer(
            &json!({"hookSpecificOutput": {"hookEventName": name, "permissionDecision": decision,
            "permissionDecisionReason": "because"}}),
        )
    };
    for name in ["pre-tool-use", "PreToolUse", "tool:pre"] {
        assert_eq!(
            named(name, "allow"),
            Ok(HookResult::allow_because("because")),
            "{name}"
        );
    }
    let text = "a hook answered `stop` when it was asked about `pre-tool-use`";
    assert_eq!(named("stop", "allow"), warn(HookResult::proceed(), text));
    assert_eq!(
        named("stop", "deny"),
        warn(HookResult::deny("because"), text)
    );
}

#[test]
fn of_several_documents_the_gravest_decision_counts_and_every_effect_is_kept() {
    let stdout = r#"{"systemMessage": "first"}
        {"decision": "block", "reason": "frozen"}
        {"decision": "allow", "additionalContext": "branch"}"#;
    assert_eq!(
        read(0, stdout, ""),
        Ok(HookResult::deny("frozen")
            .notify("first")
            .inject("branch")
            .notifying(warning(
                "a hook decided twice: the graver answer, deny, counts, and allow does not"
            )))
    );
    let approves =
        r#"{"decision": "approve", "reason": "fine"} {"decision": "block", "reason": "no"}"#;
    assert_eq!(
        read(0, approves, ""),
        warn(
            HookResult::deny("no"),
            "a hook decided twice: the graver answer, deny, counts, and allow does not"
        )
    );
    let twice = r#"{"decision": "block", "reason": "a"} {"decision": "block", "reason": "b"}"#;
    assert_eq!(read(0, twice, ""), Ok(HookResult::deny("a")));
}

#[test]
fn a_reason_without_a_decision_is_told() {
    assert_eq!(
        answer(&json!({"reason": "because"})),
        warn(
            HookResult::proceed(),
            "a hook gave a reason and no decision"
        )
    );
}
