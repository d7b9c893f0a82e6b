//! Decisions about order, by example: whom a dispatch asks, as literal lists.

use anyhook_core::dispatch::{Dispatch, Next, Policy};
use anyhook_core::event::{Event, Map};
use anyhook_core::hook::{Hook, Hooks, OnFault, Recheck, Turn};
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{Asked, Became, Step, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};
use serde_json::json;

use crate::stage::{Stage, command, in_process, replacing, why, writing};
use crate::table::{command_of, declared};

#[test]
fn a_chain_that_rewrites_injects_and_asks_loses_nothing() {
    let mut stage = Stage::default()
        .with(in_process("pnpm"), replacing("npm", "yarn"))
        .says(
            in_process("lint"),
            HookResult::proceed().inject("2 errors").notify("linted"),
        )
        .says(in_process("ask"), HookResult::ask("really?"))
        .says(
            in_process("title"),
            HookResult::allow().native("claude-code", Map::new()),
        );
    let mut event = writing("npm i");
    let finished = stage.run(&mut event);
    let effects = &finished.result.effects;
    assert_eq!(why(&finished), ["really?"]);
    assert_eq!(command_of(&event.data.json()), "yarn i");
    assert_eq!(effects.patch().len(), 1);
    assert_eq!(&*effects.inject()[0].text, "2 errors");
    assert_eq!(effects.inject()[0].by, Some(HookId(1)));
    assert_eq!(effects.notify().len(), 1);
    assert_eq!(effects.native().len(), 1);
}

#[test]
fn infrastructure_cannot_be_changed_and_the_attempt_is_told() {
    let forged = HookResult::proceed()
        .modify("session_id", "other")
        .modify("note", "mine");
    let mut stage = Stage::default().says(in_process("forger"), forged);
    let mut event = writing("ls");
    let finished = stage.run(&mut event);
    assert_eq!(event.data.json().get("session_id"), None);
    assert_eq!(event.data.json().get("note"), Some(&json!("mine")));
    assert_eq!(
        finished.remarks,
        ["`forger` may not change `session_id`: dropped".into()]
    );
}

#[test]
fn a_guard_before_a_rewriter_sees_the_final_input_without_opting_in() {
    let guard = |command: &str| {
        Ok(if command.contains("pnpm") {
            HookResult::deny("no pnpm")
        } else {
            HookResult::allow()
        })
    };
    let mut stage = Stage::default()
        .with(command("guard").guard(), guard)
        .with(command("pnpm"), |command| {
            replacing("npm i", "pnpm add")(command)
        });
    let finished = stage.run(&mut writing("npm i"));
    assert_eq!(stage.asked, ["guard+pnpm npm i", "guard pnpm add"]);
    assert_eq!(finished.result.verdict.kind(), Kind::Deny);
    assert_eq!(why(&finished), ["no pnpm"]);
}

#[test]
fn in_process_hooks_are_asked_again_only_as_guards() {
    let mut stage = Stage::default()
        .says(in_process("plain"), HookResult::proceed())
        .says(in_process("guard").guard(), HookResult::proceed())
        .with(in_process("rewriter"), replacing("a", "b"));
    stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["plain a", "guard a", "rewriter a", "guard b"]);
}

#[test]
fn a_hook_that_had_nothing_to_look_at_is_asked_again_when_there_is_something() {
    let hooks: Hooks = [
        command("spent"),
        command("no-file"),
        command("rewriter"),
        command("spent-too"),
    ]
    .into_iter()
    .collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    assert!(matches!(dispatch.next(&mut event), Next::Together(ids) if ids.len() == 4));
    dispatch.skip(HookId(0), WhyNot::Once);
    dispatch.skip(HookId(1), WhyNot::NoValue);
    dispatch.answer(HookId(2), replacing("a", "b")("a"), None);
    dispatch.skip(HookId(3), WhyNot::Once);
    assert_eq!(dispatch.next(&mut event), Next::Ask(HookId(1)));
    dispatch.answer(HookId(1), Ok(HookResult::deny("not this file")), None);
    assert_eq!(dispatch.next(&mut event), Next::Done);
    assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
}

#[test]
fn in_process_hooks_run_by_priority_then_as_registered_until_one_refuses() {
    let mut stage = Stage::default()
        .says(in_process("late").priority(10), HookResult::proceed())
        .says(in_process("first"), HookResult::proceed())
        .says(in_process("second"), HookResult::deny("no"))
        .says(in_process("third"), HookResult::halt("never heard"))
        .says(
            in_process("observer").observing(),
            HookResult::deny("ignored"),
        )
        .says(in_process("early").priority(-5), HookResult::proceed());
    let finished = stage.run(&mut writing("a"));
    assert_eq!(
        stage.asked,
        ["early a", "first a", "second a", "observer a"]
    );
    assert_eq!(why(&finished), ["no"]);
}

#[test]
fn after_a_refusal_each_hook_has_its_own_reason_for_not_being_asked() {
    let mut stage = Stage::default()
        .says(in_process("no"), HookResult::deny("no"))
        .says(in_process("left"), HookResult::proceed())
        .says(
            in_process("reads").when(Matcher::parse("Read").unwrap()),
            HookResult::proceed(),
        )
        .says(
            Hook::in_process("tool:post", "later", |_: &Event| HookResult::proceed()),
            HookResult::proceed(),
        );
    let finished = stage.run(&mut writing("a"));
    let not_asked = |hook, why| Step {
        hook: HookId(hook),
        became: Became::NotAsked(why),
        again: Asked::First,
        took: None,
    };
    assert_eq!(
        finished.steps[1..],
        [
            not_asked(1, WhyNot::Decided),
            not_asked(2, WhyNot::NoMatch),
            not_asked(3, WhyNot::OtherEvent),
        ]
    );
}

#[test]
fn declared_hooks_of_one_priority_go_side_by_side_and_unasked_ones_come_between_none() {
    let elsewhere = Hook::in_process("tool:post", "elsewhere", |_: &Event| HookResult::proceed());
    let mut alone = command("alone");
    alone.turn = Turn::Alone;
    let mut stage = Stage::default();
    for hook in [
        command("a"),
        elsewhere,
        command("b"),
        alone,
        command("c"),
        command("d").priority(1),
    ] {
        stage = stage.says(hook, HookResult::proceed());
    }
    stage.run(&mut writing("x"));
    assert_eq!(stage.asked, ["a+b x", "alone x", "c x", "d x"]);
}

#[test]
fn entries_written_twice_run_once_and_a_registration_is_never_merged() {
    let twice = || Hook::new("tool:pre", "twice", declared("the same"));
    let mut other_rule = twice();
    other_rule.on_fault = OnFault::Deny;
    let mut not_rechecked = twice();
    not_rechecked.recheck = Recheck::No;
    let mut stage = Stage::default();
    for hook in [
        twice(),
        twice(),
        other_rule,
        not_rechecked,
        in_process("same"),
        in_process("same"),
    ] {
        stage = stage.says(hook, HookResult::proceed());
    }
    let finished = stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["twice+twice+twice a", "same a", "same a"]);
    assert_eq!(
        finished.steps[0].became,
        Became::NotAsked(WhyNot::Same(HookId(0)))
    );
}
