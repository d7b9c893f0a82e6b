//! Asking for replies.

use std::time::Duration;

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::{Datum, Event};
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::result::HookResult;
use anyhook_registry::registry::Patience;
use serde_json::{Value, json};

use super::registry;

const EVENT: &str = "decision:tool_resolution";

fn reply(value: Value) -> HookResult {
    HookResult::proceed().reply(value)
}

fn replies(registry: &HookRegistry, data: Value) -> Vec<Datum> {
    registry
        .collect_blocking(EVENT, data, Patience::default())
        .replies
}

fn data(values: &[Value]) -> Vec<Datum> {
    values.iter().cloned().map(Datum::Json).collect()
}

#[test]
fn replies_are_collected_in_the_order_of_asking() {
    let registry = registry();
    let late = |_: &Event| reply(json!({"tool": "late"}));
    registry.register(Hook::on(EVENT, late).priority(1));
    registry.on(EVENT, |_: &Event| reply(json!({"tool": "early"})));
    registry.on_async(EVENT, |_| async { reply(json!({"tool": "async"})) });
    let expected = data(&[
        json!({"tool": "early"}),
        json!({"tool": "async"}),
        json!({"tool": "late"}),
    ]);
    assert_eq!(replies(&registry, json!({})), expected);
}

#[test]
fn a_refusal_ends_nothing_and_its_reply_counts() {
    let registry = registry();
    registry.on(EVENT, |_: &Event| HookResult::deny("no").reply(1));
    registry.on(EVENT, |_: &Event| HookResult::halt("stop"));
    registry.on(EVENT, |_: &Event| reply(json!(2)));
    let collected = registry.collect_blocking(EVENT, json!({}), Patience::default());
    assert_eq!(collected.replies, data(&[json!(1), json!(2)]));
    assert!(collected.report.result.is_identity());
}

#[test]
fn a_rewrite_has_no_effect() {
    let registry = registry();
    registry.on(EVENT, |_: &Event| {
        HookResult::proceed().modify("word", "b").reply(1)
    });
    registry.on(EVENT, |event: &Event| {
        reply(event.get("word").unwrap().into_owned())
    });
    assert_eq!(
        replies(&registry, json!({"word": "a"})),
        data(&[json!(1), json!("a")])
    );
}

#[test]
fn default_fields_are_merged_and_there_is_no_timestamp() {
    let registry = registry();
    registry.set_default_fields(json!({"session_id": "s1", "word": "default"}));
    registry.on(EVENT, |event: &Event| {
        reply(Value::Object(event.json().into_owned()))
    });
    let expected = json!({"word": "own", "session_id": "s1"});
    assert_eq!(
        replies(&registry, json!({"word": "own"})),
        data(&[expected])
    );
}

#[test]
fn handlers_that_fail_are_skipped_and_told() {
    let registry = registry();
    registry.on(EVENT, |_: &Event| Err::<HookResult, _>("broken"));
    registry.on(EVENT, |_: &Event| -> HookResult { panic!("worse") });
    registry.on_async(EVENT, |_| async { Err::<(), _>("later") });
    registry.register(Hook::on(EVENT, |_: &Event| Err::<(), _>("guarding")).guard());
    registry.on(EVENT, |_: &Event| reply(json!(1)));
    let collected = registry.collect_blocking(EVENT, json!({}), Patience::default());
    assert_eq!(collected.replies, data(&[json!(1)]));
    let faults: Vec<&str> = collected
        .report
        .faults()
        .map(|(_, fault)| &*fault.text)
        .collect();
    let expected = ["broken", "the handler panicked: worse", "later", "guarding"];
    assert_eq!(faults, expected);
}

#[test]
fn a_handler_that_does_not_answer_in_time_is_skipped() {
    let registry = registry();
    registry.on_async(EVENT, |_| std::future::pending::<()>());
    let own = Hook::on(
        EVENT,
        anyhook_registry::core::handler::later(|_| std::future::pending::<()>()),
    );
    registry.register(own.deadline(Duration::from_millis(1)));
    registry.on(EVENT, |_: &Event| reply(json!(1)));
    let patience = Patience::from(Duration::from_millis(2));
    let collected = registry.collect_blocking(EVENT, json!({}), patience);
    assert_eq!(collected.replies, data(&[json!(1)]));
    let faults: Vec<(FaultKind, &str)> = collected
        .report
        .faults()
        .map(|(_, fault)| (fault.kind, &*fault.text))
        .collect();
    let late = |text| (FaultKind::TimedOut, text);
    assert_eq!(
        faults,
        [
            late("it took longer than 2ms"),
            late("it took longer than 1ms")
        ]
    );
}

#[test]
fn no_patience_takes_what_is_ready_and_nothing_else() {
    let registry = registry();
    registry.on(EVENT, |_: &Event| reply(json!("sync")));
    registry.on_async(EVENT, |_| async { reply(json!("ready")) });
    registry.on_async(EVENT, |_| async {
        tokio::task::yield_now().await;
        reply(json!("a moment later"))
    });
    let zero = Patience::seconds(0.0).unwrap();
    assert_eq!(zero, Patience::READY);
    let collected = registry.collect_blocking(EVENT, json!({}), zero);
    assert_eq!(collected.replies, data(&[json!("sync"), json!("ready")]));
    assert_eq!(collected.report.faults().count(), 1);
}

#[test]
fn a_timeout_is_a_time_or_an_error() {
    for bad in [-1.0, -0.001, f64::NAN, f64::NEG_INFINITY] {
        let error = Patience::seconds(bad).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("a timeout of `{bad}` seconds is none")
        );
    }
    assert_eq!(Patience::seconds(-0.0), Ok(Patience::READY));
    assert_eq!(Patience::default(), Patience::from(Duration::from_secs(1)));
}

#[test]
fn a_timeout_of_more_than_300_seconds_is_clamped_and_noted() {
    let registry = registry();
    registry.on(EVENT, |_: &Event| reply(json!(1)));
    let remarks = |seconds| {
        let patience = Patience::seconds(seconds).unwrap();
        registry
            .collect_blocking(EVENT, json!({}), patience)
            .report
            .remarks
    };
    let note: Vec<Box<str>> = vec!["a timeout of more than 300s was asked for: 300s it is".into()];
    assert_eq!(remarks(300.0), Vec::<Box<str>>::new());
    assert_eq!(remarks(300.5), note);
    assert_eq!(remarks(f64::INFINITY), note);
    assert_eq!(remarks(f64::MAX), note);
}
