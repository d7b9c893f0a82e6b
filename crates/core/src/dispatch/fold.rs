//! Folding: how an answer, or a failure, changes the event and the result.

use std::time::Duration;

use super::{AskedHook, Dispatch, HookReply, INFRASTRUCTURE, Phase, Record};
use crate::effects::{IfUnsayable, Rewrite};
use crate::event::Event;
use crate::fault::Fault;
use crate::hook::{Hook, Mode, Role};
use crate::matcher::Hit;
use crate::question::Question;
use crate::report::{Asked, Became};
use crate::result::{HookId, HookResult, Kind, Verdict};
use crate::taxonomy::Class;

/// A hook that answered, and how it was asked.
struct Answered<'a> {
    at: usize,
    hook: &'a Hook,
    hit: Hit,
    asked: Asked,
    took: Option<Duration>,
}

impl Dispatch<'_> {
    /// Folds the answers of the hooks that were asked, in declaration order. Where one rewrites, those declared after it
    /// answered about another input: they are returned, to be asked again as if all had run one after the other.
    #[inline]
    pub(super) fn fold_wave(&mut self, event: &mut Event) -> Vec<AskedHook> {
        let mut rest = std::mem::take(&mut self.wave).into_iter();
        while let Some(one) = rest.next() {
            let rewrote = self.fold_one(one, event);
            if rewrote && self.phase == Phase::Deciding && !self.is_refused() {
                return self.stale(rest, event);
            }
        }
        Vec::new()
    }

    /// Returns those that answered about another input; who was not asked for a reason of its own stays unasked.
    fn stale(
        &mut self,
        rest: impl Iterator<Item = AskedHook>,
        event: &mut Event,
    ) -> Vec<AskedHook> {
        let (unasked, stale): (Vec<_>, Vec<_>) = rest.partition(
            |waiting| matches!(waiting.reply, HookReply::Skipped(why) if !why.depends_on_input()),
        );
        for waiting in unasked {
            self.fold_one(waiting, event);
        }
        stale
    }

    /// Folds one answer, and tells whether it changed the input.
    pub(super) fn fold_one(&mut self, waiting: AskedHook, event: &mut Event) -> bool {
        let AskedHook {
            hook: at,
            hit,
            asked,
            reply,
        } = waiting;
        match reply {
            HookReply::Nothing => false,
            HookReply::Skipped(why) => {
                if !why.depends_on_input() {
                    self.notes().silent.push(at);
                }
                self.record(at, asked, Became::NotAsked(why), None);
                false
            }
            HookReply::Answer(Err(fault), took) => {
                self.notes().silent.push(at);
                self.fold_fault(at, asked, fault, took);
                false
            }
            HookReply::Answer(Ok(said), took) => {
                if said.is_identity() {
                    self.record(at, asked, Became::Said(None), took);
                    return false;
                }
                let Some(hook) = self.hooks.list().get(at) else {
                    return false;
                };
                let by = Answered {
                    at,
                    hook,
                    hit,
                    asked,
                    took,
                };
                self.fold_said(&by, said, event)
            }
        }
    }

    fn fold_said(&mut self, by: &Answered<'_>, mut said: HookResult, event: &mut Event) -> bool {
        let Answered {
            at,
            hook,
            asked,
            took,
            ..
        } = *by;
        self.settle(by, &mut said, event);
        if hook.role == Role::Observe || hook.mode == Mode::Shadow {
            self.record(at, asked, Became::Would(Box::new(said)), took);
            return false;
        }
        if self.phase == Phase::Rechecking {
            let counted = self.only_verdict(hook, &said);
            self.record(at, asked, Became::Said(Some(Box::new(said))), took);
            self.fold(counted);
            return false;
        }
        for rewrite in said.effects.patch() {
            let place = event.place(&rewrite.field);
            event.data.set(place, rewrite.value.as_ref());
        }
        let rewrote = !said.effects.patch().is_empty();
        if rewrote && self.touches_input(&said) {
            self.author = Some(at);
        }
        // An answer is copied for the report only: it may hold a whole file.
        if self.policy.record == Record::Steps {
            let said = Some(Box::new(said.clone()));
            self.record(at, asked, Became::Said(said), took);
        }
        self.fold(said);
        rewrote
    }

    /// Folds by [`HookResult::then`]; what most answers say nothing about is left where it is.
    pub(super) fn fold(&mut self, said: HookResult) {
        let folded = &mut self.folded;
        if said.verdict != Verdict::Continue {
            folded.verdict = std::mem::take(&mut folded.verdict).then(said.verdict);
        }
        folded.effects = std::mem::take(&mut folded.effects).then(said.effects);
    }

    /// Makes an answer what it may be: stamped, without infrastructure and without rewrites that change nothing, and
    /// without an approval that rests on an alias only.
    fn settle(&mut self, by: &Answered<'_>, said: &mut HookResult, event: &Event) {
        said.stamp(HookId::at(by.at));
        let name = &by.hook.info.name;
        if by.hit == Hit::Alias && said.verdict.kind() == Kind::Allow {
            said.verdict = Verdict::Continue;
            let text = format!(
                "`{name}` knows this tool by another name only: its approval does not count"
            );
            self.notes().remarks.push(text.into());
        }
        if said.effects.patch().is_empty() {
            return;
        }
        let notes = &mut self.notes;
        let given = said.effects.edit();
        for rewrite in &mut given.patch {
            let canonical = event.canonical(&rewrite.field);
            if canonical != rewrite.field {
                rewrite.field = canonical.to_owned().into();
            }
        }
        if given.patch.len() > 1 {
            given.patch = last_of_each(std::mem::take(&mut given.patch));
        }
        given.patch.retain(|rewrite| {
            let field = &rewrite.field;
            if INFRASTRUCTURE.contains(&&**field) {
                let text = format!("`{name}` may not change `{field}`: dropped");
                notes.get_or_insert_default().remarks.push(text.into());
                return false;
            }
            !event.data.holds(event.place(field), rewrite.value.as_ref())
        });
        if by.hook.if_unsayable != IfUnsayable::Deny {
            let rule = by.hook.if_unsayable;
            given.patch.iter_mut().for_each(|r| r.if_unsayable = rule);
        }
        said.effects.tidy();
    }

    fn touches_input(&self, said: &HookResult) -> bool {
        self.class == Class::Gate
            && said
                .effects
                .patch()
                .iter()
                .any(|rewrite| self.mutable.contains(&&*rewrite.field))
    }

    /// Of a second answer only verdict and reasons count, and a further rewrite is a refusal. What the hook already
    /// said word for word about the first input is not said twice.
    fn only_verdict(&self, hook: &Hook, said: &HookResult) -> HookResult {
        let verdict = self.unheard(&said.verdict);
        if !self.touches_input(said) {
            return HookResult::from(verdict);
        }
        let mut refused = HookResult::deny(format!(
            "`{}` rewrites the input each time it sees it, so no version of it could be checked. \
             Make the rewrite leave its own output alone, or set `recheck: false` on it.",
            hook.info.name
        ));
        if let Some(by) = said.effects.patch().first().and_then(|rewrite| rewrite.by) {
            refused.stamp(by);
        }
        refused.then(HookResult::from(verdict))
    }

    /// Leaves out the questions that already wait for the person.
    fn unheard(&self, said: &Verdict) -> Verdict {
        let Verdict::Ask { questions } = said else {
            return said.clone();
        };
        let waiting = self.folded.verdict.questions();
        let new: Vec<Question> = questions
            .iter()
            .filter(|question| !waiting.contains(question))
            .cloned()
            .collect();
        if new.is_empty() {
            return Verdict::Continue;
        }
        Verdict::Ask {
            questions: new.into(),
        }
    }

    fn fold_fault(&mut self, at: usize, asked: Asked, fault: Box<Fault>, took: Option<Duration>) {
        let Some(hook) = self.hooks.list().get(at) else {
            return;
        };
        let refusal = hook.refusal(&fault, self.class, self.policy.faults);
        let verdict = refusal.as_ref().map_or(Kind::Continue, Verdict::kind);
        if let Some(refusal) = refusal {
            let mut said = HookResult::from(refusal);
            said.stamp(HookId::at(at));
            self.fold(said);
        }
        self.record(at, asked, Became::Failed { fault, verdict }, took);
    }
}

/// Of several rewrites of one field in one answer the last holds; the others never happened.
fn last_of_each(patch: Vec<Rewrite>) -> Vec<Rewrite> {
    let mut kept: Vec<Rewrite> = Vec::with_capacity(patch.len());
    for rewrite in patch {
        kept.retain(|earlier| earlier.field != rewrite.field);
        kept.push(rewrite);
    }
    kept
}
