use serde_json::{Value, json};

use super::{FactoryDroid, REFUSED};
use crate::{Answer, Behaviour, Gate, Reader};

fn read(event: &str, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    let payload = json!({"hook_event_name": event, "tool_input": {"command": "ls", "timeout": 9}});
    FactoryDroid.reads(&Answer {
        event,
        payload: &payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn says(event: &str, answer: &Value) -> Behaviour {
    read(event, &answer.to_string(), "", 0)
}

/// A decision about a call, under the name of some event.
fn decides(named: Option<&str>, fields: &Value) -> Value {
    let mut specific = fields.clone();
    if let Some(named) = named {
        specific["hookEventName"] = named.into();
    }
    json!({ "hookSpecificOutput": specific })
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_question_is_not_put_and_the_tool_runs() {
    let ask = json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"});
    let expected = Behaviour {
        ignored: texts(&["permissionDecisionReason", "permissionDecision"]),
        ..Behaviour::default()
    };
    assert_eq!(
        says("PreToolUse", &decides(Some("PreToolUse"), &ask)),
        expected
    );
}

#[test]
fn a_refusal_of_a_call_holds_at_every_exit_code_and_whatever_event_it_names() {
    let deny = json!({"permissionDecision": "deny", "permissionDecisionReason": "frozen"});
    let expected = Behaviour {
        gate: REFUSED,
        model_sees: texts(&["frozen"]),
        ..Behaviour::default()
    };
    for named in [Some("PreToolUse"), Some("Stop"), None] {
        for exit in [0, 1, 2, 5] {
            let answer = decides(named, &deny).to_string();
            assert_eq!(
                read("PreToolUse", &answer, "", exit),
                expected,
                "{named:?} {exit}"
            );
        }
    }
    assert_eq!(read("PreToolUse", "", "frozen", 2), expected);
    assert_eq!(
        read("PreToolUse", "", "", 2).gate,
        REFUSED,
        "without a word as well"
    );
    let block = json!({"decision": "block", "reason": "frozen"});
    assert_eq!(says("PreToolUse", &block).gate, Gate::Runs);
}

#[test]
fn the_standard_error_of_exit_1_reaches_the_model_and_the_tool_runs() {
    let expected = Behaviour {
        model_sees: texts(&["slow disk"]),
        errors: texts(&["exit 1"]),
        ..Behaviour::default()
    };
    assert_eq!(read("PreToolUse", "", "slow disk", 1), expected);
    assert_eq!(read("PreToolUse", "", "slow disk", 5).ignored, ["stderr"]);
}

#[test]
fn new_arguments_are_laid_over_the_old_ones_also_without_a_decision() {
    let input = json!({"updatedInput": {"command": "ls -l"}});
    let expected = Behaviour {
        input: Some(json!({"command": "ls -l", "timeout": 9})),
        ..Behaviour::default()
    };
    assert_eq!(
        says("PreToolUse", &decides(Some("PreToolUse"), &input)),
        expected
    );
    let allow = json!({"permissionDecision": "allow", "updatedInput": {"command": "ls -l"}});
    let done = says("PreToolUse", &decides(Some("PreToolUse"), &allow));
    assert_eq!(
        (done.gate, done.input),
        (Gate::RunsWithoutPrompt, expected.input)
    );
}

#[test]
fn continue_false_stops_at_a_tool_refuses_a_prompt_and_is_ignored_at_a_start() {
    let stop = json!({"continue": false, "stopReason": "enough"});
    let stopped = Behaviour {
        gate: Gate::Stops,
        stops_agent: Some("enough".to_owned()),
        person_sees: texts(&["enough"]),
        ..Behaviour::default()
    };
    for event in ["PreToolUse", "PostToolUse", "Stop"] {
        assert_eq!(says(event, &stop), stopped, "{event}");
    }
    let prompt = says("UserPromptSubmit", &stop);
    assert_eq!(
        (prompt.gate, prompt.person_sees),
        (REFUSED, texts(&["enough"]))
    );
    for event in ["SessionStart", "PreCompact", "SubagentStop", "Notification"] {
        let ignored = texts(&["stopReason", "continue"]);
        let expected = Behaviour {
            ignored,
            ..Behaviour::default()
        };
        assert_eq!(says(event, &stop), expected, "{event}");
    }
    assert_eq!(
        says("PreToolUse", &json!({"continue": "no"})).gate,
        Gate::Runs
    );
    assert_eq!(read("PreToolUse", "", "abort", 3).gate, Gate::Stops);
}

#[test]
fn after_a_tool_a_block_is_not_heard_and_exit_2_and_context_are() {
    let block = json!({"decision": "block", "reason": "lint failed"});
    let expected = Behaviour {
        ignored: texts(&["reason"]),
        ..Behaviour::default()
    };
    assert_eq!(says("PostToolUse", &block), expected);
    assert_eq!(
        read("PostToolUse", "", "lint failed", 2).model_sees,
        ["lint failed"]
    );
    let context = decides(
        Some("PostToolUse"),
        &json!({"additionalContext": "lint failed"}),
    );
    assert_eq!(says("PostToolUse", &context).model_sees, ["lint failed"]);
}

#[test]
fn a_stop_is_refused_with_a_reason_also_beside_continue_false() {
    let kept = Behaviour {
        gate: Gate::KeepsWorking,
        model_sees: texts(&["run the tests"]),
        ..Behaviour::default()
    };
    assert_eq!(
        says(
            "Stop",
            &json!({"decision": "block", "reason": "run the tests"})
        ),
        kept
    );
    assert_eq!(read("Stop", "", "run the tests", 2), kept);
    assert_eq!(says("Stop", &json!({"decision": "block"})).gate, Gate::Runs);
    let both = json!({"continue": false, "decision": "block", "reason": "run the tests"});
    let done = says("Stop", &both);
    assert_eq!((done.gate, done.model_sees), (kept.gate, kept.model_sees));
}

#[test]
fn a_prompt_and_a_compaction_are_refused_by_the_exit_code_alone() {
    let block = json!({"decision": "block", "reason": "a secret"});
    for event in ["UserPromptSubmit", "PreCompact", "SubagentStop"] {
        assert_eq!(says(event, &block).gate, Gate::Runs, "{event}");
    }
    let done = read("UserPromptSubmit", "", "a secret", 2);
    assert_eq!(
        (done.gate, done.person_sees),
        (REFUSED, texts(&["a secret"]))
    );
    let done = read("PreCompact", "", "export first", 2);
    assert_eq!((done.gate, done.ignored), (REFUSED, texts(&["stderr"])));
}

#[test]
fn plain_text_is_heard_at_a_prompt_and_a_start() {
    for event in ["UserPromptSubmit", "SessionStart"] {
        assert_eq!(
            read(event, "branch: main\n", "", 0).model_sees,
            ["branch: main"],
            "{event}"
        );
        assert_eq!(
            read(event, "branch: main\n", "", 1).ignored,
            ["stdout"],
            "{event}"
        );
    }
    assert_eq!(read("PreToolUse", "fine", "", 0).ignored, ["stdout"]);
}

#[test]
fn a_message_is_shown_after_a_tool_and_at_a_stop_only() {
    let message = json!({"systemMessage": "linter is missing"});
    for (event, is_shown) in [
        ("PreToolUse", false),
        ("PostToolUse", true),
        ("UserPromptSubmit", false),
        ("Stop", true),
        ("SessionStart", false),
    ] {
        let shown = says(event, &message).person_sees == ["linter is missing"];
        assert_eq!(shown, is_shown, "{event}");
    }
}
