//! What a session remembers from one process to the next.

use serde_json::{Value, json};

use crate::env::{TestEnv, command, finish, start};

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
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [
            command("echo asked >> $HOME/seen; sleep 0.3; anyhook say deny 'no'"),
        ]}]),
    );
    let tell = |host: &str, payload: &Value| {
        let args = ["run", "--host", host, "--deadline", "20"];
        start(env.command(&args), payload.to_string().as_bytes())
    };
    let both = || {
        let cursor = tell("cursor", &in_cursors_form(&env, "one"));
        let claude = tell("claude-code", &env.pre("Bash", &json!({"command": "one"})));
        let (cursor, claude) = (finish(cursor), finish(claude));
        assert_eq!(cursor.json()["permission"], "deny", "{cursor:?}");
        claude.decides("deny");
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
