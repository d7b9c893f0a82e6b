//! What an emit says and gives back.

use std::sync::Arc;

use anyhook_registry::core::event::{Data, Event, Map};
use anyhook_registry::core::hook::{Hook, OnFault};
use anyhook_registry::core::matcher::Matcher;
use anyhook_registry::core::report::{Became, WhyNot};
use anyhook_registry::core::result::{HookId, HookResult, Kind};
use serde_json::{Value, json};

use super::{Log, NOON, registry};

fn map(value: Value) -> Map {
    match value {
        Value::Object(map) => map,
        _ => panic!("an object"),
    }
}

#[test]
fn without_a_listener_the_data_comes_back_as_it_is() {
    let registry = registry();
    registry.set_default_fields(json!({"session_id": "s1"}));
    registry.on("tool:post", |_: &Event| ());
    let data = Arc::new(map(json!({"tool_name": "Write"})));
    let said = registry.emit_blocking("tool:pre", Arc::clone(&data));
    assert!(said.result.is_identity());
    assert!(matches!(&said.event.data, Data::Json(same) if Arc::ptr_eq(same, &data)));
    assert_eq!(
        said.event.json().into_owned(),
        map(json!({"tool_name": "Write"}))
    );
}

#[test]
fn the_timestamp_is_stamped_over_the_callers_and_shown_to_every_hook() {
    let (registry, log) = (registry(), Log::default());
    let seen = log.clone();
    registry.on("tool:pre", move |event: &Event| {
        seen.note(event.text("timestamp").unwrap());
    });
    let data = json!({"timestamp": "long ago"});
    let said = registry.emit_blocking("tool:pre", data);
    assert_eq!(log.take(), [NOON]);
    assert_eq!(
        said.event.json().into_owned(),
        map(json!({"timestamp": NOON}))
    );
    let report = registry.dispatch_blocking(&mut Event::new("tool:pre", json!({})));
    assert_eq!(report.at, Some(1_732_190_400_000));
}

#[test]
fn no_hook_can_change_the_timestamp() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("timestamp", "never")
    });
    let mut event = Event::new("tool:pre", json!({}));
    let report = registry.dispatch_blocking(&mut event);
    assert_eq!(event.text("timestamp").as_deref(), Some(NOON));
    assert_eq!(report.remarks.len(), 1);
}

#[test]
fn default_fields_are_replaced_as_a_whole_and_explicit_data_wins() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| ());
    registry.set_default_fields(json!({"session_id": "s1", "user_id": "u1"}));
    registry.emit_blocking("tool:pre", json!({}));
    registry.set_default_fields(json!({"session_id": "s2", "turn": 1}));
    let said = registry.emit_blocking("tool:pre", json!({"turn": 9, "x": null}));
    let expected = json!({"session_id": "s2", "turn": 9, "x": null, "timestamp": NOON});
    assert_eq!(said.event.json().into_owned(), map(expected));
}

#[test]
fn rewrites_chain_and_the_emit_continues_with_the_last_data() {
    let registry = registry();
    for suffix in ["b", "c"] {
        registry.on("tool:pre", move |event: &Event| {
            let word = event.text("word").unwrap();
            HookResult::proceed().modify("word", format!("{word}{suffix}"))
        });
    }
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().remove("draft")
    });
    let said = registry.emit_blocking("tool:pre", json!({"word": "a", "draft": true}));
    assert_eq!(said.result.verdict.kind(), Kind::Continue);
    assert_eq!(
        said.event.data.json().into_owned(),
        map(json!({"word": "abc"}))
    );
    let by: Vec<_> = said.result.effects.patch().iter().map(|r| r.by).collect();
    assert_eq!(by, [0, 1, 2].map(|at| Some(HookId(at))));
}

#[test]
fn the_callers_data_is_never_touched() {
    let registry = registry();
    registry.set_default_fields(json!({"session_id": "s1"}));
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("word", "b")
    });
    let data = Arc::new(map(json!({"word": "a"})));
    let said = registry.emit_blocking("tool:pre", Arc::clone(&data));
    assert_eq!(*data, map(json!({"word": "a"})));
    assert_eq!(said.event.text("word").as_deref(), Some("b"));
}

#[test]
fn shared_data_is_not_copied_as_long_as_it_is_not_rewritten() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().inject("a note")
    });
    let data = Arc::new(map(json!({"word": "a"})));
    let said = registry.emit_blocking("tool:pre", Arc::clone(&data));
    assert!(matches!(&said.event.data, Data::Json(same) if Arc::ptr_eq(same, &data)));
}

#[test]
fn a_rewrite_survives_an_injection_and_a_question_of_others() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("word", "b")
    });
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().inject("a note")
    });
    registry.on("tool:pre", |_: &Event| HookResult::ask("really?"));
    registry.on("tool:pre", |_: &Event| HookResult::ask("sure?"));
    let said = registry.emit_blocking("tool:pre", json!({"word": "a"}));
    assert_eq!(said.event.text("word").as_deref(), Some("b"));
    assert_eq!(said.result.effects.inject().len(), 1);
    assert_eq!(said.result.verdict.text(), "really?\nsure?");
}

