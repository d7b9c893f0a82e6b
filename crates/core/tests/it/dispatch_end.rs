//! Decisions about time, failure and what does not count, by example.

use anyhook_core::dispatch::{Dispatch, Next, Policy};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler};
use anyhook_core::hook::{Hook, Hooks, OnFault};
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{Asked, Became, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};

use crate::stage::{Stage, command, in_process, replacing, to, why, writing};
use crate::table::command_of;

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
fn a_failure_is_told_and_means_what_its_hook_says() {
    let failing = |rule: OnFault| {
        let mut hook = command("failing");
        hook.on_fault = rule;
        let fault = || Fault::new(FaultKind::TimedOut, "it took longer than 2 s");
        Stage::default()
            .with(hook, move |_| Err(Box::new(fault())))
            .run(&mut writing("a"))
    };
    let kinds = [OnFault::Continue, OnFault::Deny, OnFault::Halt].map(|rule| {
        let finished = failing(rule);
        assert!(matches!(finished.steps[0].became, Became::Failed { .. }));
        finished.result.verdict.kind()
    });
    assert_eq!(kinds, [Kind::Continue, Kind::Deny, Kind::Halt]);
}

#[test]
fn a_hit_by_alias_never_carries_an_allow() {
    let patch = || command("patch").when(Matcher::parse("apply_patch").unwrap());
    let allowed = Stage::default()
        .says(patch(), HookResult::allow().inject("kept"))
        .run(&mut writing("a"));
    assert_eq!(allowed.result.verdict.kind(), Kind::Continue);
    assert_eq!(allowed.result.effects.inject().len(), 1);
    assert_eq!(
        allowed.remarks,
        ["`patch` knows this tool by another name only: its approval does not count".into()]
    );
    let denied = Stage::default()
        .says(patch(), HookResult::deny("no"))
        .run(&mut writing("a"));
    assert_eq!(denied.result.verdict.kind(), Kind::Deny);
}

#[test]
fn an_allow_by_alias_does_not_count_when_it_is_asked_again_either() {
    let patch = command("patch").when(Matcher::parse("apply_patch").unwrap());
    let mut stage = Stage::default()
        .says(patch, HookResult::allow())
        .with(command("rewriter"), replacing("a", "b"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["patch+rewriter a", "patch b"]);
    assert_eq!(finished.result.verdict.kind(), Kind::Continue);
}

#[test]
fn a_value_that_a_hook_cannot_be_shown_refuses_whatever_its_rule() {
    let unusable = || Fault::new(FaultKind::UnusableValue, "the path holds a NUL byte");
    let mut stage = Stage::default().with(command("reader"), move |_| Err(Box::new(unusable())));
    assert_eq!(
        stage.run(&mut writing("a")).result.verdict.kind(),
        Kind::Deny
    );
}

#[test]
fn a_shadow_is_asked_and_recorded_and_never_applied() {
    let would = HookResult::halt("would stop")
        .modify("tool_input", to("changed"))
        .inject("would say");
    let mut stage = Stage::default()
        .says(command("shadow").shadow(), would)
        .says(command("next"), HookResult::proceed());
    let mut event = writing("a");
    let finished = stage.run(&mut event);
    assert_eq!(stage.asked, ["shadow+next a"]);
    assert_eq!(finished.result, HookResult::default());
    assert_eq!(command_of(&event.data.json()), "a");
    assert!(
        matches!(&finished.steps[0].became, Became::Would(would) if would.verdict.kind() == Kind::Halt)
    );
}

#[test]
fn a_shadow_is_not_asked_again() {
    let mut stage = Stage::default()
        .says(command("shadow").shadow(), HookResult::allow())
        .with(command("rewriter"), replacing("a", "b"));
    stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["shadow+rewriter a"]);
}

#[test]
fn observers_are_asked_one_after_the_other_about_the_final_input() {
    let mut stage = Stage::default()
        .says(command("watch").observing(), HookResult::deny("ignored"))
        .says(command("keep").observing(), HookResult::proceed())
        .with(command("rewriter"), replacing("a", "b"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["rewriter a", "watch b", "keep b"]);
    assert_eq!(finished.result.verdict.kind(), Kind::Continue);
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
