//! Asking: a question that the host cannot put is settled by what a person approved before, else left open for one.

use anyhook_core::can::{Can, Shown};
use anyhook_core::dispatch::Finished;
use anyhook_core::effects::{Level, Notice, Rewrite};
use anyhook_core::event::Event;
use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_core::handler::Handler;
use anyhook_core::hook::Hooks;
use anyhook_core::manifest::Action;
use anyhook_core::report::Audited;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_wires::{Host, Neutral, fitted};

use super::context::Context;
use super::remember::Memory;
use super::{Caller, Line};
use crate::approvals::{About, Book, BookError, Known, Opened, Settling, settle};
use crate::passphrase::{Passphrase, Standing};
use crate::state::{SessionKey, State};

/// Said to the model with a refusal that a person may lift. Never the code.
const ADVICE: &str =
    "The user can let this exact action through: `anyhook approve`, in a terminal of their own.";

/// What is said to the host.
pub(super) struct Said {
    /// The fitted result.
    pub(super) result: HookResult,
    /// What could not be said.
    pub(super) losses: Vec<Loss>,
    /// What the limits made of the texts for the model.
    pub(super) audit: Vec<Audited>,
    /// The code of the question that was left open, for the person alone.
    pub(super) code: Option<String>,
    /// Who answered the questions, and how.
    pub(super) approval: Vec<Box<str>>,
}

/// Takes out what rules made of fields that no host hears anything about. In process it changes what later hooks read,
/// but a rule is written for the host: its rewrite becomes what one that cannot be said becomes.
fn unheard(mut said: HookResult, event: &Event, hooks: &Hooks) -> (HookResult, Vec<Loss>) {
    let mut losses = Vec::new();
    let is_rule = |id| {
        let hook = hooks.get(id).map(|hook| &hook.handler);
        matches!(hook, Some(Handler::Declared(action)) if matches!(**action, Action::Rule(_)))
    };
    let mutable = event.name.mutable();
    let is_lost =
        |rewrite: &&Rewrite| !mutable.contains(&&*rewrite.field) && rewrite.by.is_some_and(is_rule);
    while let Some(rewrite) = said.effects.patch().iter().find(is_lost) {
        let field = rewrite.field.clone();
        let why = format!(
            "a rule wants to change `{field}`, which is no field of this event that can be changed; it can change: {}",
            match mutable {
                [] => "nothing".to_owned(),
                fields => fields.join(", "),
            }
        );
        let (rest, lost) = said.overlooked(&field, &why);
        said = rest;
        losses.extend(lost);
    }
    (said, losses)
}

