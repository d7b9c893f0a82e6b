//! A disk that is full and a folder that cannot be written, as such: file systems of their own, in a namespace of the test.

use std::process::Command;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, finish, start};

/// Tells whether this machine lets a test have a file system of its own.
fn has_namespaces() -> bool {
    let tried = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "true"])
        .output();
    let has = tried.is_ok_and(|tried| tried.status.success());
    if !has {
        eprintln!("passed over: this machine allows no user and mount namespace (unshare -Urm)");
    }
    has
}

fn guarded(required: bool) -> TestEnv {
    let rule = json!({"name": "push", "type": "rule", "when": "pushes('force')", "then": {"deny": "Push a new commit."}});
    let env = TestEnv::hook("pre-tool-use", &rule);
    env.config(&format!("[audit]\nrequired = {required}\n"));
    env
}

/// Sends an event after `mount` changed what is below the folder of the record.
fn under(env: &TestEnv, mount: &str, payload: &Value) -> Left {
    let script = format!("reports=$1; shift; {mount} && exec \"$@\"");
    let apart = [
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        &script,
        "sh",
    ];
    let mut command = env.other("unshare", &apart);
    command.arg(env.state().join("reports"));
    command.arg(env!("CARGO_BIN_EXE_anyhook"));
    command.args(["run", "--host", "claude-code", "--deadline", "20"]);
    finish(start(command, payload.to_string().as_bytes()))
}

/// The folder has a file system with no room left, or one that is read only.
const FULL: &str = "mount -t tmpfs -o size=16k,mode=700 tmpfs \"$reports\" && \
                    { head -c 65536 /dev/zero > \"$reports/filler\" 2>/dev/null; true; }";
const READ_ONLY: &str = "mount -t tmpfs -o ro,mode=700 tmpfs \"$reports\"";

#[test]
fn on_a_full_disk_and_in_a_read_only_folder_the_decision_stays_with_a_notice_and_what_must_be_recorded_is_refused()
 {
    if !has_namespaces() {
        return;
    }
    for (required, expected) in [(true, Some("deny")), (false, None)] {
        let env = guarded(required);
        let call = env.pre("Bash", &json!({"command": "ls"}));
        assert_eq!(env.claude(&call).decision(), None, "it can be recorded");
        for mount in [FULL, READ_ONLY] {
            let left = under(&env, mount, &call);
            assert_eq!(left.decision().as_deref(), expected, "{mount}: {left:?}");
            assert!(left.stdout.contains("could not be"), "{mount}: {left:?}");
            let push = env.pre("Bash", &json!({"command": "git push --force"}));
            let left = under(&env, mount, &push);
            assert_eq!(
                left.decision().as_deref(),
                Some("deny"),
                "{mount}: {left:?}"
            );
            assert!(
                left.stdout.contains("Push a new commit."),
                "{mount}: {left:?}"
            );
        }
        // The disk has room again: nothing of this is in the way.
        env.claude(&call).passes();
        assert_eq!(env.anyhook("log verify").code, 0);
    }
}
