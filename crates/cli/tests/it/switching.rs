//! Names that a person can use, and hooks that a person switches off and on.

use serde_json::{Value, json};

use crate::approvals::typed;
use crate::env::{Shows as _, TestEnv};

const USER: &str = "home/.config/anyhook/hooks.json";
const NATIVE: &str = "project/.claude/settings.json";

fn script(name: &str) -> Value {
    json!({"type": "command", "command": format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/{name}")})
}

/// A project with three hooks of Claude Code, of which the second refuses.
fn stage() -> TestEnv {
    let env = TestEnv::new();
    let native = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [script("style.sh"), script("frozen.sh")]},
        {"matcher": "Write", "hooks": [script("style.sh")]},
    ]}});
    env.write(NATIVE, &serde_json::to_string_pretty(&native).unwrap());
    for (name, text) in [
        ("style.sh", "exit 0\n"),
        ("frozen.sh", "echo frozen >&2; exit 2\n"),
    ] {
        env.program(
            &format!("project/.claude/hooks/{name}"),
            &format!("#!/bin/sh\n{text}"),
        );
    }
    env.trust_file(".claude/settings.json");
    env
}

/// What Codex is told about a command: Claude Code runs its own files itself.
fn decision(env: &TestEnv) -> Option<String> {
    let mut payload = env.pre("Bash", &json!({"command": "ls"}));
    payload["turn_id"] = json!("t-1");
    env.told_by("codex", &payload).decision()
}

/// The names that `list` shows, and whether each is on.
fn listed(env: &TestEnv) -> Vec<(String, bool)> {
    let page = env.anyhook("list --json").json();
    let hooks = page["hooks"].as_array().unwrap().iter();
    hooks
        .map(|hook| {
            let name = hook["name"].as_str().unwrap().to_owned();
            (name, hook["enabled"].as_bool().unwrap())
        })
        .collect()
}

#[test]
fn hooks_of_an_agents_own_file_are_called_by_their_scripts_in_every_command() {
    let env = stage();
    let names: Vec<String> = listed(&env).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["style.sh", "frozen.sh", "style.sh-2"]);
    assert_eq!(decision(&env).as_deref(), Some("deny"));
    env.anyhook("why").stdout.shows("decided by frozen.sh");
    env.anyhook("explain --event pre-tool-use --tool Bash --input command=ls")
        .says("frozen.sh");
}

#[test]
fn a_person_switches_one_hook_off_and_on_again_by_its_name() {
    let env = stage();
    let own = "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {}\n}\n";
    env.write(USER, own);
    let shown = typed(&env, "anyhook list off frozen.sh", "");
    assert_eq!(shown.code, 0, "{shown:?}");
    shown.says("anyhook list on frozen.sh");
    assert_eq!(decision(&env), None);
    let all = listed(&env);
    assert_eq!(
        all.iter().map(|(_, on)| *on).collect::<Vec<_>>(),
        [true, false, true]
    );
    let list = env.anyhook("list").stdout;
    list.shows("off: `disable` in");
    typed(&env, "anyhook list off frozen.sh", "").says("off already");
    let shown = typed(&env, "anyhook list on frozen.sh", "");
    assert_eq!(shown.code, 0, "{shown:?}");
    assert_eq!(decision(&env).as_deref(), Some("deny"));
    assert_eq!(std::fs::read_to_string(env.path(USER)).unwrap(), own);
}

#[test]
fn a_hook_of_another_file_is_never_meant() {
    let env = stage();
    let other =
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [script("frozen.sh")]}]}});
    env.write("project/.claude/settings.local.json", &other.to_string());
    env.trust_file(".claude/settings.local.json");
    let shown = typed(&env, "anyhook list off frozen.sh", "");
    assert_eq!(shown.code, 64, "{shown:?}");
    shown.says("--manifest ");
    let line = "anyhook list off frozen.sh --manifest .claude/settings.json";
    assert_eq!(typed(&env, line, "").code, 0);
    let off: Vec<String> = listed(&env)
        .into_iter()
        .filter(|(_, on)| !on)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(off, ["frozen.sh"]);
    assert_eq!(
        decision(&env).as_deref(),
        Some("deny"),
        "the other file's guard holds"
    );
}

#[test]
fn a_name_that_no_hook_has_asks_whether_another_was_meant_and_no_agent_switches_anything() {
    let env = stage();
    let shown = typed(&env, "anyhook list off frozen.hs", "");
    assert_eq!(shown.code, 64, "{shown:?}");
    shown.says("did you mean `frozen.sh`?");
    for word in ["off", "on"] {
        let left = env.run(&["list", word, "frozen.sh"], b"");
        assert_eq!((left.code, left.stdout.as_str()), (77, ""), "{left:?}");
    }
    assert!(!env.path(USER).exists());
}
