//! `anyhook convert`, as a person types it.

use serde_json::{Value, json};

use crate::env::TestEnv;

const CLAUDE: &str = r#"{"hooks": {"PreToolUse": [
  {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]}
]}}"#;

#[test]
fn a_file_goes_to_the_universal_format_and_comes_back_the_same() {
    let env = TestEnv::new();
    env.write("project/.claude/settings.json", CLAUDE);
    let there = env.anyhook("init --from claude-code --to universal .claude/settings.json");
    assert_eq!((there.code, there.stderr.as_str()), (0, ""), "{there:?}");
    assert_eq!(
        there.json(),
        json!({"version": 1, "hooks": {"pre-tool-use": [
            {"matcher": "Write|Edit", "speaks": "claude-code PreToolUse", "hooks": [
                {"type": "command", "command": "./check.sh", "name": "check.sh", "timeout": 5}]}]}})
    );
    let back = env.run(
        &["init", "--from", "universal", "--to", "claude-code"],
        there.stdout.as_bytes(),
    );
    let file: Value = serde_json::from_str(CLAUDE).unwrap();
    assert_eq!((back.code, back.json()), (0, file), "{back:?}");
}

#[test]
fn what_is_lost_is_told_by_line() {
    let env = TestEnv::new();
    let text = CLAUDE.replace("\"timeout\"", "\"statusMessage\": \"wait\", \"timeout\"");
    let left = env.run(
        &["init", "--from", "claude-code", "--to", "universal"],
        text.as_bytes(),
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(
        left.stderr,
        "lost: standard input:2: `statusMessage` is left out\n"
    );
}

#[test]
fn a_file_with_an_error_and_an_unknown_format_are_refused() {
    let env = TestEnv::new();
    let left = env.run(
        &["init", "--from", "claude-code", "--to", "universal"],
        b"{",
    );
    assert_eq!((left.code, left.stdout.as_str()), (65, ""), "{left:?}");
    let left = env.run(&["init", "--from", "claude-code", "--to", "clod"], b"{}");
    assert_eq!(left.code, 64, "{left:?}");
    assert!(
        left.stderr.contains("claude-code, universal") || left.stderr.contains("universal"),
        "{left:?}"
    );
}
