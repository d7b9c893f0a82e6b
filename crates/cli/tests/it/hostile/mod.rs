//! The hostile corpus, through the real program with a guard configured: nothing goes through, nothing panics, and each
//! case ends in an answer that can be parsed.

mod attacks;
mod environments;
mod payloads;

use std::process::Command;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, files_below, finish, on, start};

/// Guards as a careful author writes them: by what the event says, refusing where it says nothing.
fn guarded() -> TestEnv {
    let env = TestEnv::new();
    env.write("project/hooks/scripts/guard.sh", GUARD);
    env.manifest(&on("pre-tool-use", &json!([{"hooks": [
        {"type": "command", "guard": true, "name": "guard", "command": "sh ${PACKAGE_ROOT}/hooks/scripts/guard.sh"},
    ]}])).to_string());
    env.trust();
    env
}

const GUARD: &str = r#"
tool=$(anyhook get tool_name) || { anyhook say deny "an event without a tool"; exit; }
input=$(anyhook get tool_input) || { anyhook say deny "a call without an input"; exit; }
case "$(printf '%s' "$input" | tr '[:upper:]' '[:lower:]')" in
  *.env*|*"rm -rf"*|*"rm -fr"*) anyhook say deny "protected";;
esac
case "$tool" in Write|Bash|Edit) ;; *) anyhook say deny "an unknown tool";; esac
"#;

const RUN: [&str; 6] = [
    "run",
    "PreToolUse",
    "--host",
    "claude-code",
    "--deadline",
    "20",
];

fn claude(env: &TestEnv, payload: &[u8]) -> Left {
    env.run(&RUN, payload)
}

/// What becomes of the call that the guard refuses, where the program is started in another way.
fn claude_in(env: &TestEnv, change: impl FnOnce(&mut Command) -> &mut Command) -> Left {
    let mut run = env.command(&RUN);
    change(&mut run);
    finish(start(run, &secret(env)))
}

/// Tells whether an attack left its mark anywhere.
fn has_pwned(env: &TestEnv) -> bool {
    let mut files = files_below(&env.path("")).into_iter();
    files.any(|file| file.ends_with("pwned"))
}

/// Tells whether Claude Code would not just run the action after this answer, by the independent reader.
fn refused(left: &Left) -> bool {
    let reader = anyhook_readers::reader("claude-code").unwrap();
    let payload = json!({"tool_name": "Write", "tool_input": {"file_path": ".env"}});
    let behaviour = left.read_by(reader, "PreToolUse", &payload);
    behaviour.gravity() >= anyhook_readers::Gravity::Ask
}

fn is_an_answer(left: &Left) -> bool {
    let parses = left.stdout.is_empty() || serde_json::from_str::<Value>(&left.stdout).is_ok();
    parses && (left.code == 0 || left.code == 2) && !left.stderr.contains("panicked")
}

fn secret(env: &TestEnv) -> Vec<u8> {
    env.pre("Write", &json!({"file_path": "/p/.env", "content": "x"}))
        .to_string()
        .into_bytes()
}
