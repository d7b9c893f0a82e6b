use serde_json::{Value, json};

use crate::{Answer, Asked, Behaviour, Gate, reader};

const REFUSED: Gate = Gate::Refused { erased: false };

fn read(host: &str, event: &str, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    let payload = json!({"hook_event_name": event, "tool_input": {"command": "ls", "timeout": 9}});
    reader(host).expect("a known host").reads(&Answer {
        event,
        payload: &payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn says(host: &str, event: &str, answer: &Value) -> Behaviour {
    read(host, event, &answer.to_string(), "", 0)
}

fn permits(host: &str, fields: &Value) -> Behaviour {
    let mut specific = fields.clone();
    specific["hookEventName"] = "PreToolUse".into();
    says(
        host,
        "PreToolUse",
        &json!({ "hookSpecificOutput": specific }),
    )
}

#[test]
fn exit_2_is_what_its_event_makes_of_it() {
    let expected = [
        ("qwen-code", "PreToolUse", REFUSED),
        ("qwen-code", "PermissionRequest", REFUSED),
        ("qwen-code", "UserPromptSubmit", REFUSED),
        ("qwen-code", "PostToolUse", Gate::Runs),
        ("qwen-code", "Stop", Gate::KeepsWorking),
        ("factory-droid", "PreToolUse", REFUSED),
        ("factory-droid", "Stop", Gate::KeepsWorking),
        ("factory-droid", "PreCompact", Gate::Runs),
        ("devin-cli", "PreToolUse", REFUSED),
        ("devin-cli", "UserPromptSubmit", REFUSED),
        ("devin-cli", "Stop", Gate::KeepsWorking),
    ];
    for (host, event, gate) in expected {
        let done = read(host, event, "", "not now", 2);
        assert_eq!((done.gate, done.errors), (gate, vec![]), "{host} {event}");
        assert_eq!(
            done.model_sees.len() + done.person_sees.len(),
            1,
            "{host} {event}"
        );
    }
    for (host, event) in [("qwen-code", "SessionStart"), ("devin-cli", "PostToolUse")] {
        let done = read(host, event, "", "not now", 2);
        assert_eq!(
            (done.gate, done.errors.len()),
            (Gate::Runs, 1),
            "{host} {event}"
        );
    }
}

#[test]
fn new_arguments_count_with_an_approval_only() {
    let input = json!({"command": "ls -l"});
    let allow = json!({"permissionDecision": "allow", "updatedInput": input});
    assert_eq!(permits("qwen-code", &allow).input, Some(input.clone()));
    assert_eq!(
        permits("factory-droid", &allow).input,
        Some(json!({"command": "ls -l", "timeout": 9}))
    );
    for fields in [
        json!({ "updatedInput": input }),
        json!({"permissionDecision": "ask", "updatedInput": input}),
    ] {
        let done = permits("qwen-code", &fields);
        assert_eq!(
            (done.input, done.ignored),
            (None, vec!["updatedInput".to_owned()])
        );
    }
}

#[test]
fn a_question_is_asked_of_the_person_and_a_stop_beats_a_refusal() {
    let ask = json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"});
    for host in ["qwen-code", "factory-droid"] {
        let done = permits(host, &ask);
        assert_eq!(done.gate, Gate::AskedOf(Asked::Person), "{host}");
        let both = json!({"continue": false, "stopReason": "enough", "hookSpecificOutput":
            {"hookEventName": "PreToolUse", "permissionDecision": "deny"}});
        assert_eq!(says(host, "PreToolUse", &both).gate, Gate::Stops, "{host}");
    }
}

#[test]
fn what_a_page_does_not_vouch_for_is_not_heard() {
    let context = |event: &str| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "x"}});
    let done = says("qwen-code", "SubagentStart", &context("SubagentStart"));
    assert_eq!(
        (done.model_sees.len(), done.ignored),
        (0, vec!["additionalContext".to_owned()])
    );
    let done = says("qwen-code", "Stop", &context("PreToolUse"));
    assert_eq!(done.ignored, ["hookSpecificOutput"]);
    let refused = json!({"permissionDecision": "deny", "additionalContext": "x"});
    assert_eq!(
        permits("qwen-code", &refused).model_sees,
        Vec::<String>::new()
    );
    let done = says("devin-cli", "SessionStart", &json!({"systemMessage": "x"}));
    assert_eq!(done.ignored, ["systemMessage"]);
    let done = says("qwen-code", "Stop", &json!({"continue": false}));
    assert_eq!(
        (done.gate, done.ignored),
        (Gate::Runs, vec!["continue".to_owned()])
    );
}

#[test]
fn an_approval_of_devin_cli_would_open_its_gate() {
    let approve = json!({"decision": "approve"});
    let done = says("devin-cli", "PermissionRequest", &approve);
    assert_eq!(done.gate, Gate::RunsWithoutPrompt);
    assert_eq!(says("devin-cli", "PreToolUse", &approve).gate, Gate::Runs);
    let done = read(
        "devin-cli",
        "PermissionRequest",
        &approve.to_string(),
        "no",
        2,
    );
    assert_eq!(done.gate, REFUSED);
}

#[test]
fn plain_text_is_context_where_the_page_says_so() {
    for event in ["UserPromptSubmit", "SessionStart"] {
        let done = read("factory-droid", event, "branch: main\n", "", 0);
        assert_eq!(done.model_sees, ["branch: main"]);
        let done = read("qwen-code", event, "branch: main\n", "", 0);
        assert_eq!(done.ignored, ["stdout"]);
    }
}
