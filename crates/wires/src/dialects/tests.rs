use anyhook_core::transcript::End;
use serde_json::json;

use super::*;
use crate::tests::ended;

fn raw(end: End, stdout: &str, stderr: &str) -> Transcript {
    Transcript {
        end,
        ..ended(0, stdout, stderr)
    }
}

fn pre_tool_use() -> Event {
    Event::new(
        "pre-tool-use",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    )
}

/// Reads an answer to `pre-tool-use` that a process printed before it left with this code.
fn read(code: i32, stdout: &str, stderr: &str) -> HandlerResult {
    read_universal(&ended(code, stdout, stderr), &pre_tool_use())
}

fn fault(kind: FaultKind, text: &str) -> HandlerResult {
    Err(Box::new(Fault::new(kind, text)))
}

#[test]
fn any_other_end_is_a_fault() {
    assert_eq!(
        read(1, r#"{"decision": "block"}"#, "\nboom\nmore"),
        fault(FaultKind::ExitCode, "exit code 1: boom")
    );
    assert_eq!(
        read(127, "", ""),
        fault(FaultKind::ExitCode, "exit code 127")
    );
    let ended = |end: End| read_universal(&raw(end, "", "last words"), &pre_tool_use());
    assert_eq!(
        ended(End::Signal(9)),
        fault(FaultKind::Signal, "signal 9 ended it: last words")
    );
    assert_eq!(
        ended(End::TimedOut),
        fault(
            FaultKind::TimedOut,
            "it did not end in time, and was stopped after 1.5 s: last words"
        )
    );
    assert_eq!(
        ended(End::NotStarted("`guard` was not found".to_owned())),
        fault(FaultKind::NotStarted, "`guard` was not found")
    );
}

#[test]
fn what_looks_like_an_answer_and_is_none_is_a_fault() {
    assert_eq!(
        read(0, "{'decision': 'block'}", ""),
        fault(
            FaultKind::InvalidAnswer,
            "line 1 of its output looks like JSON and is none (key must be a string): `{'decision': 'block'}`"
        )
    );
    let mut cut = ended(0, "{\"additionalContext\": \"aaaa", "");
    cut.stdout.dropped = 7;
    assert_eq!(
        read_universal(&cut, &pre_tool_use()),
        fault(
            FaultKind::InvalidAnswer,
            "its output was cut after 27 bytes, 7 more were dropped; line 1 of its output looks like JSON and is \
             none (it ends before the JSON is complete): `{\"additionalContext\": \"aaaa`"
        )
    );
}

#[test]
fn what_is_too_long_to_be_read_to_its_end_is_a_fault_for_it_may_have_refused_there() {
    let cut = |event: &Event, stdout: &str| {
        let mut raw = ended(0, stdout, "");
        raw.stdout.dropped = 7;
        read_universal(&raw, event)
    };
    let why = "its output was cut after 5 bytes, 7 more were dropped";
    let tool = pre_tool_use();
    assert_eq!(cut(&tool, "noise"), fault(FaultKind::OverLimit, why));
    // A text for the model is told, and that it is not all.
    let start = Event::new("session:start", json!({}));
    let said = cut(&start, "noise").unwrap();
    assert_eq!(&*said.effects.inject()[0].text, "noise");
    let notice = format!("a hook said more to the model than is kept: {why}");
    assert_eq!(&*said.effects.notify()[0].text, notice);
    // A refusal that could be read stands.
    let said = cut(&tool, "{\"decision\": \"block\", \"reason\": \"no\"} noise").unwrap();
    assert_eq!(said.verdict.kind(), Kind::Deny);
}
