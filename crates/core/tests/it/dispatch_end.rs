//! Decisions about time, failure and what does not count, by example.

use anyhook_core::dispatch::{Dispatch, Next, Policy};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::Hooks;
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{Became, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};

use crate::stage::{Stage, command, in_process, replacing, to, writing};
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
