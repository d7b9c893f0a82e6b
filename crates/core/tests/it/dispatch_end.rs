//! Decisions about time, failure and what does not count, by example.

use anyhook_core::dispatch::{Dispatch, Next, Policy};
use anyhook_core::event::Event;
use anyhook_core::handler::{Handled, Handler, HookHandler};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::report::{Asked, Became, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};

use crate::stage::{command, in_process, replacing, why, writing};

#[test]
fn a_guard_that_there_was_no_time_to_ask_refuses() {
    let hooks: Hooks = [
        in_process("slow"),
        command("guard").guard(),
        in_process("watch").observing(),
    ]
    .into_iter()
    .collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(0)));
    dispatch.expire(&mut event);
    assert_eq!(dispatch.next(&mut event), Next::Done);
    let finished = dispatch.finish();
    assert_eq!(finished.result.verdict.kind(), Kind::Deny);
    let hooks: Vec<u32> = finished.steps.iter().map(|step| step.hook.0).collect();
    assert_eq!(hooks, [0, 1, 2]);
    assert!(matches!(
        finished.steps[0].became,
        Became::Failed {
            verdict: Kind::Continue,
            ..
        }
    ));
    assert_eq!(
        finished.steps[1].became,
        Became::NotAsked(WhyNot::OutOfTime)
    );
}

#[test]
fn an_approval_of_another_input_does_not_outlive_the_events_time() {
    let hooks: Hooks = [
        command("eager"),
        command("rewriter"),
        command("slow").priority(1),
    ]
    .into_iter()
    .collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    dispatch.next(&mut event);
    dispatch.answer(HookId(0), Ok(HookResult::allow()), None);
    dispatch.answer(HookId(1), replacing("a", "b")("a"), None);
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(2)));
    dispatch.expire(&mut event);
    assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Continue);
}

#[test]
fn a_guard_that_there_was_no_time_to_ask_again_refuses() {
    let first = command("first").priority(-1);
    let hooks: Hooks = [
        first,
        command("guard").guard(),
        command("rewriter").priority(1),
    ]
    .into_iter()
    .collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    for id in [0, 1] {
        assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(id)));
        dispatch.answer(HookId(id), Ok(HookResult::proceed()), None);
    }
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(2)));
    dispatch.answer(HookId(2), replacing("a", "b")("a"), None);
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(0)));
    assert_eq!(dispatch.asked(HookId(0)), Asked::Again);
    dispatch.expire(&mut event);
    let finished = dispatch.finish();
    assert_eq!(finished.result.verdict.kind(), Kind::Deny);
    assert!(why(&finished)[0].starts_with("out of time: the guard `guard`"));
}

#[test]
fn a_dispatch_sees_the_hooks_that_were_there_when_it_began() {
    let mut registry: Hooks = [in_process("one")].into_iter().collect();
    let snapshot = registry.clone();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&snapshot, &event, Policy::default());
    registry.push(in_process("two"));
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(0)));
    dispatch.answer(HookId(0), Ok(HookResult::proceed()), None);
    assert_eq!(dispatch.next(&mut event), Next::Done);
    assert_eq!((snapshot.roster().len(), registry.roster().len()), (1, 2));
}

#[test]
fn handlers_answer_what_their_function_says() {
    let hook = Hook::in_process("tool:pre", "no", |_: &Event| HookResult::deny("no"));
    let Handler::InProcess(handler) = &hook.handler else {
        panic!("a closure is a handler of this process")
    };
    let handler: &dyn HookHandler = &**handler;
    let Handled::Ready(said) = handler.handle(&writing("a")) else {
        panic!("a closure answers at once")
    };
    assert_eq!(said.unwrap(), HookResult::deny("no"));
}
