//! The kernel: folding and fitting, and a registry beside the floor and beside the naive one, in the same run.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]

mod floor;
mod naive;
mod payloads;
mod threads;

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use anyhook::HookRegistry;
use anyhook_benches::{Claim, Contender, Measured, claims, interleave, table};
use anyhook_core::can::Can;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::{Handled, HookHandler};
use anyhook_core::hook::Hook;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use floor::Floor;
use naive::Naive;
use serde_json::json;

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
    println!("{}", folding(effort.rounds, effort.times));
    println!("{}", emitting(effort, &mut made));
    println!("{}", sizes(effort, &mut made));
    println!("{}", rewriting(effort, &mut made));
    println!("{}", registering(effort));
    println!("{}", threads::table(effort, &mut made));
    println!("{}", allocations(&mut made));
    println!("{}", claims(&made));
}

fn folding(rounds: usize, times: u32) -> String {
    let can = Can::EVERYTHING;
    let rich = || {
        HookResult::deny("no")
            .inject("a text")
            .notify("a note")
            .modify("tool_input", json!({"a": 1}))
    };
    let plain = HookResult::proceed();
    let measured = interleave(
        rounds,
        times,
        vec![
            Contender::new("build one rich result (floor)", rich),
            Contender::new("then: two that say nothing", || {
                plain.clone().then(plain.clone())
            }),
            Contender::new("then: two rich ones, built too", || rich().then(rich())),
            Contender::new("fit: one that says nothing", || {
                plain.clone().fit(Class::Gate, &["tool_input"], &can)
            }),
            Contender::new("fit: one rich one, built too", || {
                rich().fit(Class::Gate, &["tool_input"], &can)
            }),
        ],
    );
    table("folding and fitting", &measured)
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

/// Every number of handlers, at 237 bytes.
fn emitting(effort: Effort, made: &mut Vec<Claim>) -> String {
    [0, 1, 10, 100]
        .map(|many| emit(effort, many, made))
        .concat()
}

fn emit(effort: Effort, many: usize, made: &mut Vec<Claim>) -> String {
    let data = Arc::new(payloads::small());
    let floors: [Floor; 2] = [
        Floor::with(EVENT, many, || Arc::new(floor::Boxed)),
        Floor::with(EVENT, many, || Arc::new(floor::Ready)),
    ];
    let (ready, boxed, naive) = (
        registry(many, |_| silent),
        registry(many, |_| Boxed),
        naive(many),
    );
    let measured = interleave(
        effort.rounds,
        effort.times / u32::try_from(many.max(10) / 10).unwrap_or(1),
        vec![
            Contender::new("floor, boxed futures", || {
                now(floors[0].emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("floor, ready", || {
                now(floors[1].emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("emit, boxed futures", || {
                now(boxed.emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("emit, ready", || now(ready.emit(EVENT, Arc::clone(&data)))),
            Contender::new("dispatch, boxed, with its report", || {
                now(boxed.dispatch(&mut Event::new(EVENT, Arc::clone(&data))))
            }),
            Contender::new("naive", || now(naive.emit(EVENT, Map::clone(&data)))),
        ],
    );
    if many == 10 {
        let [emit, dispatch] = [2, 4].map(|at| ratio(&measured, at));
        made.push(Claim::at_most(
            "emit x 10 boxed, to the boxed floor",
            emit,
            1.4,
        ));
        made.push(Claim::at_most(
            "dispatch with its report, to emit",
            dispatch / emit,
            3.0,
        ));
    }
    table(&format!("emit to {many} handlers, 237 bytes"), &measured)
}

/// The size of the payload means nothing as long as nobody rewrites.
fn sizes(effort: Effort, made: &mut Vec<Claim>) -> String {
    let boxed = registry(10, |_| Boxed);
    let naive = naive(10);
    let [small, text, structured] =
        [payloads::small(), payloads::text(), payloads::structured()].map(Arc::new);
    let (boxed, naive) = (&boxed, &naive);
    let emit = |data: &Arc<Map>| {
        let data = Arc::clone(data);
        move || now(boxed.emit(EVENT, Arc::clone(&data)))
    };
    let clone = |data: &Arc<Map>| {
        let data = Arc::clone(data);
        move || now(naive.emit(EVENT, Map::clone(&data)))
    };
    let measured = interleave(
        effort.rounds,
        effort.times,
        vec![
            Contender::new("emit, 237 bytes", emit(&small)),
            Contender::new("emit, 64 KiB in one string", emit(&text)),
            Contender::new("emit, 70 KB in 700 objects", emit(&structured)),
        ],
    );
    let beside = interleave(
        effort.rounds / 5 + 1,
        effort.times / 50 + 1,
        vec![
            Contender::new("emit, 70 KB in 700 objects", emit(&structured)),
            Contender::new("naive, 237 bytes", clone(&small)),
            Contender::new("naive, 64 KiB in one string", clone(&text)),
            Contender::new("naive, 70 KB in 700 objects", clone(&structured)),
        ],
    );
    made.push(Claim::at_most(
        "64 KiB, to 237 bytes",
        ratio(&measured, 1),
        1.1,
    ));
    made.push(Claim::at_most(
        "70 KB, to 237 bytes",
        ratio(&measured, 2),
        1.1,
    ));
    table("emit to 10 boxed handlers, by size", &measured)
        + &table("the same, beside the naive one", &beside)
}

/// Ten hooks that each change one field.
fn rewriting(effort: Effort, made: &mut Vec<Claim>) -> String {
    let chain = registry(10, |at| {
        move |_: &Event| HookResult::proceed().modify("turn", at)
    });
    let naive = Naive::default();
    for at in 0..10 {
        naive.register(EVENT, &format!("hook-{at}"), move |_, mut data| {
            data.insert("turn".to_owned(), at.into());
            naive::Said::Modify(data)
        });
    }
    let payloads = [
        ("237 bytes", payloads::small(), 3.0, 10),
        ("64 KiB in one string", payloads::text(), 3.0, 20),
        ("70 KB in 700 objects", payloads::structured(), 8.0, 200),
    ];
    let tables = payloads.map(|(size, data, wanted, less)| {
        let data = Arc::new(data);
        let measured = interleave(
            effort.rounds / 3 + 1,
            effort.times / less + 1,
            vec![
                Contender::new("emit", || now(chain.emit(EVENT, Arc::clone(&data)))),
                Contender::new("floor: one copy, changed in place", || {
                    let mut data = Arc::clone(&data);
                    for at in 0..10 {
                        Arc::make_mut(&mut data).insert("turn".to_owned(), at.into());
                    }
                    data
                }),
                Contender::new("naive", || now(naive.emit(EVENT, Map::clone(&data)))),
            ],
        );
        let claim = format!("modify x 10 at {size}: the naive one, to emit");
        made.push(Claim::at_least(&claim, ratio(&measured, 2), wanted));
        table(
            &format!("ten hooks that each change a field, {size}"),
            &measured,
        )
    });
    tables.concat()
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
        (hundred - one) as f64,
        0.0,
    ));
    text
}

fn ratio(measured: &[Measured], at: usize) -> f64 {
    measured.get(at).map_or(f64::NAN, |row| row.ratio[0])
}
