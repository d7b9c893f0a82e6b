//! Decisions about order, by example: whom a dispatch asks, as literal lists.

use anyhook_core::dispatch::{Dispatch, Next, Policy};
use anyhook_core::event::{Event, Map};
use anyhook_core::hook::{Hook, Hooks, OnFault, Recheck, Turn};
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{Asked, Became, Step, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};
use serde_json::json;

use crate::stage::{Stage, command, in_process, replacing, to, why, writing};
use crate::table::{Chance, command_of, declared};

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
fn an_allow_of_a_rewritten_input_becomes_continue_unless_its_hook_allows_again() {
    let table = |recheck: Recheck| {
        let mut eager = command("eager");
        eager.recheck = recheck;
        Stage::default()
            .says(eager, HookResult::allow_because("looks fine"))
            .with(command("rewriter"), replacing("a", "b"))
    };
    let (mut again, mut opted_out) = (table(Recheck::Yes), table(Recheck::No));
    assert_eq!(
        again.run(&mut writing("a")).result.verdict.kind(),
        Kind::Allow
    );
    assert_eq!(again.asked, ["eager+rewriter a", "eager b"]);
    assert_eq!(
        opted_out.run(&mut writing("a")).result.verdict.kind(),
        Kind::Continue
    );
    assert_eq!(opted_out.asked, ["eager+rewriter a"]);
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
fn a_rewriter_that_never_leaves_its_own_output_alone_is_refused() {
    let append =
        |command: &str| Ok(HookResult::proceed().modify("tool_input", to(&format!("{command}!"))));
    let mut stage = Stage::default()
        .with(command("append"), append)
        .with(command("rewriter"), replacing("a", "b"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(
        stage.asked,
        ["append+rewriter a", "rewriter a!", "append b!"]
    );
    assert_eq!(finished.result.verdict.kind(), Kind::Deny);
    assert!(why(&finished)[0].starts_with("`append` rewrites the input each time"));
}

#[test]
fn a_question_that_stands_is_put_once() {
    let mut stage = Stage::default()
        .says(
            command("asks"),
            HookResult::ask("a production file, really?"),
        )
        .with(command("rewriter"), replacing("a", "b"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(why(&finished), ["a production file, really?"]);
}

#[test]
fn a_hook_that_was_not_asked_is_not_asked_again() {
    let hooks: Hooks = [command("once"), command("rewriter")].into_iter().collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    assert_eq!(
        dispatch.next(&mut event),
        Next::Together(vec![HookId(0), HookId(1)])
    );
    dispatch.skip(HookId(0), WhyNot::Once);
    dispatch.answer(HookId(1), replacing("a", "b")("a"), None);
    assert_eq!(dispatch.next(&mut event), Next::Done);
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
fn a_deny_does_not_kill_siblings_and_a_later_halt_is_not_heard() {
    let mut stage = Stage::default()
        .says(command("no"), HookResult::deny("first"))
        .says(command("too"), HookResult::deny("second").inject("kept"))
        .says(command("later").priority(1), HookResult::halt("never"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(stage.asked, ["no+too a"]);
    assert_eq!(why(&finished), ["first", "second"]);
    assert_eq!(finished.result.effects.inject().len(), 1);
}

#[test]
fn rechecks_keep_order_and_company_and_end_with_a_refusal() {
    let late = |command: &str| {
        Ok(if command == "b" {
            HookResult::deny("no b")
        } else {
            HookResult::proceed()
        })
    };
    let mut alone = command("alone");
    alone.turn = Turn::Alone;
    let mut stage = Stage::default()
        .says(alone, HookResult::proceed())
        .with(command("one"), late)
        .says(command("two"), HookResult::proceed())
        .says(command("three").priority(1), HookResult::proceed())
        .with(command("rewriter").priority(2), replacing("a", "b"));
    let finished = stage.run(&mut writing("a"));
    assert_eq!(
        stage.asked,
        [
            "alone a",
            "one+two a",
            "three a",
            "rewriter a",
            "alone b",
            "one+two b"
        ]
    );
    assert_eq!(why(&finished), ["no b"]);
}

#[test]
fn two_side_by_side_rewriters_compose_as_declared_in_a_thousand_timings() {
    for seed in 0..1_000 {
        let mut stage = Stage {
            chance: Some(Chance(seed)),
            ..Stage::default()
        }
        .with(command("first"), replacing("npm i", "pnpm add"))
        .with(
            command("second"),
            replacing("pnpm add", "corepack pnpm add"),
        )
        .says(command("bystander"), HookResult::proceed());
        let mut event = writing("npm i");
        let finished = stage.run(&mut event);
        assert_eq!(command_of(&event.data.json()), "corepack pnpm add");
        assert_eq!(finished.result.verdict.kind(), Kind::Continue);
        assert_eq!(
            stage.asked,
            [
                "first+second+bystander npm i",
                "second+bystander pnpm add",
                "bystander corepack pnpm add",
                "first corepack pnpm add",
            ]
        );
    }
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
