//! `anyhook init` and `anyhook schema`.

use std::fs;

use crate::approvals::typed;
use crate::confining::cannot_confine;
use crate::env::{Shows as _, TestEnv, repository};

#[test]
fn init_lets_the_kernel_hold_what_the_first_rule_cannot_read() {
    let env = TestEnv::new();
    fs::remove_dir(env.path("project/hooks")).unwrap();
    let left = env.anyhook("init --confine");
    if cannot_confine() {
        assert_eq!(left.code, 78, "{left:?}");
        assert!(!env.path("project/hooks/hooks.json").exists());
        return;
    }
    assert_eq!((left.code, env.anyhook("test").code), (0, 0), "{left:?}");
    env.trust();
    let told = |line: &str| {
        let left = env.claude(&env.pre("Bash", &serde_json::json!({"command": line})));
        (left.decision(), left.stdout.contains("confine --"))
    };
    assert_eq!(told("rm -rf \"$WHICH\""), (None, true), "it runs confined");
    assert_eq!(told("rm -rf /"), (Some("deny".to_owned()), false));
    // Inside of the project the kernel holds nothing back.
    let code = "python3 -c \"open('production/a', 'w')\"";
    assert_eq!(told(code).0.as_deref(), Some("deny"));
}

#[test]
fn init_takes_the_hooks_of_a_project_over_and_a_person_s_own_only_into_their_own_file() {
    let settings = r#"{"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "date -u", "timeout": 5}
]}]}}"#;
    let env = TestEnv::new();
    env.write("home/.claude/settings.json", settings);
    let left = typed(&env, "anyhook init --from claude-code", "");
    assert!(left.code == 66 && left.text.contains("--user"), "{left:?}");
    let left = typed(&env, "anyhook init --user --from claude-code", "y\n");
    assert_eq!(left.code, 0, "{left:?}");
    fs::read_to_string(env.path("home/.config/anyhook/hooks.json"))
        .unwrap()
        .shows("date -u");
    let theirs = || fs::read_to_string(env.path("home/.claude/settings.json")).unwrap();
    assert!(!theirs().contains("date -u"), "{}", theirs());
    assert_eq!(env.anyhook("uninstall").code, 0);
    assert_eq!(theirs(), settings);
}

#[test]
fn init_from_claude_writes_a_first_case_for_each_hook_and_they_pass() {
    let env = TestEnv::new();
    let settings = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "exit 0"}]},
            {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "exit 2"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo seen"}]}],
        "Stop": [{"hooks": [{"type": "prompt", "prompt": "Is it done?"}]}]}}"#;
    env.write("project/.claude/settings.json", settings);
    let left = typed(&env, "anyhook init --from claude-code", "y\n");
    assert_eq!(left.code, 0, "{left:?}");
    let cases = fs::read_dir(env.path("project/hooks/tests/cases")).unwrap();
    let cases = cases.map(|case| fs::read_to_string(case.unwrap().path()).unwrap());
    let mut cases: Vec<String> = cases.collect();
    cases.sort();
    insta::assert_snapshot!(cases.join("---\n"));
    assert_eq!(env.anyhook("check").code, 0);
    let left = env.anyhook("test");
    assert_eq!(left.code, 0, "{left:?}");
    left.says("passed");
}

#[test]
fn a_hook_that_init_took_from_claude_finds_its_script_under_every_agent() {
    let env = TestEnv::new();
    let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/.claude/g.sh", "timeout": 5}]}],
        "Stop": [{"hooks": [{"type": "prompt", "prompt": "Is it done?"}]}]}}"#;
    env.write("project/.claude/settings.json", settings);
    env.write("project/.claude/g.sh", "echo 'not here' >&2\nexit 2\n");
    let left = typed(&env, "anyhook init --from claude-code", "y\n");
    assert_eq!(left.code, 0, "{left:?}");
    let made = fs::read_to_string(env.path("project/hooks/hooks.json")).unwrap();
    // A prompt has half a minute at Claude Code, which is what it has here without a word.
    assert!(!made.contains("600"), "{made}");
    let call = serde_json::json!({
        "session_id": "g", "transcript_path": "/t.json", "cwd": env.path("project"), "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-20T09:14:02.118Z", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
    });
    let host = ["run", "--host", "gemini-cli", "--deadline", "20"];
    let left = env.run(&host, call.to_string().as_bytes());
    assert_eq!(left.json()["decision"], "deny", "{left:?}");
    left.says("not here");
}

#[test]
fn each_schema_that_is_printed_is_the_committed_one() {
    for (args, file) in [
        (&["check", "--schema"][..], "hooks-1.json"),
        (&["check", "--schema=closed"], "hooks-closed-1.json"),
    ] {
        let printed = TestEnv::new().run(args, b"").stdout;
        let committed = fs::read_to_string(repository().join("schema").join(file)).unwrap();
        assert_eq!(printed, committed, "{file}");
    }
}
