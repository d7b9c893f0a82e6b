use serde_json::{Value, json};

use super::*;
use crate::Gate;

fn reads(event: &str, exit: i32, stdout: &str, stderr: &str) -> Behaviour {
    read(
        &Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: stderr.as_bytes(),
            exit,
        },
        Surface::Terminal,
    )
}

fn refused(model_sees: &[&str]) -> Behaviour {
    Behaviour {
        gate: Gate::Refused { erased: false },
        model_sees: model_sees.iter().map(|&text| text.to_owned()).collect(),
        ..Behaviour::default()
    }
}

#[test]
fn silence_is_no_opinion_on_every_event() {
    for row in [
        "preToolUse",
        "PreToolUse",
        "agentStop",
        "Stop",
        "notification",
        "permissionRequest",
    ] {
        assert_eq!(reads(row, 0, "", ""), Behaviour::default());
        assert_eq!(reads(row, 0, "{}", ""), Behaviour::default());
    }
}

#[test]
fn a_deny_is_said_in_either_casing_of_the_event() {
    let deny = r#"{"permissionDecision":"deny","permissionDecisionReason":"frozen"}"#;
    assert_eq!(reads("preToolUse", 0, deny, ""), refused(&["frozen"]));
    assert_eq!(reads("PreToolUse", 0, deny, ""), refused(&["frozen"]));
    assert_eq!(reads("preToolUse", 2, "", "frozen"), refused(&["frozen"]));
}

#[test]
fn a_hook_that_fails_denies_a_tool_and_nothing_else() {
    let tool = reads("preToolUse", 1, "", "boom");
    assert_eq!(tool.gate, Gate::Refused { erased: false });
    let stop = reads("agentStop", 1, r#"{"decision":"block","reason":"x"}"#, "");
    assert_eq!(stop.gate, Gate::Runs);
}

#[test]
fn exit_2_is_no_more_than_a_warning_when_the_agent_stops() {
    let expected = Behaviour {
        person_sees: vec!["run the tests".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(reads("agentStop", 2, "", "run the tests"), expected);
}

#[test]
fn lines_of_progress_are_no_documents_and_two_documents_are_none() {
    let deny = r#"{"permissionDecision":"deny","permissionDecisionReason":"frozen"}"#;
    let progress = "{\"type\":\"progress\",\"message\":\"looking\"}\n";
    assert_eq!(
        reads("preToolUse", 0, &format!("{progress}{deny}"), ""),
        refused(&["frozen"])
    );
    let twice = reads("preToolUse", 0, &format!("{deny}\n{deny}"), "");
    assert_eq!(
        (twice.gate, twice.ignored),
        (Gate::Runs, vec!["stdout".to_owned()])
    );
}

#[test]
fn new_arguments_stand_alone_and_replace_nothing_in_a_call_that_is_refused() {
    let alone = reads("preToolUse", 0, r#"{"modifiedArgs":{"command":"ls"}}"#, "");
    assert_eq!(
        (alone.gate, alone.input),
        (Gate::Runs, Some(json!({"command": "ls"})))
    );
    let denied = reads(
        "preToolUse",
        0,
        r#"{"permissionDecision":"deny","permissionDecisionReason":"no","modifiedArgs":{}}"#,
        "",
    );
    assert_eq!(
        (denied.input, denied.ignored),
        (None, vec!["modifiedArgs".to_owned()])
    );
}

#[test]
fn the_form_of_another_host_is_not_heard() {
    let nested =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let done = reads("preToolUse", 0, nested, "");
    assert_eq!(
        (done.gate, done.ignored),
        (Gate::Runs, vec!["hookSpecificOutput".to_owned()])
    );
}

#[test]
fn a_job_has_nobody_to_ask_and_fewer_events() {
    let ask = Answer {
        event: "preToolUse",
        payload: &Value::Null,
        stdout: br#"{"permissionDecision":"ask","permissionDecisionReason":"sure?"}"#,
        stderr: b"",
        exit: 0,
    };
    assert_eq!(read(&ask, Surface::Job), refused(&["sure?"]));
    let unknown = Answer {
        event: "permissionRequest",
        ..ask
    };
    assert_eq!(read(&unknown, Surface::Job).errors.len(), 1);
}
