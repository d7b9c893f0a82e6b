//! What a session remembers from one process to the next.

use serde_json::{Value, json};

use crate::env::{TestEnv, command, finish, on, start};

#[test]
fn a_stop_is_refused_at_most_eight_times_in_a_row_across_processes() {
    let env = TestEnv::with(&on(
        "stop",
        &json!([{"hooks": [command("anyhook say deny 'tests have not run'")]}]),
    ));
    let mut refused = Vec::new();
    for round in 0..9 {
        let mut payload = env.stop(round > 0);
        payload["last_assistant_message"] = json!(format!("done {round}"));
        let left = env.claude(&payload);
        refused.push(left.stdout.contains("\"block\""));
    }
    assert_eq!(
        refused,
        [true, true, true, true, true, true, true, true, false]
    );
}

#[test]
fn a_fault_is_told_once_per_session_across_processes() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"hooks": [command("exit 3")]}]),
    ));
    let told = |command: &str| {
        let left = env.claude(&env.pre("Bash", &json!({"command": command})));
        left.stdout.contains("failed")
    };
    assert_eq!(
        [told("one"), told("two"), told("three")],
        [true, false, false]
    );
}

#[test]
fn the_same_event_sent_twice_at_once_runs_each_hook_once_and_both_answer() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"hooks": [
            command("echo asked >> $HOME/seen; sleep 0.3; anyhook say deny 'no'"),
        ]}]),
    ));
    let payload = env.pre("Bash", &json!({"command": "one"})).to_string();
    let args = ["run", "--host", "claude-code", "--deadline", "20"];
    let both = [
        start(env.command(&args), payload.as_bytes()),
        start(env.command(&args), payload.as_bytes()),
    ];
    let decisions = both.map(|child| finish(child).decision());
    assert_eq!(
        decisions,
        [Some("deny".to_owned()), Some("deny".to_owned())]
    );
    assert_eq!(env.lines("seen"), ["asked"]);
}

/// One tool call as Cursor tells of it in its own form.
fn in_cursors_form(env: &TestEnv, line: &str) -> Value {
    json!({
        "conversation_id": "s-1", "generation_id": "g-1", "model": "m", "hook_event_name": "preToolUse",
        "cursor_version": "3.18.2", "workspace_roots": [env.path("project")], "cwd": env.path("project"),
        "tool_name": "Shell", "tool_input": {"command": line}, "tool_use_id": "toolu_1",
    })
}

#[test]
fn one_event_in_two_hosts_forms_runs_each_hook_once_and_both_are_refused_and_later_it_runs_again() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [
            command("echo asked >> $HOME/seen; sleep 0.3; anyhook say deny 'no'"),
        ]}]),
    ));
    let tell = |host: &str, payload: &Value| {
        let args = ["run", "--host", host, "--deadline", "20"];
        start(env.command(&args), payload.to_string().as_bytes())
    };
    let both = || {
        let cursor = tell("cursor", &in_cursors_form(&env, "one"));
        let claude = tell("claude-code", &env.pre("Bash", &json!({"command": "one"})));
        let (cursor, claude) = (finish(cursor), finish(claude));
        assert_eq!(cursor.json()["permission"], "deny", "{cursor:?}");
        assert_eq!(claude.decision().as_deref(), Some("deny"), "{claude:?}");
    };
    both();
    assert_eq!(env.lines("seen"), ["asked"]);
    five_seconds_pass(&env);
    both();
    assert_eq!(env.lines("seen"), ["asked", "asked"]);
}

/// Makes every answer that a session remembers five seconds older.
fn five_seconds_pass(env: &TestEnv) {
    let files = std::fs::read_dir(env.state().join("sessions")).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut state: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        for answer in state["answers"].as_array_mut().unwrap() {
            let at = answer["at"].as_i64().unwrap();
            answer["at"] = json!(at - 5000);
        }
        std::fs::write(&file, state.to_string()).unwrap();
    }
}

#[test]
fn what_an_event_cannot_say_is_said_by_the_next_one_that_can() {
    let env = TestEnv::with(&json!({"version": 1, "hooks": {
        "session-end": [{"hooks": [command("true")]}],
        "permission-request": [{"hooks": [command("anyhook say inject 'mind the budget'")]}],
        "pre-tool-use": [{"hooks": [command("true")]}],
    }}));
    let asked: Value = json!({
        "session_id": "s-1", "transcript_path": "/t", "cwd": env.path("project"), "permission_mode": "default",
        "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "x"},
    });
    assert!(!env.claude(&asked).stdout.contains("mind the budget"));
    let next = env.claude(&env.pre("Bash", &json!({"command": "y"})));
    assert_eq!(
        next.json()["hookSpecificOutput"]["additionalContext"],
        "mind the budget"
    );
    let then = env.claude(&env.pre("Bash", &json!({"command": "z"})));
    assert_eq!(then.stdout, "");
}
