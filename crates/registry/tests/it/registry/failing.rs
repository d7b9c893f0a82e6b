//! What becomes of a handler that fails.

use std::time::{Duration, Instant};

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::handler::{
    BoxFuture, Handler, HandlerReply, HandlerResult, HookHandler, later,
};
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::manifest::Action;
use anyhook_registry::core::report::Report;
use anyhook_registry::core::result::{HookResult, Kind};
use anyhook_registry::registry::isolated;
use serde_json::json;

use super::{Log, registry};

fn report(registry: &HookRegistry) -> Report {
    registry.dispatch_blocking(&mut Event::new("tool:pre", json!({})))
}

fn faults(report: &Report) -> Vec<(FaultKind, &str)> {
    let faults = report.faults();
    faults
        .map(|(_, fault)| (fault.kind, &*fault.text))
        .collect()
}

fn panics(_: &Event) -> HookResult {
    panic!("no such table")
}

#[test]
fn an_error_is_told_and_the_others_are_asked() {
    let (registry, log) = (registry(), Log::default());
    registry.on("tool:pre", |_: &Event| {
        Err::<HookResult, _>("the linter is not installed")
    });
    registry.on_async("tool:pre", |_| async { Err::<(), _>(std::fmt::Error) });
    registry.register(log.says("tool:pre", "after", HookResult::allow()));
    let report = report(&registry);
    let text = "an error occurred when formatting an argument";
    let errored = |text| (FaultKind::Errored, text);
    assert_eq!(
        faults(&report),
        [errored("the linter is not installed"), errored(text)]
    );
    assert_eq!(report.result.verdict.kind(), Kind::Allow);
    assert_eq!(log.take(), ["after"]);
}

/// Panics at a later poll.
struct Late;

impl HookHandler for Late {
    fn handle<'a>(&'a self, _: &'a Event) -> HandlerReply<'a> {
        let answer: BoxFuture<'a, HandlerResult> = Box::pin(async {
            tokio::task::yield_now().await;
            panic!("after a while")
        });
        HandlerReply::Pending(answer)
    }
}

#[test]
fn a_panic_is_a_fault_wherever_it_happens() {
    let (registry, log) = (registry(), Log::default());
    registry.on("tool:pre", panics);
    registry.on_async("tool:pre", |event: Event| async move {
        assert!(event.get("nothing").is_some(), "in a future");
    });
    registry.on("tool:pre", Late);
    registry.register(Hook::on("tool:pre", panics).deadline(Duration::from_mins(1)));
    registry.on("tool:pre", isolated(Duration::from_mins(1), panics));
    registry.register(log.hook("tool:pre", "after"));
    let report = report(&registry);
    let panicked = |text| (FaultKind::Panicked, text);
    assert_eq!(
        faults(&report),
        [
            panicked("the handler panicked: no such table"),
            panicked("the handler panicked: in a future"),
            panicked("the handler panicked: after a while"),
            panicked("the handler panicked: no such table"),
            panicked("the handler panicked: no such table"),
        ]
    );
    assert_eq!(log.take(), ["after"]);
}

#[test]
fn a_hook_that_does_not_answer_by_its_deadline_has_failed() {
    let (registry, log) = (registry(), Log::default());
    let never = later(|_| std::future::pending::<()>());
    registry.register(
        Hook::on("tool:pre", never)
            .deadline(Duration::from_millis(1))
            .guard(),
    );
    registry.register(log.hook("tool:pre", "unasked"));
    let report = report(&registry);
    assert_eq!(
        faults(&report),
        [(FaultKind::TimedOut, "it took longer than 1ms")]
    );
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
    assert_eq!(log.take(), Vec::<String>::new());
}

#[test]
fn what_times_out_is_dropped_and_may_panic_then() {
    struct Loud(Log);
    impl Drop for Loud {
        fn drop(&mut self) {
            self.0.note("dropped");
            panic!("on the way out");
        }
    }
    let (registry, log) = (registry(), Log::default());
    let owned = log.clone();
    let never = later(move |_| {
        let loud = Loud(owned.clone());
        async move {
            std::future::pending::<()>().await;
            drop(loud);
        }
    });
    registry.register(Hook::on("tool:pre", never).deadline(Duration::ZERO));
    let report = report(&registry);
    assert_eq!(
        faults(&report),
        [(FaultKind::TimedOut, "it had no answer ready")]
    );
    assert_eq!(log.take(), ["dropped"]);
}

#[test]
fn a_slow_sync_handler_has_failed_when_it_comes_back() {
    let registry = registry();
    let slow = |_: &Event| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_micros(50) {
            std::hint::spin_loop();
        }
        HookResult::allow()
    };
    registry.register(Hook::on("tool:pre", slow).deadline(Duration::from_micros(20)));
    let report = report(&registry);
    assert_eq!(
        faults(&report),
        [(FaultKind::TimedOut, "it took longer than 20µs")]
    );
    assert!(report.result.is_identity());
}

#[test]
fn a_hook_that_a_manifest_declares_is_a_fault_here_and_refuses() {
    let registry = registry();
    let declared = Handler::Declared(Box::new(Action::Broken("never run".to_owned())));
    registry.register(Hook::new("tool:pre", "declared", declared));
    let report = report(&registry);
    let text = "a registry asks code of its own process, and a manifest declares this hook: `anyhook::mounts::in_process` makes it such code";
    assert_eq!(faults(&report), [(FaultKind::NotStarted, text)]);
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
}
