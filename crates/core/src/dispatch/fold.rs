//! Folding: how an answer, or a failure, changes the event and the result.

use super::{AskedHook, Dispatch, DispatchPhase, HookReply, INFRASTRUCTURE, StepRecording};
use crate::effects::RewriteFallback;
use crate::event::Event;
use crate::fault::Fault;
use crate::hook::Hook;
use crate::matcher::Hit;
use crate::question::Question;
use crate::report::StepOutcome;
use crate::result::{HookId, HookResult, Kind, Verdict};
use crate::taxonomy::Class;

impl Dispatch<'_> {
    /// Folds the answers of the hooks that were asked, in declaration order. Where one rewrites, those declared after it
    /// answered about another input: they are returned, to be asked again as if all had run one after the other.
    #[inline]
    pub(super) fn fold_wave(&mut self, event: &mut Event) -> Vec<AskedHook> {
        let mut rest = std::mem::take(&mut self.wave).into_iter();
        while let Some(one) = rest.next() {
            let rewrote = self.fold_one(one, event);
            if rewrote && self.phase == DispatchPhase::Deciding && !self.is_refused() {
                // Who was not asked for a reason of its own stays unasked.
                let (unasked, stale): (Vec<_>, Vec<_>) = rest.partition(|waiting| {
                    matches!(waiting.reply, HookReply::Skipped(why) if !why.depends_on_input())
                });
                for waiting in unasked {
                    self.fold_one(waiting, event);
                }
                return stale;
            }
        }
        Vec::new()
    }

    /// Folds one answer, and tells whether it changed the input.
    pub(super) fn fold_one(&mut self, mut asked: AskedHook, event: &mut Event) -> bool {
        match std::mem::take(&mut asked.reply) {
            HookReply::Nothing => {}
            HookReply::Skipped(why) => {
                if !why.depends_on_input() {
                    self.notes().silent.push(asked.hook);
                }
                self.record(&asked, StepOutcome::NotAsked(why));
            }
            HookReply::Answer(Err(fault)) => {
                self.notes().silent.push(asked.hook);
                self.fold_fault(&asked, fault);
            }
            HookReply::Answer(Ok(said)) if said.is_identity() => {
                self.record(&asked, StepOutcome::Said(None));
            }
            HookReply::Answer(Ok(said)) => return self.fold_said(&asked, said, event),
        }
        false
    }

    fn fold_said(&mut self, asked: &AskedHook, mut said: HookResult, event: &mut Event) -> bool {
        let Some(hook) = self.hooks.list().get(asked.hook) else {
            return false;
        };
        self.settle(asked, hook, &mut said, event);
        if !hook.counts() {
            self.record(asked, StepOutcome::Would(Box::new(said)));
            return false;
        }
        if self.phase == DispatchPhase::Rechecking {
            let counted = self.only_verdict(hook, &said);
            self.record(asked, StepOutcome::Said(Some(Box::new(said))));
            self.fold(counted);
            return false;
        }
        for rewrite in said.effects.patch() {
            let place = event.place(&rewrite.field);
            event.data.set(place, rewrite.value.as_ref());
        }
        let rewrote = !said.effects.patch().is_empty();
        if rewrote && self.touches_input(&said) {
            self.author = Some(asked.hook);
        }
        // An answer is copied for the report only: it may hold a whole file.
        if self.policy.record == StepRecording::Steps {
            let said = Some(Box::new(said.clone()));
            self.record(asked, StepOutcome::Said(said));
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
    fn settle(&mut self, asked: &AskedHook, hook: &Hook, said: &mut HookResult, event: &Event) {
        said.stamp(HookId::at(asked.hook));
        let name = &hook.info.name;
        if asked.hit == Hit::Alias && said.verdict.kind() == Kind::Allow {
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
        given.last_of_each();
        given.patch.retain(|rewrite| {
            let field = &rewrite.field;
            if INFRASTRUCTURE.contains(&&**field) {
                let text = format!("`{name}` may not change `{field}`: dropped");
                notes.get_or_insert_default().remarks.push(text.into());
                return false;
            }
            !event.data.holds(event.place(field), rewrite.value.as_ref())
        });
        if hook.if_unsayable != RewriteFallback::Deny {
            let rule = hook.if_unsayable;
            given.patch.iter_mut().for_each(|r| r.if_unsayable = rule);
        }
        said.effects.tidy();
    }

    fn touches_input(&self, said: &HookResult) -> bool {
        let mut patch = said.effects.patch().iter();
        self.class == Class::Gate && patch.any(|one| self.mutable.contains(&&*one.field))
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
        let new = questions.iter().filter(|one| !waiting.contains(one));
        let questions: Box<[Question]> = new.cloned().collect();
        if questions.is_empty() {
            return Verdict::Continue;
        }
        Verdict::Ask { questions }
    }

    fn fold_fault(&mut self, asked: &AskedHook, fault: Box<Fault>) {
        let Some(hook) = self.hooks.list().get(asked.hook) else {
            return;
        };
        let refusal = hook.refusal(&fault, self.class, self.policy.strict);
        let verdict = refusal.as_ref().map_or(Kind::Continue, Verdict::kind);
        if let Some(refusal) = refusal {
            let mut said = HookResult::from(refusal);
            said.stamp(HookId::at(asked.hook));
            self.fold(said);
        }
        self.record(asked, StepOutcome::Failed { fault, verdict });
    }
}
