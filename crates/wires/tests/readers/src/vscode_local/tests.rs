use serde_json::json;

use super::*;

fn reads(event: &str, exit: i32, stdout: &Value, stderr: &str) -> Behaviour {
    let payload = json!({"hook_event_name": event, "tool_name": "run_in_terminal",
        "tool_input": {"command": "ls", "explanation": "look"}});
    let stdout = match stdout {
        Value::Null => String::new(),
        stdout => stdout.to_string(),
    };
    VscodeLocal.reads(&Answer {
        event,
        payload: &payload,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

fn specific(event: &str, fields: &Value) -> Value {
    let mut specific = fields.clone();
    specific["hookEventName"] = event.into();
    json!({"hookSpecificOutput": specific})
}

#[test]
fn silence_is_no_opinion() {
    assert_eq!(
        reads("PreToolUse", 0, &Value::Null, ""),
        Behaviour::default()
    );
    assert_eq!(reads("PreToolUse", 1, &Value::Null, "x").gate, Gate::Runs);
}

#[test]
fn a_decision_about_a_tool_counts_under_the_name_of_its_event_only() {
    let deny = json!({"permissionDecision": "deny", "permissionDecisionReason": "frozen"});
    let expected = Behaviour {
        gate: Gate::Refused { erased: false },
        model_sees: vec!["frozen".to_owned()],
        ..Behaviour::default()
    };
    assert_eq!(
        reads("PreToolUse", 0, &specific("PreToolUse", &deny), ""),
        expected
    );
    assert_eq!(reads("PreToolUse", 2, &Value::Null, "frozen"), expected);
    let other = reads("PreToolUse", 0, &specific("preToolUse", &deny), "");
    assert_eq!(
        (other.gate, other.ignored),
        (Gate::Runs, vec!["hookSpecificOutput".to_owned()])
    );
    assert_eq!(reads("PreToolUse", 0, &deny, "").gate, Gate::Runs);
}

#[test]
fn a_stop_is_refused_in_either_place_and_the_reason_is_read_once() {
    let both = json!({"decision": "block", "reason": "test it",
        "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "test it"}});
    let top = json!({"decision": "block", "reason": "test it"});
    let nested = specific("Stop", &json!({"decision": "block", "reason": "test it"}));
    for answer in [both, top, nested] {
        let done = reads("Stop", 0, &answer, "");
        assert_eq!(
            (done.gate, done.model_sees),
            (Gate::KeepsWorking, vec!["test it".to_owned()])
        );
    }
    assert_eq!(
        reads("Stop", 2, &Value::Null, "test it").gate,
        Gate::KeepsWorking
    );
}

#[test]
fn new_arguments_that_do_not_fit_the_tool_are_dropped() {
    let with = |input: Value| {
        let fields = json!({"permissionDecision": "allow", "updatedInput": input});
        reads("PreToolUse", 0, &specific("PreToolUse", &fields), "").input
    };
    let fits = json!({"command": "ls -l", "explanation": "look"});
    assert_eq!(with(fits.clone()), Some(fits));
    assert_eq!(with(json!({"command": "ls -l"})), None);
    assert_eq!(with(json!({"command": 1, "explanation": "look"})), None);
}

#[test]
fn a_stopped_agent_beats_every_decision() {
    let mut answer = specific("PreToolUse", &json!({"permissionDecision": "allow"}));
    answer["continue"] = false.into();
    answer["stopReason"] = "budget".into();
    let done = reads("PreToolUse", 0, &answer, "");
    assert_eq!(
        (done.gate, done.stops_agent),
        (Gate::Stops, Some("budget".to_owned()))
    );
}

#[test]
fn an_empty_object_makes_the_host_fail() {
    assert_eq!(reads("Stop", 0, &json!({}), "").errors.len(), 1);
}