#[test]
fn an_ask_at_priority_5_wins_over_an_injection_at_10() {
    let registry = registry();
    let ask = |_: &Event| HookResult::ask("approve this?");
    registry.register(Hook::on("tool:pre", ask).priority(5).named("a"));
    let inject = |_: &Event| HookResult::proceed().inject("context");
    registry.register(Hook::on("tool:pre", inject).priority(10).named("b"));
    let said = registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(said.result.verdict.kind(), Kind::Ask);
    assert_eq!(said.result.verdict.text(), "approve this?");
    let injected: Vec<&str> = said
        .result
        .effects
        .inject()
        .iter()
        .map(|i| &*i.text)
        .collect();
    assert_eq!(injected, ["context"]);
}

#[test]
fn the_graver_verdict_wins_whatever_its_place() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.says("tool:pre", "allow", HookResult::allow()));
    registry.register(log.says("tool:pre", "ask", HookResult::ask("sure?")));
    registry.register(log.says("tool:pre", "deny", HookResult::deny("no")));
    registry.register(log.says("tool:pre", "never", HookResult::halt("stop")));
    let said = registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(said.result.verdict.text(), "no");
    assert_eq!(log.take(), ["allow", "ask", "deny"]);
}

#[test]
fn a_refusal_ends_the_asking_of_deciders_and_observers_still_see_the_event() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("tool:pre", "watcher").priority(-5).observing());
    registry.register(log.says("tool:pre", "deny", HookResult::deny("no")));
    registry.register(log.hook("tool:pre", "unasked"));
    registry.register(
        log.says("tool:pre", "loud", HookResult::halt("stop"))
            .observing(),
    );
    let mut event = Event::new("tool:pre", json!({}));
    let report = registry.dispatch_blocking(&mut event);
    assert_eq!(log.take(), ["deny", "watcher", "loud"]);
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
    let unasked = Became::NotAsked(WhyNot::Decided);
    assert!(
        report
            .steps
            .iter()
            .any(|step| step.hook == HookId(2) && step.became == unasked)
    );
}

#[test]
fn a_matcher_asks_a_hook_about_its_own_tools_only() {
    let (registry, log) = (registry(), Log::default());
    let writes = Matcher::parse("Write|Edit").unwrap();
    registry.register(log.hook("tool:pre", "writes").when(writes));
    for tool in ["Read", "Edit"] {
        registry.emit_blocking("tool:pre", json!({ "tool_name": tool }));
    }
    assert_eq!(log.take(), ["writes"]);
}

#[test]
fn a_guard_is_asked_again_about_an_input_that_was_rewritten_after_it() {
    let (registry, log) = (registry(), Log::default());
    let seen = log.clone();
    let guard = move |event: &Event| {
        let input = event.text("tool_input").unwrap();
        seen.note(&*input);
        if input == "rm" {
            HookResult::deny("no")
        } else {
            HookResult::proceed()
        }
    };
    registry.register(Hook::on("tool:pre", guard).named("guard").guard().once());
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("tool_input", "rm")
    });
    let said = registry.emit_blocking("tool:pre", json!({"tool_input": "ls"}));
    assert_eq!(log.take(), ["ls", "rm"]);
    assert_eq!(said.result.verdict.kind(), Kind::Deny);
}

#[test]
fn a_hook_that_is_tried_out_is_asked_and_does_not_count() {
    let registry = registry();
    let strict = Hook::on("tool:pre", |_: &Event| HookResult::deny("no"));
    registry.register(strict.shadow().on_fault(OnFault::Halt));
    let mut event = Event::new("tool:pre", json!({}));
    let report = registry.dispatch_blocking(&mut event);
    assert!(report.result.is_identity());
    assert!(
        matches!(&report.steps[0].became, Became::Would(said) if said.verdict.kind() == Kind::Deny)
    );
}

#[test]
fn a_report_tells_of_every_hook_in_order() {
    let registry = registry();
    registry.register(Hook::on("tool:pre", |_: &Event| ()).named("quiet"));
    let note = |_: &Event| HookResult::proceed().notify("look");
    registry.register(Hook::on("tool:*", note).named("loud"));
    let mut event = Event::new("PreToolUse", json!({"tool_name": "Write"}));
    let report = registry.dispatch_blocking(&mut event);
    let told: Vec<(&str, bool)> = report
        .steps
        .iter()
        .map(|step| {
            let name = &report.hook(step.hook).unwrap().name;
            (&**name, matches!(&step.became, Became::Said(Some(_))))
        })
        .collect();
    assert_eq!(told, [("quiet", false), ("loud", true)]);
    assert_eq!(report.event.subject.as_deref(), Some("Write"));
}
