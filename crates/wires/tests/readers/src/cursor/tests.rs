use serde_json::json;

use super::*;

fn does(event: &str, payload: &Value, exit: i32, stdout: &str) -> Behaviour {
    Cursor.reads(&Answer {
        event,
        payload,
        stdout: stdout.as_bytes(),
        stderr: b"",
        exit,
    })
}

fn answers(event: &str, stdout: &Value) -> Behaviour {
    does(event, &json!({}), 0, &stdout.to_string())
}

fn gate(gate: Gate) -> Behaviour {
    Behaviour {
        gate,
        ..Behaviour::default()
    }
}

#[test]
fn a_question_is_put_for_a_command_and_for_a_server_s_tool_only() {
    let ask = json!({"permission": "ask", "user_message": "sure?", "agent_message": "wait"});
    let asked = Behaviour {
        gate: Gate::AskedOf(Asked::Person),
        person_sees: vec!["sure?".to_owned()],
        model_sees: vec!["wait".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(answers("beforeShellExecution", &ask), asked);
    assert_eq!(answers("beforeMCPExecution", &ask), asked);
    let ask = json!({"permission": "ask"});
    assert_eq!(
        answers("preToolUse", &ask),
        Behaviour {
            ignored: vec!["permission".to_owned()],
            ..Behaviour::default()
        }
    );
    assert_eq!(answers("subagentStart", &ask), gate(REFUSED));
    assert_eq!(
        answers("beforeReadFile", &ask).errors,
        [r#"`permission` must be one of allow, deny, not `"ask"`"#]
    );
}

#[test]
fn exit_2_refuses_on_gates_and_nowhere_else() {
    for event in [
        "preToolUse",
        "beforeReadFile",
        "beforeSubmitPrompt",
        "subagentStart",
    ] {
        assert_eq!(does(event, &json!({}), 2, ""), gate(REFUSED), "{event}");
    }
    for event in ["stop", "subagentStop", "postToolUse", "preCompact"] {
        assert_eq!(
            does(event, &json!({}), 2, r#"{"followup_message": "again"}"#),
            Behaviour {
                ignored: vec!["exit code 2".to_owned(), "stdout".to_owned()],
                ..Behaviour::default()
            },
            "{event}"
        );
    }
    assert_eq!(
        does("preToolUse", &json!({}), 1, "").errors,
        ["exit code 1"]
    );
}

#[test]
fn a_gate_wants_an_answer_that_fits() {
    for stdout in [
        "",
        "ok",
        "{}",
        r#"{"decision": "block"}"#,
        r#"{"permission": "no"}"#,
    ] {
        let done = does("preToolUse", &json!({}), 0, stdout);
        assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1), "{stdout}");
    }
    assert_eq!(does("stop", &json!({}), 0, ""), Behaviour::default());
    assert_eq!(does("stop", &json!({}), 0, "{}"), Behaviour::default());
}

#[test]
fn an_end_is_refused_by_a_follow_up_while_the_host_still_sends_one() {
    let again = json!({"followup_message": "run the tests", "permission": "deny"}).to_string();
    let kept = Behaviour {
        gate: Gate::KeepsWorking,
        model_sees: vec!["run the tests".to_owned()],
        ignored: vec!["permission".to_owned()],
        ..Behaviour::default()
    };
    let dropped = Behaviour {
        ignored: vec!["permission".to_owned(), "followup_message".to_owned()],
        ..Behaviour::default()
    };
    let done = |event, payload: Value| does(event, &payload, 0, &again);
    assert_eq!(
        done("stop", json!({"status": "error", "loop_count": 4})),
        kept
    );
    assert_eq!(done("stop", json!({"loop_count": 5})), dropped);
    assert_eq!(done("subagentStop", json!({"status": "completed"})), kept);
    assert_eq!(done("subagentStop", json!({"status": "error"})), dropped);
}

#[test]
fn new_arguments_count_where_the_call_is_let_through() {
    let input = json!({"command": "ls"});
    let answer = json!({"permission": "allow", "updated_input": input});
    assert_eq!(
        answers("preToolUse", &answer),
        Behaviour {
            input: Some(input.clone()),
            ..gate(Gate::RunsWithoutPrompt)
        }
    );
    let ignored = vec!["updated_input".to_owned()];
    assert_eq!(answers("beforeShellExecution", &answer).ignored, ignored);
    let answer = json!({"permission": "deny", "updated_input": input});
    assert_eq!(answers("preToolUse", &answer).ignored, ignored);
    let answer = json!({"permission": "deny", "updated_input": "ls"});
    let done = answers("preToolUse", &answer);
    assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1));
}

#[test]
fn a_result_is_replaced_for_a_server_s_tool_only() {
    let answer = json!({"updated_mcp_tool_output": {"id": 1}}).to_string();
    let mcp = json!({"tool_name": "MCP:create_issue"});
    assert_eq!(
        does("postToolUse", &mcp, 0, &answer).result,
        Some(json!({"id": 1}))
    );
    let own = json!({"tool_name": "Shell"});
    assert_eq!(does("postToolUse", &own, 0, &answer).result, None);
}

#[test]
fn a_prompt_is_refused_by_continue_and_the_person_is_told() {
    let answer = json!({"continue": false, "user_message": "no keys"});
    assert_eq!(
        answers("beforeSubmitPrompt", &answer),
        Behaviour {
            person_sees: vec!["no keys".to_owned()],
            ..gate(REFUSED)
        }
    );
    let answer = json!({"continue": true, "user_message": "fine"});
    assert_eq!(
        answers("beforeSubmitPrompt", &answer),
        Behaviour {
            ignored: vec!["user_message".to_owned()],
            ..Behaviour::default()
        }
    );
}

#[test]
fn a_session_begins_with_context_but_not_in_versions_that_drop_it() {
    let answer = json!({"additional_context": "main", "env": {"A": "1"}}).to_string();
    for (version, seen) in [
        ("3.12.17", false),
        ("3.18.2", true),
        ("2026.07.17-abc", true),
        ("2.0", false),
    ] {
        let done = does(
            "sessionStart",
            &json!({"cursor_version": version}),
            0,
            &answer,
        );
        assert_eq!(!done.model_sees.is_empty(), seen, "{version}");
        assert_eq!(done.native, [("env".to_owned(), json!({"A": "1"}))]);
    }
}

#[test]
fn what_fails_refuses_a_gate_where_the_entry_says_so() {
    let payload = json!({});
    let closed = |event, stdout: &str, exit| {
        let answer = Answer {
            event,
            payload: &payload,
            stdout: stdout.as_bytes(),
            stderr: b"",
            exit,
        };
        (
            Cursor.reads(&answer).gate,
            Cursor.reads_closed(&answer).gate,
        )
    };
    for (stdout, exit) in [("", 1), ("", 137), ("{", 0), ("{}", 0)] {
        let found = closed("preToolUse", stdout, exit);
        assert_eq!(found, (Gate::Runs, REFUSED), "{stdout} {exit}");
        assert_eq!(closed("stop", stdout, exit), (Gate::Runs, Gate::Runs));
    }
    let allow = r#"{"permission": "allow"}"#;
    let both = (Gate::RunsWithoutPrompt, Gate::RunsWithoutPrompt);
    assert_eq!(closed("preToolUse", allow, 0), both);
}
