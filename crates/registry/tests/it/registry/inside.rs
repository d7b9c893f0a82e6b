//! What a handler may do while it is asked.

use std::sync::{Arc, Mutex};

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::result::{HookResult, Kind};
use anyhook_registry::registry::Handle;
use serde_json::json;

use super::{Log, registry};

#[test]
fn the_registry_is_at_hand_to_emit_debug_events() {
    let (registry, log) = (registry(), Log::default());
    let seen = log.clone();
    registry.on("my-hook:*", move |event: &Event| {
        seen.note(format!("{} {}", event.name, event.text("saw").unwrap()));
    });
    let sync = registry.lending(|event: &Event, hooks: &HookRegistry| {
        hooks.emit_blocking("my-hook:sync", json!({"saw": event.name.as_str()}));
    });
    registry.on("tool:pre", sync);
    let hooks = registry.clone();
    registry.on_async("tool:pre", move |event: Event| {
        let hooks = hooks.clone();
        async move {
            let saw = json!({"saw": event.name.as_str()});
            hooks.emit("my-hook:async", saw).await;
            HookResult::deny("both were told")
        }
    });
    let said = registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(
        log.take(),
        ["my-hook:sync tool:pre", "my-hook:async tool:pre"]
    );
    assert_eq!(said.result.verdict.text(), "both were told");
    assert_eq!(said.event.get("hooks"), None);
}

#[test]
fn a_handler_that_is_lent_the_registry_does_not_keep_it_alive() {
    let registry = registry();
    let alive = Arc::new(());
    let weak = Arc::downgrade(&alive);
    let lent = registry.lending(move |_: &Event, _: &HookRegistry| drop(Arc::clone(&alive)));
    registry.on("tool:pre", lent);
    drop(registry);
    assert!(weak.upgrade().is_none());
}

#[test]
fn a_dispatch_sees_the_handlers_of_the_moment_when_it_began() {
    let (registry, log) = (registry(), Log::default());
    let victim: Arc<Mutex<Option<Handle>>> = Arc::default();
    let (held, adds) = (Arc::clone(&victim), log.clone());
    let changes = registry.lending(move |_: &Event, hooks: &HookRegistry| {
        adds.note("changes");
        hooks.register(adds.hook("tool:pre", "new"));
        held.lock().unwrap().iter().for_each(Handle::unregister);
    });
    registry.register(Hook::on("tool:pre", changes).named("changes").once());
    *victim.lock().unwrap() = Some(registry.register(log.hook("tool:pre", "victim")));
    registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(log.take(), ["changes", "victim"]);
    registry.emit_blocking("tool:pre", json!({}));
    assert_eq!(log.take(), ["new"]);
}

#[test]
fn sixteen_emits_inside_each_other_are_enough() {
    let (registry, log) = (registry(), Log::default());
    let (sync, asynchronous) = (log.clone(), log.clone());
    let again = registry.lending(move |event: &Event, hooks: &HookRegistry| {
        let report = hooks.dispatch_blocking(&mut Event::new(event.name.as_str(), json!({})));
        for (_, fault) in report.faults() {
            assert_eq!(fault.kind, FaultKind::TooDeep);
            sync.note(&*fault.text);
        }
        sync.note("asked");
    });
    registry.on("my-hook:sync", again);
    let hooks = registry.clone();
    registry.on_async("my-hook:async", move |event: Event| {
        let (log, hooks) = (asynchronous.clone(), hooks.clone());
        async move {
            let mut event = Event::new(event.name.as_str(), json!({}));
            let report = Box::pin(hooks.dispatch(&mut event)).await;
            report
                .faults()
                .for_each(|(_, fault)| log.note(&*fault.text));
            tokio::task::yield_now().await;
            log.note("asked");
        }
    });
    let mut expected = vec!["16 handlers are emitting events inside each other already"];
    expected.extend(["asked"; 16]);
    for event in ["my-hook:sync", "my-hook:async", "my-hook:sync"] {
        registry.emit_blocking(event, json!({}));
        assert_eq!(log.take(), expected, "{event}");
    }
}

#[test]
fn what_is_too_deep_is_a_failure_of_each_hook_so_guards_refuse() {
    let registry = registry();
    registry.register(Hook::on("my-hook:deep", |_: &Event| ()).guard().priority(1));
    let deepest: Arc<Mutex<Vec<Kind>>> = Arc::default();
    let seen = Arc::clone(&deepest);
    let again = registry.lending(move |event: &Event, hooks: &HookRegistry| {
        let said = hooks.emit_blocking(event.name.as_str(), json!({}));
        seen.lock().unwrap().push(said.result.verdict.kind());
    });
    registry.on("my-hook:deep", again);
    let said = registry.emit_blocking("my-hook:deep", json!({}));
    assert_eq!(said.result.verdict.kind(), Kind::Continue);
    let mut expected = vec![Kind::Deny];
    expected.extend([Kind::Continue; 15]);
    assert_eq!(*deepest.lock().unwrap(), expected);
}
