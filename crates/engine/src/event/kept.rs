//! A halt that the host does not understand: it is kept, and later actions of the session are refused.
//!
//! A halt means that the agent stops here. Within a turn it holds until a person gives a new prompt. Before the first turn there
//! is no prompt that could lift it, so it holds for the session: until another start of it, at which the same hooks are asked
//! and let it begin.

use std::sync::Arc;

use anyhook_core::can::Capabilities;
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::fit::{Loss, Substitute};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::report::{Report, SkipReason, Step, StepOutcome};
use anyhook_core::result::{HookId, HookResult, Kind, Reason, Verdict};
use anyhook_core::taxonomy::Class;

use super::Context;
use super::turn::{EventRun, hook_mark};
use crate::files;
use crate::state::{HaltDuration, HostPrompt, PendingHalt, SessionKey, SessionState};

/// The events with which a session begins: no turn runs.
const BEGINNINGS: &[&str] = &[
    events::SESSION_START,
    events::SESSION_RESUME,
    events::SESSION_FORK,
];

pub(super) fn is_beginning(event: &Event) -> bool {
    BEGINNINGS.contains(&event.name.as_str())
}

/// Tells whether an event can stop an agent whose session was halted.
pub(super) fn heeds(event: &Event, can: &Capabilities) -> bool {
    let refuses = event.name.class() == Class::Gate && can.says(Kind::Deny);
    let may_stop = event.name.class() == Class::Continuation;
    (refuses || can.says(Kind::Halt)) && !may_stop && !is_beginning(event)
}

impl Context<'_> {
    /// Returns the session of the agent that started the one that an event is of, where that is another one.
    pub(super) fn parent(&self, event: &Event) -> Option<SessionKey> {
        let parent = event.text(self.host.facts().prompts.parent?)?;
        let own = self.session(event)?;
        (*parent != *own.session).then(|| SessionKey::new(own.host, parent))
    }

    /// Returns the prompt that an event is.
    pub(super) fn prompt(&self, event: &Event) -> Option<HostPrompt> {
        if event.name.as_str() != events::PROMPT_SUBMIT {
            return None;
        }
        let told = self.host.facts().prompts;
        let text = event.text("prompt").unwrap_or_default();
        let has = |field: &&str| event.get(field).is_some_and(|value| !value.is_null());
        let begins = |words: &&str| text.trim_start().starts_with(words);
        let id = told.id.and_then(|field| event.text(field));
        Some(HostPrompt {
            id: id.filter(|id| !id.is_empty()).map(String::from),
            is_made: told.of_agents.iter().any(has) || told.of_host.iter().any(begins),
            text: text.into_owned(),
        })
    }
}

impl EventRun<'_> {
    /// Changes what is remembered of the session of the agent that started this one, where it is another session.
    pub(super) fn update_above(&mut self, mut change: impl FnMut(&mut SessionState)) {
        let (Some(parent), Some((_, state))) = (&self.parent, self.session()) else {
            return;
        };
        if let Err(error) = state.update(parent, &mut change) {
            let why = files::with_causes(&error);
            self.trouble.push(format!(
                "the session above this one could not be looked at: {why}"
            ));
        }
    }

    /// Begins a turn, where a prompt does.
    pub(super) fn begin_turn(&mut self) {
        if let Some(prompt) = self.prompt.clone() {
            self.update(|session| session.prompted(&prompt));
        }
    }

    /// Keeps what the answer means for the rest of the turn: a halt that the host was not told, a prompt that passed, and
    /// the refusal of a stop that sends the agent on.
    pub(super) fn answered(&mut self, event: &Event, report: &mut Report) {
        let hooks = self.hooks;
        let said = report.answer().verdict.kind();
        let is_kept = !self.heeded && report.losses.iter().any(Loss::is_kept_halt);
        let prompt = self.prompt.take();
        let passed = prompt.filter(|prompt| prompt.id.is_some() && said < Kind::Ask);
        let sends_on = event.name.class() == Class::Continuation && said == Kind::Deny;
        let was_halted = self.seen.is_none_or(|seen| seen.halted);
        let may_begin = was_halted && is_beginning(event) && !is_kept && said < Kind::Halt;
        if !is_kept && passed.is_none() && !sends_on && !may_begin {
            return;
        }
        let halt = is_kept.then(|| halted(event, hooks, report));
        if let Some(halt) = &halt {
            self.update_above(|session| session.keep_halt(halt.clone()));
        }
        let kept = self.update(|session| {
            if let Some(halt) = &halt {
                session.keep_halt(halt.clone());
            }
            if may_begin {
                let answered = |halted: &mut PendingHalt| halted.is_answered(hooks, report);
                session.halted.take_if(answered);
            }
            if let Some(prompt) = &passed {
                session.about.passes(prompt);
            }
            if sends_on {
                session.about.sends_on(super::named("", &report.id));
            }
        });
        if is_kept && kept.is_none() {
            let unkept = report.losses.iter_mut().filter(|loss| loss.is_kept_halt());
            unkept.for_each(|loss| loss.became = Substitute::Nothing);
        }
    }
}

/// Makes what is kept of the halt of an event.
fn halted(event: &Event, hooks: &Hooks, report: &Report) -> PendingHalt {
    let verdict = &report.result.verdict;
    let by = verdict.reasons().iter().filter_map(|reason| reason.by);
    let by = by.filter_map(|by| hooks.get(by));
    PendingHalt {
        why: verdict.text(),
        by: by
            .map(|hook| (hook_mark(hook), hook.info.name.to_string()))
            .collect(),
        holds: if is_beginning(event) {
            HaltDuration::Session
        } else {
            HaltDuration::Turn
        },
        report: report.id.to_string(),
    }
}

impl PendingHalt {
    /// Tells whether each hook that said it was asked about this event and answered. A rule whose condition does not hold
    /// answers that it has nothing against it.
    fn is_answered(&self, hooks: &Hooks, report: &Report) -> bool {
        let answers = |step: &Step| {
            let hook = hooks.get(step.hook)?;
            let answers = match step.became {
                StepOutcome::Said(_) => true,
                StepOutcome::NotAsked(why) => hook.is_rule() && why == SkipReason::Condition,
                StepOutcome::Would(_) | StepOutcome::Failed { .. } => false,
            };
            answers.then(|| hook_mark(hook))
        };
        let answered: Vec<String> = report.steps.iter().filter_map(answers).collect();
        !self.by.is_empty() && self.by.iter().all(|(mark, _)| answered.contains(mark))
    }

    /// Says it again, of another event.
    pub(super) fn refusal(&self, hooks: &Hooks) -> HookResult {
        let names: Vec<String> = self
            .by
            .iter()
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        let who = match &*names.join(", ") {
            "" => "A hook".to_owned(),
            names => names.to_owned(),
        };
        let (what, then) = match self.holds {
            HaltDuration::Turn => ("the agent", "give a new prompt"),
            HaltDuration::Session => ("this session", "start a new session"),
        };
        let mut reason = Reason::new(format!(
            "{}\n{who} halted {what}. Do nothing more: it is for the user to {then}.",
            self.why
        ));
        let said = |hook: &Arc<Hook>| {
            let mark = hook_mark(hook);
            self.by.iter().any(|(by, _)| *by == mark)
        };
        let mut all = hooks.list().iter().zip(0..);
        reason.by = all.find(|(hook, _)| said(hook)).map(|(_, at)| HookId(at));
        HookResult::from(Verdict::Halt {
            reasons: [reason].into(),
        })
    }
}
