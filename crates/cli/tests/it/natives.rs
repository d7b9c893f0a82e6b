//! Hooks of a host's own file, under other hosts: each reads what its own host would say, and answers in its words.

use serde_json::{Value, json};

use crate::approvals::typed;
use crate::env::{Left, Shows as _, TestEnv};

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

fn settings_of(env: &TestEnv) -> String {
    std::fs::read_to_string(env.path("project/.claude/settings.json")).unwrap()
}

#[test]
fn hooks_that_are_taken_over_go_out_of_the_agent_s_file_and_refuse_as_before_until_they_are_put_back()
 {
    let env = claude_project();
    let before = settings_of(&env);
    let shown = typed(&env, "anyhook init --from claude-code", "y\n");
    assert_eq!(shown.code, 0, "{shown:?}");
    let after = settings_of(&env);
    assert!(
        !after.contains("guard.py") && after.contains("anyhook"),
        "{after}"
    );
    after.shows("Bash(ls:*)");
    let push = json!({"command": "git push"});
    universal(&env, "Bash", &push).decides("deny");
    env.claude(&env.pre("Bash", &push)).decides("deny");
    env.bash("npm i").says("pnpm i");
    let names: Value = env.anyhook("list --json").json();
    assert!(names.to_string().contains("guard.py"), "{names}");
    let left = env.anyhook("uninstall");
    assert_eq!(left.code, 0, "{left:?}");
    left.says("its own hooks are back");
    assert_eq!(settings_of(&env), before);
}

#[test]
fn hooks_stay_with_their_agent_if_the_person_says_no_or_is_not_there() {
    let env = claude_project();
    let before = settings_of(&env);
    let left = env.run(&["init", "--from", "claude-code"], b"y\n");
    assert_eq!(left.code, 77, "{left:?}");
    let shown = typed(&env, "anyhook init --from claude-code", "n\n");
    assert_eq!(shown.code, 1, "{shown:?}");
    assert_eq!(settings_of(&env), before);
    assert!(!env.path("project/hooks/hooks.json").exists());
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

/// A patch that writes one file and changes another.
fn patch(second: &str) -> Value {
    json!({"patch": format!(
        "*** Begin Patch\n*** Add File: src/new.rs\n+fn main() {{}}\n*** Update File: {second}\n@@\n-old\n+new\n*** End Patch"
    )})
}

#[test]
fn a_hook_on_write_and_edit_is_asked_about_each_file_of_a_patch() {
    let env = trusted();
    let left = universal(&env, "apply_patch", &patch("src/lib.rs"));
    assert_eq!((left.decision(), left.code), (None, 0), "{left:?}");
    let left = universal(&env, "apply_patch", &patch("config/.env"));
    left.decides("deny");
    left.says("secrets stay");
}

/// A project with one hook for Claude Code, a script in Python that has the event in `event`.
fn with_hook(matcher: &str, script: &str) -> TestEnv {
    let env = TestEnv::new();
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [
        {"type": "command", "command": "python3 .claude/hook.py"}]}]}});
    env.write("project/.claude/settings.json", &settings.to_string());
    let head = "import json, sys\nevent = json.load(sys.stdin)\ngiven = event[\"tool_input\"]\n\
                def say(**said):\n    print(json.dumps({\"hookSpecificOutput\": dict(hookEventName=\"PreToolUse\", **said)}))\n";
    env.write("project/.claude/hook.py", &format!("{head}{script}"));
    env.trust_file(".claude/settings.json");
    env
}

#[test]
fn a_rewrite_of_one_file_of_a_patch_is_refused_with_the_corrected_value() {
    let script = "if event['tool_name'] == 'Edit':\n    given['new_string'] = 'newer'\n    \
                  say(permissionDecision='allow', updatedInput=given)\n";
    let env = with_hook("Write|Edit", script);
    let left = universal(&env, "apply_patch", &patch("src/lib.rs"));
    left.decides("deny");
    left.says("newer");
}

#[test]
fn a_patch_is_approved_only_if_each_of_its_files_is() {
    let allow = |test: &str| format!("if {test}:\n    say(permissionDecision='allow')\n");
    let env = with_hook("", &allow("event['tool_name'] == 'Write'"));
    universal(&env, "apply_patch", &patch("src/lib.rs")).passes();
    let env = with_hook("", &allow("given['file_path'].startswith(event['cwd'])"));
    universal(&env, "apply_patch", &patch("src/lib.rs")).decides("allow");
}

#[test]
fn a_patch_of_more_files_than_a_hook_can_look_at_is_refused() {
    let env = with_hook("Write", "");
    let heads: Vec<String> = (0..51)
        .map(|at| format!("*** Add File: {at}\n+x"))
        .collect();
    let heads = heads.join("\n");
    let left = universal(&env, "apply_patch", &json!({"patch": heads}));
    left.decides("deny");
    left.says("touches 51 files");
}

#[test]
fn a_part_that_fails_is_a_failure_of_the_whole_unless_another_part_refuses() {
    let script = "if event['tool_name'] == 'Write':\n    sys.exit(7)\nif given['file_path'].endswith('.env'):\n    sys.exit(2)\n";
    let env = with_hook("Write|Edit", script);
    let failed = universal(&env, "apply_patch", &patch("src/lib.rs"));
    failed.passes();
    failed.says("systemMessage");
    universal(&env, "apply_patch", &patch(".env")).decides("deny");
}
