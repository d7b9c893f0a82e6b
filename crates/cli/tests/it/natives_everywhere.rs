//! A guard and a rewriter written for Claude Code alone, under the payloads of other agents; and hooks that were written
//! for those, under others.

use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, finish, start};
use crate::natives::trusted;

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
fn a_hook_in_the_toml_of_codex_runs_under_claude_code_and_its_script_is_pinned() {
    let toml = "model = \"gpt\"\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n\n[[hooks.PreToolUse.hooks]]\n\
                type = \"command\"\ncommand = \"python3 check.py\"\ntimeout = 5\n";
    let script = "assert event['turn_id'] == '' and event['hook_event_name'] == 'PreToolUse'\nif 'push' in event['tool_input']['command']:\n    \
                  print('not from here', file=sys.stderr)\n    sys.exit(2)\n";
    let env = file(".codex/config.toml", toml, script);
    let left = env.bash("git push");
    left.decides("deny");
    left.says("not from here");
    env.write("project/check.py", "");
    let left = env.bash("git push");
    left.decides("deny");
    left.says("`check.py` was edited");
}

fn asked(env: &TestEnv, tool: &str, input: &Value) -> (Option<String>, String) {
    let left = env.claude(&env.pre(tool, input));
    (left.decision(), left.stdout)
}

#[test]
fn a_hook_of_a_plugin_of_goose_starts_from_its_plugin_and_its_script_is_pinned_with_it() {
    let hooks = r#"{"hooks": {
        "BeforeShellExecution": [{"matcher": "push", "hooks": [
            {"type": "command", "command": "sh ${PLUGIN_ROOT}/check.sh"}]}],
        "PreToolUse": [{"matcher": "write", "hooks": [
            {"type": "command", "command": "sh \"${PLUGIN_ROOT}/missing.sh\"", "on_failure": "block"}]}]}}"#;
    let script = "payload=$(cat)\ncase $payload in\n\
                  *'\"event\":\"BeforeShellExecution\"'*'\"matcher_context\":\"git push\"'*) \
                  echo '{\"decision\":\"block\",\"reason\":\"no pushing\"}';;\n*) echo \"$payload\" >&2; exit 9;;\nesac\n";
    let env = TestEnv::new();
    env.write("project/.agents/plugins/style/hooks/hooks.json", hooks);
    let path = "project/.agents/plugins/style/check.sh";
    env.write(path, script);
    let quiet = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(quiet.0, None, "it is not trusted yet: {quiet:?}");
    env.trust_file(".agents/plugins/style/hooks/hooks.json");
    let (decision, said) = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    said.shows("no pushing");
    assert_eq!(
        asked(&env, "Bash", &json!({"command": "ls"})),
        (None, String::new())
    );
    let (decision, said) = asked(&env, "Write", &json!({"file_path": "/p/x", "content": ""}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    // The script belongs to what was trusted.
    env.write(path, "exit 0\n");
    let (decision, said) = asked(&env, "Bash", &json!({"command": "git push"}));
    assert_eq!(decision.as_deref(), Some("deny"), "{said}");
    said.shows("no pushing");
}

/// A push as Copilot CLI tells it, with these variables in its environment.
fn copilot_push(env: &TestEnv, variables: &[(&str, &str)]) -> Left {
    let payload = json!({
        "sessionId": "s-1", "timestamp": 1, "cwd": env.path("project"), "toolName": "bash",
        "toolArgs": json!({"command": "git push", "description": "push"}).to_string(),
    });
    let args = [
        "run",
        "preToolUse",
        "--host",
        "copilot-cli",
        "--deadline",
        "20",
    ];
    let mut run = env.command(&args);
    run.envs(variables.iter().copied());
    finish(start(run, payload.to_string().as_bytes()))
}

#[test]
fn a_foreign_file_is_passed_over_only_where_the_agent_is_known_to_run_it_in_this_folder() {
    let env = trusted();
    let refuses = |left: &Left| left.stdout.contains("no pushing");
    // Copilot loads no hooks of a project that it does not trust, and calls us from the person's own settings.
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
    let left = copilot_push(&env, &[("COPILOT_ALLOW_ALL", "true")]);
    assert!(!refuses(&left), "{left:?}");
    let project = env.path("project");
    let list = json!({"trustedFolders": [project]}).to_string();
    env.write("home/.copilot/config.json", &format!("// managed\n{list}"));
    let left = copilot_push(&env, &[]);
    assert!(!refuses(&left), "{left:?}");
    env.write("home/.copilot/config.json", "{\"trustedFolders\": [");
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
    // One that was trusted and is gone guards there, too.
    std::fs::remove_dir_all(env.path("project/.claude")).unwrap();
    let left = copilot_push(&env, &[]);
    assert!(refuses(&left), "{left:?}");
}
