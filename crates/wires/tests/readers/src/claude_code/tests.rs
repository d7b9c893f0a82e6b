use serde_json::{Value, json};

use super::ClaudeCode;
use crate::{Answer, Asked, Behaviour, Gate, Reader};

const REFUSED: Gate = Gate::Refused { erased: false };

fn read(payload: &Value, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    ClaudeCode.reads(&Answer {
        event: payload["hook_event_name"].as_str().expect("a name"),
        payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn says(event: &str, answer: &Value) -> Behaviour {
    read(
        &json!({ "hook_event_name": event }),
        &answer.to_string(),
        "",
        0,
    )
}

fn leaves_with_2(event: &str) -> Behaviour {
    read(&json!({ "hook_event_name": event }), "", "not now", 2)
}

fn behaviour(gate: Gate) -> Behaviour {
    Behaviour {
        gate,
        ..Behaviour::default()
    }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn exit_2_refuses_where_the_page_says_so_and_is_heard_where_it_says_so() {
    let to_model = |gate| Behaviour {
        model_sees: texts(&["not now"]),
        ..behaviour(gate)
    };
    let to_person = |gate| Behaviour {
        person_sees: texts(&["not now"]),
        ..behaviour(gate)
    };
    let unheard = |gate| Behaviour {
        ignored: texts(&["stderr"]),
        ..behaviour(gate)
    };
    let to_both = Behaviour {
        person_sees: texts(&["not now"]),
        ..to_model(REFUSED)
    };
    let expected = [
        ("UserPromptExpansion", to_person(REFUSED)),
        ("PostToolUseFailure", to_model(Gate::Runs)),
        ("PostToolBatch", to_both),
        ("TaskCreated", to_model(REFUSED)),
        ("TaskCompleted", to_model(REFUSED)),
        ("TeammateIdle", to_model(Gate::KeepsWorking)),
        ("ConfigChange", unheard(REFUSED)),
        ("PreModelSwitch", to_person(REFUSED)),
        ("Elicitation", unheard(REFUSED)),
        ("ElicitationResult", unheard(REFUSED)),
        ("Setup", to_person(Gate::Runs)),
        ("SubagentStart", to_person(Gate::Runs)),
        ("CwdChanged", to_person(Gate::Runs)),
        ("FileChanged", to_person(Gate::Runs)),
        ("PostCompact", to_person(Gate::Runs)),
        ("PostModelSwitch", to_person(Gate::Runs)),
        ("InstructionsLoaded", unheard(Gate::Runs)),
        ("PermissionDenied", unheard(Gate::Runs)),
        ("MessageDisplay", unheard(Gate::Runs)),
        ("StopFailure", unheard(Gate::Runs)),
        ("DirectoryAdded", unheard(Gate::Runs)),
        ("WorktreeRemove", unheard(Gate::Runs)),
    ];
    let found = expected
        .each_ref()
        .map(|(event, _)| (*event, leaves_with_2(event)));
    assert_eq!(found, expected);
}

#[test]
fn a_missing_script_refuses_a_tool_call_but_not_the_end_of_a_turn() {
    let missing = |event| {
        let payload = json!({ "hook_event_name": event });
        read(&payload, "", "can't open 'x': No such file or directory", 2).gate
    };
    assert_eq!(missing("PreToolUse"), REFUSED);
    assert_eq!(missing("Stop"), Gate::Runs);
    assert_eq!(missing("TaskCompleted"), Gate::Runs);
    assert_eq!(missing("TeammateIdle"), Gate::KeepsWorking);
}

#[test]
fn a_change_of_the_policy_cannot_be_refused() {
    let block = json!({"decision": "block", "reason": "no"}).to_string();
    for source in ["policy_settings", "project_settings"] {
        let payload = json!({"hook_event_name": "ConfigChange", "source": source});
        let gate = if source == "policy_settings" {
            Gate::Runs
        } else {
            REFUSED
        };
        let expected = Behaviour {
            ignored: texts(&["reason"]),
            ..behaviour(gate)
        };
        assert_eq!(read(&payload, &block, "", 0), expected);
        assert_eq!(read(&payload, "", "", 2), behaviour(gate));
    }
}

#[test]
fn a_refused_compaction_is_told_to_the_person_who_asked_for_it() {
    let payload = |trigger| json!({"hook_event_name": "PreCompact", "trigger": trigger});
    assert_eq!(
        read(&payload("auto"), "", "not now", 2),
        Behaviour {
            ignored: texts(&["stderr"]),
            ..behaviour(REFUSED)
        }
    );
    assert_eq!(
        read(&payload("manual"), "", "not now", 2),
        Behaviour {
            person_sees: texts(&["not now"]),
            ..behaviour(REFUSED)
        }
    );
}

#[test]
fn a_message_about_a_directory_reaches_the_model_after_a_slash_command_only() {
    let answer = json!({"systemMessage": "new folder"}).to_string();
    let payload = |source| json!({"hook_event_name": "DirectoryAdded", "source": source});
    assert_eq!(
        read(&payload("slash_command"), &answer, "", 0),
        Behaviour {
            model_sees: texts(&["new folder"]),
            ..Behaviour::default()
        }
    );
    assert_eq!(
        read(&payload("register_repo_root"), &answer, "", 0),
        Behaviour {
            ignored: texts(&["systemMessage"]),
            ..Behaviour::default()
        }
    );
}

#[test]
fn a_worktree_is_the_last_line_and_any_failure_fails_it() {
    let payload = json!({"hook_event_name": "WorktreeCreate", "name": "oak"});
    assert_eq!(
        read(&payload, "making it\n/home/dev/oak\n\n", "", 0),
        Behaviour {
            native: vec![("worktreePath".to_owned(), json!("/home/dev/oak"))],
            ..Behaviour::default()
        }
    );
    assert_eq!(
        read(&payload, "/home/dev/oak", "disk is full", 1),
        Behaviour {
            person_sees: texts(&["disk is full"]),
            ignored: texts(&["stdout"]),
            errors: texts(&["exit 1: disk is full"]),
            ..behaviour(REFUSED)
        }
    );
    assert_eq!(
        read(&payload, "", "", 0),
        Behaviour {
            errors: texts(&["no worktree path on stdout"]),
            ..behaviour(REFUSED)
        }
    );
}

#[test]
fn a_model_switch_can_be_allowed_asked_about_and_refused_but_not_deferred() {
    let answer = |word| {
        let specific = json!({"hookEventName": "PreModelSwitch", "permissionDecision": word});
        says(
            "PreModelSwitch",
            &json!({"reason": "it costs", "hookSpecificOutput": specific}),
        )
    };
    let heard = |gate| Behaviour {
        person_sees: texts(&["it costs"]),
        ..behaviour(gate)
    };
    assert_eq!(answer("deny"), heard(REFUSED));
    assert_eq!(answer("ask"), heard(Gate::AskedOf(Asked::Person)));
    assert_eq!(
        answer("allow"),
        Behaviour {
            ignored: texts(&["reason"]),
            ..behaviour(Gate::RunsWithoutPrompt)
        }
    );
    assert_eq!(answer("defer").gate, Gate::Runs);
    assert_eq!(answer("defer").errors.len(), 1);
}

#[test]
fn an_elicitation_is_answered_unless_the_exit_code_declines_it() {
    let specific =
        json!({"hookEventName": "Elicitation", "action": "accept", "content": {"project": "shop"}});
    let answer = json!({ "hookSpecificOutput": specific });
    assert_eq!(
        says("Elicitation", &answer),
        Behaviour {
            native: vec![
                ("action".to_owned(), json!("accept")),
                ("content".to_owned(), json!({"project": "shop"})),
            ],
            ..behaviour(Gate::RunsWithoutPrompt)
        }
    );
    let payload = json!({"hook_event_name": "Elicitation"});
    assert_eq!(
        read(&payload, &answer.to_string(), "", 2),
        behaviour(REFUSED)
    );
}

#[test]
fn the_answers_of_the_small_events_take_effect() {
    let native = |event: &str, name: &str, value: Value| {
        let answer = json!({"hookSpecificOutput": {"hookEventName": event, name: value.clone()}});
        let expected = Behaviour {
            native: vec![(name.to_owned(), value)],
            ..Behaviour::default()
        };
        assert_eq!(says(event, &answer), expected);
    };
    native("MessageDisplay", "displayContent", json!("[hidden]"));
    native("PermissionDenied", "retry", json!(true));
    native("CwdChanged", "watchPaths", json!(["/home/dev/.envrc"]));
    native("FileChanged", "watchPaths", json!([]));
}

#[test]
fn a_task_hears_a_stop_and_no_block() {
    let answer = json!({"decision": "block", "reason": "not done"});
    let deaf = Behaviour {
        ignored: texts(&["decision", "reason"]),
        ..Behaviour::default()
    };
    assert_eq!(says("TaskCompleted", &answer), deaf);
    assert_eq!(says("TeammateIdle", &answer), deaf);
    let stop = says(
        "TeammateIdle",
        &json!({"continue": false, "stopReason": "enough"}),
    );
    assert_eq!(
        stop,
        Behaviour {
            stops_agent: Some("enough".to_owned()),
            person_sees: texts(&["enough"]),
            ..behaviour(Gate::Stops)
        }
    );
}

#[test]
fn a_long_text_is_cut_to_its_preview() {
    let answer = |length| {
        let long = "é".repeat(length);
        let specific = json!({"hookEventName": "SubagentStart", "additionalContext": long});
        says("SubagentStart", &json!({ "hookSpecificOutput": specific }))
    };
    assert_eq!(answer(10_000).model_sees, ["é".repeat(10_000)]);
    assert_eq!(
        answer(10_001),
        Behaviour {
            model_sees: vec!["é".repeat(2_000)],
            ignored: texts(&["hookSpecificOutput.additionalContext past the cap"]),
            ..Behaviour::default()
        }
    );
}

#[test]
fn a_stop_beats_exit_2() {
    let payload = json!({"hook_event_name": "PreToolUse"});
    let answer = json!({"continue": false, "stopReason": "enough"}).to_string();
    assert_eq!(
        read(&payload, &answer, "denied", 2),
        Behaviour {
            stops_agent: Some("enough".to_owned()),
            person_sees: texts(&["enough"]),
            ignored: texts(&["stderr"]),
            ..behaviour(Gate::Stops)
        }
    );
}

#[test]
fn the_effects_of_json_survive_exit_2() {
    let payload = json!({"hook_event_name": "PreToolUse"});
    let specific = json!({
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "ls"}, "additionalContext": "branch: main",
    });
    let answer = json!({"systemMessage": "careful", "hookSpecificOutput": specific}).to_string();
    assert_eq!(
        read(&payload, &answer, "denied", 2),
        Behaviour {
            model_sees: texts(&["denied", "branch: main"]),
            person_sees: texts(&["careful"]),
            ignored: texts(&["hookSpecificOutput.updatedInput"]),
            ..behaviour(REFUSED)
        }
    );
}

#[test]
fn a_later_decision_of_the_new_form_replaces_the_old_form() {
    let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow"});
    let answer = json!({"decision": "block", "reason": "old", "hookSpecificOutput": specific});
    assert_eq!(
        says("PreToolUse", &answer),
        Behaviour {
            ignored: texts(&["decision", "reason"]),
            ..behaviour(Gate::RunsWithoutPrompt)
        }
    );
}

#[test]
fn an_mcp_result_may_be_replaced_by_anything_and_a_builtin_one_by_its_shape() {
    let result = |tool: &str, name: &str, value: Value| {
        let payload = json!({
            "hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": "text",
        });
        let specific = json!({"hookEventName": "PostToolUse", name: value});
        read(
            &payload,
            &json!({ "hookSpecificOutput": specific }).to_string(),
            "",
            0,
        )
        .result
    };
    let anything = json!(["x"]);
    for name in ["updatedToolOutput", "updatedMCPToolOutput"] {
        assert_eq!(
            result("mcp__a__b", name, anything.clone()),
            Some(anything.clone())
        );
        assert_eq!(result("Bash", name, anything.clone()), None);
        assert_eq!(result("WebFetch", name, anything.clone()), None);
    }
    let read = json!({"type": "text", "file": {}});
    assert_eq!(
        result("Read", "updatedToolOutput", read.clone()),
        Some(read)
    );
    assert_eq!(
        result("WebFetch", "updatedToolOutput", json!("t")),
        Some(json!("t"))
    );
}

#[test]
fn a_hook_that_goes_to_the_background_decides_nothing() {
    let answer = json!({"async": true, "asyncTimeout": 5000, "decision": "block"});
    assert_eq!(
        says("PreToolUse", &answer),
        Behaviour {
            native: vec![("async".to_owned(), json!(true))],
            ignored: texts(&["asyncTimeout", "decision"]),
            ..Behaviour::default()
        }
    );
}

#[test]
fn white_space_and_a_byte_order_mark_around_json_are_nothing() {
    let payload = json!({"hook_event_name": "PreToolUse"});
    let answer = "\u{feff} \n{\"decision\":\"block\"}\r\n";
    assert_eq!(read(&payload, answer, "", 0), behaviour(REFUSED));
}

#[test]
fn an_event_that_the_host_does_not_have_is_an_error_and_nothing_more() {
    for event in ["pretooluse", "pre-tool-use", "PreToolUse ", ""] {
        assert_eq!(
            leaves_with_2(event),
            Behaviour {
                errors: vec![format!("unknown event `{event}`")],
                ..Behaviour::default()
            }
        );
    }
}

#[test]
fn a_field_of_the_wrong_kind_costs_the_whole_answer() {
    let answer = json!({"systemMessage": "lost", "continue": "no"});
    let found = says("PreToolUse", &answer);
    assert_eq!(
        found,
        Behaviour {
            ignored: texts(&["stdout"]),
            errors: texts(&["`continue` must not be `\"no\"`"]),
            ..Behaviour::default()
        }
    );
}

/// What 2.1.330 did where its reference says otherwise, answer by answer.
#[test]
fn a_stop_before_a_tool_comes_after_it_unless_something_else_refuses_it() {
    let stopped = |gate| Behaviour {
        stops_agent: Some("enough".to_owned()),
        person_sees: texts(&["enough"]),
        ..behaviour(gate)
    };
    let alone = json!({"continue": false, "stopReason": "enough"});
    assert_eq!(says("PreToolUse", &alone), stopped(Gate::Runs));
    let denies = json!({"continue": false, "stopReason": "enough", "hookSpecificOutput":
        {"hookEventName": "PreToolUse", "permissionDecision": "deny"}});
    assert_eq!(says("PreToolUse", &denies), stopped(Gate::Stops));
    assert_eq!(says("UserPromptSubmit", &alone), stopped(Gate::Stops));
}

#[test]
fn a_stop_at_the_start_of_a_session_is_ignored() {
    let alone = json!({"continue": false, "stopReason": "enough"});
    assert_eq!(
        says("SessionStart", &alone),
        Behaviour {
            ignored: texts(&["continue", "stopReason"]),
            ..Behaviour::default()
        }
    );
}

#[test]
fn new_arguments_count_without_a_decision_and_the_host_asks_as_it_would_have() {
    let specific = json!({"hookEventName": "PreToolUse", "updatedInput": {"command": "pnpm i"}});
    assert_eq!(
        says("PreToolUse", &json!({ "hookSpecificOutput": specific })),
        Behaviour {
            input: Some(json!({"command": "pnpm i"})),
            ..Behaviour::default()
        }
    );
}

#[test]
fn a_text_beside_the_end_of_a_turn_sends_the_agent_on() {
    let specific = json!({"hookEventName": "Stop", "additionalContext": "two files are open"});
    let heard = |gate| Behaviour {
        model_sees: texts(&["two files are open"]),
        ..behaviour(gate)
    };
    let mut answer = json!({ "hookSpecificOutput": specific });
    assert_eq!(says("Stop", &answer), heard(Gate::KeepsWorking));
    answer["continue"] = json!(false);
    assert_eq!(says("Stop", &answer).gate, Gate::Stops);
}

#[test]
fn of_exit_2_the_model_hears_the_reason_of_a_json_that_refuses_and_else_the_standard_error() {
    let payload = json!({"hook_event_name": "PreToolUse"});
    let heard = |decision: &str| {
        let answer = json!({"decision": decision, "reason": "from the JSON"}).to_string();
        let done = read(&payload, &answer, "from stderr", 2);
        (done.gate, done.model_sees, done.ignored)
    };
    let of = |said: &str, ignored: &str| (REFUSED, texts(&[said]), texts(&[ignored]));
    assert_eq!(heard("block"), of("from the JSON", "stderr"));
    assert_eq!(heard("approve"), of("from stderr", "reason"));
}

#[test]
fn a_notice_of_a_failure_that_refuses_is_what_the_model_hears() {
    let payload = json!({"tool_name": "Bash"});
    let told = |stdout: &str, exit: i32| {
        let answer = Answer {
            event: "PreToolUse",
            payload: &payload,
            stdout: stdout.as_bytes(),
            stderr: b"boom",
            exit,
        };
        ClaudeCode.reads_closed(&answer).model_sees
    };
    let odd = r#"{"decision":"ask"}"#;
    assert_eq!(told(odd, 0), [odd], "an answer of a wrong form is in it");
    assert_eq!(told("", 1), ["boom"]);
    assert_eq!(told("{]}", 0), [""; 0]);
}

#[test]
fn a_shell_without_its_command_does_not_run() {
    let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"note": "nothing"}});
    let answer = json!({ "hookSpecificOutput": specific }).to_string();
    let done = |tool: &str| {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": tool});
        let done = read(&payload, &answer, "", 0);
        (done.gate, done.input.is_some())
    };
    assert_eq!(done("Bash"), (REFUSED, false));
    assert_eq!(done("mcp__a__b"), (Gate::RunsWithoutPrompt, true));
}

