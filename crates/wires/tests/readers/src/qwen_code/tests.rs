use serde_json::{Value, json};

use super::{QwenCode, REFUSED};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

fn read(event: &str, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    let payload = json!({"hook_event_name": event, "tool_input": {"command": "ls"}});
    QwenCode.reads(&Answer {
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

fn context(event: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "node 22"}})
}

fn refused() -> Behaviour {
    Behaviour {
        gate: REFUSED,
        model_sees: vec!["frozen".to_owned()],
        ..Behaviour::default()
    }
}

#[test]
fn exit_2_without_a_word_runs_the_tool() {
    let done = read("PreToolUse", "", " \n", 2);
    assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1));
    assert_eq!(read("PreToolUse", "", "frozen", 2), refused());
    let deny = json!({"decision": "deny", "reason": "frozen"}).to_string();
    assert_eq!(
        read("PreToolUse", &deny, "", 2).gate,
        Gate::Runs,
        "its output does not count"
    );
}

#[test]
fn a_refusal_in_json_holds_at_every_other_exit_code_and_on_either_stream() {
    let deny = |named: Option<&str>| {
        let mut specific =
            json!({"permissionDecision": "deny", "permissionDecisionReason": "frozen"});
        if let Some(named) = named {
            specific["hookEventName"] = named.into();
        }
        json!({ "hookSpecificOutput": specific }).to_string()
    };
    for named in [Some("PreToolUse"), Some("Stop"), None] {
        for exit in [0, 1, 5] {
            assert_eq!(
                read("PreToolUse", &deny(named), "", exit),
                refused(),
                "{named:?} {exit}"
            );
            assert_eq!(
                read("PreToolUse", "", &deny(named), exit),
                refused(),
                "{named:?} {exit}"
            );
        }
    }
    for word in ["block", "deny"] {
        let top = json!({"decision": word, "reason": "frozen"});
        assert_eq!(says("PreToolUse", &top), refused(), "{word}");
    }
    let mut beside = serde_json::from_str::<Value>(&deny(Some("PreToolUse"))).expect("an object");
    beside["continue"] = "yes".into();
    assert_eq!(says("PreToolUse", &beside), refused());
}

#[test]
fn before_a_tool_there_are_no_new_arguments_no_text_and_no_approval() {
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "ls -l"}, "additionalContext": "node 22"}});
    let expected = Behaviour {
        ignored: vec!["additionalContext".to_owned(), "updatedInput".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(says("PreToolUse", &allow), expected);
    let ask =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}});
    assert_eq!(says("PreToolUse", &ask).gate, Gate::AskedOf(Asked::Person));
}

#[test]
fn continue_false_refuses_a_call_and_a_prompt_and_sends_a_stop_on() {
    let stop = json!({"continue": false, "stopReason": "frozen"});
    assert_eq!(says("PreToolUse", &stop), refused());
    let prompt = Behaviour {
        gate: REFUSED,
        person_sees: vec!["frozen".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(says("UserPromptSubmit", &stop), prompt);
    let kept = Behaviour {
        gate: Gate::KeepsWorking,
        ..refused()
    };
    assert_eq!(says("Stop", &stop), kept);
    let silent = says("Stop", &json!({"decision": "block"}));
    assert_eq!(
        (silent.gate, silent.model_sees.len()),
        (Gate::KeepsWorking, 0)
    );
    assert_eq!(
        says("SessionStart", &stop).ignored,
        ["stopReason", "continue"]
    );
}

#[test]
fn after_a_tool_a_block_and_exit_2_are_not_heard_and_context_is() {
    let block = json!({"decision": "block", "reason": "lint failed"});
    for event in ["PostToolUse", "PostToolUseFailure"] {
        assert_eq!(says(event, &block).ignored, ["reason"], "{event}");
        assert_eq!(
            read(event, "", "lint failed", 2).ignored,
            ["reason"],
            "{event}"
        );
        assert_eq!(
            says(event, &context(event)).model_sees,
            ["node 22"],
            "{event}"
        );
    }
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
            says(event, &context(event)).model_sees,
            ["node 22"],
            "{event}"
        );
    }
    assert_eq!(read("PreToolUse", "fine", "", 0).ignored, ["stdout"]);
    let done = says("SubagentStart", &context("SubagentStart"));
    assert_eq!(
        (done.model_sees.len(), done.ignored.len()),
        (0, 1),
        "what no reader saw"
    );
}

#[test]
fn a_dialog_is_answered_by_its_own_object_and_not_by_exit_2() {
    let decide = |decision: &Value| json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
    let deny = decide(&json!({"behavior": "deny", "message": "frozen"}));
    assert_eq!(says("PermissionRequest", &deny), refused());
    let allow = decide(&json!({"behavior": "allow", "updatedInput": {"command": "ls -l"}}));
    let done = says("PermissionRequest", &allow);
    assert_eq!(
        (done.gate, done.input),
        (Gate::RunsWithoutPrompt, Some(json!({"command": "ls -l"})))
    );
    assert_eq!(read("PermissionRequest", "", "frozen", 2).gate, Gate::Runs);
}
