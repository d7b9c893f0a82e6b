//! The kernel: folding and fitting, and a registry beside the floor and beside the naive one, in the same run.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]

mod emitting;
mod floor;
mod folding;
mod naive;
mod payloads;
mod redacting;
mod threads;

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use anyhook::HookRegistry;
use anyhook_benches::{Claim, Contender, Measured, claims, interleave, table};
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::{Handled, HookHandler};
use anyhook_core::hook::Hook;
use anyhook_core::result::HookResult;
use floor::Floor;
use naive::Naive;

/// The event of all emits. It has a subject, which the floor does not look up.
const EVENT: &str = "tool:pre";

/// How long to measure.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    times: u32,
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let effort = if std::env::args().any(|arg| arg == "--bench") {
        Effort {
            rounds: 101,
            times: 2_000,
        }
    } else {
        Effort {
            rounds: 3,
            times: 10,
        }
    };
    let mut made = Vec::new();
    println!("{}", folding::table(effort));
    println!("{}", emitting::table(effort, &mut made));
    println!("{}", emitting::sizes(effort, &mut made));
    println!("{}", emitting::rewriting(effort, &mut made));
    println!("{}", registering(effort));
    println!("{}", threads::table(effort, &mut made));
    println!("{}", redacting::table(effort));
    println!("{}", allocations(&mut made));
    println!("{}", claims(&made));
}

/// A hook that answers later, and then has nothing to say.
struct Boxed;

impl HookHandler for Boxed {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        Handled::Pending(Box::pin(async move {
            std::hint::black_box(&event.data);
            Ok(HookResult::proceed())
        }))
    }
}

fn silent(_: &Event) -> HookResult {
    HookResult::proceed()
}

fn registry<H: HookHandler + 'static>(many: usize, handler: impl Fn(usize) -> H) -> HookRegistry {
    let registry = HookRegistry::new();
    for at in 0..many {
        registry.register(Hook::on(EVENT, handler(at)).named(&format!("hook-{at}")));
    }
    registry
}

fn naive(many: usize) -> Naive {
    let registry = Naive::default();
    for at in 0..many {
        registry.register(EVENT, &format!("hook-{at}"), |_, data| {
            std::hint::black_box(&data);
            naive::Said::Continue
        });
    }
    registry
}

/// Polls a future that is ready at once; the same for every contender.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    match future.as_mut().poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

/// Coming and going among a thousand.
fn registering(effort: Effort) -> String {
    let registry = registry(1_000, |_| silent);
    let naive = naive(1_000);
    let floor = Floor::with(EVENT, 0, || Arc::new(floor::Ready));
    (0..1_000).for_each(|_| floor.register());
    let measured = interleave(
        effort.rounds,
        effort.times / 10,
        vec![
            Contender::new("floor: a list under a lock", || {
                floor.register();
                floor.unregister(500);
            }),
            Contender::new("register and unregister", || {
                registry
                    .register(Hook::on(EVENT, silent).named("one more"))
                    .unregister();
            }),
            Contender::new("the same, and an emit between them", || {
                let handle = registry.register(Hook::on(EVENT, silent).named("one more"));
                let said = now(registry.emit(EVENT, Map::new()));
                handle.unregister();
                said
            }),
            Contender::new("naive", || {
                naive.register(EVENT, "one more", |_, _| naive::Said::Continue);
                naive.unregister(EVENT, "one more");
            }),
        ],
    );
    table("register and unregister among 1,000", &measured)
}

/// What an emit costs on the heap, counted.
fn allocations(made: &mut Vec<Claim>) -> String {
    let data = Arc::new(payloads::small());
    let mut text = format!(
        "\n{:44} {:>6} {:>6} {:>6}\n",
        "allocations of one emit, by handlers", 1, 10, 100
    );
    let mut counted = |name: &str, count: &dyn Fn(usize) -> u64| {
        let [one, ten, hundred] = [1, 10, 100].map(count);
        text.push_str(&format!("{name:44} {one:>6} {ten:>6} {hundred:>6}\n"));
        [one, ten, hundred]
    };
    let count = |once: &mut dyn FnMut()| {
        once();
        allocation_counter::measure(once).count_total
    };
    let ready = counted("emit, ready", &|many| {
        let registry = registry(many, |_| silent);
        count(&mut || drop(now(registry.emit(EVENT, Arc::clone(&data)))))
    });
    counted("emit, boxed futures", &|many| {
        let registry = registry(many, |_| Boxed);
        count(&mut || drop(now(registry.emit(EVENT, Arc::clone(&data)))))
    });
    counted("naive", &|many| {
        let registry = naive(many);
        count(&mut || drop(now(registry.emit(EVENT, Map::clone(&data)))))
    });
    let [one, _, hundred] = ready;
    made.push(Claim::at_most(
        "allocations of 99 more ready handlers",
        f64::from(u32::try_from(hundred - one).unwrap_or(u32::MAX)),
        0.0,
    ));
    text
}

fn ratio(measured: &[Measured], at: usize) -> f64 {
    measured.get(at).map_or(f64::NAN, |row| row.ratio[0])
}
