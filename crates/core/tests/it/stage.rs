//! A stage for examples: hooks with names and habits, and a record of whom a dispatch asked about what.

use std::sync::Arc;

use anyhook_core::dispatch::{Dispatch, DispatchOutcome, DispatchPolicy, DriverAction};
use anyhook_core::event::Event;
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::result::{HookId, HookResult};
use serde_json::{Value, json};

use crate::table::{Chance, command_of, declared};

type Habit = Box<dyn Fn(&str) -> HandlerResult>;

/// Hooks with names and habits; whom they were asked about is kept as `name(command)`.
#[derive(Default)]
pub(crate) struct Stage {
    pub hooks: Hooks,
    pub habits: Vec<(String, Habit)>,
    pub asked: Vec<String>,
    pub chance: Option<Chance>,
    /// After how many answers the time of the event is over.
    pub expires_after: Option<usize>,
}

impl Stage {
    pub(crate) fn with(
        mut self,
        hook: Hook,
        habit: impl Fn(&str) -> HandlerResult + 'static,
    ) -> Self {
        self.habits
            .push((hook.info.name.to_string(), Box::new(habit)));
        let before = self.hooks.list().iter().cloned();
        self.hooks = before.chain([Arc::new(hook)]).collect();
        self
    }

    /// Adds a hook with an answer that does not look at the command.
    pub(crate) fn says(self, hook: Hook, answer: HookResult) -> Self {
        self.with(hook, move |_| Ok(answer.clone()))
    }

    pub(crate) fn run(&mut self, event: &mut Event) -> DispatchOutcome {
        let hooks = self.hooks.clone();
        let mut dispatch = Dispatch::begin(&hooks, event, DispatchPolicy::default());
        let mut answers = 0;
        loop {
            let mut ids = match dispatch.next(event) {
                DriverAction::Ask(id) => vec![id],
                DriverAction::Together(ids) => ids,
                DriverAction::Wait => panic!("every answer was handed in"),
                DriverAction::Done => break,
            };
            let command = command_of(&event.data.json());
            let name = |id: &HookId| hooks.get(*id).unwrap().info.name.to_string();
            let names: Vec<String> = ids.iter().map(name).collect();
            self.asked.push(format!("{} {command}", names.join("+")));
            if self.expires_after == Some(answers) {
                dispatch.expire(event);
                assert_eq!(dispatch.next(event), DriverAction::Done);
                break;
            }
            answers += ids.len();
            if let Some(chance) = &mut self.chance {
                chance.shuffle(&mut ids);
            }
            for id in ids {
                let name = name(&id);
                let (_, habit) = self
                    .habits
                    .iter()
                    .find(|(other, _)| *other == name)
                    .unwrap();
                dispatch.answer(id, habit(&command), None);
            }
        }
        dispatch.finish()
    }
}

pub(crate) fn writing(command: &str) -> Event {
    let mut event = Event::new(
        "PreToolUse",
        json!({"tool_name": "Write", "tool_input": {"command": command}}),
    );
    event.also = &["apply_patch"];
    event
}

pub(crate) fn command(name: &str) -> Hook {
    Hook::new("tool:pre", name, declared(name))
}

pub(crate) fn in_process(name: &str) -> Hook {
    Hook::in_process("tool:pre", name, |_: &Event| HookResult::proceed())
}

pub(crate) fn to(command: &str) -> Value {
    json!({ "command": command })
}

/// Replaces one word by another, and leaves its own output alone.
pub(crate) fn replacing(from: &'static str, by: &'static str) -> impl Fn(&str) -> HandlerResult {
    move |command| {
        Ok(if command.contains(from) {
            HookResult::proceed().modify("tool_input", to(&command.replace(from, by)))
        } else {
            HookResult::proceed()
        })
    }
}

pub(crate) fn why(finished: &DispatchOutcome) -> Vec<&str> {
    let verdict = &finished.result.verdict;
    let reasons = verdict.reasons().iter().map(|r| &*r.text);
    reasons
        .chain(verdict.questions().iter().map(|q| &*q.prompt))
        .collect()
}
