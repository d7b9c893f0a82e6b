use serde_json::{Value, json};

use super::CodexCli;
use crate::{Answer, Behaviour, Gate, Reader};

const REFUSED: Gate = Gate::Refused { erased: false };

fn read(payload: &Value, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    CodexCli.reads(&Answer {
        event: payload["hook_event_name"].as_str().expect("a name"),
        payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn on(event: &str) -> Value {
    json!({"hook_event_name": event, "tool_name": "Bash", "permission_mode": "default"})
}

fn says(event: &str, answer: &Value) -> Behaviour {
    read(&on(event), &answer.to_string(), "", 0)
}

fn permits(output: &Value) -> Behaviour {
    let mut specific = json!({"hookEventName": "PreToolUse"});
    let fields = output.as_object().expect("an object").clone();
    specific.as_object_mut().expect("an object").extend(fields);
    says("PreToolUse", &json!({ "hookSpecificOutput": specific }))
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn fails(event: &str, answer: &Value) {
    let done = says(event, answer);
    assert_eq!(done.errors.len(), 1, "{event} {answer}");
    let rest = Behaviour {
        errors: done.errors.clone(),
        ignored: texts(&["stdout"]),
        ..Behaviour::default()
    };
    assert_eq!(done, rest, "{event} {answer}");
}

#[test]
fn exit_2_refuses_six_events_and_only_with_a_word_on_stderr() {
    let refusable = [
        ("UserPromptSubmit", REFUSED),
        ("PreToolUse", REFUSED),
        ("PermissionRequest", REFUSED),
        ("PostToolUse", Gate::Runs),
        ("Stop", Gate::KeepsWorking),
        ("SubagentStop", Gate::KeepsWorking),
    ];
    for (event, gate) in refusable {
        let done = read(&on(event), "", "not now", 2);
        assert_eq!((done.gate, done.errors), (gate, vec![]), "{event}");
        let silent = read(&on(event), "", " \n", 2);
        assert_eq!(
            (silent.gate, silent.errors.len()),
            (Gate::Runs, 1),
            "{event}"
        );
    }
    for event in [
        "SessionStart",
        "SessionEnd",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "Interrupt",
    ] {
        let done = read(&on(event), "", "not now", 2);
        assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1), "{event}");
        assert_eq!(done.ignored, ["stderr"], "{event}");
    }
}

#[test]
fn any_other_code_is_a_failure_whatever_was_printed() {
    let deny = json!({"decision": "block", "reason": "no"}).to_string();
    for code in [1, 3, 127] {
        let done = read(&on("PreToolUse"), &deny, "", code);
        assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1));
    }
}

#[test]
fn what_a_call_cannot_be_answered_with_lets_it_run() {
    let input = json!({"command": "ls -l"});
    for output in [
        json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"}),
        json!({"permissionDecision": "allow"}),
        json!({"permissionDecision": "deny"}),
        json!({"permissionDecision": "deny", "permissionDecisionReason": "  "}),
        json!({"permissionDecisionReason": "alone"}),
        json!({ "updatedInput": input }),
        json!({"permissionDecision": "deny", "permissionDecisionReason": "x", "updatedInput": input}),
        json!({"permissionDecision": "allow", "updatedInput": "ls"}),
        json!({"permissionDecision": "deny", "permissionDecisionReason": "x", "sessionTitle": "y"}),
    ] {
        let mut specific = output.clone();
        specific["hookEventName"] = "PreToolUse".into();
        fails("PreToolUse", &json!({ "hookSpecificOutput": specific }));
    }
    for answer in [
        json!({"continue": false}),
        json!({"stopReason": "x"}),
        json!({"suppressOutput": true}),
        json!({"decision": "approve"}),
        json!({"decision": "block"}),
        json!({"reason": "alone"}),
        json!({"version": 1, "decision": "block", "reason": "x"}),
        json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "x"}}),
        json!({"hookSpecificOutput": {"hookEventName": "Nothing"}}),
        json!(["decision"]),
    ] {
        fails("PreToolUse", &answer);
    }
}

#[test]
fn a_call_is_refused_changed_and_told_about() {
    let refused = Behaviour {
        gate: REFUSED,
        model_sees: texts(&["frozen"]),
        ..Behaviour::default()
    };
    let deny = json!({"permissionDecision": "deny", "permissionDecisionReason": "frozen"});
    assert_eq!(permits(&deny), refused);
    let legacy = json!({"decision": "block", "reason": "frozen"});
    assert_eq!(says("PreToolUse", &legacy), refused);
    let allow = json!({"permissionDecision": "allow", "updatedInput": {"command": "ls -l"}});
    let changed = Behaviour {
        gate: Gate::RunsWithoutPrompt,
        input: Some(json!({"command": "ls -l"})),
        ..Behaviour::default()
    };
    assert_eq!(permits(&allow), changed);
    let told = permits(&json!({"additionalContext": "node 22"}));
    assert_eq!(
        (told.gate, told.model_sees),
        (Gate::Runs, texts(&["node 22"]))
    );
}

