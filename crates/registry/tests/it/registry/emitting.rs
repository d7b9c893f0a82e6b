//! What an emit says and gives back.

use std::sync::Arc;

use anyhook_registry::core::event::{Data, Event, Map};
use anyhook_registry::core::result::HookResult;
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
fn shared_data_is_not_copied_as_long_as_it_is_not_rewritten() {
    let registry = registry();
    registry.on("tool:pre", |_: &Event| {
        HookResult::proceed().inject("a note")
    });
    let data = Arc::new(map(json!({"word": "a"})));
    let said = registry.emit_blocking("tool:pre", Arc::clone(&data));
    assert!(matches!(&said.event.data, Data::Json(same) if Arc::ptr_eq(same, &data)));
}
