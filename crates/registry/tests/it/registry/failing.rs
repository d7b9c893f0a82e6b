//! What becomes of a handler that fails.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::handler::{BoxFuture, Handled, Handler, HookHandler, Said, later};
use anyhook_registry::core::hook::{Hook, OnFault};
use anyhook_registry::core::manifest::Action;
use anyhook_registry::core::report::{Became, Report};
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
    fn handle<'a>(&'a self, _: &'a Event) -> Handled<'a> {
        let answer: BoxFuture<'a, Said> = Box::pin(async {
            tokio::task::yield_now().await;
            panic!("after a while")
        });
        Handled::Pending(answer)
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
fn an_emit_survives_a_panic_and_so_does_the_next() {
    let registry = registry();
    registry.on("tool:pre", panics);
    registry.on("tool:pre", |_: &Event| HookResult::deny("no"));
    for _ in 0..3 {
        let said = registry.emit_blocking("tool:pre", json!({}));
        assert_eq!(said.result.verdict.text(), "no");
    }
}

#[test]
fn a_failure_means_what_the_hooks_own_rule_says() {
    let fail = || Hook::on("tool:pre", |_: &Event| Err::<(), _>("broken"));
    let rules = [
        (fail(), Kind::Continue),
        (fail().on_fault(OnFault::Deny), Kind::Deny),
        (fail().on_fault(OnFault::Halt), Kind::Halt),
        (fail().guard(), Kind::Deny),
        (fail().guard().shadow(), Kind::Continue),
        (fail().on_fault(OnFault::Halt).observing(), Kind::Continue),
    ];
    for (hook, kind) in rules {
        let registry = registry();
        registry.register(hook);
        let report = report(&registry);
        assert_eq!(report.result.verdict.kind(), kind);
        assert!(
            matches!(&report.steps[0].became, Became::Failed { verdict, .. } if *verdict == kind)
        );
    }
}

#[test]
fn a_failing_guard_refuses_no_event_that_has_already_happened() {
    let registry = registry();
    registry.register(Hook::on("tool:post", |_: &Event| Err::<(), _>("broken")).guard());
    let said = registry.emit_blocking("tool:post", json!({}));
    assert_eq!(said.result.verdict.kind(), Kind::Continue);
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
fn an_answer_within_the_deadline_counts_however_long_that_is() {
    let registry = registry();
    for deadline in [Duration::from_mins(1), Duration::MAX] {
        let patient = later(|_| async {
            tokio::task::yield_now().await;
            HookResult::allow()
        });
        registry.register(Hook::on("tool:pre", patient).deadline(deadline));
    }
    let report = report(&registry);
    assert_eq!(faults(&report), []);
    assert_eq!(report.result.verdict.reasons().len(), 2);
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
fn an_isolated_handler_answers_from_a_thread_of_its_own() {
    let registry = registry();
    let here = std::thread::current().id();
    let elsewhere = move |event: &Event| {
        assert_ne!(std::thread::current().id(), here);
        HookResult::deny(event.text("word").unwrap())
    };
    registry.on("tool:pre", isolated(Duration::from_mins(1), elsewhere));
    let said = registry.emit_blocking("tool:pre", json!({"word": "no"}));
    assert_eq!(said.result.verdict.text(), "no");
}

#[test]
fn an_isolated_handler_that_hangs_is_abandoned_and_off_after_three() {
    let registry = registry();
    // As long as the sender is held, the handler waits.
    let (release, hang) = mpsc::channel::<()>();
    let (hang, calls) = (Mutex::new(hang), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&calls);
    let hangs = move |_: &Event| {
        counted.fetch_add(1, Ordering::SeqCst);
        let _ = hang.lock().map(|hang| hang.recv());
    };
    registry.register(Hook::on("tool:pre", isolated(Duration::from_millis(50), hangs)).guard());
    let mut told = Vec::new();
    for _ in 0..5 {
        let report = report(&registry);
        assert_eq!(report.result.verdict.kind(), Kind::Deny);
        told.extend(report.faults().map(|(_, fault)| fault.text.to_string()));
    }
    let off = "it is off until one of its 3 calls that hang comes back";
    assert_eq!(
        told,
        [
            "it was abandoned after 50ms (1 of 3 before it is off)",
            "it was abandoned after 50ms (2 of 3 before it is off)",
            "it was abandoned after 50ms (3 of 3 before it is off)",
            off,
            off,
        ]
    );
    assert!(calls.load(Ordering::SeqCst) <= 3);
    drop(release);
}

#[test]
fn an_isolated_handler_is_asked_again_when_a_call_of_it_comes_back_and_a_call_that_is_dropped_counts()
 {
    let registry = registry();
    let (release, hang) = mpsc::channel::<()>();
    let hang = Mutex::new(hang);
    let hangs = move |event: &Event| {
        if event.text("word").as_deref() == Some("hang") {
            let _ = hang.lock().map(|hang| hang.recv());
        }
        HookResult::deny("it judged")
    };
    // Its own deadline is over first, so no caller waits for the isolated call any more.
    let hook = Hook::on("tool:pre", isolated(Duration::from_mins(5), hangs));
    registry.register(hook.deadline(Duration::from_millis(20)));
    let asked = |word: &str| {
        let report = registry.dispatch_blocking(&mut Event::new("tool:pre", json!({"word": word})));
        let fault = report.faults().map(|(_, fault)| fault.kind).next();
        (report.result.verdict.kind(), fault)
    };
    for _ in 0..3 {
        assert_eq!(asked("hang"), (Kind::Continue, Some(FaultKind::TimedOut)));
    }
    assert_eq!(asked("go"), (Kind::Continue, Some(FaultKind::NotStarted)));
    release.send(()).unwrap();
    let began = std::time::Instant::now();
    while asked("go") != (Kind::Deny, None) {
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "its call came back"
        );
        std::thread::yield_now();
    }
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