#[test]
fn a_dialog_takes_a_behaviour_and_a_message_and_nothing_else() {
    let decide = |decision: &Value| json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
    let deny = says(
        "PermissionRequest",
        &decide(&json!({"behavior": "deny", "message": "no"})),
    );
    assert_eq!((deny.gate, deny.model_sees), (REFUSED, texts(&["no"])));
    let allow = says("PermissionRequest", &decide(&json!({"behavior": "allow"})));
    assert_eq!(allow.gate, Gate::RunsWithoutPrompt);
    for decision in [
        json!({"behavior": "allow", "updatedInput": {"command": "ls"}}),
        json!({"behavior": "allow", "updatedPermissions": []}),
        json!({"behavior": "deny", "message": "no", "interrupt": true}),
        json!({"behavior": "ask"}),
        json!({"message": "no"}),
    ] {
        fails("PermissionRequest", &decide(&decision));
    }
}

#[test]
fn a_block_after_a_tool_takes_the_place_of_its_result() {
    let done = says(
        "PostToolUse",
        &json!({"decision": "block", "reason": "[redacted]"}),
    );
    let replaced = Behaviour {
        result: Some("[redacted]".into()),
        model_sees: texts(&["[redacted]"]),
        ..Behaviour::default()
    };
    assert_eq!(done, replaced);
    let output = json!({"hookEventName": "PostToolUse", "updatedMCPToolOutput": 1});
    fails("PostToolUse", &json!({ "hookSpecificOutput": output }));
    fails("PostToolUse", &json!({"reason": "alone"}));
    fails("PostToolUse", &json!({"decision": "block"}));
}

#[test]
fn continue_false_is_what_its_event_makes_of_it() {
    let stop = json!({"continue": false, "stopReason": "enough"});
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PostCompact",
        "Stop",
        "SubagentStop",
    ] {
        assert_eq!(says(event, &stop).gate, Gate::Stops, "{event}");
    }
    assert_eq!(says("PreCompact", &stop).gate, REFUSED);
    assert_eq!(says("SubagentStart", &stop).gate, Gate::Runs);
    fails("PermissionRequest", &stop);
    let both = json!({"continue": false, "decision": "block", "reason": "go on"});
    let done = says("Stop", &both);
    assert_eq!(
        (done.gate, done.model_sees, done.ignored),
        (Gate::Stops, vec![], texts(&["reason"]))
    );
}

#[test]
fn after_a_tool_continue_false_stops_nothing_and_its_reason_takes_the_place_of_the_result() {
    let done = says(
        "PostToolUse",
        &json!({"continue": false, "stopReason": "enough"}),
    );
    let expected = Behaviour {
        result: Some("enough".into()),
        model_sees: texts(&["enough"]),
        ..Behaviour::default()
    };
    assert_eq!(done, expected);
}

#[test]
fn a_refusal_that_names_another_event_holds() {
    let specific = json!({"hookEventName": "Stop", "permissionDecision": "deny",
        "permissionDecisionReason": "frozen"});
    let done = says("PreToolUse", &json!({ "hookSpecificOutput": specific }));
    assert_eq!((done.gate, done.model_sees), (REFUSED, texts(&["frozen"])));
}

#[test]
fn new_arguments_that_the_tool_cannot_be_called_with_run_nothing() {
    let done = permits(&json!({"permissionDecision": "allow", "updatedInput": {"cmd": "ls"}}));
    assert_eq!((done.gate, done.input), (REFUSED, None));
}

#[test]
fn plain_text_is_context_on_three_events_and_fails_a_stop() {
    for event in ["SessionStart", "SubagentStart", "UserPromptSubmit"] {
        let done = read(&on(event), "branch: main\n", "", 0);
        assert_eq!(done.model_sees, ["branch: main"], "{event}");
    }
    for event in ["Stop", "SubagentStop"] {
        assert_eq!(read(&on(event), "fine", "", 0).errors.len(), 1, "{event}");
    }
    assert_eq!(read(&on("PreToolUse"), "fine", "", 0).ignored, ["stdout"]);
    let broken = read(&on("SessionStart"), "{branch", "", 0);
    assert_eq!((broken.errors.len(), broken.model_sees.len()), (1, 0));
}

#[test]
fn a_stop_has_no_room_for_anything_of_its_own() {
    let output = json!({"hookEventName": "Stop", "additionalContext": "x"});
    fails(
        "Stop",
        &json!({"decision": "block", "reason": "go on", "hookSpecificOutput": output}),
    );
    fails("PreCompact", &json!({"decision": "block", "reason": "no"}));
}

#[test]
fn of_a_long_text_the_model_sees_both_ends() {
    let long = format!("start {} end", "x".repeat(20_000));
    let answer =
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": long}});
    let done = says("SessionStart", &answer);
    assert_eq!(done.model_sees.len(), 1);
    let seen = done.model_sees.concat();
    assert!(seen.starts_with("start ") && seen.ends_with(" end") && seen.len() < 11_000);
}
