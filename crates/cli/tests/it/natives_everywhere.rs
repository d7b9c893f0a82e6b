//! A guard and a rewriter written for Claude Code alone, under the payloads of other agents; and hooks that were written
//! for those, under others.

use serde_json::json;

use crate::env::{Left, TestEnv, finish, start};
use crate::natives::trusted;

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
