use serde_json::{Value, json};

use super::DevinCli;
use crate::{Answer, Behaviour, Gate, Reader};

const REFUSED: Gate = Gate::Refused { erased: false };

fn read(event: &str, stdout: &str, stderr: &str, exit: i32) -> Behaviour {
    DevinCli.reads(&Answer {
        event,
        payload: &Value::Null,
        stdout: stdout.as_bytes(),
        stderr: stderr.as_bytes(),
        exit,
    })
}

#[test]
fn exit_2_is_what_its_event_makes_of_it() {
    for (event, gate) in [
        ("PreToolUse", REFUSED),
        ("PermissionRequest", REFUSED),
        ("UserPromptSubmit", REFUSED),
        ("Stop", Gate::KeepsWorking),
    ] {
        let done = read(event, "", "not now", 2);
        assert_eq!((done.gate, done.errors.len()), (gate, 0), "{event}");
        assert_eq!(done.model_sees.len() + done.person_sees.len(), 1, "{event}");
    }
    let done = read("PostToolUse", "", "not now", 2);
    assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1));
}

#[test]
fn an_approval_would_open_its_gate() {
    let approve = json!({"decision": "approve"}).to_string();
    let gate = |event: &str, exit: i32| read(event, &approve, "no", exit).gate;
    assert_eq!(gate("PermissionRequest", 0), Gate::RunsWithoutPrompt);
    assert_eq!(gate("PreToolUse", 0), Gate::Runs);
    assert_eq!(gate("PermissionRequest", 2), REFUSED);
}

#[test]
fn what_the_page_does_not_vouch_for_is_not_heard() {
    let answer = json!({"systemMessage": "x", "continue": false, "hookSpecificOutput": {}});
    let done = read("SessionStart", &answer.to_string(), "", 0);
    let expected = Behaviour {
        ignored: ["hookSpecificOutput", "systemMessage", "continue"]
            .map(str::to_owned)
            .to_vec(),
        ..Behaviour::default()
    };
    assert_eq!(done, expected);
}
