//! What hangs costs a thread, and nothing else: programs that are carried, and callers that wait.

use std::borrow::Cow;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

use anyhook_registry::HookRegistry;
use anyhook_registry::SystemClock;
use anyhook_registry::core::event::{Data, Datum, Event, Foreign, Map};
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::handler::later;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::report::{Became, Report};
use anyhook_registry::core::result::{HookResult, Kind};
use anyhook_registry::registry::{Patience, carried};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::{Log, both};

/// In these tests only what is meant to hang takes this long.
const LONG: Duration = Duration::from_mins(5);

/// So long those are waited for that hang.
const SHORT: Duration = Duration::from_millis(20);

fn isolating() -> HookRegistry {
    HookRegistry::isolating(Arc::new(SystemClock::default()), LONG)
}

/// A hook that does not come back before the test lets it, and how to let it.
fn hangs(name: &str, then: HookResult) -> (Hook, Sender<()>) {
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let hook = Hook::in_process("tool:pre", name, move |_: &Event| {
        let _ = held.lock().map(|held| held.recv());
        then.clone()
    });
    (hook.deadline(SHORT), release)
}

fn dispatch(registry: &HookRegistry) -> (Event, Report) {
    let registry = registry.clone();
    carried(async move {
        let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
        let report = registry.dispatch(&mut event).await;
        (event, report)
    })
}

fn faults(report: &Report) -> Vec<(String, FaultKind)> {
    let named = |(id, fault): (_, &anyhook_registry::core::fault::Fault)| {
        let name = report.hook(id).map(|hook| hook.name.to_string());
        (name.unwrap_or_default(), fault.kind)
    };
    report.faults().map(named).collect()
}

fn here() -> ThreadId {
    thread::current().id()
}

#[test]
fn the_hooks_of_a_carried_program_are_called_where_it_runs() {
    let registry = isolating();
    let heard: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
    for _ in 0..3 {
        let heard = Arc::clone(&heard);
        registry.on("tool:pre", move |_: &Event| {
            heard.lock().unwrap().push(here());
        });
    }
    let emits = registry.clone();
    let threads = carried(async move {
        let mut threads = vec![here()];
        for _ in 0..2 {
            emits.emit("tool:pre", json!({})).await;
            threads.push(here());
        }
        threads
    });
    assert_ne!(threads[0], here(), "the caller only watches");
    assert_eq!(threads, [threads[0]; 3]);
    assert_eq!(*heard.lock().unwrap(), [threads[0]; 6]);
}

#[test]
fn a_hook_that_hangs_costs_a_program_its_thread_and_no_hook_is_asked_twice() {
    let (registry, log) = (isolating(), Log::default());
    let rewrites = HookResult::proceed().modify("tool_input", json!({"path": "b"}));
    registry.register(log.says("tool:pre", "before", rewrites.inject("a hint")));
    registry.register(log.hook("tool:pre", "silent"));
    registry.register(log.hook("tool:pre", "only once").once());
    let (hook, release) = hangs("hangs", HookResult::proceed());
    registry.register(hook);
    registry.register(log.hook("tool:pre", "after"));
    let emits = registry.clone();
    let (first, last, event, report) = carried(async move {
        let first = here();
        let mut event = Event::new("tool:pre", json!({"tool_input": {"path": "a"}}));
        let report = emits.dispatch(&mut event).await;
        (first, here(), event, report)
    });
    assert_ne!(first, last, "the program went on on another thread");
    assert_eq!(log.take(), ["before", "silent", "only once", "after"]);
    assert_eq!(faults(&report), [("hangs".to_owned(), FaultKind::TimedOut)]);
    assert_eq!(
        event.get("tool_input").as_deref(),
        Some(&json!({"path": "b"}))
    );
    assert_eq!(report.result.effects.inject().len(), 1);
    assert_eq!(report.steps.len(), 5);
    drop(release);
}

#[test]
fn a_hook_that_was_given_up_took_the_time_that_it_was_waited_for() {
    let registry = isolating();
    let (hook, release) = hangs("hangs", HookResult::proceed());
    registry.register(hook);
    let (_, report) = dispatch(&registry);
    assert!(report.took >= Some(SHORT), "{report:?}");
    assert!(report.steps[0].took >= Some(SHORT), "{report:?}");
    drop(release);
}

