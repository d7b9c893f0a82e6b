//! The kernel: folding, fitting, and a dispatch of ready hooks beside a bare loop over the same closures.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]

use anyhook_benches::{Contender, interleave, table};
use anyhook_core::can::Can;
use anyhook_core::dispatch::{Dispatch, Next, Policy, Record};
use anyhook_core::event::Event;
use anyhook_core::handler::{Handled, Handler};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use serde_json::json;

const ROUNDS: usize = 101;
const TIMES: u32 = 2_000;

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let (rounds, times) = if std::env::args().any(|arg| arg == "--bench") {
        (ROUNDS, TIMES)
    } else {
        (3, 10)
    };
    println!("{}", folding(rounds, times));
    println!("{}", dispatching(rounds, times));
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

fn dispatching(rounds: usize, times: u32) -> String {
    let event = Event::new(
        "tool:pre",
        json!({"tool_name": "Write", "tool_input": {"file_path": "/a/b"}}),
    );
    let bare: Vec<Closure> = (0..10).map(|_| Box::new(silent) as _).collect();
    let (one, ten) = (hooks(1), hooks(10));
    let measured = interleave(
        rounds,
        times,
        vec![
            Contender::new("10 closures in a bare loop (floor)", || {
                bare.iter().fold(HookResult::proceed(), |folded, hook| {
                    folded.then(hook(&event))
                })
            }),
            Contender::new("dispatch of 1 ready hook", || {
                dispatch(&one, event.clone(), Record::Nothing)
            }),
            Contender::new("dispatch of 10 ready hooks", || {
                dispatch(&ten, event.clone(), Record::Nothing)
            }),
            Contender::new("dispatch of 10, every step recorded", || {
                dispatch(&ten, event.clone(), Record::Steps)
            }),
        ],
    );
    table("dispatch of ready hooks, 60-byte payload", &measured)
}

type Closure = Box<dyn Fn(&Event) -> HookResult>;

fn silent(_: &Event) -> HookResult {
    HookResult::proceed()
}

fn hooks(many: usize) -> Hooks {
    (0..many)
        .map(|at| Hook::in_process("tool:pre", &format!("hook-{at}"), silent))
        .collect()
}

fn dispatch(hooks: &Hooks, mut event: Event, record: Record) -> HookResult {
    let mut dispatch = Dispatch::begin(
        hooks,
        &event,
        Policy {
            record,
            ..Policy::default()
        },
    );
    while let Next::Ask(id) = dispatch.next(&mut event) {
        if let Some(Hook {
            handler: Handler::InProcess(handler),
            ..
        }) = hooks.get(id)
            && let Handled::Ready(said) = handler.handle(&event)
        {
            dispatch.answer(id, said, None);
        }
    }
    dispatch.finish().result
}