impl Line<'_> {
    /// Returns the book; none where the passphrase that stands before it is gone: then it may hold anything.
    pub(super) fn book(&self) -> Option<Book> {
        let places = self.world.places.as_ref()?;
        let is_proved = || !matches!(Passphrase::of(places).standing(), Standing::Gone(_));
        (self.caller == Caller::Host && is_proved()).then(|| Book::new(places.approvals()))
    }

    /// Makes what is said of what was decided: asks, fits, and leaves open what could not be asked.
    pub(super) fn say(
        &self,
        event: &Event,
        context: &Context<'_>,
        memory: &mut Memory<'_>,
        finished: &mut Finished,
    ) -> Said {
        let (hooks, can) = (context.hooks, &context.can);
        let before = finished.remarks.len();
        let session = memory.session();
        let (mut asked, trouble) = self.settle(event, context, session, finished);
        let key = session.map(|(key, _)| key);
        let waited = self.wait(event, context, key, &asked);
        memory.tell(trouble);
        if let Some(waited) = memory
            .told("no answer could be waited for", waited)
            .flatten()
        {
            finished.remarks.push(waited.into());
            let session = memory.session();
            let settled = self.settle(event, context, session, finished);
            asked = settled.0;
            memory.tell(settled.1);
        }
        let approval = finished.remarks.get(before..).unwrap_or_default().to_vec();
        let all = memory.deliver(asked.clone(), event.name.class(), can);
        let (all, mut losses) = unheard(all, event, hooks);
        let (mut result, unsaid) = fitted(self.host, event, all, can);
        losses.extend(unsaid);
        let mut within = self.within(event, context, memory.session(), &mut result);
        within.tell(hooks, can, memory, &mut result);
        self.spill(&mut result);
        let key = memory.session().map(|(key, _)| key);
        let left = self.leave_open(event, context, key, &asked, &mut result);
        let left = memory.told("the question could not be left open for a person", left);
        let code = left.flatten().map(|opened| {
            memory.tell(self.notify(&opened));
            opened.open.code
        });
        memory.post(&losses);
        losses.append(&mut within.losses);
        losses.extend(approved(self.host, event, &result));
        finished.remarks.append(&mut within.remarks);
        Said {
            result,
            losses,
            audit: within.audit,
            code,
            approval,
        }
    }

    /// Settles the questions of a result, and returns what went wrong with what was remembered.
    fn settle(
        &self,
        event: &Event,
        context: &Context<'_>,
        session: Option<(&SessionKey, &dyn State)>,
        finished: &mut Finished,
    ) -> (HookResult, Vec<String>) {
        let (hooks, person) = (context.hooks, context.stage.person());
        let result = finished.result.clone();
        let is_nobody = self.caller == Caller::Person && person.is_none();
        if is_nobody || result.verdict.kind() != Kind::Ask {
            return (result, Vec::new());
        }
        // Without a host it is the person who is asked, by the program that speaks for them.
        let can = match self.caller {
            Caller::Host | Caller::Again => &context.can,
            Caller::Person => &Can::NOTHING,
        };
        let book = self.book();
        let now = self.world.clock.now();
        // Without a book what a session remembers does not count either.
        let session = session.filter(|_| book.is_some() || self.caller == Caller::Person);
        let known = Known::new(book.as_ref(), session, now);
        let with = Settling {
            hooks,
            can,
            known: Some(&known),
            approvers: person.as_slice(),
        };
        let mut settled = settle(event, result, &with);
        if let Some(later) = self.asked_later(event, hooks, can, &settled.result) {
            settled.result.verdict = Verdict::Continue;
            let text = format!(
                "the question is put at `{}`, where this agent asks",
                later.name
            );
            finished.remarks.push(text.into());
        }
        let remarks = settled.remarks.iter().map(|remark| remark.as_str().into());
        finished.remarks.extend(remarks);
        (settled.result, known.trouble())
    }

    /// Leaves a question open that the host could not put, for a person to answer, and returns its code. The refusal says
    /// that there is one, and never which.
    fn leave_open(
        &self,
        event: &Event,
        context: &Context<'_>,
        session: Option<&SessionKey>,
        asked: &HookResult,
        said: &mut HookResult,
    ) -> Result<Option<Opened>, BookError> {
        if said.verdict.kind() != Kind::Deny {
            return Ok(None);
        }
        let Some((book, puts, exact)) = self.to_open(event, context, asked) else {
            return Ok(None);
        };
        let about = About::of(event, &exact, session);
        let now = self.world.clock.now();
        let opened = book.open_for(about, &exact.text, puts, None, now)?;
        if let Verdict::Deny { reasons } = &mut said.verdict
            && let Some(last) = reasons.last_mut()
        {
            last.text = format!("{} {ADVICE}", last.text).into();
        }
        Ok(Some(opened))
    }
}

/// Returns what it costs to say nothing at a gate where the host has no such answer, and takes silence for an approval.
fn approved(host: &dyn Host, event: &Event, said: &HookResult) -> Option<Loss> {
    let own = event.origin.as_deref().filter(|it| it.host == host.id());
    let name = own.map_or(event.name.as_str(), |origin| &origin.native);
    let approves = host.row(name)?.neutral == Neutral::Allow;
    let is_silent = said.verdict.kind() == Kind::Continue;
    (approves && is_silent).then_some(Loss {
        what: Lost::Verdict(Kind::Continue),
        became: Became::Verdict(Kind::Allow),
        by: None,
        text: None,
    })
}

/// Tells whether a yes to every question would let the action through: what else was said may refuse it all the same.
pub(super) fn would_pass(host: &dyn Host, event: &Event, asked: &HookResult, can: &Can) -> bool {
    let yes = HookResult {
        verdict: Verdict::Continue,
        effects: asked.effects.clone(),
    };
    let (said, _) = fitted(host, event, yes, can);
    said.verdict.kind() < Kind::Ask
}

/// Adds the code to what the host reads, where it shows a text to the person alone. It never reaches a report: those are
/// read by a person who asks why.
pub(super) fn with_code(said: Option<&HookResult>, code: Option<&str>, can: &Can) -> HookResult {
    let mut said = said.cloned().unwrap_or_default();
    if let (Some(code), Shown::Yes) = (code, can.notify) {
        let text = format!(
            "anyhook: to let this exact action through once, type in a terminal: anyhook approve {code}"
        );
        let notice = Notice::new(text).at(Level::Warning);
        said.effects.edit().notify.push(notice);
    }
    said
}
