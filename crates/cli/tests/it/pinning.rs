//! The session in which an agent does what a trusted guard tells it to: the guard is trusted to its end.

use std::fs;

use anyhook::trust::PinStatus;
use serde_json::{Value, json};

use crate::env::{Left, TestEnv, copy, repository};

/// A project with a trusted package: the guard of the tour, or a folder of the examples.
fn project(example: Option<&str>) -> TestEnv {
    let env = TestEnv::new();
    if let Some(name) = example {
        let from = repository().join("examples").join(name).join("hooks");
        copy(&from, &env.path("project/hooks"));
    } else {
        let tour = fs::read_to_string(repository().join("docs/tour.md")).unwrap();
        let (_, rest) = tour.split_once("hooks/hooks.json <<'EOF'\n").unwrap();
        env.manifest(rest.split_once("\nEOF\n").unwrap().0);
    }
    env.trust();
    env
}

fn call(env: &TestEnv, host: &str, event: &str, tool: &str, input: &Value) -> Left {
    let mut payload = env.pre(tool, input);
    payload["hook_event_name"] = json!(event);
    if event == "PostToolUse" {
        payload["tool_response"] = json!({});
    }
    if host == "codex" {
        payload["turn_id"] = json!("t-1");
    }
    env.told_at(host, event, &payload)
}

/// What a host calls to write a file, and its input.
fn write(env: &TestEnv, host: &str, file: &str) -> (&'static str, Value) {
    if host == "codex" {
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+A=\n*** End Patch");
        ("apply_patch", json!({"command": patch}))
    } else {
        let path = env.path("project").join(file);
        ("Write", json!({"file_path": path, "content": "A=\n"}))
    }
}

#[test]
fn a_package_stays_trusted_when_the_agent_does_what_its_guard_told_it_to() {
    for example in [None, Some("guardrails")] {
        for host in ["claude-code", "codex"] {
            let env = project(example);
            let (tool, input) = write(&env, host, ".env");
            let refused = call(&env, host, "PreToolUse", tool, &input);
            refused.decides("deny");
            refused.says(".env.example");
            for file in [
                ".env.example",
                "package.json",
                "production.yaml",
                "x.awk",
                "common.sh",
            ] {
                let (tool, input) = write(&env, host, file);
                let left = call(&env, host, "PreToolUse", tool, &input);
                assert_eq!(left.decision(), None, "{host} {file}: {left:?}");
                env.write(&format!("project/{file}"), "A=\n");
                let after = call(&env, host, "PostToolUse", tool, &input);
                assert!(!after.stdout.contains("trust"), "{host} {file}: {after:?}");
            }
            let input = json!({"command": "cat README.md"});
            let left = call(&env, host, "PreToolUse", "Bash", &input);
            assert_eq!((left.code, &*left.stdout), (0, ""), "{host}: {left:?}");
            let manifest = env.path("project/hooks/hooks.json");
            assert_eq!(env.pins().standing(&manifest), PinStatus::Trusted);
            let (tool, input) = write(&env, host, ".env");
            call(&env, host, "PreToolUse", tool, &input).decides("deny");
        }
    }
}
