//! Decisions about order, time and failure, by example: whom a dispatch asks, as literal lists. `dispatch.txt` holds tables of hooks.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhook_core::dispatch::{Dispatch, DispatchPolicy, DriverAction};
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handler, HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::{Concurrency, Hook, Hooks, OnFault, Recheck};
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{SkipReason, StepOutcome};
use anyhook_core::result::{HookId, HookResult, Kind};

use crate::stage::{Stage, command, in_process, replacing, to, why, writing};
use crate::table::{Chance, command_of};

/// A hook, by the words of its row.
fn hook(name: &str, words: &str) -> Hook {
    let mut hook = command(name);
    for word in words.split(", ") {
        let (word, of) = word.split_once(' ').unwrap_or((word, ""));
        hook = match word {
            "command" => hook,
            "in-process" => in_process(name),
            "guard" => hook.guard(),
            "observing" => hook.observing(),
            "shadow" => hook.shadow(),
            "priority" => hook.priority(of.parse().unwrap()),
            "when" => hook.when(Matcher::parse(of).unwrap()),
            "at" => Hook::in_process(of, name, |_: &_| HookResult::proceed()),
            _ => {
                match (word, of) {
                    ("alone", _) => hook.turn = Concurrency::Alone,
                    ("not-rechecked", _) => hook.recheck = Recheck::No,
                    ("on-fault", "continue") => hook.on_fault = OnFault::Continue,
                    ("on-fault", "deny") => hook.on_fault = OnFault::Deny,
                    ("on-fault", "halt") => hook.on_fault = OnFault::Halt,
                    _ => panic!("{word} {of}"),
                }
                hook
            }
        };
    }
    hook
}

/// What a hook says about a command, by the habit of its row.
fn answer(habit: &str, command: &str) -> HandlerResult {
    let parts = match habit.strip_prefix("if ").map(|rest| rest.split_once(": ")) {
        Some(rest) => {
            let (word, rest) = rest.unwrap();
            let (then, otherwise) = rest.split_once("; else ").unwrap();
            if command.contains(word) {
                then
            } else {
                otherwise
            }
        }
        None => habit,
    };
    let mut said = HookResult::proceed();
    for part in parts.split(", ") {
        if let Some((from, by)) = part.split_once(" -> ") {
            if command.contains(from) {
                said = said.modify("tool_input", to(&command.replace(from, by)));
            }
            continue;
        }
        let (word, of) = part.split_once(' ').unwrap_or((part, ""));
        let with = |said: HookResult, verdict| HookResult { verdict, ..said };
        said = match word {
            "nothing" => said,
            "allow" if of.is_empty() => with(said, HookResult::allow().verdict),
            "allow" => with(said, HookResult::allow_because(of).verdict),
            "ask" => with(said, HookResult::ask(of).verdict),
            "deny" => with(said, HookResult::deny(of).verdict),
            "halt" => with(said, HookResult::halt(of).verdict),
            "inject" => said.inject(of),
            "notify" => said.notify(of),
            "native" => said.native(of.to_owned(), Map::new()),
            "command" => said.modify("tool_input", to(of)),
            "append" => said.modify("tool_input", to(&format!("{command}{of}"))),
            "set" => {
                let (field, value) = of.split_once(' ').unwrap();
                said.modify(field.to_owned(), value)
            }
            "fault" => {
                return Err(Box::new(Fault::new(
                    FaultKind::TimedOut,
                    "it took too long",
                )));
            }
            "unusable" => {
                let fault = Fault::new(FaultKind::UnusableValue, "the path holds a NUL byte");
                return Err(Box::new(fault));
            }
            _ => panic!("{part}"),
        };
    }
    Ok(said)
}

