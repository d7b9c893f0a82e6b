//! The passes over what was decided: each makes of it a little more of what the host is told.

use std::path::Path;

use anyhook_core::can::{Capabilities, Visibility};
use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::effects::{Level, Notice, Rewrite};
use anyhook_core::event::Event;
use anyhook_core::fit::{Loss, LossKind, Substitute, UndeliveredText};
use anyhook_core::hook::Hook;
use anyhook_core::report::AuditEvent;
use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
use anyhook_wires::{Host, Neutral, fitted};

use super::turn::EventRun;
use super::{Caller, Context, limit, wait};
use crate::approvals::{ApprovalBook, SettlementContext, settle};
use crate::files;
use crate::passphrase::{PassphraseState, PassphraseStore};

/// Said to the model with a refusal that a person may lift. Never the code.
const ADVICE: &str =
    "The user can let this exact action through: `anyhook approve`, in a terminal of their own.";

/// A reason holds values up to this length itself.
const INLINE: usize = 2 * 1024;

/// What is made of what was decided.
#[derive(Default)]
pub(super) struct AnswerDraft {
    /// What was decided.
    pub(super) finished: DispatchOutcome,
    /// What is left of its questions when those that were answered are settled.
    pub(super) asked: HookResult,
    /// What the host is told: what was asked, with more at each pass, in the end fitted.
    pub(super) said: HookResult,
    /// What could not be said.
    pub(super) losses: Vec<Loss>,
    /// What the limits made of the texts for the model.
    pub(super) audit: Vec<AuditEvent>,
    /// The code of the question that was left open, for the person alone.
    pub(super) code: Option<String>,
    /// Who answered the questions, and how.
    pub(super) approval: Vec<Box<str>>,
}

