//! The rows of "seed versus code" that a registry decides: what a user would expect is what happens.
//!
//! `docs/reference/differences.md` names some of these tests.

use anyhook_registry::core::matcher::Matcher;
use anyhook_registry::core::result::Kind;
use serde_json::json;

use super::*;

#[test]
fn every_handler_is_listed_with_and_without_a_name() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| ());
    registry.register(Hook::on("tool:pre", |_: &Event| ()).named("mine"));
    let listed = names(&registry, "tool:pre");
    assert_eq!((listed.len(), &*listed[1]), (2, "mine"));
}

#[test]
fn a_handler_without_a_name_is_named_after_what_a_person_can_find() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| ());
    let listed = names(&registry, "tool:pre");
    let (file, line) = listed[0].rsplit_once(':').unwrap();
    assert!(
        file.ends_with("registry/rows.rs") && line.parse::<u32>().is_ok(),
        "{listed:?}"
    );
}

#[test]
fn only_what_is_said_reaches_the_others_and_nothing_reaches_the_callers_data() {
    let (registry, log) = (registry(), Log::default());
    registry.on("tool:pre", |event: &Event| {
        let mut mine = event.json().into_owned();
        mine.insert("leaked".into(), json!(true));
        HookResult::proceed().modify("tool_input", json!({"command": "ls -l"}))
    });
    let seen = log.clone();
    registry.on("tool:pre", move |event: &Event| {
        seen.note(format!(
            "{:?} {}",
            event.get("leaked"),
            event.json()["tool_input"]
        ));
    });
    let given = std::sync::Arc::new(
        json!({"tool_input": {"command": "ls"}})
            .as_object()
            .unwrap()
            .clone(),
    );
    let emitted = registry.emit_blocking("tool:pre", std::sync::Arc::clone(&given));
    assert_eq!(emitted.event.json()["tool_input"]["command"], "ls -l");
    assert_eq!(given["tool_input"]["command"], "ls");
    assert_eq!(log.take(), [r#"None {"command":"ls -l"}"#]);
}

#[test]
fn a_field_is_read_and_rewritten_under_each_of_its_names() {
    let (registry, log) = (registry(), Log::default());
    let seen = log.clone();
    let hook = Hook::on("tool:post", move |event: &Event| {
        let read =
            ["tool_name", "tool_input", "tool_result"].map(|field| event.json()[field].clone());
        seen.note(json!(read).to_string());
        HookResult::proceed().modify("tool_result", "[one file]")
    });
    registry.register(hook.when(Matcher::parse("Bash").unwrap()));
    let seen = log.clone();
    registry.on("tool:post", move |event: &Event| {
        let read = ["result", "tool_result", "arguments", "input"].map(|field| event.get(field));
        seen.note(json!(read).to_string());
    });
    // As Amplifier's loops emit it.
    let told = json!({"name": "Bash", "arguments": {"command": "ls"}, "result": "a.txt"});
    let emitted = registry.emit_blocking("tool:post", told);
    assert_eq!(
        log.take(),
        [
            r#"["Bash",{"command":"ls"},"a.txt"]"#,
            r#"["[one file]","[one file]",{"command":"ls"},{"command":"ls"}]"#
        ]
    );
    let data = emitted.event.data.json();
    assert_eq!(data["result"], "[one file]");
    assert!(
        !data.contains_key("tool_result"),
        "the program reads its own name"
    );
    assert_eq!(&*emitted.result.effects.patch()[0].field, "tool_result");
}

#[test]
fn a_handler_that_rewrites_by_another_name_rewrites_the_field_and_a_guard_sees_it() {
    let registry = registry();
    registry.register(
        Hook::on("tool:pre", |event: &Event| {
            match event.get("tool_input").unwrap()["command"].as_str() {
                Some("rm -rf /") => HookResult::deny("never"),
                _ => HookResult::proceed(),
            }
        })
        .named("guard")
        .guard(),
    );
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("arguments", json!({"command": "rm -rf /"}))
    });
    let given = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let emitted = registry.emit_blocking("tool:pre", given);
    assert_eq!(emitted.result.verdict.kind(), Kind::Deny);
    assert_eq!(emitted.event.json()["tool_input"]["command"], "rm -rf /");
}

#[test]
fn an_event_is_heard_under_both_of_its_names() {
    for (one, other) in [
        ("context:pre_compact", "context:pre-compact"),
        ("error:tool", "tool:error"),
        ("error:provider", "provider:error"),
    ] {
        let (registry, log) = (registry(), Log::default());
        registry.register(log.hook(one, one));
        registry.register(log.hook(other, other));
        for event in [one, other] {
            registry.emit_blocking(event, json!({}));
            assert_eq!(log.take(), [one, other], "{event}");
        }
    }
}
