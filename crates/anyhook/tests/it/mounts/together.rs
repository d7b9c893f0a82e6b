//! The mount plan of the seed as it is written, with the modules that are built in beside it, on one session.

use std::fs;
use std::path::Path;

use anyhook::core::result::Kind;
use anyhook::mounts::Catalogue;
use anyhook::session::SessionOrigin;
use serde_json::{Value, json};

use super::repositories::git;
use super::{heard, plan, session, told, world};

/// The seed's plan, whose repository is one of this machine, and one entry for each module that is built in.
const PLAN: &str = r#"hooks:
  - module: my-hook
    source: git+file://REPOSITORY@main
    config:
      enabled_events:
        - "tool:pre"
        - "tool:post"
      log_level: "info"
  - module: logging
    config:
      session_log_template: "{state}/logs/{session_id}.jsonl"
      log_level: "info"
  - module: redaction
    config:
      rules: [secrets]
  - module: approval
    config:
      rules:
        - {pattern: "ls*", action: auto_approve}
        - {pattern: "rm -rf", action: auto_deny}
      tools:
        Write: {require_approval: false}
  - module: file-guard
    priority: 10
    config:
      blocked_paths: [".env*"]
"#;

/// A repository with a package of hooks, as `my-hook` of the seed would be.
fn repository(folder: &Path) {
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "rule", "name": "frozen",
            "when": "tool_input.command == 'make deploy'", "then": {"deny": "deploys are frozen"}}]}],
        "stop": [{"hooks": [{"type": "rule", "name": "never", "when": "true", "then": {"deny": "not enabled"}}]}],
    }});
    fs::create_dir_all(folder.join("hooks")).unwrap();
    fs::write(folder.join("hooks/hooks.json"), manifest.to_string()).unwrap();
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "a hook"]);
}

#[test]
fn the_plan_of_the_seed_with_every_built_in_module_holds_on_one_session() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    repository(&folder.join("repository"));
    let text = PLAN.replace("REPOSITORY", &folder.join("repository").to_string_lossy());
    let session = session();
    let outcomes = Catalogue::new(world(folder)).mount_blocking(&session, &plan(folder, &text));
    assert_eq!(
        told(&outcomes),
        [
            "my-hook: 2 handlers",
            "logging: 1 handlers",
            "redaction: 1 handlers",
            "approval: 1 handlers",
            "file-guard: 1 handlers",
        ]
    );
    session.start_blocking(SessionOrigin::New);
    let call = |tool: &str, input: Value| {
        let data = json!({"tool_name": tool, "tool_input": input});
        let acted = session.emit_blocking("tool:pre", data);
        let said = acted.processed.result;
        (
            said.verdict.kind(),
            acted.event.data.json()["tool_input"].clone(),
        )
    };
    let run = |command: &str| call("Bash", json!({"command": command})).0;
    assert_eq!(
        run("make deploy"),
        Kind::Deny,
        "by the package of the repository"
    );
    assert_eq!(run("ls -la"), Kind::Continue);
    assert_eq!(run("cd x && rm -rf y"), Kind::Deny);
    assert_eq!(
        run("ls; make"),
        Kind::Deny,
        "no person is there to be asked"
    );
    let write =
        |path: &str, content: &str| call("Write", json!({"file_path": path, "content": content}));
    assert_eq!(write("a/../.env.local", "x").0, Kind::Deny);
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let (kind, input) = write("notes.md", &format!("use {secret}"));
    assert_eq!(
        (kind, &input["content"]),
        (Kind::Continue, &json!("use [REDACTED:SECRET:github-token]"))
    );
    let stopped = session.emit_blocking("stop", json!({}));
    assert_eq!(
        stopped.processed.result.verdict.kind(),
        Kind::Continue,
        "it is not enabled"
    );
    assert_eq!(session.end_blocking("done").faults, []);
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);

    let log = fs::read_to_string(folder.join("home/state/logs/s1.jsonl")).unwrap();
    assert!(!log.contains(&secret), "{log}");
    let events = log.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["event"].as_str().unwrap().to_owned()
    });
    let events: Vec<String> = events.collect();
    assert_eq!(
        events,
        [
            "session:start",
            "tool:pre",
            "tool:pre",
            "tool:pre",
            "tool:pre",
            "approval:denied",
            "tool:pre",
            "tool:pre",
            "stop",
            "session:end",
        ]
    );
}
