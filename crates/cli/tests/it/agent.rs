//! `anyhook demo agent`, as a person calls them.

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A script that calls a tool about a file, and a package that refuses secrets.
fn stage(env: &TestEnv, tool: &str, file: &str) {
    let script = json!([
        {"calls": [{"name": tool, "input": {"file_path": file, "content": "x"}}]},
        "I did what I could",
    ]);
    env.write("project/script.json", &script.to_string());
    let rule = json!({
        "type": "rule", "name": "secrets", "when": "touches('**/.env')",
        "then": {"deny": "`.env` holds secrets; write `.env.example`"},
    });
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Read|Write|Edit", "hooks": [rule]}]}});
    env.write("project/guards/hooks/hooks.json", &manifest.to_string());
}

const RUN: [&str; 7] = [
    "demo",
    "agent",
    "write it",
    "--provider",
    "scripted:script.json",
    "--hooks",
    "guards/hooks/hooks.json",
];

#[test]
fn a_guard_of_a_package_keeps_the_agent_from_what_it_refuses() {
    let env = TestEnv::new();
    stage(&env, "read", ".env");
    let left = env.run(&RUN, b"");
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        left.stderr.contains("secrets") && left.stderr.contains("deny"),
        "{}",
        left.stderr
    );
}

#[test]
fn where_no_person_can_be_asked_a_call_that_needs_a_yes_is_refused() {
    let env = TestEnv::new();
    stage(&env, "write", "notes.txt");
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
    stage(&env, "write", "notes.txt");
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
        "without a model there is none to ask: {left:?}"
    );
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

#[test]
fn a_script_that_is_wrong_is_told_with_its_line_and_column_and_what_a_script_is() {
    let env = TestEnv::new();
    for (script, told) in [
        (
            "[\n  \"hello\",\n  {\"txt\": \"x\"}\n]",
            "`bad.json:3:8`: unknown field `txt`, expected one of `text`, `calls`, `usage`, `error`",
        ),
        (
            "[{\"calls\": [{\"nme\": \"bash\"}]}]",
            "`bad.json:1:18`: unknown field `nme`",
        ),
        ("[{\"calls\": [{\"input\": {}}]}]", "missing field `name`"),
        (
            "[3]",
            "`bad.json:1:2`: invalid type: integer `3`, expected a text, or an object with `text`, `calls`, `usage` or `error`",
        ),
        (
            "{}",
            "`bad.json:1:1`: invalid type: object, expected a list",
        ),
        ("[\"a\"\n\"b\"]", "`bad.json:2:1`: expected `,` or `]`"),
    ] {
        env.write("project/bad.json", script);
        let left = env.run(&["agent", "go", "--provider", "scripted:bad.json"], b"");
        assert_eq!(left.code, 65, "{left:?}");
        assert!(left.stderr.contains(told), "{told}: {}", left.stderr);
        assert!(
            left.stderr.contains("a script is a JSON list of replies"),
            "{}",
            left.stderr
        );
    }
    let left = env.run(&["agent", "go", "--provider", "nope"], b"");
    assert!(
        left.stderr.contains("`--provider scripted:FILE`"),
        "{}",
        left.stderr
    );
}
