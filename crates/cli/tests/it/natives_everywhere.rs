//! A guard and a rewriter written for Claude Code alone, under the payloads of other agents; and hooks that were written
//! for those, under others.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};
use crate::natives::trusted;

fn run(env: &TestEnv, host: &str, payload: &Value) -> Left {
    env.run(
        &["run", "--host", host, "--deadline", "20"],
        payload.to_string().as_bytes(),
    )
}

/// A tool call as Codex CLI tells it.
fn codex(env: &TestEnv, tool: &str, command: &str) -> Left {
    let payload = json!({
        "session_id": "019a", "turn_id": "t-1", "transcript_path": "/home/dev/.codex/s.jsonl", "cwd": env.path("project"),
        "hook_event_name": "PreToolUse", "model": "gpt", "permission_mode": "default", "tool_name": tool,
        "tool_input": {"command": command}, "tool_use_id": "call_1",
    });
    run(env, "codex-cli", &payload)
}

#[test]
fn d27_a_guard_written_for_claude_code_alone_refuses_under_codex() {
    let env = trusted();
    let left = codex(&env, "Bash", "git push origin main");
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("no pushing"), "{left:?}");
    let quiet = codex(&env, "Bash", "ls");
    assert_eq!((quiet.decision(), quiet.code), (None, 0), "{quiet:?}");
    let patch =
        "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Add File: app/.env\n+KEY=1\n*** End Patch";
    let left = codex(&env, "apply_patch", patch);
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("secrets stay"), "{left:?}");
}

#[test]
fn d8_a_rewriter_written_for_claude_code_alone_never_lets_the_old_command_run_under_codex() {
    let env = trusted();
    let left = codex(&env, "Bash", "npm test");
    assert!(left.stdout.contains("pnpm test"), "{left:?}");
}

/// Writes and trusts a host's own file, whose hook is a script in Python that has the event in `event`.
fn file(name: &str, text: &str, script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(&format!("project/{name}"), text);
    let head = "import json, sys\nevent = json.load(sys.stdin)\n";
    env.write("project/check.py", &format!("{head}{script}"));
    env.trust_file(name);
    env
}

#[test]
fn d27_a_hook_in_the_toml_of_codex_runs_under_claude_code_and_its_script_is_pinned() {
    let toml = "model = \"gpt\"\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n\n[[hooks.PreToolUse.hooks]]\n\
                type = \"command\"\ncommand = \"python3 check.py\"\ntimeout = 5\n";
    let script = "assert event['turn_id'] == '' and event['hook_event_name'] == 'PreToolUse'\nif 'push' in event['tool_input']['command']:\n    \
                  print('not from here', file=sys.stderr)\n    sys.exit(2)\n";
    let env = file(".codex/config.toml", toml, script);
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
    assert!(left.stdout.contains("not from here"), "{left:?}");
    env.write("project/check.py", "");
    let left = env.claude(&env.pre("Bash", &json!({"command": "git push"})));
    assert_eq!(left.decision().as_deref(), Some("ask"), "{left:?}");
    assert!(left.stdout.contains("`check.py` was edited"), "{left:?}");
}