#[test]
fn a_guard_that_hangs_refuses_and_one_that_refused_before_still_does() {
    let registry = isolating();
    let (hook, release) = hangs("scan", HookResult::proceed());
    registry.register(hook.guard());
    let (_, report) = dispatch(&registry);
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
    assert_eq!(faults(&report), [("scan".to_owned(), FaultKind::TimedOut)]);

    let (registry, log) = (isolating(), Log::default());
    registry.register(log.says("tool:pre", "asks", HookResult::ask("write it?")));
    let (hook, other) = hangs("hangs", HookResult::proceed());
    registry.register(hook);
    let (_, report) = dispatch(&registry);
    assert_eq!(
        report.result.verdict.kind(),
        Kind::Ask,
        "it was said on the lost thread"
    );
    assert_eq!(log.take(), ["asks"]);
    drop((release, other));
}

/// Says when the thread that has it is over.
struct End(Sender<()>);

impl Drop for End {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

thread_local! {
    static END: std::cell::RefCell<Option<End>> = const { std::cell::RefCell::new(None) };
}

/// A registry with one hook that hangs until it is let go, and then refuses; its thread says when it is over.
fn late(log: &Log) -> (HookRegistry, Sender<()>, Receiver<()>) {
    let registry = isolating();
    let (release, held) = channel::<()>();
    let (over, is_over) = channel::<()>();
    let held = Mutex::new((held, over));
    let hangs = move |_: &Event| {
        let held = held.lock().unwrap();
        END.set(Some(End(held.1.clone())));
        let _ = held.0.recv();
        HookResult::deny("much too late")
    };
    registry.register(Hook::in_process("tool:pre", "late", hangs).deadline(SHORT));
    registry.register(log.hook("tool:pre", "after"));
    registry.register(log.hook("tool:pre", "only once").once());
    let seen = log.clone();
    registry.observe("tool:pre", move |_: &Event, report: &Report| {
        seen.note(format!("seen {:?}", report.result.verdict.kind()));
    });
    (registry, release, is_over)
}

#[test]
fn a_hook_that_comes_back_after_it_was_given_up_changes_nothing() {
    let log = Log::default();
    let (registry, release, is_over) = late(&log);
    let (_, report) = dispatch(&registry);
    assert_eq!(faults(&report), [("late".to_owned(), FaultKind::TimedOut)]);
    assert_eq!(report.result.verdict.kind(), Kind::Continue);
    drop(release);
    is_over.recv().unwrap();
    assert_eq!(log.take(), ["after", "only once", "seen Continue"]);
}

#[test]
fn a_thread_that_was_given_up_for_a_caller_ends_when_its_hook_comes_back() {
    let log = Log::default();
    let (registry, release, is_over) = late(&log);
    let report = registry.dispatch_blocking(&mut Event::new("tool:pre", json!({})));
    assert_eq!(faults(&report), [("late".to_owned(), FaultKind::TimedOut)]);
    drop(release);
    is_over.recv().unwrap();
    assert_eq!(log.take(), ["after", "only once", "seen Continue"]);
}

/// The warnings of all tests of this program.
struct Warnings(Mutex<Vec<String>>);

static WARNINGS: Warnings = Warnings(Mutex::new(Vec::new()));

impl log::Log for Warnings {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        self.0.lock().unwrap().push(record.args().to_string());
    }
    fn flush(&self) {}
}

/// What was logged about a hook.
fn warned(hook: &str) -> Vec<String> {
    let all = WARNINGS.0.lock().unwrap();
    all.iter()
        .filter(|text| text.contains(hook))
        .cloned()
        .collect()
}

/// Refuses; where the event says so, only after it was let go.
fn hangs_at(word: &'static str, held: Receiver<()>) -> impl Fn(&Event) -> HookResult + Send + Sync {
    let held = Mutex::new(held);
    move |event: &Event| {
        if event.text("word").as_deref() == Some(word) {
            let _ = held.lock().map(|held| held.recv());
        }
        HookResult::deny("it judged")
    }
}

