//! A stranger's repository, or anything else that takes for ever, keeps no guard from answering.

use std::io::Write as _;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, finish, on, start};

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
    let line = "\"$0\" run --host claude-code --deadline 50; times >&2";
    let shell = env.other("/bin/sh", &["-c", line, env!("CARGO_BIN_EXE_anyhook")]);
    let left = finish(start(shell, payload.to_string().as_bytes()));
    let children = left.stderr.lines().last().unwrap_or_default();
    let seconds = children.split_whitespace().map(|time| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    });
    let seconds = seconds.sum();
    (left, seconds)
}

/// Answers a call whose input the agent does not close.
fn unclosed(env: &TestEnv, input: &[u8]) -> Left {
    let mut command = env.command(&[
        "run",
        "PreToolUse",
        "--host",
        "claude-code",
        "--deadline",
        "2",
    ]);
    let (read, mut write) = std::io::pipe().unwrap();
    write.write_all(input).unwrap();
    let child = command.stdin(read).spawn().unwrap();
    // Kept open until the answer is there.
    let left = finish(child);
    drop(write);
    left
}

#[test]
fn thousands_of_keys_in_a_call_cost_no_time_to_speak_of() {
    let env = TestEnv::hook("pre-tool-use", &command("exit 0"));
    let keys = (0..10_000).map(|at| (format!("key{at}"), json!(1)));
    let input: serde_json::Map<_, _> = keys.collect();
    let (left, seconds) = measured(&env, &env.pre("Bash", &Value::Object(input)));
    assert_eq!((left.code, &*left.stdout), (0, ""), "{left:?}");
    assert!(seconds < 0.8, "{seconds} s");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_file_of_too_many_hooks_is_asked_about_and_checked_in_bounded_time() {
        let env = own_guard();
        let rule = json!({"type": "rule", "when": "runs('rm')", "then": {"deny": "no rm"}});
        let command = json!({"type": "command", "command": "exit 0"});
        let file = "home/.config/anyhook/hooks.json";
        let write = |hooks: &[Value]| {
            let groups = json!([{"matcher": "Bash", "hooks": hooks}]);
            env.write(file, &on("pre-tool-use", &groups).to_string())
        };
        let call = env.pre("Bash", &json!({"command": "rm x"}));
        for (hooks, says, most) in [
            (
                vec![command; 1001],
                "1001 hooks that are no rules",
                "at most 1000",
            ),
            (vec![rule.clone(); 10_001], "10001 hooks", "at most 10000"),
        ] {
            let path = write(&hooks);
            let left = env.claude(&call);
            left.decides("ask");
            left.says(says);
            let checked = env.run(&["check", path.to_str().unwrap()], b"");
            assert!(
                checked.code == 1 && checked.stderr.is_empty(),
                "{checked:?}"
            );
            checked.says(most);
        }
        write(&vec![rule; 10_000]);
        let waits = ["run", "--host", "claude-code", "--deadline", "60"];
        env.run(&waits, call.to_string().as_bytes()).decides("deny");
    }

    #[test]
    #[ignore = "takes seconds"]
    fn thousands_of_small_hook_files_of_a_stranger_do_not_keep_the_users_guard_from_answering() {
        for (kind, many) in [
            (".github/hooks/AT.json", MANY),
            (".kiro/hooks/AT.json", MANY),
            (".agents/plugins/AT/hooks/hooks.json", 500),
            (".agent-packages/AT/hooks/hooks.json", 500),
        ] {
            let env = own_guard();
            for at in 0..many {
                let file = kind.replace("AT", &format!("p{at}"));
                env.write(&format!("project/{file}"), r#"{"version": 1, "hooks": {}}"#);
            }
            let (left, seconds) = measured(&env, &env.pre("Bash", &json!({"command": "rm x"})));
            assert_eq!(left.decision().as_deref(), Some("deny"), "{kind}: {left:?}");
            assert!(seconds < 1.0, "{kind}: {seconds} s");
            // One loud remark, and no list of them all.
            assert!(
                left.stdout.contains(&format!("holds {many} entries")),
                "{kind}: {left:?}"
            );
            assert!(left.stdout.len() < 2000, "{kind}: {left:?}");
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_input_that_does_not_end_is_answered_within_the_deadline() {
        let env = own_guard();
        let guarded = env.pre("Bash", &json!({"command": "rm x"})).to_string();
        // The whole event is there: its guard is asked about it.
        let left = unclosed(&env, guarded.as_bytes());
        left.decides("deny");
        left.says("no rm");
        left.warns("did not close");
        // A part of it, or nothing: what is not known is refused where a guard stands, and passes where none does.
        for part in [&guarded.as_bytes()[..40], b""] {
            unclosed(&env, part).decides("deny");
            let left = unclosed(&TestEnv::new(), part);
            assert_eq!((left.code, &*left.stdout), (0, ""), "{left:?}");
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn among_more_files_than_are_looked_at_a_trusted_guard_still_refuses() {
        let native = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "echo '{\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"frozen\"}'"}]}}"#;
        let guard =
            json!([{"hooks": [{"type": "rule", "when": "true", "then": {"deny": "frozen"}}]}]);
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
                let left = env.bash("ls");
                assert_eq!(
                    left.decision().as_deref(),
                    Some("deny"),
                    "{guard}: {left:?}"
                );
                assert!(left.stdout.contains("frozen"), "{guard}: {left:?}");
                assert!(left.stdout.contains("201 entries"), "{guard}: {left:?}");
                // Where a person reviewed every file, every file runs.
                let all = ["run", "--host", "claude-code", "--trust-all"];
                let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
                let left = env.run(&all, payload.as_bytes());
                assert!(left.stdout.contains("frozen"), "{guard}: {left:?}");
                assert!(!left.stdout.contains(" entries"), "{guard}: {left:?}");
            }
        }
    }
}
