use serde_json::json;

use super::*;

#[test]
fn a_session_begins_with_context_but_not_in_versions_that_drop_it() {
    let answer = json!({"additional_context": "main", "env": {"A": "1"}}).to_string();
    for (version, seen) in [
        ("3.12.17", false),
        ("3.18.2", true),
        ("2026.07.17-abc", true),
        ("2.0", false),
    ] {
        let done = Cursor.reads(&Answer {
            event: "sessionStart",
            payload: &json!({"cursor_version": version}),
            stdout: answer.as_bytes(),
            stderr: b"",
            exit: 0,
        });
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
