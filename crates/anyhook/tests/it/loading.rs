//! The hooks of a `hooks.json` in a program's own registry, and what a program may get wrong.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::HookRegistry;
use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::fault::FaultKind;
use anyhook::core::handler::Handler;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::Action;
use anyhook::core::result::{HookResult, Kind};
use anyhook::load::{Layer, LoadOptions, ManifestFile, TrustScope, load};
use anyhook::mounts::{LoadHooks as _, MountErrorKind, in_process};
use anyhook::session::Setup;
use serde_json::{Value, json};
use tempfile::TempDir;

const HOOKS: &str = r#"{"version": 1, "hooks": {
  "pre-tool-use": [{"matcher": "Bash", "hooks": [
    {"name": "no-force", "type": "rule", "when": "runs('git push', '--force')", "then": {"deny": "Push a new commit."}},
    {"name": "no-secret", "type": "command", "command": "grep -q secret && { echo 'No secrets.' >&2; exit 2; }; exit 0"}
  ]}],
  "pre-model-call": [{"hooks": [{"type": "builtin", "module": "hooks-redaction"}]}]
}}"#;

fn registry() -> HookRegistry {
    HookRegistry::new()
}

fn written(text: &str) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("hooks.json");
    fs::write(&file, text).unwrap();
    (place, file)
}

fn said(registry: &HookRegistry, command: &str) -> (Kind, String) {
    let data = json!({"tool_name": "Bash", "tool_input": {"command": command}});
    let result = registry.emit_blocking("tool:pre", data).result;
    (result.verdict.kind(), result.verdict.text())
}

fn all_hold(registry: &HookRegistry) {
    let refused = |why: &str| (Kind::Deny, why.to_owned());
    assert_eq!(
        said(registry, "git push --force"),
        refused("Push a new commit.")
    );
    assert_eq!(said(registry, "echo secret"), refused("No secrets."));
    assert_eq!(said(registry, "ls"), (Kind::Continue, String::new()));
}

#[test]
fn a_rule_and_a_command_of_a_file_refuse_in_a_registry_and_are_taken_out_again() {
    let (_place, file) = written(HOOKS);
    let registry = registry();
    let hooks = registry.load(&file, TrustScope::All).unwrap();
    let names: Vec<&str> = hooks.iter().map(anyhook::registry::Handle::name).collect();
    assert_eq!(names[..2], ["no-force", "no-secret"]);
    all_hold(&registry);
    for hook in &hooks {
        hook.unregister();
    }
    assert_eq!(said(&registry, "git push --force").0, Kind::Continue);
}

#[test]
fn hooks_that_were_loaded_by_hand_are_carried_out_where_they_are_registered() {
    let (_place, file) = written(HOOKS);
    let found = [ManifestFile {
        file,
        layer: Layer::User,
    }];
    let registry = registry();
    for hook in load(&found, None, LoadOptions::default()).hooks {
        registry.register(in_process(hook));
    }
    all_hold(&registry);
}

#[test]
fn a_declared_action_is_carried_out_and_one_that_cannot_run_is_a_fault() {
    let registry = registry();
    let broken = |name: &str, text: &str| {
        let action = Action::Broken(text.to_owned());
        Hook::new("tool:pre", name, Handler::Declared(Box::new(action)))
    };
    registry.register(in_process(broken("alone", "never run").priority(-1)));
    registry.register(in_process(broken("one", "never run").guard()));
    registry.register(in_process(broken("two", "nor this")));
    let report = registry.dispatch_blocking(&mut Event::new("tool:pre", json!({})));
    let faults: Vec<_> = report
        .faults()
        .map(|(_, fault)| (fault.kind, &*fault.text))
        .collect();
    assert_eq!(faults, [(FaultKind::BadEntry, "never run"); 2]);
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
}

#[test]
fn a_file_with_an_error_in_it_is_told_with_its_place_and_registers_nothing() {
    let misspelt = HOOKS.replace("\"when\"", "\"wehn\"");
    let cut = r#"{"version": 1, "hooks": {"#;
    let newer = HOOKS.replace("\"version\": 1", "\"version\": 2");
    for text in [misspelt.as_str(), cut, newer.as_str()] {
        let (_place, file) = written(text);
        let registry = registry();
        let error = registry.load(&file, TrustScope::All).unwrap_err();
        assert_eq!(error.reason, MountErrorKind::NotAModule);
        let place = format!("`{}:", file.display());
        assert!(error.text.starts_with(&place), "{}", error.text);
        assert!(registry.list_handlers(None).is_empty());
    }
    let missing = registry().load(Path::new("/nowhere/hooks.json"), TrustScope::All);
    assert!(missing.unwrap_err().text.contains("cannot be read"));
}

#[test]
fn data_that_is_no_object_is_refused_at_every_event() {
    let registry = registry();
    registry.on("*", |_: &Event| HookResult::allow());
    for (data, what) in [
        (json!("ls"), "a text"),
        (json!(["ls"]), "a list"),
        (Value::Null, "null"),
    ] {
        let said = registry.emit_blocking("PreToolUse", data.clone()).result;
        assert_eq!(said.verdict.kind(), Kind::Deny);
        let text = format!(
            "the data of `tool:pre` must be an object, and is {what}; correct the call of `emit`"
        );
        assert_eq!(said.verdict.text(), text);
        let mut event = Event::new("tool:pre", data.clone());
        assert_eq!(
            registry.dispatch_blocking(&mut event).result.verdict.text(),
            text
        );
        let session = Session::with("s", Setup::default());
        let acted = session.emit_blocking("tool:pre", data.clone());
        assert_eq!(acted.processed.result.verdict.text(), text);
        for event in ["stop", "tool:post", "session:end", "deploy:start"] {
            let said = registry.emit_blocking(event, data.clone()).result;
            assert_eq!(said.verdict.kind(), Kind::Deny, "{event}");
        }
    }
}
