//! Hooks of a host's own file, under other hosts: each reads what its own host would say, and answers in its words.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

/// Refuses a push and a secret, as people write it for Claude Code.
const GUARD: &str = r#"#!/usr/bin/env python3
import json, sys
event = json.load(sys.stdin)
assert event["hook_event_name"] == "PreToolUse"
assert event["session_id"] is not None and event["cwd"] and event["permission_mode"]
tool, given = event["tool_name"], event["tool_input"]
if tool == "Bash" and "git push" in given["command"]:
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no pushing"}}))
elif tool in ("Write", "Edit") and given["file_path"].endswith(".env"):
    print("secrets stay", file=sys.stderr)
    sys.exit(2)
"#;

/// Makes every npm call one of pnpm.
const REWRITER: &str = r#"#!/usr/bin/env python3
import json, sys
event = json.load(sys.stdin)
command = event["tool_input"]["command"]
if command.startswith("npm "):
    event["tool_input"]["command"] = "p" + command
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": event["tool_input"]}}))
"#;

/// A project with hooks for Claude Code alone.
fn claude_project() -> TestEnv {
    let env = TestEnv::new();
    let hook = |line: &str| json!([{"type": "command", "command": line}]);
    let settings = json!({
        "permissions": {"allow": ["Bash(ls:*)"]},
        "hooks": {"PreToolUse": [
            {"matcher": "Bash|Write|Edit", "hooks": hook("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py")},
            {"matcher": "Bash", "hooks": hook("python3 ${CLAUDE_PROJECT_DIR}/.claude/hooks/rewrite.py")},
        ]},
    });
    env.write("project/.claude/settings.json", &settings.to_string());
    env.program("project/.claude/hooks/guard.py", GUARD);
    env.write("project/.claude/hooks/rewrite.py", REWRITER);
    env
}

pub(crate) fn trusted() -> TestEnv {
    let env = claude_project();
    env.trust_file(".claude/settings.json");
    env
}

/// Sends an event as an agent does that speaks the universal form.
pub(crate) fn universal(env: &TestEnv, tool: &str, input: &Value) -> Left {
    let payload = json!({
        "hookEventName": "pre-tool-use", "sessionId": "s-1", "toolName": tool, "toolInput": input,
    });
    env.told_by("universal", &payload)
}

#[test]
fn a_hosts_own_file_runs_for_others_only_after_it_was_trusted() {
    let env = claude_project();
    let push = json!({"command": "git push"});
    let left = universal(&env, "Bash", &push);
    left.passes();
    left.says("anyhook trust");
    env.trust_file(".claude/settings.json");
    universal(&env, "Bash", &push).decides("deny");
    // Its script was pinned with it, though its name begins with a variable.
    env.write(
        "project/.claude/hooks/guard.py",
        "import sys; sys.exit(0)\n",
    );
    let left = universal(&env, "Bash", &push);
    left.decides("deny");
    left.says("guard.py` was edited");
}

#[test]
fn a_host_runs_its_own_file_itself_so_it_is_not_loaded_for_it() {
    let env = trusted();
    env.bash("git push").passes();
}

#[test]
fn the_person_s_own_settings_of_a_host_are_not_asked_under_another_one() {
    let env = TestEnv::new();
    let refuse =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
    env.write("home/.claude/settings.json", &refuse.to_string());
    let work = env.path("home/work");
    std::fs::create_dir_all(&work).unwrap();
    let payload =
        json!({"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {}, "cwd": work});
    let left = env.told_by("universal", &payload);
    assert_eq!(
        (left.decision(), left.stdout.as_str()),
        (None, ""),
        "{left:?}"
    );
}