/// Whom a dispatch asked about what, and all that came of it.
fn shown(rows: &str) -> String {
    let mut rows = rows.lines();
    let mut event = writing(rows.next().unwrap());
    let mut stage = Stage::default();
    let mut rows = rows.peekable();
    if let Some(count) = rows
        .peek()
        .and_then(|row| row.strip_prefix("expires after "))
    {
        stage.expires_after = Some(count.parse().unwrap());
        rows.next();
    }
    for row in rows {
        let (name, rest) = row.split_once(": ").unwrap();
        let (words, habit) = rest.split_once(" | ").unwrap();
        let habit = habit.to_owned();
        stage = stage.with(hook(name, words), move |command| answer(&habit, command));
    }
    let finished = stage.run(&mut event);
    let mut all = String::new();
    let mut line =
        |what: &str, text: &dyn std::fmt::Debug| writeln!(all, "  {what} {text:?}").unwrap();
    line("asked", &stage.asked);
    line("verdict", &(finished.result.verdict.kind(), why(&finished)));
    line("data", &event.data.json());
    let effects = &finished.result.effects;
    let patch: Vec<_> = effects.patch().iter().map(|one| &one.field).collect();
    let inject: Vec<_> = effects
        .inject()
        .iter()
        .map(|one| (&one.text, one.by))
        .collect();
    let notify: Vec<_> = effects.notify().iter().map(|one| &one.text).collect();
    let native: Vec<_> = effects.native().iter().map(|one| &one.wire).collect();
    line("effects", &(patch, inject, notify, native));
    line("remarks", &finished.remarks);
    for step in &finished.steps {
        if !matches!(step.became, StepOutcome::Said(_)) {
            line("step", &(step.hook.0, &step.became, step.again));
        }
    }
    all
}

#[test]
fn whom_a_dispatch_asks_and_what_comes_of_it() {
    let mut all = String::new();
    for case in include_str!("dispatch.txt").split("=== ").skip(1) {
        let (name, rows) = case.split_once('\n').unwrap();
        writeln!(all, "{name}\n{}", shown(rows)).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_hook_that_was_not_asked_is_not_asked_again() {
    let hooks: Hooks = [command("once"), command("rewriter")].into_iter().collect();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
    assert_eq!(
        dispatch.next(&mut event),
        DriverAction::Together(vec![HookId(0), HookId(1)])
    );
    dispatch.skip(HookId(0), SkipReason::Once);
    dispatch.answer(HookId(1), replacing("a", "b")("a"), None);
    assert_eq!(dispatch.next(&mut event), DriverAction::Done);
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
    let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
    assert!(matches!(dispatch.next(&mut event), DriverAction::Together(ids) if ids.len() == 4));
    dispatch.skip(HookId(0), SkipReason::Once);
    dispatch.skip(HookId(1), SkipReason::NoValue);
    dispatch.answer(HookId(2), replacing("a", "b")("a"), None);
    dispatch.skip(HookId(3), SkipReason::Once);
    assert_eq!(dispatch.next(&mut event), DriverAction::Ask(HookId(1)));
    dispatch.answer(HookId(1), Ok(HookResult::deny("not this file")), None);
    assert_eq!(dispatch.next(&mut event), DriverAction::Done);
    assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
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
fn a_dispatch_sees_the_hooks_that_were_there_when_it_began() {
    let mut registry: Hooks = [in_process("one")].into_iter().collect();
    let snapshot = registry.clone();
    let mut event = writing("a");
    let mut dispatch = Dispatch::begin(&snapshot, &event, DispatchPolicy::default());
    let before = registry.list().iter().cloned();
    registry = before.chain([Arc::new(in_process("two"))]).collect();
    assert_eq!(dispatch.next(&mut event), DriverAction::Ask(HookId(0)));
    dispatch.answer(HookId(0), Ok(HookResult::proceed()), None);
    assert_eq!(dispatch.next(&mut event), DriverAction::Done);
    assert_eq!((snapshot.roster().len(), registry.roster().len()), (1, 2));
}

#[test]
fn handlers_answer_what_their_function_says() {
    let hook = Hook::in_process("tool:pre", "no", |_: &Event| HookResult::deny("no"));
    let Handler::InProcess(handler) = &hook.handler else {
        panic!("a closure is a handler of this process")
    };
    let handler: &dyn HookHandler = &**handler;
    let HandlerReply::Ready(said) = handler.handle(&writing("a")) else {
        panic!("a closure answers at once")
    };
    assert_eq!(said.unwrap(), HookResult::deny("no"));
}
