//! Several threads, several executors (reference 1.8).

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::result::{HookResult, Kind};
use serde_json::json;

use super::{Log, both, names, registry};

/// A registry whose only hook waits a moment, twice, before it refuses.
fn refusing() -> HookRegistry {
    let registry = registry();
    registry.on_async("tool:pre", |event: Event| async move {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        HookResult::deny(event.text("word").unwrap())
    });
    registry
}

async fn ask(registry: HookRegistry) -> String {
    let said = registry.emit("tool:pre", json!({"word": "no"})).await;
    said.result.verdict.text()
}

#[test]
fn any_executor_will_do() {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(tokio.block_on(ask(refusing())), "no");
    let spawned = tokio.spawn(ask(refusing()));
    assert_eq!(tokio.block_on(spawned).unwrap(), "no");
    assert_eq!(pollster::block_on(ask(refusing())), "no");
    assert_eq!(
        refusing()
            .emit_blocking("tool:pre", json!({"word": "no"}))
            .result
            .verdict
            .text(),
        "no"
    );
}

#[test]
fn timers_need_no_runtime_and_work_in_one() {
    let late = || {
        let registry = registry();
        let never = anyhook_registry::core::handler::later(|_| std::future::pending::<()>());
        let deadline = std::time::Duration::from_millis(1);
        registry.register(Hook::on("tool:pre", never).deadline(deadline).guard());
        registry
    };
    let kind = |said: anyhook_registry::registry::EmitOutcome| said.result.verdict.kind();
    assert_eq!(
        kind(late().emit_blocking("tool:pre", json!({}))),
        Kind::Deny
    );
    assert_eq!(
        kind(pollster::block_on(late().emit("tool:pre", json!({})))),
        Kind::Deny
    );
    let tokio = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(
        kind(tokio.block_on(late().emit("tool:pre", json!({})))),
        Kind::Deny
    );
}

#[test]
fn emits_that_wait_interleave_on_one_thread() {
    let (registry, log) = (registry(), Log::default());
    let noted = log.clone();
    registry.on_async("tool:pre", move |event: Event| {
        let log = noted.clone();
        async move {
            let who = event.text("who").unwrap().into_owned();
            log.note(format!("{who} begins"));
            tokio::task::yield_now().await;
            log.note(format!("{who} ends"));
        }
    });
    let emit = |who: &str| registry.emit("tool:pre", json!({ "who": who }));
    pollster::block_on(both(emit("a"), emit("b")));
    assert_eq!(log.take(), ["a begins", "b begins", "a ends", "b ends"]);
}

#[test]
fn a_dropped_emit_drops_the_handler_it_waits_for_and_asks_no_other() {
    struct Noting(Log);
    impl Drop for Noting {
        fn drop(&mut self) {
            self.0.note("dropped");
        }
    }
    let (registry, log) = (registry(), Log::default());
    let noted = log.clone();
    registry.on_async("tool:pre", move |_| {
        let noting = Noting(noted.clone());
        async move {
            std::future::pending::<()>().await;
            drop(noting);
        }
    });
    registry.register(log.hook("tool:pre", "unasked"));
    let is_ready = |event: &str| {
        let mut emit = pin!(registry.emit(event, json!({})));
        let once = poll_fn(|context| Poll::Ready(emit.as_mut().poll(context).is_ready()));
        pollster::block_on(once)
    };
    assert!(!is_ready("tool:pre"));
    assert_eq!(log.take(), ["dropped"]);
    assert!(is_ready("tool:post"));
}

#[test]
fn eight_threads_register_unregister_and_emit() {
    const ROUNDS: u64 = if cfg!(debug_assertions) { 300 } else { 3_000 };
    let registry = registry();
    let always = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&always);
    registry.register(
        Hook::on("tool:pre", move |_: &Event| {
            counted.fetch_add(1, Ordering::SeqCst);
        })
        .named("always"),
    );
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for thread in 0..8_u64 {
            let (registry, start) = (&registry, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..ROUNDS {
                    visit(registry, thread, round);
                }
            });
        }
    });
    assert_eq!(always.load(Ordering::SeqCst), 8 * ROUNDS * 2);
    assert_eq!(names(&registry, "tool:pre"), ["always"]);
}

/// Registers two hooks, is sure to be heard by them and by no hook that left, and goes.
fn visit(registry: &HookRegistry, thread: u64, round: u64) {
    let own = format!("{thread}:{round}");
    let heard = Arc::new(AtomicU64::new(0));
    let (event, answer) = (own.clone(), Arc::clone(&heard));
    let hook = Hook::on(
        if round.is_multiple_of(2) {
            "tool:pre"
        } else {
            "tool:*"
        },
        move |said: &Event| {
            if said.text("from").as_deref() == Some(&event) {
                answer.fetch_add(1, Ordering::SeqCst);
            }
            HookResult::proceed().modify(format!("seen-{thread}"), round)
        },
    );
    let handle = registry.register(hook.named(&own).priority(i32::try_from(thread).unwrap()));
    let said = registry.emit_blocking("tool:pre", json!({ "from": own }));
    assert_eq!(
        heard.load(Ordering::SeqCst),
        1,
        "who is registered is asked"
    );
    let seen = said
        .event
        .get(&format!("seen-{thread}"))
        .map(std::borrow::Cow::into_owned);
    assert_eq!(seen, Some(json!(round)));
    handle.unregister();
    let said = registry.emit_blocking("tool:pre", json!({ "from": own }));
    assert_eq!(heard.load(Ordering::SeqCst), 1, "who left is not");
    assert_eq!(said.event.get(&format!("seen-{thread}")), None);
}