#[test]
fn a_handler_is_off_while_three_of_its_calls_hang_and_says_so_and_is_asked_again_when_one_comes_back()
 {
    let _ = log::set_logger(&WARNINGS);
    log::set_max_level(log::LevelFilter::Warn);
    let off = "it is off until one of its 3 calls that hang comes back";
    for (name, guards) in [("a guard that hangs", true), ("a hook that hangs", false)] {
        let registry = isolating();
        let (release, held) = channel::<()>();
        let hook = Hook::on("tool:pre", hangs_at("hang", held))
            .named(name)
            .deadline(SHORT);
        registry.register(if guards { hook.guard() } else { hook });
        let asked = |word: &str| {
            let report =
                registry.dispatch_blocking(&mut Event::new("tool:pre", json!({"word": word})));
            let fault = report
                .faults()
                .map(|(_, fault)| fault.text.to_string())
                .next();
            (report.result.verdict.kind(), fault)
        };
        let failed = if guards { Kind::Deny } else { Kind::Continue };
        for count in 1..=3 {
            let text = format!("it was abandoned after 20ms ({count} of 3 before it is off)");
            assert_eq!(asked("hang"), (failed, Some(text)));
        }
        for _ in 0..2 {
            assert_eq!(asked("go"), (failed, Some(off.to_owned())));
        }
        let told = format!(
            "`{name}` is off: 3 of its calls hang, and each has a thread; it is asked again when one comes back"
        );
        assert_eq!(warned(name), [told]);
        release.send(()).unwrap();
        let began = std::time::Instant::now();
        while asked("go") != (Kind::Deny, None) {
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "its call came back"
            );
            thread::yield_now();
        }
        drop(release);
    }
}

#[test]
fn an_observer_that_hangs_is_given_up_and_the_others_see_the_report_once() {
    let (registry, log) = (
        HookRegistry::isolating(Arc::new(SystemClock::default()), SHORT),
        Log::default(),
    );
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let see = |name: &'static str| {
        let log = log.clone();
        move |_: &Event, _: &Report| log.note(name)
    };
    registry.observe("tool:pre", see("first"));
    registry.observe("tool:pre", move |_: &Event, _: &Report| {
        let _ = held.lock().map(|held| held.recv());
    });
    registry.observe("tool:pre", see("last"));
    let (_, report) = dispatch(&registry);
    assert_eq!(log.take(), ["first", "last"]);
    let remark = report.remarks[0].to_string();
    assert!(
        remark.contains("the observer") && remark.contains("it was abandoned after 20ms"),
        "{remark}"
    );
    drop(release);
}

/// Data of a stranger, who cannot change a field: so many times, changing one is a panic.
#[derive(Debug, Clone)]
struct Broken(Arc<AtomicU32>);

impl Foreign for Broken {
    fn text(&self, _: &str, _: &mut dyn FnMut(&str)) {}
    fn set(&mut self, _: &str, _: Option<&Datum>) {
        let left = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        assert!(left.is_err(), "the object is frozen");
    }
    fn holds(&self, _: &str, _: Option<&Datum>) -> bool {
        false
    }
    fn json(&self) -> Cow<'_, Map> {
        Cow::Owned(Map::new())
    }
    fn copy(&self) -> Box<dyn Foreign> {
        Box::new(self.clone())
    }
}

/// Dispatches about data whose first so many changes are panics outside of every handler.
fn breaks_down(event: &str, times: u32, guarded: bool) -> (Log, Report) {
    let (registry, log) = (isolating(), Log::default());
    let rewrites = HookResult::proceed()
        .modify("title", "new")
        .inject("a hint");
    registry.register(log.says(event, "rewrites", rewrites));
    let last = log.hook(event, "last");
    registry.register(if guarded { last.guard() } else { last });
    let foreign: Box<dyn Foreign> = Box::new(Broken(Arc::new(AtomicU32::new(times))));
    let mut event = Event::new(event, Data::from(foreign));
    let report = registry.dispatch_blocking(&mut event);
    (log, report)
}

#[test]
fn a_dispatch_that_breaks_down_asks_no_handler_twice_and_a_guard_that_never_answered_refuses() {
    let (log, report) = breaks_down("tool:pre", 1, true);
    assert_eq!(log.take(), ["rewrites"]);
    assert_eq!(
        faults(&report),
        [("last".to_owned(), FaultKind::NotStarted)]
    );
    assert_eq!(report.result.verdict.kind(), Kind::Deny);
    assert_eq!(
        report.result.effects.inject().len(),
        1,
        "what was said is not lost"
    );
}

