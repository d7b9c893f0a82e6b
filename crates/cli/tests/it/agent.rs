//! `anyhook agent` and `anyhook demo --agent`, as a person calls them.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

/// A script that writes a file, and a package that refuses secrets.
fn stage(env: &TestEnv, file: &str) {
    let script = json!([
        {"calls": [{"name": "write", "input": {"file_path": file, "content": "x"}}]},
        "I did what I could",
    ]);
    env.write("project/script.json", &script.to_string());
    let rule = json!({
        "type": "rule", "name": "secrets", "when": "touches('**/.env')",
        "then": {"deny": "`.env` holds secrets; write `.env.example`"},
    });
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Write|Edit", "hooks": [rule]}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
}

const RUN: [&str; 8] = [
    "agent",
    "write it",
    "--provider",
    "scripted:script.json",
    "--phase",
    "trusted",
    "--hooks",
    "guards/hooks/hooks.json",
];

#[test]
fn an_agent_does_its_task_and_its_hooks_are_seen() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    let left = env.run(&RUN, b"");
    assert_eq!(
        (left.code, &*left.stdout),
        (0, "I did what I could\n"),
        "{left:?}"
    );
    assert!(
        left.stderr.contains("tool:pre") && left.stderr.contains("Write notes.txt"),
        "{}",
        left.stderr
    );
    assert!(env.path("project/notes.txt").exists());
}

#[test]
fn a_guard_of_a_package_keeps_the_agent_from_what_it_refuses() {
    let env = TestEnv::new();
    stage(&env, ".env");
    let left = env.run(&RUN, b"");
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        left.stderr.contains("secrets") && left.stderr.contains("deny"),
        "{}",
        left.stderr
    );
    assert!(!env.path("project/.env").exists());
}

#[test]
fn where_nobody_can_be_asked_a_call_that_needs_a_yes_is_refused() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    let left = env.run(
        &["agent", "write it", "--provider", "scripted:script.json"],
        b"",
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert!(left.stderr.contains("approval:denied"), "{}", left.stderr);
    assert!(!env.path("project/notes.txt").exists());
}

#[test]
fn an_agent_does_not_begin_without_the_hooks_that_it_was_given() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    env.write(
        "project/guards/hooks/hooks.json",
        "{\"version\": 1, \"hooks\": ",
    );
    let left = env.run(&RUN, b"");
    assert_eq!((left.code, &*left.stdout), (65, ""), "{left:?}");
    assert!(left.stderr.contains("cannot be mounted"), "{}", left.stderr);
    assert!(!env.path("project/notes.txt").exists());
}

#[test]
fn a_task_that_was_not_done_is_an_exit_code() {
    let env = TestEnv::new();
    env.write("project/script.json", r#"[{"error": "no such model"}]"#);
    let left = env.run(&["agent", "go", "--provider", "scripted:script.json"], b"");
    assert_eq!(left.code, 1, "{left:?}");
    assert!(left.stderr.contains("no such model"), "{}", left.stderr);
    let left = env.run(&["agent", "go"], b"");
    assert_eq!(
        left.code, 78,
        "without a model there is nobody to ask: {left:?}"
    );
}

/// The plan of the seed's form, with every module that is built in.
const PLAN: &str = r#"session:
  injection_size_limit: 16
hooks:
  - module: my-hook
    source: ./guards
    config:
      enabled_events:
        - "tool:pre"
        - "prompt:submit"
      log_level: "info"
  - module: logging
    config:
      session_log_template: "~/{session_id}.jsonl"
  - module: redaction
    config:
      rules: [secrets]
  - module: approval
    config:
      rules:
        - {pattern: "ls*", action: auto_approve}
      tools:
        Write: {require_approval: false}
  - module: file-guard
    config:
      blocked_paths: [".env*"]
"#;

fn planned(env: &TestEnv, plan: &str) -> Left {
    env.write("project/plan.yaml", plan);
    let args = ["agent", "go", "--provider", "scripted:script.json"];
    let rest = ["--phase", "trusted", "--all", "--plan", "plan.yaml"];
    env.run(&[&args[..], &rest[..]].concat(), b"")
}

#[test]
fn a_plan_with_every_built_in_module_holds_for_an_agent() {
    let env = TestEnv::new();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let write = |file: &str, content: &str| json!({"calls": [{"name": "write", "input": {"file_path": file, "content": content}}]});
    let run = |command: &str| json!({"calls": [{"name": "bash", "input": {"command": command}}]});
    let script = json!([
        write("a/../.env", "x"),
        write("notes.txt", &format!("use {secret}")),
        run("ls"),
        run("ls; touch approved"),
        write("frozen.txt", "x"),
        "done",
    ]);
    env.write("project/script.json", &script.to_string());
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Write", "hooks": [{"type": "rule", "name": "frozen",
            "when": "touches('frozen.txt')", "then": {"deny": "it is frozen"}}]}],
        "pre-prompt": [{"hooks": [{"type": "rule", "name": "talks",
            "when": "true", "then": {"inject": "first line\nthe second is over the limit"}}]}],
    }});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
    let left = planned(&env, PLAN);
    assert_eq!((left.code, &*left.stdout), (0, "done\n"), "{left:?}");
    let project = env.path("project");
    for file in [".env", "approved", "frozen.txt"] {
        assert!(!project.join(file).exists(), "{file}: {left:?}");
    }
    let notes = std::fs::read_to_string(project.join("notes.txt")).unwrap();
    assert_eq!(notes, "use [REDACTED:SECRET:github-token]");

    let logs = std::fs::read_dir(env.path("home")).unwrap().flatten();
    let logs: Vec<_> = logs
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    let [log] = &logs[..] else { panic!("{logs:?}") };
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains(&secret), "{log}");
    let events: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(
        (
            count("session:start"),
            count("tool:pre"),
            count("tool:post")
        ),
        (1, 5, 2),
        "{log}"
    );
    // Three calls that were refused, and one question that nobody was there to answer.
    assert_eq!(
        (count("approval:denied"), count("session:end")),
        (4, 1),
        "{log}"
    );
    assert_eq!(count("policy:violation"), 1, "the plan's own limit: {log}");
}

