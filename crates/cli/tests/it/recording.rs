//! `anyhook run --record`: what really happens becomes tests.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, on};

const KEY: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";

fn guarded() -> TestEnv {
    let line = "anyhook get tool_input.command | grep -q 'git push' && { echo 'no pushing' >&2; exit 2; }; exit 0";
    TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [command(line)]}]),
    ))
}

fn run(env: &TestEnv, args: &[&str], payload: &Value) -> Left {
    let line = [&["run", "--host", "claude-code", "--deadline", "20"], args].concat();
    let mut left = env.run(&line, payload.to_string().as_bytes());
    // Each report has an id of its own.
    if let Some((before, _)) = left.stdout.split_once("(anyhook why") {
        left.stdout = before.to_owned();
    }
    left
}

fn files(env: &TestEnv, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(env.path("project/hooks/tests").join(folder));
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

#[test]
fn a_live_event_becomes_a_fixture_and_a_case_that_passes() {
    let env = guarded();
    let home = env.path("home");
    let line = format!(
        "git push {KEY} {}/x {}/y",
        home.display(),
        env.path("project").display()
    );
    let mut payload = env.pre(
        "Bash",
        &json!({"command": line, "password": "hunter22", "author": "jane@example.org"}),
    );
    payload["transcript_path"] = json!(home.join("t.jsonl"));
    let plain = run(&env, &[], &payload);
    let recorded = run(&env, &["--record", "hooks/tests"], &payload);
    assert_eq!(recorded, plain, "the answer is the same");
    assert!(plain.stdout.contains("no pushing"), "{plain:?}");

    let [fixture] = files(&env, "fixtures").try_into().unwrap();
    let text = std::fs::read_to_string(&fixture).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        json!({
            "sessionId": "test-session",
            "permissionMode": "default",
            "toolName": "Bash",
            "toolInput": {
                "command": "git push [REDACTED:SECRET:anthropic-key] /home/user/x /project/y",
                "password": "[REDACTED:SECRET:named-field]",
                "author": "[REDACTED:PII:email]",
            },
            "toolUseId": "toolu_1",
            "hookEventName": "pre-tool-use",
        })
    );
    let [case] = files(&env, "cases").try_into().unwrap();
    for file in [&fixture, &case] {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let text = std::fs::read_to_string(&case).unwrap();
    assert!(text.contains("decision: deny"), "{text}");
    let tested = env.run(&["test", "-v"], b"");
    assert_eq!(tested.code, 0, "{tested:?}");
    assert!(
        tested.stdout.contains("✓ pass  pre-tool-use-bash-"),
        "{tested:?}"
    );
}

#[test]
fn the_same_event_is_recorded_once_and_no_work_is_written_over() {
    let env = guarded();
    let record = |command: &str, session: &str| {
        let mut payload = env.pre("Bash", &json!({"command": command}));
        payload["session_id"] = json!(session);
        assert_eq!(run(&env, &["--record", "hooks/tests"], &payload).code, 0);
    };
    record("ls", "one");
    let [case] = files(&env, "cases").try_into().unwrap();
    std::fs::write(&case, "# mine\n").unwrap();
    record("ls", "two");
    assert_eq!(files(&env, "fixtures").len(), 1);
    assert_eq!(std::fs::read_to_string(&case).unwrap(), "# mine\n");
    record("pwd", "two");
    assert_eq!(
        (files(&env, "fixtures").len(), files(&env, "cases").len()),
        (2, 2)
    );
}

#[test]
fn what_cannot_be_recorded_changes_no_answer() {
    let env = guarded();
    let payload = env.pre("Bash", &json!({"command": "git push"}));
    let plain = run(&env, &[], &payload);
    assert_eq!(run(&env, &["--record", "/proc/nowhere"], &payload), plain);
    env.write("project/a-file", "");
    assert_eq!(run(&env, &["--record", "a-file"], &payload), plain);
    // A name that an event chooses leads nowhere else.
    let odd = json!({"hook_event_name": "PreToolUse", "tool_name": "../../../evil", "tool_input": {}, "session_id": "s"});
    run(&env, &["--record", "hooks/tests"], &odd);
    // No test could send an unknown event.
    let unknown = json!({"hook_event_name": "BrandNewEvent", "session_id": "s"});
    run(&env, &["--record", "hooks/tests"], &unknown);
    let names: Vec<String> = files(&env, "cases")
        .iter()
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let [only] = &names[..] else {
        panic!("{names:?}")
    };
    assert!(!only.contains("..") && only.contains("evil-"), "{only}");
    // A person is told.
    let told = env.run(
        &["run", "--record", "a-file"],
        br#"{"hookEventName": "stop"}"#,
    );
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.stderr.contains("the event could not be recorded"),
        "{told:?}"
    );
}
