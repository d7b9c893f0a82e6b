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
    assert_eq!(reads("preToolUse", 2, deny, ""), refused(&["frozen"]));
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
fn a_job_has_no_person_to_ask_and_fewer_events() {
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

fn ignored(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// What 1.0.102 did where its documents say otherwise, answer by answer.
#[test]
fn exit_2_before_a_tool_refuses_it_and_the_model_does_not_hear_why() {
    let expected = Behaviour {
        ignored: ignored(&["stderr"]),
        ..refused(&[])
    };
    assert_eq!(reads("preToolUse", 2, "", "frozen"), expected);
}

#[test]
fn new_arguments_have_one_name() {
    let done = reads("preToolUse", 0, r#"{"updatedInput":{"command":"ls"}}"#, "");
    let expected = Behaviour {
        ignored: ignored(&["updatedInput"]),
        ..Behaviour::default()
    };
    assert_eq!(done, expected);
}

#[test]
fn a_prompt_is_refused_and_the_person_reads_why() {
    let block =
        r#"{"decision":"block","reason":"a key","additionalContext":"x","modifiedPrompt":"y"}"#;
    let expected = Behaviour {
        gate: Gate::Refused { erased: false },
        person_sees: vec!["a key".to_owned()],
        ignored: ignored(&["additionalContext", "modifiedPrompt"]),
        ..Behaviour::default()
    };
    assert_eq!(reads("userPromptSubmitted", 0, block, ""), expected);
    assert_eq!(reads("UserPromptSubmit", 0, block, ""), expected);
    let bare = reads("userPromptSubmitted", 0, r#"{"decision":"block"}"#, "");
    assert_eq!(bare.gate, Gate::Runs);
}

#[test]
fn beside_a_warning_what_stands_on_the_standard_output_counts() {
    let told = r#"{"additionalContext":"branch: main"}"#;
    let expected = Behaviour {
        model_sees: vec!["branch: main".to_owned()],
        person_sees: vec!["careful".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(reads("sessionStart", 2, told, "careful"), expected);
    assert_eq!(reads("postToolUse", 2, told, "careful"), expected);
}

#[test]
fn a_prompt_is_changed_and_told_about() {
    let said = r#"{"additionalContext":"branch: main","modifiedPrompt":"b","modifiedTransformedPrompt":"c"}"#;
    let expected = Behaviour {
        model_sees: vec!["branch: main".to_owned()],
        native: vec![
            ("modifiedPrompt".to_owned(), json!("b")),
            ("modifiedTransformedPrompt".to_owned(), json!("c")),
        ],
        ..Behaviour::default()
    };
    assert_eq!(reads("userPromptSubmitted", 0, said, ""), expected);
}

#[test]
fn an_end_is_refused_with_a_reason_only() {
    let block = |reason: &str| {
        let said = json!({"decision": "block", "reason": reason}).to_string();
        reads("agentStop", 0, &said, "").gate
    };
    assert_eq!(
        (block("tests"), block("")),
        (Gate::KeepsWorking, Gate::Runs)
    );
    let bare = reads("agentStop", 0, r#"{"decision":"block"}"#, "");
    assert_eq!(bare.gate, Gate::Runs);
}

#[test]
fn an_interruption_ends_the_turn_and_comes_with_a_refusal_only() {
    let denies = r#"{"behavior":"deny","message":"enough","interrupt":true}"#;
    let expected = Behaviour {
        gate: Gate::Stops,
        stops_agent: Some("enough".to_owned()),
        model_sees: vec!["enough".to_owned()],
        native: vec![("interrupt".to_owned(), json!(true))],
        ..Behaviour::default()
    };
    assert_eq!(reads("permissionRequest", 0, denies, ""), expected);
    let alone = reads("permissionRequest", 0, r#"{"interrupt":true}"#, "");
    assert_eq!((alone.gate, alone.stops_agent), (Gate::Runs, None));
}

#[test]
fn a_block_after_a_tool_tells_the_model_why() {
    let said = r#"{"decision":"block","reason":"the linter fails"}"#;
    let expected = Behaviour {
        model_sees: vec!["the linter fails".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(reads("postToolUse", 0, said, ""), expected);
}

#[test]
fn what_only_the_terminal_was_seen_to_hear_is_not_claimed_for_a_job() {
    let job = |event: &str, stdout: &str| {
        let answer = Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: b"",
            exit: 0,
        };
        read(&answer, Surface::Job)
    };
    let said = r#"{"decision":"block","reason":"no","modifiedPrompt":"b"}"#;
    for event in ["userPromptSubmitted", "postToolUse"] {
        let expected = Behaviour {
            ignored: ignored(&["decision", "reason", "modifiedPrompt"]),
            ..Behaviour::default()
        };
        assert_eq!(job(event, said), expected, "{event}");
    }
}