#[test]
fn an_agent_does_not_begin_with_a_plan_in_which_something_is_wrong() {
    let env = TestEnv::new();
    stage(&env, "notes.txt");
    for (plan, found) in [
        (
            PLAN.replace("injection_size_limit: 16", "injection_size_limit: few"),
            "plan.yaml:2:",
        ),
        (
            PLAN.replace("blocked_paths", "bloked_paths"),
            "bloked_paths",
        ),
        (
            PLAN.replace("module: file-guard", "modul: file-guard"),
            "plan.yaml:",
        ),
        (PLAN.replace("./guards", "./nowhere"), "nowhere"),
    ] {
        let left = planned(&env, &plan);
        assert_eq!((left.code, &*left.stdout), (65, ""), "{left:?}");
        assert!(left.stderr.contains(found), "{found}: {}", left.stderr);
        assert!(!env.path("project/notes.txt").exists());
    }
}

/// Real tools and the package `guardrails`, with a scripted model.
#[test]
fn the_demo_of_the_agent_goes_through_its_guards() {
    let left = TestEnv::new().run(&["demo", "--agent", "--format", "json"], b"");
    assert_eq!(left.code, 0, "{left:?}");
    let reports: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decided: Vec<String> = reports
        .iter()
        .filter(|report| report["result"]["verdict"] == "deny")
        .map(|report| {
            format!(
                "{} {}",
                report["event"]["name"].as_str().unwrap(),
                report["event"]["subject"]
            )
        })
        .collect();
    assert_eq!(
        decided,
        ["tool:pre \"read\"", "tool:pre \"bash\"", "stop null"]
    );
    let failed = reports
        .iter()
        .flat_map(|report| report["steps"].as_array().unwrap());
    let failed: Vec<&Value> = failed
        .filter(|step| step.to_string().contains("fault"))
        .collect();
    assert_eq!(failed, Vec::<&Value>::new());
}

/// Runs the stage with a script of one turn of calls.
fn calls(env: &TestEnv, calls: &Value) -> Left {
    stage(env, "unused");
    let script = json!([{"calls": calls}, "I did what I could"]);
    env.write("project/script.json", &script.to_string());
    env.run(&RUN, b"")
}

#[test]
fn an_agent_does_not_change_the_package_that_guards_it() {
    let env = TestEnv::new();
    let before = {
        stage(&env, "unused");
        std::fs::read_to_string(env.path("project/guards/hooks/hooks.json")).unwrap()
    };
    let left = calls(
        &env,
        &json!([
            {"name": "write", "input": {"file_path": "guards/hooks/hooks.json", "content": "{}"}},
            {"name": "edit", "input": {"file_path": "./guards/../guards/hooks/hooks.json", "old_string": "secrets", "new_string": "x"}},
            {"name": "write", "input": {"file_path": "guards/hooks/scripts/guard.sh", "content": "exit 0"}},
            {"name": "bash", "input": {"command": "rm -r guards"}},
        ]),
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert!(left.stderr.contains("anyhook:guarded"), "{}", left.stderr);
    let after = std::fs::read_to_string(env.path("project/guards/hooks/hooks.json")).unwrap();
    assert_eq!(before, after);
    assert!(!env.path("project/guards/hooks/scripts").exists());
}

#[test]
fn a_command_of_the_agent_does_not_get_the_key_of_its_model() {
    let env = TestEnv::new();
    let script = json!([
        {"calls": [{"name": "bash", "input": {"command": "echo \"[$ANYHOOK_MODEL_KEY]\" > key"}}]},
    ]);
    env.write("project/script.json", &script.to_string());
    let run = [
        "agent",
        "go",
        "--provider",
        "scripted:script.json",
        "--phase",
        "trusted",
    ];
    let mut command = env.command(&run);
    command.env("ANYHOOK_MODEL_KEY", "sk-1");
    let left = crate::env::finish(crate::env::start(command, b""));
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(
        std::fs::read_to_string(env.path("project/key")).unwrap(),
        "[]\n"
    );
}
