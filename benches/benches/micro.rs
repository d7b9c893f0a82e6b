#![allow(clippy::print_stdout, missing_docs, reason = "x")]
use anyhook::HookRegistry;
use anyhook_benches::{Contender, interleave, table};
use anyhook_core::dispatch::*;
use anyhook_core::event::*;
use anyhook_core::hook::*;
use anyhook_core::result::HookResult;
use serde_json::json;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
fn silent(_: &Event) -> HookResult {
    HookResult::proceed()
}
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(d) => Some(d),
        Poll::Pending => None,
    }
}
fn main() {
    let data = match json!({"session_id": "0195f3a2", "tool_name": "Edit", "cwd": "/home/dev/shop"})
    {
        serde_json::Value::Object(m) => Arc::new(m),
        _ => panic!(),
    };
    let mk = |n: usize| {
        (0..n)
            .map(|i| Hook::in_process("tool:pre", &i.to_string(), silent))
            .collect::<Hooks>()
    };
    let (h0, h1, h100) = (mk(0), mk(1), mk(100));
    let mut event = Event::new("tool:pre", Arc::clone(&data));
    let name = EventName::new("tool:pre");
    let policy = Policy {
        record: Record::Nothing,
        ..Policy::default()
    };
    let core = |h: &Hooks, event: &mut Event| {
        let mut d = Dispatch::begin(h, event, policy);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            if d.ready(event, &mut cx).is_some() {
                panic!()
            }
            match d.next(event) {
                Next::Done => return d.take_result(),
                _ => {}
            }
        }
    };
    let drive = |h: &Hooks, event: &mut Event| {
        let mut d = Dispatch::begin(h, event, policy);
        now(anyhook::drivers::future::drive(&mut d, h, event, &|_| true));
        d.take_result()
    };
    let reg1 = HookRegistry::new();
    for i in 0..10 {
        reg1.register(Hook::on("tool:pre", move |_: &Event| {
            HookResult::proceed().modify("turn", i)
        }));
    }
    let regr = HookRegistry::new();
    regr.register(Hook::on("tool:pre", silent));
    for (n, r) in [("pm", &reg1), ("pr", &regr)] {
        if std::env::args().any(|a| a == n) {
            let t = std::time::Instant::now();
            while t.elapsed().as_secs() < 3 {
                for _ in 0..10000 {
                    std::hint::black_box(now(r.emit("tool:pre", Arc::clone(&data))));
                }
            }
            return;
        }
    }
    if std::env::args().any(|a| a == "perf") {
        let t = std::time::Instant::now();
        while t.elapsed().as_secs() < 3 {
            for _ in 0..10000 {
                std::hint::black_box(core(&h1, &mut event));
            }
        }
        return;
    }
    let reg = HookRegistry::new();
    let mut e2 = event.clone();
    let mut e3 = event.clone();
    let mut e4 = event.clone();
    let mut e5 = event.clone();
    let mut e6 = event.clone();
    let m = interleave(
        51,
        5000,
        vec![
            Contender::new("event from name+data", || {
                Event::named(name.clone(), Arc::clone(&data))
            }),
            Contender::new("core 0", || core(&h0, &mut event)),
            Contender::new("core 1", || core(&h1, &mut e2)),
            Contender::new("core 100", || core(&h100, &mut e3)),
            Contender::new("drive 0", || drive(&h0, &mut e4)),
            Contender::new("drive 1", || drive(&h1, &mut e5)),
            Contender::new("drive 100", || drive(&h100, &mut e6)),
            Contender::new("reg list_handlers-free emit 0", || {
                now(reg.emit("x:y", Arc::clone(&data)))
            }),
            Contender::new("emit modify 10", || {
                now(reg1.emit("tool:pre", Arc::clone(&data)))
            }),
            Contender::new("emit ready 1", || {
                now(regr.emit("tool:pre", Arc::clone(&data)))
            }),
            Contender::new("clock", std::time::SystemTime::now),
        ],
    );
    println!("{}", table("micro", &m));
    println!(
        "sizes: Dispatch {} Event {} Finished {} Hook {}",
        size_of::<Dispatch>(),
        size_of::<Event>(),
        size_of::<Finished>(),
        size_of::<Hook>()
    );
}
