//! A stranger's repository, or anything else that takes for ever, keeps no guard from answering.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, finish, on, start};

/// More small files than any project has.
const MANY: usize = 2500;

/// The person's own guard, and no trusted file.
fn own_guard() -> TestEnv {
    let env = TestEnv::new();
    let rule = json!({"type": "rule", "when": "runs('rm')", "then": {"deny": "no rm"}});
    let groups = json!([{"matcher": "Bash", "hooks": [rule]}]);
    let manifest = on("pre-tool-use", &groups).to_string();
    env.write("home/.config/anyhook/hooks.json", &manifest);
    std::fs::create_dir(env.path("project/.git")).unwrap();
    env
}

/// Answers a call, and tells how many seconds of a processor that took.
fn measured(env: &TestEnv, payload: &Value) -> (Left, f64) {
    let program = env.command(&[]);
    let mut shell = Command::new("/bin/sh");
    let line = "\"$0\" run --host claude-code --deadline 50; times >&2";
    shell.args(["-c", line]).arg(program.get_program());
    shell.env_clear().current_dir(env.path("project"));
    for (name, value) in program.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    for set in [Command::stdin, Command::stdout, Command::stderr] {
        set(&mut shell, std::process::Stdio::piped());
    }
    let left = finish(start(shell, payload.to_string().as_bytes()));
    let children = left.stderr.lines().last().unwrap_or_default();
    let seconds = children.split_whitespace().map(|time| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    });
    let seconds = seconds.sum();
    (left, seconds)
}

#[test]
fn thousands_of_small_hook_files_of_a_stranger_do_not_keep_the_users_guard_from_answering() {
    for kind in [
        ".github/hooks/AT.json",
        ".kiro/hooks/AT.json",
        ".agents/plugins/AT/hooks/hooks.json",
        ".agent-packages/AT/hooks/hooks.json",
    ] {
        let env = own_guard();
        for at in 0..MANY {
            let file = kind.replace("AT", &format!("p{at}"));
            env.write(&format!("project/{file}"), r#"{"version": 1, "hooks": {}}"#);
        }
        let (left, seconds) = measured(&env, &env.pre("Bash", &json!({"command": "rm x"})));
        assert_eq!(left.decision().as_deref(), Some("deny"), "{kind}: {left:?}");
        assert!(seconds < 1.0, "{kind}: {seconds} s");
        // One loud remark, and no list of them all.
        assert!(
            left.stdout.contains("2500 entries that were never trusted"),
            "{kind}: {left:?}"
        );
        assert!(left.stdout.len() < 2000, "{kind}: {left:?}");
    }
}

#[test]
fn among_more_files_than_are_looked_at_a_trusted_guard_still_refuses() {
    let native = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "echo '{\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"frozen\"}'"}]}}"#;
    let guard = json!([{"hooks": [{"type": "rule", "when": "true", "then": {"deny": "frozen"}}]}]);
    let ours = on("pre-tool-use", &guard).to_string();
    for (kind, text) in [
        (".github/hooks/AT.json", native),
        (".agent-packages/AT/hooks/hooks.json", &*ours),
    ] {
        for linked in [false, true] {
            let env = TestEnv::new();
            std::fs::create_dir(env.path("project/.git")).unwrap();
            let guard = kind.replace("AT", "zz-guard");
            if linked {
                let real = env.write("project/real.json", text);
                let link = env.write(&format!("project/{guard}"), "");
                std::fs::remove_file(&link).unwrap();
                symlink(real, link).unwrap();
            } else {
                env.write(&format!("project/{guard}"), text);
            }
            env.trust_file(&guard);
            for at in 0..200 {
                let file = kind.replace("AT", &format!("p{at}"));
                env.write(&format!("project/{file}"), "{}");
            }
            let left = env.claude(&env.pre("Bash", &json!({"command": "ls"})));
            assert_eq!(
                left.decision().as_deref(),
                Some("deny"),
                "{guard}: {left:?}"
            );
            assert!(left.stdout.contains("frozen"), "{guard}: {left:?}");
            assert!(left.stdout.contains("200 entries"), "{guard}: {left:?}");
            // Where a person reviewed every file, every file runs.
            let all = ["run", "--host", "claude-code", "--trust-all"];
            let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
            let left = env.run(&all, payload.as_bytes());
            assert!(left.stdout.contains("frozen"), "{guard}: {left:?}");
            assert!(!left.stdout.contains("200 entries"), "{guard}: {left:?}");
        }
    }
}