/// One pass.
pub(super) type AnswerPass = fn(&mut AnswerDraft, &mut EventRun<'_>, &Event);

/// All of them, in their order: decide, ask, fit.
pub(super) const PASSES: &[AnswerPass] = &[
    settle_questions,
    wait::for_a_person,
    deliver,
    leave_unheard_out,
    fit,
    limit::hold,
    spill,
    leave_open,
    post,
    tell_silence,
];

/// Answers the questions that a person answered before, as far as it is the host's turn to be asked.
pub(super) fn settle_questions(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    let (context, before) = (turn.context, answer.finished.remarks.len());
    answer.asked = answer.finished.result.clone();
    let is_nobody = context.caller == Caller::Person && context.person.is_none();
    if !is_nobody && answer.asked.verdict.kind() == Kind::Ask {
        // Without a host it is the person who is asked, by the program that speaks for them.
        let can = match context.caller {
            Caller::Host | Caller::Again => &turn.can,
            Caller::Person => &Capabilities::NOTHING,
        };
        let book = context.book();
        // Without a book what a session remembers does not count either.
        let counts = book.is_some() || context.caller == Caller::Person;
        let with = SettlementContext {
            hooks: turn.hooks,
            can,
            book: book.as_ref(),
            session: turn.session().filter(|_| counts),
            now: turn.now(),
            approvers: context.person.as_slice(),
        };
        let mut settled = settle(event, std::mem::take(&mut answer.asked), &with);
        if let Some(later) = context.asked_later(event, turn.hooks, can, &settled.result) {
            settled.result.verdict = Verdict::Continue;
            let text = format!(
                "the question is put at `{}`, where this agent asks",
                later.name
            );
            answer.finished.remarks.push(text.into());
        }
        let remarks = settled.remarks.into_iter().map(String::into_boxed_str);
        answer.finished.remarks.extend(remarks);
        answer.asked = settled.result;
        turn.tell(settled.trouble);
    }
    let told = answer.finished.remarks.get(before..).unwrap_or_default();
    answer.approval.extend_from_slice(told);
}

/// Adds what waited for an event that can say it. Whose words they were stands in the report of the event that they came from:
/// here the place in the list of hooks may be another program's.
fn deliver(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    answer.said = answer.asked.clone();
    for undelivered in turn.waiting(event.name.class(), answer.said.verdict.kind()) {
        let effects = answer.said.effects.edit();
        match undelivered {
            UndeliveredText::Injection(mut injection) => {
                injection.by = None;
                effects.inject.push(injection);
            }
            UndeliveredText::Notice(mut notice) => {
                notice.by = None;
                effects.notify.push(notice);
            }
        }
    }
}

/// Takes out what rules made of fields that no host hears anything about. In process it changes what later hooks read,
/// but a rule is written for the host: its rewrite becomes what one that cannot be said becomes.
fn leave_unheard_out(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    let is_rule = |id| turn.hooks.get(id).is_some_and(Hook::is_rule);
    let mutable = event.name.mutable();
    let is_lost =
        |rewrite: &&Rewrite| !mutable.contains(&&*rewrite.field) && rewrite.by.is_some_and(is_rule);
    while let Some(rewrite) = answer.said.effects.patch().iter().find(is_lost) {
        let field = rewrite.field.clone();
        let why = format!(
            "a rule wants to change `{field}`, which is no field of this event that can be changed; it can change: {}",
            match mutable {
                [] => "nothing".to_owned(),
                fields => fields.join(", "),
            }
        );
        let (rest, lost) = std::mem::take(&mut answer.said).overlooked(&field, &why);
        answer.said = rest;
        answer.losses.extend(lost);
    }
}

/// Makes of it what the host can say.
fn fit(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    let said = std::mem::take(&mut answer.said);
    let (said, unsaid) = fitted(turn.context.host, event, said, &turn.can);
    answer.said = said;
    answer.losses.extend(unsaid);
}

/// Puts long corrected values into private files, and their names into the reasons that the agent reads. Without a folder the
/// reason stays as it is: it names the field and the length, and the action is refused all the same.
fn spill(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, _: &Event) {
    let places = turn.context.world.places.as_ref();
    let Some(places) = places.filter(|_| turn.context.caller != Caller::Again) else {
        return;
    };
    let (Verdict::Deny { reasons } | Verdict::Halt { reasons }) = &mut answer.said.verdict else {
        return;
    };
    for reason in reasons {
        if let Some(file) = written(reason, &places.values()) {
            reason.text = format!("{} It is in the file {file}", reason.text).into();
        }
    }
}

/// Writes the value of a reason, if it is a long one, and returns the file's name.
fn written(reason: &Reason, folder: &Path) -> Option<String> {
    let value = reason.detail.as_ref()?.to_string();
    if value.len() <= INLINE {
        return None;
    }
    let file = files::keep_value(folder, value.as_bytes()).ok()?;
    Some(file.to_string_lossy().into_owned())
}

/// Leaves a question open that the host could not put, for a person to answer. The refusal says that there is one, and never
/// which.
fn leave_open(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    if answer.said.verdict.kind() != Kind::Deny {
        return;
    }
    let Some((book, open)) = turn.to_open(event, &answer.asked) else {
        return;
    };
    let opened = open.and_then(|open| book.keep_open(open));
    let opened = turn.told("the question could not be left open for a person", opened);
    let Some(opened) = opened else { return };
    if let Verdict::Deny { reasons } = &mut answer.said.verdict
        && let Some(last) = reasons.last_mut()
    {
        let is_ended = last.text.trim_end().ends_with(['.', '!', '?', ':']);
        let end = if is_ended { "" } else { "." };
        last.text = format!("{}{end} {ADVICE}", last.text.trim_end()).into();
    }
    let trouble = turn.context.notify(&opened);
    turn.tell(trouble);
    answer.code = Some(opened.open.code);
}

/// Puts what waits for a later event into the outbox.
fn post(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, _: &Event) {
    turn.post(&answer.losses);
}

/// Tells what it costs to say nothing at a gate where the host has no such answer, and takes silence for an approval.
fn tell_silence(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    let host = turn.context.host;
    let own = event.origin.as_deref().filter(|it| it.host == host.id());
    let name = own.map_or(event.name.as_str(), |origin| &origin.native);
    let approves = host
        .row(name)
        .is_some_and(|row| row.neutral() == Neutral::Allow);
    if approves && answer.said.verdict.kind() == Kind::Continue {
        let (what, became) = (
            LossKind::Verdict(Kind::Continue),
            Substitute::Verdict(Kind::Allow),
        );
        answer.losses.push(Loss::new(what, became, None));
    }
}

impl Context<'_> {
    /// Returns the book; none where the passphrase that stands before it is gone: then it may hold anything.
    pub(super) fn book(&self) -> Option<ApprovalBook> {
        let places = self.world.places.as_ref()?;
        let is_proved = || {
            !matches!(
                PassphraseStore::of(places).standing(),
                PassphraseState::Gone(_)
            )
        };
        (self.caller == Caller::Host && is_proved()).then(|| ApprovalBook::new(places.approvals()))
    }
}

/// Tells whether a yes to every question would let the action through: what else was said may refuse it all the same.
pub(super) fn would_pass(
    host: &Host,
    event: &Event,
    asked: &HookResult,
    can: &Capabilities,
) -> bool {
    let yes = HookResult {
        verdict: Verdict::Continue,
        effects: asked.effects.clone(),
    };
    let (said, _) = fitted(host, event, yes, can);
    said.verdict.kind() < Kind::Ask
}

/// Adds the code to what the host reads, where it shows a text to the person alone. It never reaches a report: those are
/// read by a person who asks why.
pub(super) fn with_code(
    said: Option<&HookResult>,
    code: Option<&str>,
    can: &Capabilities,
) -> HookResult {
    let mut said = said.cloned().unwrap_or_default();
    if let (Some(code), Visibility::Yes) = (code, can.notify) {
        let text = format!(
            "anyhook: to let this exact action through once, type in a terminal: anyhook approve {code}"
        );
        let notice = Notice::new(text).at(Level::Warning);
        said.effects.edit().notify.push(notice);
    }
    said
}