#[test]
fn what_looks_like_json_and_is_none_is_no_context() {
    let payload = json!({"hook_event_name": "SessionStart"});
    let broken = read(&payload, r#"{"additionalContext": }"#, "", 0);
    assert_eq!(broken.model_sees, [""; 0]);
    let odd = says("SessionStart", &json!({"continue": "no"}));
    assert_eq!(odd.errors.len(), 1);
}

#[test]
fn the_question_before_a_tool_reaches_the_model_where_no_person_can_be_asked() {
    let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "ask",
        "permissionDecisionReason": "sure?"});
    assert_eq!(
        says("PreToolUse", &json!({ "hookSpecificOutput": specific })),
        Behaviour {
            model_sees: texts(&["sure?"]),
            person_sees: texts(&["sure?"]),
            ..behaviour(Gate::AskedOf(Asked::Person))
        }
    );
}

#[test]
fn what_fails_refuses_where_the_entry_says_so_and_the_event_can_be_refused() {
    let closed = |event: &str, stdout: &str, exit: i32| {
        ClaudeCode
            .reads_closed(&Answer {
                event,
                payload: &json!({ "hook_event_name": event }),
                stdout: stdout.as_bytes(),
                stderr: b"",
                exit,
            })
            .gate
    };
    let wrong_kind =
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": 1}}"#;
    for (stdout, exit) in [
        ("", 1),
        ("", 127),
        ("", 137),
        ("{\"decision\": ", 1),
        ("{\"decision\": }", 0),
        (wrong_kind, 0),
    ] {
        assert_eq!(
            closed("PreToolUse", stdout, exit),
            REFUSED,
            "{stdout} {exit}"
        );
        assert_eq!(closed("PermissionRequest", stdout, exit), REFUSED);
        let erased = Gate::Refused { erased: true };
        assert_eq!(closed("UserPromptSubmit", stdout, exit), erased);
        // It has no effect on these.
        assert_eq!(closed("Stop", stdout, exit), Gate::Runs);
        assert_eq!(closed("SessionStart", stdout, exit), Gate::Runs);
    }
    for (stdout, exit) in [("", 0), ("text", 0), ("{}", 0), ("{}", 1)] {
        assert_eq!(closed("PreToolUse", stdout, exit), Gate::Runs, "{stdout}");
    }
}
