//! Halts and texts that an agent drops.

use std::path::Path;

use anyhook::core::fit::Loss;
use anyhook::core::result::Kind;
use anyhook::event::{Context, EventAnswer};
use anyhook::state::FileState;
use anyhook::wires::host;
use serde_json::{Value, json};

use crate::lines::{line, world};

/// Tells an event, with nothing kept but what is in the state's files.
fn told(home: &Path, agent: &str, hooks: &Value, event: &str, more: &Value) -> EventAnswer {
    let manifest = home.join("hooks.json");
    std::fs::write(&manifest, json!({"version": 1, "hooks": hooks}).to_string()).unwrap();
    let (world, state) = (world(home), FileState::new(home.join("sessions")));
    let line = Context {
        host: host(agent).unwrap(),
        manifest: Some(manifest),
        state: Some(&state),
        ..line(&world)
    };
    let mut payload = json!({
        "session_id": "s-1", "transcript_path": "/t", "cwd": home, "hook_event_name": event, "turn_id": "t",
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    line.run(payload.to_string().as_bytes())
}

fn rule(then: &Value) -> Value {
    json!([{"hooks": [{"type": "rule", "name": "it", "when": "true", "then": then}]}])
}

fn call(line: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": line}, "tool_response": {}, "tool_use_id": line})
}

#[test]
fn a_halt_when_a_session_begins_refuses_each_prompt_in_the_agents_own_words() {
    let home = tempfile::tempdir().unwrap();
    let hooks = json!({"session-start": rule(&json!({"halt": "no VPN"}))});
    let tell = |event, more: Value| told(home.path(), "qwen-code", &hooks, event, &more);
    let begun = tell("SessionStart", json!({"source": "startup"}));
    assert_eq!(begun.report.said.unwrap().verdict.kind(), Kind::Continue);
    for text in ["hello", "hello again"] {
        let told = tell("UserPromptSubmit", json!({"prompt": text}));
        let said: Value = serde_json::from_str(&told.reply.stdout).unwrap();
        assert_eq!(said["decision"], "block", "{said}");
        assert!(said.to_string().contains("no VPN"), "{said}");
    }
}

#[test]
fn a_halt_after_a_tool_refuses_the_next_tool_in_the_agents_own_words_until_a_prompt() {
    let home = tempfile::tempdir().unwrap();
    let hooks = json!({"post-tool-use": rule(&json!({"halt": "the disk is full"}))});
    let tell = |event, more: Value| told(home.path(), "qwen-code", &hooks, event, &more);
    let prompt = |text: &str| tell("UserPromptSubmit", json!({"prompt": text}));
    prompt("build it");
    let after = tell("PostToolUse", call("make"));
    assert!(after.report.losses.iter().any(Loss::is_kept_halt));
    let said: Value = serde_json::from_str(&tell("PreToolUse", call("ls")).reply.stdout).unwrap();
    let said = &said["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "deny");
    let reason = said["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("the disk is full\n"), "{reason}");
    prompt("go on");
    assert_eq!(tell("PreToolUse", call("ls")).reply.stdout, "");
}
