//! What stands on the disk: manifests that go, change, hang or hide, folders that are not what they were.

use std::fs::{self, File};

use serde_json::json;

use crate::env::{Shows as _, TestEnv, command, finish, on, start, with};
use crate::hostile::{claude, guarded, is_an_answer, refused, secret};

/// What an agent with a shell can put into the place of a manifest, and whether the manifest would then hold no hook.
const REPLACEMENTS: [(&str, bool); 13] = [
    (":", true),
    ("mkfifo $FILE", false),
    ("mkdir $FILE", false),
    ("ln -s /nonexistent/x $FILE", false),
    ("ln -s $FILE $FILE", false),
    ("ln -s /dev/zero $FILE", false),
    ("truncate -s 100M $FILE", false),
    (": > $FILE", false),
    ("echo {} > $FILE", false),
    (r#"echo '{"version": 1, "hooks": {}}' > $FILE"#, true),
    (
        r#"echo '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}' > $FILE"#,
        true,
    ),
    (
        r#"echo '{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Read", "hooks": [{"type": "command", "command": "exit 0"}]}]}}' > $FILE"#,
        true,
    ),
    ("printf '%010000d' 0 | tr 0 '[' > $FILE", false),
];

fn put(env: &TestEnv, file: &str, line: &str) {
    let file = env.write(file, "");
    fs::remove_file(&file).unwrap();
    let mut shell = env.other("/bin/sh", &["-c", line]);
    shell.env("FILE", file);
    assert_eq!(finish(start(shell, b"")).code, 0, "{line}");
}

#[test]
fn the_persons_own_manifest_never_goes_in_silence_while_something_stands_in_its_place() {
    for (what, _) in REPLACEMENTS.iter().filter(|(_, is_empty)| !is_empty) {
        let env = TestEnv::new();
        put(&env, "home/.config/anyhook/hooks.json", what);
        let left = claude(&env, &secret(&env));
        assert!(is_an_answer(&left) && refused(&left), "{what}: {left:?}");
    }
}

#[test]
fn a_manifest_whose_hooks_cannot_even_be_told_apart_is_asked_about() {
    for text in [
        r#"{"version": 1}"#,
        r#"{"version": 1, "hooks": []}"#,
        r#"{"version": 1, "hooks": "x"}"#,
    ] {
        let env = TestEnv::new();
        env.write("home/.config/anyhook/hooks.json", text);
        let left = claude(&env, &secret(&env));
        assert_eq!(left.decision().as_deref(), Some("ask"), "{text}: {left:?}");
    }
}

#[test]
fn a_guard_on_a_misspelled_event_is_told_to_the_person() {
    let env = TestEnv::new();
    let manifest = on("pre-tool-uses", &json!([{"hooks": [command("exit 2")]}]));
    env.write("home/.config/anyhook/hooks.json", &manifest.to_string());
    let left = claude(&env, &secret(&env));
    left.json()["systemMessage"]
        .to_string()
        .shows("did you mean `pre-tool-use`?");
}

#[test]
fn a_strangers_repository_never_hangs_the_line_nor_asks_anything() {
    for (what, _) in REPLACEMENTS {
        let env = TestEnv::new();
        put(&env, "project/hooks/hooks.json", what);
        let left = claude(&env, &secret(&env));
        assert!(
            is_an_answer(&left) && left.decision().is_none(),
            "{what}: {left:?}"
        );
        assert_eq!(left.code, 0, "{what}");
    }
}

#[test]
fn files_that_an_agent_adds_to_a_package_are_not_read_however_long_they_are() {
    let env = guarded();
    for at in 0..400 {
        let file = env.path("project/hooks/scripts").join(format!("{at}.bin"));
        File::create(file).unwrap().set_len(64 << 20).unwrap();
    }
    let left = claude(&env, &secret(&env));
    assert!(is_an_answer(&left) && refused(&left), "{left:?}");
    assert!(
        left.stdout.len() < 4000,
        "not a list of 400 files: {left:?}"
    );
}

#[test]
fn a_script_of_the_same_name_where_the_agent_stands_does_not_run_for_the_trusted_one() {
    for line in ["hooks/scripts/check.sh", "sh hooks/scripts/check.sh"] {
        let env = TestEnv::new();
        for (file, text) in [
            ("project", "#!/bin/sh\nexit 2\n"),
            ("project/sub", "#!/bin/sh\ntouch pwned\n"),
        ] {
            env.program(&format!("{file}/hooks/scripts/check.sh"), text);
        }
        env.manifest(&on("pre-tool-use", &json!([{"hooks": [command(line)]}])).to_string());
        env.trust();
        let sub = env.path("project/sub");
        let call = with(
            env.pre("Bash", &json!({"command": "ls"})),
            &json!({"cwd": sub}),
        );
        let left = env.told_in("claude-code", &call, |run| run.current_dir(sub));
        assert_eq!(left.decision().as_deref(), Some("deny"), "{line}: {left:?}");
        assert!(!env.path("project/sub/pwned").exists());
    }
}

#[test]
fn a_file_where_a_folder_of_the_state_belongs_does_not_switch_a_guard_off() {
    for spoilt in ["sessions", "reports", "payloads"] {
        let env = guarded();
        fs::write(env.state().join(spoilt), "a file where a folder belongs").unwrap();
        let left = claude(&env, &secret(&env));
        assert_eq!(
            left.decision().as_deref(),
            Some("deny"),
            "{spoilt}: {left:?}"
        );
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn an_event_that_names_another_folder_is_still_guarded_where_we_run() {
        let env = guarded();
        let far = format!("/{}", "a/".repeat(500_000));
        for cwd in ["/", "/nonexistent", "relative", "", "/dev/null", &far] {
            let payload = json!({
                "session_id": "s-1", "cwd": cwd, "hook_event_name": "PreToolUse",
                "tool_name": "Write", "tool_input": {"file_path": "/p/.env"},
            });
            let left = claude(&env, payload.to_string().as_bytes());
            assert!(refused(&left), "{}: {left:?}", crate::env::head(cwd));
        }
    }
}
