use std::path::Path;

use anyhook_core::result::Kind;
use serde_json::{Value, json};

use super::*;
use crate::tests::world;
use crate::world::RunMode;

fn said(folder: &Path, config: &Value, tool: &str, input: &Value) -> HookResult {
    let world = world(folder);
    let around = ModuleContext {
        world: &world,
        project: folder,
        pass: RunMode::Real,
    };
    let event = Event::new(
        "tool:pre",
        json!({"tool_name": tool, "tool_input": input, "cwd": folder}),
    );
    let made = ROW.made(config.as_object().unwrap()).unwrap();
    made.answer(&event, &around).unwrap()
}

fn refuses(folder: &Path, blocked: &str, tool: &str, input: &Value) -> bool {
    let config = json!({"blocked_paths": [blocked]});
    said(folder, &config, tool, input).verdict.kind() == Kind::Deny
}

#[test]
fn a_name_is_blocked_in_every_folder_with_everything_below_it() {
    let place = tempfile::tempdir().unwrap();
    let named = |path: &str| refuses(place.path(), "secrets", "Edit", &json!({"file_path": path}));
    assert!(named("secrets") && named("a/b/secrets") && named("a/secrets/key"));
    assert!(!named("a/secrets.md"));
}

#[test]
fn without_settings_it_blocks_what_the_original_blocks() {
    let place = tempfile::tempdir().unwrap();
    let deny = said(
        place.path(),
        &json!({}),
        "Read",
        &json!({"file_path": "/etc/passwd"}),
    );
    assert_eq!(
        deny.verdict.text(),
        "`/etc/passwd` is blocked: it matches `/etc/**`, which no tool may touch; work without it, or ask the person to \
         change the settings of `file-guard`"
    );
    let near = said(
        place.path(),
        &json!({}),
        "Read",
        &json!({"file_path": "/etcetera"}),
    );
    assert!(near.is_identity());
}

#[test]
fn it_may_ask_instead() {
    let place = tempfile::tempdir().unwrap();
    let config = json!({"blocked_paths": ["*.lock"], "action": "ask"});
    let ask = said(
        place.path(),
        &config,
        "Write",
        &json!({"file_path": "Cargo.lock"}),
    );
    assert_eq!(ask.verdict.kind(), Kind::Ask);
}

#[test]
fn a_call_that_is_too_long_to_look_at_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..3000).map(|n| format!("f{n}")).collect();
    assert!(refuses(
        place.path(),
        "x",
        "mcp__fs__read",
        &json!({"paths": names})
    ));
    let long = format!("echo {}", "a ".repeat(200_000));
    assert!(refuses(
        place.path(),
        "x",
        "Bash",
        &json!({"command": long})
    ));
}

#[test]
fn wrong_settings_are_all_told_at_once() {
    let config = json!({"blocked_path": ["a"], "allowed_paths": "b", "action": "refuse"});
    let errors = ROW.made(config.as_object().unwrap()).err().unwrap();
    assert_eq!(
        errors.0,
        [
            "`blocked_path` cannot be read: unknown field `blocked_path`, expected one of `blocked_paths`, \
             `allowed_paths`, `action`",
            "`allowed_paths` cannot be read: invalid type: string \"b\", expected a sequence",
            "`action` cannot be read: unknown variant `refuse`, expected `deny` or `ask`",
        ]
    );
}
