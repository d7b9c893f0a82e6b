//! The fast path is an optimisation, never a meaning: a driver that uses it comes to the same as one that does not.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use anyhook_core::dispatch::{Dispatch, Finished, Next, Policy};
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler, Said, later};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::report::{Asked, Became, Step};
use anyhook_core::result::{HookId, HookResult, Kind};
use proptest::prelude::*;
use serde_json::json;

use crate::config;
use crate::table::{Spec, Table, table};

/// Drives hooks of this process by `next` alone, or by the fast path and `next`.
fn drive(hooks: &Hooks, event: &mut Event, policy: Policy, fast: Fast) -> Finished {
    let mut context = Context::from_waker(Waker::noop());
    let mut dispatch = Dispatch::begin(hooks, event, policy);
    for _ in 0..10_000 {
        if fast == Fast::Yes {
            assert!(
                dispatch.ready(event, &mut context).is_none(),
                "all of them are ready"
            );
            if dispatch.is_done() {
                assert_eq!(dispatch.next(event), Next::Done);
            }
            if dispatch.fold_answer(event) {
                continue;
            }
        }
        let ids = match dispatch.next(event) {
            Next::Ask(id) => vec![id],
            Next::Together(ids) => ids,
            Next::Wait => panic!("every answer was handed in"),
            Next::Done => return dispatch.finish(),
        };
        for id in ids {
            dispatch.answer(id, ask(hooks, id, event), None);
        }
    }
    panic!("the dispatch does not end")
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fast {
    Yes,
    No,
}

fn ask(hooks: &Hooks, id: HookId, event: &Event) -> Said {
    let Some(Handler::InProcess(handler)) = hooks.get(id).map(|hook| &hook.handler) else {
        panic!("there is no such hook of this process");
    };
    match handler.handle(event) {
        Handled::Ready(said) => said,
        Handled::Pending(mut future) => {
            match future
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
            {
                Poll::Ready(said) => said,
                Poll::Pending => panic!("all of them are ready"),
            }
        }
    }
}

/// A hook of a table that answers itself; every second one by a future that is ready.
struct Answering(Spec, usize);

impl HookHandler for Answering {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        let said = self.0.answer(&event.data.json());
        let said = said.unwrap_or_else(|| Ok(HookResult::proceed()));
        if self.1.is_multiple_of(2) {
            Handled::Ready(said)
        } else {
            Handled::Pending(Box::pin(std::future::ready(said)))
        }
    }
}

fn answering(table: &Table) -> Hooks {
    let specs = table.specs.iter().enumerate();
    specs
        .map(|(at, spec)| {
            let mut hook = spec.hook(at, table.event);
            hook.handler = Handler::InProcess(Box::new(Answering(spec.clone(), at)));
            hook
        })
        .collect()
}

fn outcome(table: &Table, fast: Fast) -> (Finished, Map) {
    let hooks = answering(table);
    let mut event = table.event();
    let finished = drive(&hooks, &mut event, table.policy(), fast);
    (finished, event.data.json().into_owned())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_driver_that_uses_the_fast_path_comes_to_the_same(table in table()) {
        prop_assert_eq!(outcome(&table, Fast::Yes), outcome(&table, Fast::No));
    }
}

fn silent(policy: Policy) -> (Finished, u32) {
    let asked = Arc::new(Mutex::new(0));
    let hook = |at: usize| {
        let asked = Arc::clone(&asked);
        Hook::in_process("tool:pre", &at.to_string(), move |_: &Event| {
            *asked.lock().unwrap() += 1;
        })
    };
    let hooks: Hooks = (0..3).map(hook).collect();
    let mut event = Event::new("tool:pre", json!({}));
    let finished = drive(&hooks, &mut event, policy, Fast::Yes);
    let asked = *asked.lock().unwrap();
    (finished, asked)
}

#[test]
fn each_silent_hook_is_asked_once_and_has_its_step() {
    let (finished, asked) = silent(Policy::default());
    let step = |at| Step {
        hook: HookId(at),
        became: Became::Said(None),
        again: Asked::First,
        took: None,
    };
    assert_eq!(finished.steps, [step(0), step(1), step(2)]);
    assert_eq!(asked, 3);
}

#[test]
fn a_panic_on_the_fast_path_is_the_fault_of_the_hook_that_panicked() {
    let order = RefCell::new(Vec::new());
    let hooks: Hooks = [
        Hook::in_process("tool:pre", "calm", |_: &Event| ()),
        Hook::in_process("tool:pre", "nervous", |_: &Event| -> HookResult {
            panic!("no such table")
        }),
        Hook::in_process(
            "tool:pre",
            "later",
            later(|_| async { HookResult::deny("no") }),
        ),
    ]
    .into_iter()
    .collect();
    let mut event = Event::new("tool:pre", json!({}));
    let finished = drive(&hooks, &mut event, Policy::default(), Fast::Yes);
    for step in &finished.steps {
        let name = hooks.get(step.hook).unwrap().info.name.to_string();
        order.borrow_mut().push((name, step.became.clone()));
    }
    let fault = Fault::new(FaultKind::Panicked, "the handler panicked: no such table");
    let [calm, nervous, later] = &order.into_inner()[..] else {
        panic!("three hooks, three steps")
    };
    assert_eq!(*calm, ("calm".to_owned(), Became::Said(None)));
    let failed = Became::Failed {
        fault: Box::new(fault),
        verdict: Kind::Continue,
    };
    assert_eq!(*nervous, ("nervous".to_owned(), failed));
    assert_eq!(later.0, "later");
    assert_eq!(finished.result.verdict.kind(), Kind::Deny);
}

#[test]
fn a_future_that_is_not_ready_is_handed_out_after_its_first_poll() {
    let hooks: Hooks = [
        Hook::in_process("tool:pre", "never", later(|_| std::future::pending::<()>())),
        Hook::in_process("tool:pre", "after", |_: &Event| HookResult::deny("no")),
    ]
    .into_iter()
    .collect();
    let mut event = Event::new("tool:pre", json!({}));
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    let mut context = Context::from_waker(Waker::noop());
    drop(dispatch.ready(&event, &mut context).unwrap());
    let id = dispatch.asking().unwrap();
    assert_eq!(id, HookId(0));
    assert_eq!(dispatch.next(&mut event), Next::Wait);
    assert!(dispatch.ready(&event, &mut context).is_none());
    dispatch.answer(id, Ok(HookResult::proceed()), None);
    assert!(dispatch.fold_answer(&mut event));
    assert!(dispatch.ready(&event, &mut context).is_none());
    assert!(dispatch.fold_answer(&mut event));
    assert_eq!(dispatch.next(&mut event), Next::Done);
    assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
}
