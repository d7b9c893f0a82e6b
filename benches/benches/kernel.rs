//! A registry beside the least that any registry has to do, in the same run: by handlers, by payload, and on the heap.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]

use std::collections::HashMap;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use anyhook::HookRegistry;
use anyhook_benches::{Claim, Contender, Measurement, claims, interleave, table};
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::{HandlerReply, HookHandler};
use anyhook_core::hook::Hook;
use anyhook_core::result::HookResult;
use arc_swap::ArcSwap;
use serde_json::{Value, json};

const EVENT: &str = "tool:pre";

/// A hook that answers later, and then has nothing to say.
struct BoxedHandler;

impl HookHandler for BoxedHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        HandlerReply::Pending(Box::pin(async move {
            black_box(&event.data);
            Ok(HookResult::proceed())
        }))
    }
}

fn silent(_: &Event) -> HookResult {
    HookResult::proceed()
}

fn registry<H: HookHandler + 'static>(many: usize, handler: impl Fn() -> H) -> HookRegistry {
    let registry = HookRegistry::new();
    for at in 0..many {
        registry.register(Hook::on(EVENT, handler()).named(&format!("hook-{at}")));
    }
    registry
}

type FloorAnswer<'a> = Pin<Box<dyn Future<Output = Option<Box<str>>> + Send + 'a>>;
type FloorHandler = fn(&Map) -> FloorAnswer<'_>;

/// The least: the list of an event behind an arc-swap, a time stamp, a boxed future for each handler, and one verdict. No faults,
/// no matchers, no report.
struct Floor(ArcSwap<HashMap<&'static str, Vec<FloorHandler>>>);

impl Floor {
    fn with(many: usize) -> Self {
        let handler: FloorHandler = |data| {
            Box::pin(async move {
                black_box(data);
                None
            })
        };
        Self(ArcSwap::from_pointee([(EVENT, vec![handler; many])].into()))
    }

    async fn emit(&self, event: &str, data: Arc<Map>) -> (Option<Box<str>>, Arc<Map>) {
        let lists = self.0.load();
        black_box(SystemTime::now());
        for handler in lists.get(event).into_iter().flatten() {
            if let Some(refused) = handler(&data).await {
                return (Some(refused), data);
            }
        }
        (None, data)
    }
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

/// What most events carry, and this much more in one text.
fn payload(more: usize) -> Arc<Map> {
    let event = json!({
        "session_id": "0195f3a2-7c1e-7d7a-9b11-3f2d8c6a4e10", "tool_name": "Edit", "cwd": "/home/dev/shop", "turn": 12,
        "tool_input": {"file_path": "src/cart.rs", "old_string": "total += 1;", "new_string": "total += item.price;"},
        "content": "x".repeat(more),
    });
    match event {
        Value::Object(event) => event.into(),
        _ => Arc::default(),
    }
}

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let effort = if is_bench { (101, 2_000) } else { (3, 10) };
    let mut made = Vec::new();
    for many in [0, 1, 10, 100] {
        println!("{}", emit(effort, many, &mut made));
    }
    println!("{}", sizes(effort, &mut made));
    made.push(allocations());
    println!("{}", claims(&made));
}

fn emit((rounds, times): (usize, u32), many: usize, made: &mut Vec<Claim>) -> String {
    let data = payload(0);
    let data = || Arc::clone(&data);
    let floor = Floor::with(many);
    let (ready, boxed) = (registry(many, || silent), registry(many, || BoxedHandler));
    let contenders = vec![
        Contender::new("floor, boxed futures", || now(floor.emit(EVENT, data()))),
        Contender::new("emit, boxed futures", || now(boxed.emit(EVENT, data()))),
        Contender::new("emit, ready", || now(ready.emit(EVENT, data()))),
        Contender::new("dispatch, boxed, with its report", || {
            now(boxed.dispatch(&mut Event::new(EVENT, data())))
        }),
    ];
    let measured = interleave(rounds, times, contenders);
    if many == 10 {
        let [emit, dispatch] = [1, 3].map(|at| ratio(&measured, at));
        let to_emit = dispatch / emit;
        made.push(Claim::at_most("emit x 10, to the floor", emit, 1.4));
        made.push(Claim::at_most("dispatch x 10, to emit", to_emit, 3.0));
    }
    table(&format!("emit to {many} handlers"), &measured)
}

/// The size of the payload means nothing as long as no handler rewrites.
fn sizes((rounds, times): (usize, u32), made: &mut Vec<Claim>) -> String {
    let boxed = registry(10, || BoxedHandler);
    let [small, large] = [payload(0), payload(64 * 1024)];
    let contenders = vec![
        Contender::new("emit, 300 bytes", || {
            now(boxed.emit(EVENT, Arc::clone(&small)))
        }),
        Contender::new("emit, 64 KiB more", || {
            now(boxed.emit(EVENT, Arc::clone(&large)))
        }),
    ];
    let measured = interleave(rounds, times, contenders);
    let larger = ratio(&measured, 1);
    made.push(Claim::at_most("64 KiB, to 300 bytes", larger, 1.1));
    table("emit to 10 handlers, by size", &measured)
}

/// What an emit costs on the heap, counted.
fn allocations() -> Claim {
    let data = payload(0);
    let [one, hundred] = [1, 100].map(|many| {
        let registry = registry(many, || silent);
        let once = || drop(now(registry.emit(EVENT, Arc::clone(&data))));
        once();
        allocation_counter::measure(once).count_total
    });
    let more = u32::try_from(hundred - one).unwrap_or(u32::MAX);
    let text = "allocations of 99 more ready handlers";
    Claim::at_most(text, f64::from(more), 0.0)
}

fn ratio(measured: &[Measurement], at: usize) -> f64 {
    measured.get(at).map_or(f64::NAN, |row| row.ratio[0])
}