#[test]
fn a_dispatch_that_breaks_down_again_and_again_is_a_refusal_on_a_gate_and_a_remark_elsewhere() {
    for guarded in [true, false] {
        let (log, report) = breaks_down("tool:pre", 9, guarded);
        assert_eq!(log.take(), ["rewrites"]);
        assert_eq!(report.result.verdict.kind(), Kind::Deny);
    }
    let (log, report) = breaks_down("tool:post", 9, true);
    assert_eq!(log.take(), ["rewrites"]);
    assert!(report.result.is_identity());
    assert_eq!(
        report.remarks,
        ["the hooks could not be asked: the object is frozen".into()]
    );
}

#[test]
fn a_program_may_emit_two_events_at_once_and_each_gets_its_own_answer() {
    let registry = isolating();
    registry.on("tool:*", |event: &Event| {
        HookResult::deny(event.name.as_str())
    });
    let texts = carried(async move {
        let emit = |event| registry.emit(event, json!({}));
        let (one, (two, three)) = both(
            emit("tool:pre"),
            both(emit("tool:post"), emit("tool:error")),
        )
        .await;
        [one, two, three].map(|said| said.result.verdict.text())
    });
    assert_eq!(texts, ["tool:pre", "tool:post", "tool:error"]);
}

#[test]
fn an_event_that_is_given_up_is_in_the_way_of_no_other() {
    let (registry, log) = (isolating(), Log::default());
    registry.register(log.hook("tool:*", "heard"));
    let emits = registry.clone();
    carried(async move {
        {
            // Polled once and dropped: it was left on the desk, and is taken from there.
            let mut emit = std::pin::pin!(emits.emit("tool:pre", json!({})));
            let polled = poll_fn(|context| Poll::Ready(emit.as_mut().poll(context))).await;
            assert!(polled.is_pending());
        }
        emits.emit("tool:post", json!({})).await;
    });
    assert_eq!(log.take(), ["heard"]);
}

#[test]
fn a_program_may_block_on_an_event_in_its_middle() {
    let registry = isolating();
    registry.on("tool:pre", |_: &Event| HookResult::deny("read-only"));
    let kinds = carried(async move {
        let blocked = registry.emit_blocking("tool:pre", json!({}));
        let other = pollster::block_on(registry.emit("tool:pre", json!({})));
        let awaited = registry.emit("tool:pre", json!({})).await;
        [blocked, other, awaited].map(|said| said.result.verdict.kind())
    });
    assert_eq!(kinds, [Kind::Deny; 3]);
}

#[test]
fn a_program_may_wait_for_something_else() {
    let (say, said) = channel::<Waker>();
    let came = Arc::new(AtomicBool::new(false));
    let comes = Arc::clone(&came);
    let wakes = thread::spawn(move || {
        let waker = said.recv().unwrap();
        comes.store(true, Ordering::SeqCst);
        waker.wake();
    });
    let mut say = Some(say);
    let waited = poll_fn(move |context| {
        if let Some(say) = say.take() {
            say.send(context.waker().clone()).unwrap();
        }
        if came.load(Ordering::SeqCst) {
            Poll::Ready("it came")
        } else {
            Poll::Pending
        }
    });
    assert_eq!(carried(waited), "it came");
    wakes.join().unwrap();
}

