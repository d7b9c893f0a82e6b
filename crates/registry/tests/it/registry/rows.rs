//! The rows of "seed versus code" that a registry decides: what a user would expect is what happens.
//!
//! `docs/reference/differences.md` names these tests.

use anyhook_registry::core::event::Datum;
use anyhook_registry::core::events;
use anyhook_registry::core::matcher::Matcher;
use anyhook_registry::core::result::Kind;
use anyhook_registry::registry::Patience;
use serde_json::{Value, json};

use super::*;

#[test]
fn default_fields_are_in_every_event_that_a_handler_sees() {
    let registry = registry();
    registry.set_default_fields(json!({"session_id": "s1"}));
    registry.on("decision:tool_resolution", |event: &Event| {
        HookResult::proceed().reply(event.json()["session_id"].clone())
    });
    let name = "decision:tool_resolution";
    let collected = registry.collect_blocking(name, json!({}), Patience::default());
    let replies: Vec<Value> = collected.replies.iter().map(Datum::json).collect();
    assert_eq!(replies, [json!("s1")]);
    assert_eq!(
        registry.emit_blocking(name, json!({})).event.json()["session_id"],
        "s1"
    );
}

#[test]
fn an_event_has_the_time_of_its_emit_and_no_other_addition() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| ());
    let emitted = registry.emit_blocking("tool:pre", json!({"tool_name": "Read"}));
    assert_eq!(
        json!(emitted.event.json()),
        json!({"tool_name": "Read", "timestamp": NOON})
    );
    let unheard = registry.emit_blocking("tool:post", json!({"tool_name": "Read"}));
    assert_eq!(json!(unheard.event.json()), json!({"tool_name": "Read"}));
}

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
fn both_spellings_of_pre_compact_are_one_event() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("context:pre-compact", "hyphen"));
    registry.register(log.hook(events::CONTEXT_PRE_COMPACT, "constant"));
    registry.emit_blocking("context:pre_compact", json!({}));
    registry.emit_blocking("context:pre-compact", json!({}));
    assert_eq!(events::CONTEXT_PRE_COMPACT, "context:pre_compact");
    assert_eq!(log.take(), ["hyphen", "constant", "hyphen", "constant"]);
}

#[test]
fn the_constants_for_agents_decisions_and_errors_are_events() {
    let (registry, log) = (registry(), Log::default());
    let removed = [
        "AGENT_SPAWN",
        "AGENT_COMPLETE",
        "ERROR_TOOL",
        "ERROR_PROVIDER",
        "ERROR_ORCHESTRATION",
    ];
    let decisions = [
        "DECISION_TOOL_RESOLUTION",
        "DECISION_AGENT_RESOLUTION",
        "DECISION_CONTEXT_RESOLUTION",
    ];
    for constant in removed.into_iter().chain(decisions) {
        let (_, event) = events::ALL
            .iter()
            .find(|(name, _)| *name == constant)
            .unwrap();
        registry.register(log.hook(event, constant));
        registry.emit_blocking(event, json!({}));
        assert_eq!(log.take(), [constant]);
    }
}

#[test]
fn a_handler_may_be_sync_or_async() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("tool:pre", "sync"));
    let later = log.clone();
    registry.on_async("tool:pre", move |_: Event| {
        let log = later.clone();
        async move { log.note("async") }
    });
    registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(log.take(), ["sync", "async"]);
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
fn a_handler_is_lent_the_registry_to_emit() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("my-hook:debug", "debug"));
    let handler = registry.lending(|event: &Event, hooks: &HookRegistry| {
        if event.get("hooks").is_none() {
            hooks.emit_blocking("my-hook:debug", json!({}));
        }
    });
    registry.on("tool:pre", handler);
    registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(log.take(), ["debug"]);
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
fn a_failure_is_heard_under_both_of_its_names() {
    let (registry, log) = (registry(), Log::default());
    for event in [
        "error:tool",
        "tool:error",
        "error:provider",
        "error:orchestration",
    ] {
        registry.register(log.hook(event, event));
    }
    registry.emit_blocking("tool:error", json!({}));
    registry.emit_blocking("provider:error", json!({}));
    registry.emit_blocking("error:orchestration", json!({}));
    assert_eq!(
        log.take(),
        [
            "error:tool",
            "tool:error",
            "error:provider",
            "error:orchestration"
        ]
    );
}

#[test]
fn a_star_hears_every_event_it_selects() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("*", "all"));
    registry.register(log.hook("tool:*", "tools"));
    for (_, event) in events::ALL {
        registry.emit_blocking(event, json!({}));
        let heard = log.take();
        assert_eq!(heard[0], "all", "{event}");
        assert_eq!(
            heard.len(),
            1 + usize::from(
                anyhook_registry::core::event::EventName::new(event)
                    .as_str()
                    .starts_with("tool:")
            ),
            "{event}"
        );
    }
}

#[test]
fn a_plain_matcher_is_a_list_of_exact_names_and_anything_else_a_pattern() {
    let (registry, log) = (registry(), Log::default());
    for matcher in ["Write|Edit", ".*Write"] {
        registry.register(
            log.hook("tool:pre", matcher)
                .when(Matcher::parse(matcher).unwrap()),
        );
    }
    registry.emit_blocking("tool:pre", json!({"tool_name": "TodoWrite"}));
    assert_eq!(log.take(), [".*Write"]);
    registry.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
    assert_eq!(log.take(), ["Write|Edit", ".*Write"]);
}

#[test]
fn a_compaction_can_be_refused() {
    let registry = registry();
    registry.on("pre-compact", |_: &Event| {
        HookResult::deny("the plan is not saved yet")
    });
    let emitted = registry.emit_blocking("context:pre_compact", json!({}));
    assert_eq!(emitted.result.verdict.kind(), Kind::Deny);
}
