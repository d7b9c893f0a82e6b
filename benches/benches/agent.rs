//! A session of a thousand turns of the reference loop: what twenty hooks add to each of its events, and what it keeps.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot be set up stops where it stands"
)]
#![allow(missing_docs, reason = "a bench has no public items")]

#[path = "kernel/naive.rs"]
#[expect(dead_code, reason = "the kernel's bench uses all of it")]
mod naive;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhook::HookRegistry;
use anyhook::core::event::{Event, Map};
use anyhook::session::Acted;
use anyhook::world::SystemClock;
use anyhook_agent::agent::{Agent, Setup};
use anyhook_agent::compact::tokens;
use anyhook_agent::limits::Limits;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permissions, Phase};
use anyhook_agent::provider::scripted::Scripted;
use anyhook_benches::{Contender, Measured, interleave, table};
use naive::{Naive, Said};
use serde_json::{Value, json};

const HOOKS: usize = 20;

fn main() {
    let is_bench = std::env::args().any(|word| word == "--bench");
    let (rounds, turns) = if is_bench { (9, 1000) } else { (1, 20) };
    let place = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(place.path().join("a.txt"), "one line of text\n".repeat(20)).expect("a file");
    let script = script(turns);
    let events = events(&script, place.path());
    let event =
        json!({"tool_name": "Read", "tool_input": {"file_path": "a.txt"}, "session_id": "s1"});
    let naive = naive();
    let (waits, watches) = (waiting(), isolating());
    let worked: [Cell<f64>; 3] = Default::default();
    let [without, with, beside] = &worked;
    let measured = interleave(
        rounds,
        1,
        vec![
            Contender::new("a session without hooks", || {
                working(without, || session(&script, place.path(), 0))
            }),
            Contender::new("with 20 ready hooks on every event", || {
                working(with, || session(&script, place.path(), HOOKS))
            }),
            Contender::new("as many emits of 20 to the naive registry", || {
                working(beside, || {
                    for _ in 0..events {
                        now(naive.emit("tool:pre", fields(&event)));
                    }
                });
            }),
            Contender::new("as many emits of 20, each on a thread of its own", || {
                for _ in 0..events {
                    watches.emit_blocking("tool:pre", fields(&event));
                }
            }),
            Contender::new("as many empty hand-overs, each side asleep", || {
                for _ in 0..events {
                    waits.hand_over();
                }
            }),
        ],
    );
    println!(
        "{}",
        table(&format!("{turns} turns, {events} events"), &measured)
    );
    println!("{}", by_the_clock(&measured, events));
    println!("{}", by_the_processor(&worked, events, rounds + 1));
    let half = kept(&script, place.path(), turns / 2);
    let whole = kept(&script, place.path(), turns);
    println!(
        "tokens kept after {} turns: {half}; after {turns}: {whole}",
        turns / 2
    );
}

/// What the hooks add to an event, as a person waits for it.
fn by_the_clock(measured: &[Measured], events: u32) -> String {
    let micros = |at: usize| {
        let median = measured.get(at).map_or(f64::NAN, |row| row.median);
        median * 1e6 / f64::from(events)
    };
    let [without, with, naive, handed, empty] = [0, 1, 2, 3, 4].map(micros);
    let added = with - without;
    let ratio = added / naive;
    format!(
        "added to each event: {added:.2} us; the naive registry: {naive:.2} us, ratio {ratio:.2}\n\
         beside it: 20 hooks on threads {handed:.2} us, an empty one {empty:.2} us"
    )
}

/// The same in processor time of all threads, over all rounds: what others do on the machine is not in it.
fn by_the_processor(worked: &[Cell<f64>; 3], events: u32, rounds: usize) -> String {
    let rounds = f64::from(u32::try_from(rounds).unwrap_or(1));
    let micros = |total: &Cell<f64>| total.get() * 1e6 / f64::from(events) / rounds;
    let [without, with, naive] = worked.each_ref().map(micros);
    let added = with - without;
    let ratio = added / naive;
    format!(
        "in processor time: {added:.2} us added, the naive registry {naive:.2} us, ratio {ratio:.2}"
    )
}

