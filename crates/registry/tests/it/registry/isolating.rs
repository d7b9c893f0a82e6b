//! What hangs costs a thread, and nothing else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhook_registry::HookRegistry;
use anyhook_registry::SystemClock;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::fault::FaultKind;
use anyhook_registry::core::handler::later;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::report::{Report, StepOutcome};
use anyhook_registry::core::result::{HookResult, Kind};
use anyhook_registry::registry::Patience;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::Log;

/// In these tests only what is meant to hang takes this long.
const LONG: Duration = Duration::from_mins(5);

/// So long those are waited for that hang.
const SHORT: Duration = Duration::from_millis(20);

fn isolating() -> HookRegistry {
    HookRegistry::isolating(Arc::new(SystemClock::default()), LONG)
}

fn dispatch(registry: &HookRegistry) -> (Event, Report) {
    let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
    let report = registry.dispatch_blocking(&mut event);
    (event, report)
}

fn faults(report: &Report) -> Vec<(String, FaultKind)> {
    let named = |(id, fault): (_, &anyhook_registry::core::fault::Fault)| {
        let name = report.hook(id).map(|hook| hook.name.to_string());
        (name.unwrap_or_default(), fault.kind)
    };
    report.faults().map(named).collect()
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
    assert_eq!(log.take(), ["after", "only once"]);
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
fn a_caller_that_collects_is_not_kept_waiting_by_one_that_hangs() {
    let registry = isolating();
    registry.on("tool:pre", |_: &Event| HookResult::proceed().reply("aye"));
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    registry.on("tool:pre", move |_: &Event| {
        let _ = held.lock().map(|held| held.recv());
    });
    registry.on("tool:pre", |_: &Event| HookResult::proceed().reply("no"));
    let patience = Patience::from(SHORT * 20);
    let collected = registry.collect_blocking("tool:pre", json!({}), patience);
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
        StepOutcome::Failed { verdict, .. } => format!("{:?} failed {verdict:?}", step.hook),
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
    let mut runner = TestRunner::new(ProptestConfig::with_cases(8));
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
        let (hung, report) = dispatch(&hangs);
        prop_assert_eq!(left(&hung, &report), left(&event, &plain));
        drop(release);
        Ok(())
    });
    law.unwrap();
}
