//! Waiting for an answer that a person gives in another place, and notifying the person of the question.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhook_core::event::Event;
use anyhook_core::hook::Hooks;
use anyhook_core::question::Question;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;

use super::Context;
use super::answer::{self, AnswerDraft, would_pass};
use super::turn::EventRun;
use crate::approvals::{
    ApprovalBook, ApprovalSubject, BookError, ExactAction, KeptQuestion, LOOK, OpenQuestion,
    put_all,
};
use crate::{files, notify};

/// What is left of an event's time for saying the answer that was waited for.
const SAYING: Duration = Duration::from_millis(300);

/// Waits for an answer that a person gives elsewhere, where that is configured, and settles the questions anew: whether there
/// is one, and which, is in the book.
pub(super) fn for_a_person(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    let waited = turn.wait(event, &answer.asked);
    let waited = turn.told("no answer could be waited for", waited);
    if let Some(waited) = waited.flatten() {
        answer.finished.remarks.push(waited.clone().into());
        answer.approval.push(waited.into());
        answer::settle_questions(answer, turn, event);
    }
}

impl EventRun<'_> {
    /// Waits, and tells for how long.
    fn wait(&mut self, event: &Event, asked: &HookResult) -> Result<Option<String>, BookError> {
        let Some((book, open)) = self.to_open(event, asked) else {
            return Ok(None);
        };
        let world = self.context.world;
        let patience = self.context.patience(self.hooks, asked);
        let began = world.clock.since();
        let left = patience.min(self.left().saturating_sub(SAYING));
        if left.is_zero() {
            return Ok(None);
        }
        let waiter = book.waiter(&(world.ids)())?;
        let mut open = open?;
        open.waiters.push(waiter.name().to_owned());
        let opened = book.keep_open(open)?;
        let mut told = self.context.notify(&opened);
        let end = Instant::now() + left;
        while book.is_open_for(&waiter, self.now())? {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || world.interrupted.load(Ordering::Relaxed) {
                book.leave(&waiter, self.now())?;
                break;
            }
            sleep(left.min(LOOK));
        }
        let took = world.clock.since().saturating_sub(began);
        told.push(format!(
            "waited {:.1} s for a person to answer",
            took.as_secs_f64()
        ));
        Ok(Some(told.join("; ")))
    }

    /// Returns the question that is left open in the book, where the host cannot ask and a yes would help.
    pub(super) fn to_open(
        &self,
        event: &Event,
        asked: &HookResult,
    ) -> Option<(ApprovalBook, Result<OpenQuestion, BookError>)> {
        let (context, can) = (self.context, &self.can);
        let is_asked = asked.verdict.kind() == Kind::Ask && event.name.class() == Class::Gate;
        if !is_asked || can.says(Kind::Ask) || !would_pass(context.host, event, asked, can) {
            return None;
        }
        let book = context.book()?;
        let exact = ExactAction::of(event, asked);
        let puts = put_all(asked, self.hooks, &exact)?;
        let about = ApprovalSubject::of(event, &exact, self.session().map(|(key, _)| key));
        let open = OpenQuestion::new(about, &exact.text, puts, self.now());
        Some((book, open))
    }
}

impl Context<'_> {
    /// Returns how long is waited: as long as the most impatient hook and question say, and no longer than the person's
    /// settings. Where neither a hook nor the settings say anything, not at all.
    pub(super) fn patience(&self, hooks: &Hooks, asked: &HookResult) -> Duration {
        let approve = self.world.config().approve.as_ref().ok();
        let longest = approve.and_then(|approve| approve.wait);
        let of_question = |question: &Question| {
            let hook = question.by.and_then(|by| hooks.get(by));
            let own = hook.and_then(|hook| hook.wait).or(longest);
            own.unwrap_or_default().min(question.timeout)
        };
        let questions = asked.verdict.questions().iter();
        let all = questions.map(of_question).chain(longest);
        all.min().unwrap_or_default()
    }

    /// Tells the person of a question that was not open before, and returns what is wrong with that.
    pub(super) fn notify(&self, opened: &KeptQuestion) -> Vec<String> {
        if !opened.is_new {
            return Vec::new();
        }
        let configured = self.world.config().notify.as_ref();
        let begun = configured.map_err(|error| files::with_causes(error));
        let begun = begun.and_then(|notify| notify::begin(self.world, notify, &opened.open));
        let failed = begun.err();
        let places = self.world.places.as_ref();
        let has_any = configured.is_ok_and(|notify| !notify.commands.is_empty());
        let before = places.filter(|_| has_any).and_then(notify::last_failure);
        let before = before.map(|failed| format!("the last time: {}", failed.what.join("; ")));
        let all = failed.into_iter().chain(before);
        all.map(|why| format!("the person could not be notified: {why}"))
            .collect()
    }
}