/// Adds the processor time of something to a sum.
fn working<T>(total: &Cell<f64>, run: impl FnOnce() -> T) -> T {
    let before = processor_time();
    let done = run();
    total.set(total.get() + processor_time() - before);
    done
}

/// Returns the processor time of this process so far, to a hundredth of a second; nothing is known outside of Linux.
fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is a name, which may hold anything but ends with the last parenthesis.
    let fields = told.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn fields(event: &Value) -> Map {
    event.as_object().cloned().unwrap_or_default()
}

/// A registry whose handlers run on threads.
fn isolating() -> HookRegistry {
    let registry =
        HookRegistry::isolating(Arc::new(SystemClock::default()), Duration::from_secs(10));
    for _ in 0..HOOKS {
        registry.on("tool:pre", |_: &Event| ());
    }
    registry
}

/// Two threads that hand each other nothing, and sleep meanwhile: what a hand-over costs that burns no processor.
struct Waits(SyncSender<()>, Receiver<()>);

impl Waits {
    fn hand_over(&self) {
        self.0.send(()).expect("the other thread is there");
        self.1.recv().expect("the other thread answers");
    }
}

fn waiting() -> Waits {
    let (give, given) = sync_channel(0);
    let (back, done) = sync_channel(0);
    std::thread::spawn(move || while given.recv().is_ok() && back.send(()).is_ok() {});
    Waits(give, done)
}

/// A model that reads the same file again and again.
fn script(turns: u32) -> String {
    let call =
        json!({"text": "again", "calls": [{"name": "read", "input": {"file_path": "a.txt"}}]});
    Value::from(vec![call; turns as usize]).to_string()
}

fn agent(script: &str, folder: &std::path::Path) -> Agent {
    let provider = Scripted::read(script).expect("a script").forgetting();
    let limits = Limits {
        turns: 5000,
        window: 8000,
        ..Limits::default()
    };
    let permissions = Permissions {
        phase: Phase::Trusted,
        ..Permissions::default()
    };
    let setup = Setup {
        limits,
        permissions,
        ..Setup::new("s1", Arc::new(provider), folder)
    };
    Agent::new(setup).expect("an agent")
}

fn session(script: &str, folder: &std::path::Path, hooks: usize) -> Agent {
    let mut agent = agent(script, folder);
    for _ in 0..hooks {
        agent.on("*", |_: &Event| ());
    }
    let outcome = agent.run("read it");
    assert!(
        matches!(outcome.finish, Finish::Stop),
        "{:?}",
        outcome.finish
    );
    agent
}

/// How many events a session has.
fn events(script: &str, folder: &std::path::Path) -> u32 {
    let count: Arc<AtomicU32> = Arc::default();
    let counts = Arc::clone(&count);
    let provider = Scripted::read(script).expect("a script").forgetting();
    let limits = Limits {
        turns: 5000,
        window: 8000,
        ..Limits::default()
    };
    let permissions = Permissions {
        phase: Phase::Trusted,
        ..Permissions::default()
    };
    let setup = Setup {
        limits,
        permissions,
        watcher: Some(Arc::new(move |_: &Acted| {
            counts.fetch_add(1, Ordering::Relaxed);
        })),
        ..Setup::new("s1", Arc::new(provider), folder)
    };
    Agent::new(setup).expect("an agent").run("read it");
    count.load(Ordering::Relaxed)
}

/// How many tokens a conversation of so many turns has at its end.
fn kept(script: &str, folder: &std::path::Path, turns: u32) -> u64 {
    let all: Vec<Value> = serde_json::from_str(script).expect("a script");
    let some = Value::from(all.into_iter().take(turns as usize).collect::<Vec<_>>()).to_string();
    tokens(&session(&some, folder, 0).transcript().messages())
}

/// The handlers of this bench answer at once.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

fn naive() -> Naive {
    let naive = Naive::default();
    for at in 0..HOOKS {
        naive.register("tool:pre", &format!("hook-{at}"), |_, _| Said::Continue);
    }
    naive
}
