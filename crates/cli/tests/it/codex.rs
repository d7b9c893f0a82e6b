//! What Codex CLI reads: nothing that it would drop.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, on};

fn codex(env: &TestEnv, payload: &Value) -> Left {
    let mut payload = payload.clone();
    payload["turn_id"] = json!("t-1");
    env.run(
        &["run", "--host", "codex", "--deadline", "20"],
        payload.to_string().as_bytes(),
    )
}

fn patch(file: &str) -> Value {
    json!({"command": format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch")})
}

fn silent() -> Left {
    Left {
        stdout: String::new(),
        stderr: String::new(),
        code: 0,
    }
}

#[test]
fn a_guard_of_writes_sees_the_files_of_a_patch() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"matcher": "Write|Edit", "hooks": [{"type": "command", "guard": true, "name": "secrets",
            "command": r#"case "$(anyhook get tool_input.file_path)" in *.env) anyhook say deny 'Secrets stay.';; esac"#}]}]),
    ));
    let left = codex(&env, &env.pre("apply_patch", &patch(".env")));
    assert_eq!((left.code, left.stderr.as_str()), (0, ""), "{left:?}");
    let said = &left.json()["hookSpecificOutput"];
    let keys: Vec<&String> = said.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason"
        ]
    );
    assert_eq!(said["permissionDecision"], "deny");
    assert_eq!(
        codex(&env, &env.pre("apply_patch", &patch("src/main.rs"))),
        silent()
    );
}

#[test]
fn a_rewrite_alone_is_refused_with_the_corrected_value_and_said_where_the_mode_permits_everything()
{
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [command("anyhook say rewrite tool_input.command 'pnpm i'")]}]),
    ));
    let mut payload = env.pre("Bash", &json!({"command": "npm i"}));
    let said = &codex(&env, &payload).json()["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "deny");
    let reason = said["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains(r#"{"command":"pnpm i"}"#), "{reason}");
    payload["permission_mode"] = json!("bypassPermissions");
    let said = &codex(&env, &payload).json()["hookSpecificOutput"];
    assert_eq!(
        said,
        &json!({"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "pnpm i"}})
    );
}

#[test]
fn a_universal_hook_on_write_and_edit_is_asked_about_each_file_of_a_patch() {
    let asked = "echo \"$(anyhook get tool_name) $(anyhook get tool_input.file_path) ${file##*/}\" >> $HOME/seen";
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([
            {"matcher": "Write|Edit", "hooks": [
                command(asked),
                {"type": "rule", "when": "tool_name == 'Write' && tool_input.file_path.endsWith('.env')",
                 "then": {"deny": "secrets stay untouched"}},
            ]},
            {"matcher": "apply_patch", "hooks": [command("anyhook get tool_name >> $HOME/whole")]},
        ]),
    ));
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** Add File: b.txt\n+z\n*** End Patch";
    let payload = |patch: &str, id: &str| {
        json!({
            "session_id": "s-1", "turn_id": "t", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
            "permission_mode": "default", "model": "m", "hook_event_name": "PreToolUse", "tool_use_id": id,
            "tool_name": "apply_patch", "tool_input": {"command": patch},
        })
        .to_string()
    };
    let run = |payload: String| {
        env.run(
            &["run", "--host", "codex-cli", "--deadline", "20"],
            payload.as_bytes(),
        )
    };
    let left = run(payload(patch, "c1"));
    assert_eq!((left.code, left.stdout.as_str()), (0, ""), "{left:?}");
    let mut seen = env.lines("seen");
    seen.sort();
    let at = |name: &str| env.path("project").join(name).display().to_string();
    assert_eq!(
        seen,
        [
            format!("Edit {} a.txt", at("a.txt")),
            format!("Write {} b.txt", at("b.txt"))
        ]
    );
    assert_eq!(
        env.lines("whole"),
        ["apply_patch"],
        "who asks for the patch gets it whole"
    );
    let refused = run(payload(&patch.replace("b.txt", ".env"), "c2"));
    assert!(
        refused.stdout.contains("secrets stay untouched"),
        "{refused:?}"
    );
}
