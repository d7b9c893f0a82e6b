use serde_json::json;

use super::*;

fn does(event: &str, exit: i32, stdout: &str, stderr: &str) -> Behaviour {
    let payload = json!({"tool_input": {"command": "npm test", "description": "Run"}});
    GeminiCli.reads(&Answer {
        event,
        payload: &payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn refused(text: &str) -> Behaviour {
    Behaviour {
        gate: Gate::Refused { erased: false },
        model_sees: vec![text.to_owned()],
        ..Behaviour::default()
    }
}

fn shown(text: &str) -> Behaviour {
    Behaviour {
        person_sees: vec![text.to_owned()],
        ..Behaviour::default()
    }
}

#[test]
fn every_code_from_two_on_refuses_where_there_is_a_text() {
    for code in [2, 3, 127] {
        assert_eq!(does("BeforeTool", code, "", "no"), refused("no"));
        assert_eq!(does("BeforeTool", code, "", ""), Behaviour::default());
    }
    assert_eq!(does("BeforeTool", 1, "", "no"), shown("Warning: no"));
    assert_eq!(does("BeforeTool", 0, "hello", ""), shown("hello"));
    assert_eq!(does("BeforeTool", -9, "hello", ""), shown("hello"));
}

#[test]
fn json_decides_at_every_exit_code_and_on_the_standard_error_too() {
    let deny = r#"{"decision": "deny", "reason": "no"}"#;
    for code in [0, 1, 2, 127] {
        assert_eq!(does("BeforeTool", code, deny, "ignored"), refused("no"));
        assert_eq!(does("BeforeTool", code, "", deny), refused("no"));
        assert_eq!(does("BeforeTool", code, "{}", "no"), Behaviour::default());
    }
    let twice = json!(deny).to_string();
    assert_eq!(does("BeforeTool", 0, &twice, ""), refused("no"));
    assert_eq!(
        does("BeforeTool", 2, "42", ""),
        Behaviour {
            ignored: vec!["stdout".to_owned()],
            ..Behaviour::default()
        }
    );
}

#[test]
fn nothing_is_approved() {
    for word in ["allow", "approve"] {
        let answer = json!({"decision": word, "reason": "x"}).to_string();
        assert_eq!(
            does("BeforeTool", 0, &answer, ""),
            Behaviour {
                ignored: vec!["decision".to_owned()],
                ..Behaviour::default()
            }
        );
    }
}

#[test]
fn a_refusal_means_something_else_on_each_event() {
    let answer = r#"{"decision": "block", "reason": "no"}"#;
    let erased = Gate::Refused { erased: true };
    let prompt = Behaviour {
        gate: erased,
        ..shown("no")
    };
    assert_eq!(does("BeforeAgent", 0, answer, ""), prompt);
    let goes_on = Behaviour {
        gate: Gate::KeepsWorking,
        ..refused("no")
    };
    assert_eq!(does("AfterAgent", 0, answer, ""), goes_on);
    let replaced = Behaviour {
        gate: Gate::Runs,
        result: Some(json!("no")),
        ..refused("no")
    };
    assert_eq!(does("AfterTool", 0, answer, ""), replaced);
    let turn = Behaviour {
        gate: Gate::Refused { erased: false },
        ..shown("no")
    };
    assert_eq!(does("BeforeModel", 0, answer, ""), turn);
    for deaf in ["SessionStart", "SessionEnd", "PreCompress", "Notification"] {
        let ignored = Behaviour {
            ignored: vec!["decision".to_owned()],
            ..Behaviour::default()
        };
        assert_eq!(does(deaf, 0, answer, ""), ignored, "{deaf}");
    }
}

#[test]
fn new_arguments_are_merged_into_the_old_ones() {
    let answer = json!({"hookSpecificOutput": {"tool_input": {"command": "ls"}}}).to_string();
    assert_eq!(
        does("BeforeTool", 0, &answer, "").input,
        Some(json!({"command": "ls", "description": "Run"}))
    );
}

#[test]
fn context_is_escaped_and_goes_with_a_prompt_that_is_dropped() {
    let context = json!({"additionalContext": "<b>"});
    let answer = json!({"hookSpecificOutput": context}).to_string();
    assert_eq!(
        does("BeforeAgent", 0, &answer, "").model_sees,
        ["&lt;b&gt;"]
    );
    let answer = json!({"decision": "deny", "hookSpecificOutput": context}).to_string();
    let dropped = does("BeforeAgent", 0, &answer, "");
    assert_eq!(dropped.model_sees, [] as [&str; 0]);
    assert_eq!(dropped.person_sees, ["No reason provided"]);
}

#[test]
fn an_answer_in_the_place_of_the_model_counts_beside_a_refusal_only() {
    let response = json!({"llm_response": {"candidates": []}});
    let alone = json!({"hookSpecificOutput": response}).to_string();
    assert_eq!(does("BeforeModel", 0, &alone, "").native, []);
    let denied = json!({"decision": "deny", "hookSpecificOutput": response}).to_string();
    let native = does("BeforeModel", 0, &denied, "").native;
    assert_eq!(
        native,
        [("llm_response".to_owned(), json!({"candidates": []}))]
    );
}

/// What 0.61.0 did.
#[test]
fn a_question_before_a_tool_is_put_and_its_words_are_lost() {
    let ask = r#"{"decision": "ask", "reason": "sure?"}"#;
    let expected = Behaviour {
        gate: Gate::AskedOf(Asked::Person),
        stops_agent: Some(String::new()),
        ..Behaviour::default()
    };
    assert_eq!(does("BeforeTool", 0, ask, ""), expected);
    for event in ["AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"] {
        assert_eq!(does(event, 0, ask, "").gate, Gate::Runs, "{event}");
    }
}

#[test]
fn of_a_refused_end_that_stops_the_agent_the_model_hears_nothing() {
    let both = r#"{"decision": "deny", "reason": "run the tests", "continue": false}"#;
    let expected = Behaviour {
        gate: Gate::Stops,
        stops_agent: Some("run the tests".to_owned()),
        ..Behaviour::default()
    };
    assert_eq!(does("AfterAgent", 0, both, ""), expected);
}
