//! The session in which an agent does what a trusted guard tells it to: the guard is trusted to its end.

use std::fs;

use anyhook::trust::{Standing, Trust};
use serde_json::{Value, json};

use crate::env::{Left, TestEnv, repository};

/// A project with a trusted package: the guard of the tour, or a folder of the examples.
fn project(example: Option<&str>) -> TestEnv {
    let env = TestEnv::new();
    if let Some(name) = example {
        let from = repository().join("examples").join(name).join("hooks");
        for part in ["", "scripts"] {
            for file in fs::read_dir(from.join(part)).unwrap() {
                let file = file.unwrap().path();
                if file.is_file() {
                    let text = fs::read_to_string(&file).unwrap();
                    let name = file.strip_prefix(&from).unwrap().to_str().unwrap();
                    env.write(&format!("project/hooks/{name}"), &text);
                }
            }
        }
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
            let trust = Trust::new(env.state().join("trust"));
            let manifest = env.path("project/hooks/hooks.json");
            assert_eq!(trust.standing(&manifest), Standing::Trusted);
            let (tool, input) = write(&env, host, ".env");
            call(&env, host, "PreToolUse", tool, &input).decides("deny");
        }
    }
}

#[test]
fn the_agent_is_asked_before_it_changes_what_a_trusted_script_sources_and_what_did_change_is_told()
{
    let env = TestEnv::new();
    env.write("project/guard.sh", ". \"$(dirname \"$0\")/lib/rules.sh\"\n");
    env.write("project/lib/rules.sh", "anyhook say deny no\n");
    let hook = json!({"type": "command", "guard": true, "command": "sh ${PACKAGE_ROOT}/guard.sh"});
    let manifest =
        json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}});
    env.manifest(&manifest.to_string());
    env.trust();
    let edit = |file: &str| {
        let input = json!({"file_path": env.path("project").join(file), "content": ""});
        call(&env, "claude-code", "PreToolUse", "Write", &input).decision()
    };
    assert_eq!(edit("lib/rules.sh").as_deref(), Some("ask"));
    assert_eq!(edit("lib/other.sh"), None);
    env.write("project/lib/rules.sh", "exit 0\n");
    let input = json!({"command": "ls"});
    let left = call(&env, "claude-code", "PreToolUse", "Bash", &input);
    left.decides("deny");
    left.says("`lib/rules.sh` was edited");
}