#[test]
fn a_panic_of_a_program_is_its_callers() {
    let registry = isolating();
    registry.on("tool:pre", |_: &Event| ());
    let panics = async move {
        registry.emit("tool:pre", json!({})).await;
        panic!("no way out");
    };
    let panic = catch_unwind(AssertUnwindSafe(|| carried::<()>(panics))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no way out"));
}

#[test]
fn a_handler_that_answers_later_is_given_up_too() {
    let registry = isolating();
    let never = later(|_: Event| std::future::pending::<HookResult>());
    registry.register(Hook::in_process("tool:pre", "never", never).deadline(SHORT));
    registry.on(
        "tool:pre",
        later(|_: Event| async { HookResult::ask("write it?") }),
    );
    let (_, report) = dispatch(&registry);
    assert_eq!(faults(&report), [("never".to_owned(), FaultKind::TimedOut)]);
    assert_eq!(report.result.verdict.kind(), Kind::Ask);
}

#[test]
fn handlers_that_emit_inside_each_other_end_on_many_threads_too() {
    let registry = isolating();
    let deep = Arc::new(AtomicU32::new(0));
    let counts = Arc::clone(&deep);
    let lends = registry.lending(move |_: &Event, hooks: &HookRegistry| {
        counts.fetch_add(1, Ordering::SeqCst);
        hooks.emit_blocking("tool:pre", json!({}));
    });
    registry.on("tool:pre", lends);
    dispatch(&registry);
    assert_eq!(deep.load(Ordering::SeqCst), 16);
}

#[test]
fn a_caller_that_collects_is_not_kept_waiting_by_one_that_hangs() {
    let registry = isolating();
    registry.on("tool:pre", |_: &Event| HookResult::proceed().reply("aye"));
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    registry.on("tool:pre", move |_: &Event| {
        let _ = held.lock().map(|held| held.recv());
    });
    registry.on("tool:pre", |_: &Event| HookResult::proceed().reply("no"));
    let collected = registry.collect_blocking("tool:pre", json!({}), Patience::from(SHORT));
    assert_eq!(collected.replies, ["aye".into(), "no".into()]);
    assert_eq!(collected.report.faults().count(), 1);
    drop(release);
}

/// What a hook of the law does.
#[derive(Debug, Clone, Copy)]
enum Does {
    Nothing,
    Rewrites,
    Injects,
    Asks,
    Denies,
    Panics,
    Hangs,
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        3 => Just(Does::Nothing),
        2 => Just(Does::Rewrites),
        2 => Just(Does::Injects),
        1 => Just(Does::Asks),
        1 => Just(Does::Denies),
        1 => Just(Does::Panics),
        2 => Just(Does::Hangs),
    ]
}

/// Registers a hook of the law; one that hangs does so until `held` is closed, or fails at once where there is none.
fn law(registry: &HookRegistry, (at, does, guard): (usize, Does, bool), held: Option<&Held>) {
    let held = held.map(Arc::clone);
    let handler = move |_: &Event| -> Result<HookResult, String> {
        let name = at.to_string();
        Ok(match does {
            Does::Nothing => HookResult::proceed(),
            Does::Rewrites => HookResult::proceed().modify("tool_input", json!({"path": name})),
            Does::Injects => HookResult::proceed().inject(name),
            Does::Asks => HookResult::ask(name),
            Does::Denies => HookResult::deny(name),
            Does::Panics => panic!("{name}"),
            Does::Hangs => match &held {
                Some(held) => {
                    let _ = held.lock().map(|held| held.recv());
                    HookResult::halt("this comes too late")
                }
                None => return Err(name),
            },
        })
    };
    let hook = Hook::in_process("tool:pre", &at.to_string(), handler);
    let hook = if guard { hook.guard() } else { hook };
    registry.register(match does {
        Does::Hangs => hook.deadline(Duration::from_millis(2)),
        _ => hook,
    });
}

type Held = Arc<Mutex<Receiver<()>>>;

/// What is left of a dispatch for a caller; the words of a failure are left out, because one hung and the other said so.
fn left(event: &Event, report: &Report) -> String {
    let steps = report.steps.iter().map(|step| match &step.became {
        Became::Failed { verdict, .. } => format!("{:?} failed {verdict:?}", step.hook),
        other => format!("{:?} {other:?}", step.hook),
    });
    let steps: Vec<String> = steps.collect();
    let effects = &report.result.effects;
    format!(
        "{:?} {:?} {effects:?} {steps:?}",
        event.data.json(),
        report.result.verdict.kind(),
    )
}

#[test]
fn whatever_hangs_a_dispatch_is_the_one_in_which_it_failed_at_once() {
    let hooks = proptest::collection::vec((does(), any::<bool>()), 0..6);
    // Each case waits for what hangs, so the number of cases is not that of the environment, which the macro would take.
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let law = runner.run(&hooks, |hooks| {
        let (release, held) = channel::<()>();
        let held: Held = Arc::new(Mutex::new(held));
        let (hangs, fails) = (isolating(), HookRegistry::new());
        for (at, (does, guard)) in hooks.into_iter().enumerate() {
            law(&hangs, (at, does, guard), Some(&held));
            law(&fails, (at, does, guard), None);
        }
        let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
        let plain = fails.dispatch_blocking(&mut event);
        let (carried, report) = dispatch(&hangs);
        prop_assert_eq!(left(&carried, &report), left(&event, &plain));
        drop(release);
        Ok(())
    });
    law.unwrap();
}
