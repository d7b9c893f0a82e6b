//! What this platform can do, written for the packages of a project when a session starts.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

const FILE: &str = "project/.agent-packages/.platform-capabilities.json";

/// A project that has packages, and a hook that a person trusts.
fn project() -> TestEnv {
    let env = TestEnv::with(&json!({"version": 1, "hooks": {"stop": [{"hooks": [
        {"type": "command", "command": "exit 0"}]}]}}));
    std::fs::create_dir(env.path("project/.agent-packages")).unwrap();
    env
}

fn start(env: &TestEnv, session: &str) -> Left {
    let payload = json!({
        "session_id": session, "transcript_path": "/t.jsonl", "cwd": env.path("project"),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    let left = env.claude(&payload);
    assert_eq!(left.code, 0, "{left:?}");
    left
}

fn written(env: &TestEnv) -> Option<Value> {
    let text = std::fs::read_to_string(env.path(FILE)).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn a_session_writes_what_its_agent_can_do_once_whatever_number_of_processes_it_has() {
    let env = project();
    start(&env, "s-1");
    let facts = written(&env).unwrap();
    assert_eq!(facts["platform"], "claude-code");
    for field in [
        "platform_version",
        "uaaps_conformance_level",
        "spec_version",
        "supported_artifacts",
        "hook_events",
        "permissions_enforcement",
        "eval_headless",
        "resolver_version",
    ] {
        assert!(facts.get(field).is_some(), "{field}");
    }
    // A second process of the same session: resuming and compacting start it again.
    std::fs::remove_file(env.path(FILE)).unwrap();
    start(&env, "s-1");
    assert_eq!(written(&env), None);
    start(&env, "s-2");
    assert_eq!(written(&env), Some(facts));
    let names: Vec<PathBuf> = std::fs::read_dir(env.path("project/.agent-packages"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(names, [env.path(FILE)], "nothing else is left");
}

#[test]
fn no_other_event_writes_what_an_agent_can_do() {
    let env = project();
    env.claude(&env.pre("Bash", &json!({"command": "ls"})));
    env.claude(&env.stop(false));
    assert_eq!(written(&env), None);
}

#[test]
fn a_project_without_packages_or_without_trust_is_told_nothing() {
    let env = project();
    std::fs::remove_dir(env.path("project/.agent-packages")).unwrap();
    start(&env, "s-1");
    assert!(!env.path("project/.agent-packages").exists());

    let stranger = TestEnv::new();
    stranger.manifest(r#"{"version": 1, "hooks": {}}"#);
    std::fs::create_dir(stranger.path("project/.agent-packages")).unwrap();
    start(&stranger, "s-1");
    assert_eq!(written(&stranger), None);

    // What was trusted and changed since is a stranger again.
    let env = project();
    env.manifest(r#"{"version": 1, "hooks": {}}"#);
    start(&env, "s-1");
    assert_eq!(written(&env), None);
}

#[test]
fn a_link_leads_the_facts_nowhere() {
    // In the place of the folder it is an error that the person hears of.
    let env = project();
    let out = env.path("home/out");
    std::fs::create_dir(&out).unwrap();
    std::fs::remove_dir(env.path("project/.agent-packages")).unwrap();
    symlink(&out, env.path("project/.agent-packages")).unwrap();
    let left = start(&env, "s-1");
    assert!(
        left.stdout.contains("the packages here were not told"),
        "{left:?}"
    );
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);

    // In the place of the file it is replaced.
    let env = project();
    let secret = env.write("home/secret", "mine");
    symlink(&secret, env.path(FILE)).unwrap();
    start(&env, "s-1");
    assert!(written(&env).is_some());
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "mine");
    assert!(
        env.path("project/.agent-packages")
            .join(".platform-capabilities.json")
            .is_file()
    );
    assert!(
        !env.path("project/.agent-packages")
            .join(".platform-capabilities.json")
            .is_symlink()
    );
}
