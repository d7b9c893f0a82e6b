//! Asking a person what hooks ask, and telling of it.

use std::sync::Arc;

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, Map};
use anyhook_core::events;
use anyhook_core::hook::{Hook, HookInfo, Hooks};
use anyhook_core::matcher::Matcher;
use anyhook_core::ports::{Approver, Clock};
use anyhook_core::question::{Grants, Question};
use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
use futures_channel::oneshot;
use serde_json::{Value, json};

use super::process::ResultSource;
use super::{ProcessedResult, Session};
use crate::approvals::{
    Decision, DecisionSource, ExactAction, Settlement, SettlementContext, settle,
};
use crate::approvers::TimedApprover;
use crate::drivers::future::{depth, inside};
use crate::state::{SessionKey, State};

/// What a session lets a hook say: everything but a question, which it puts itself.
static MUTE: Capabilities = Capabilities {
    verdicts: &[Kind::Allow, Kind::Deny, Kind::Halt],
    ..Capabilities::EVERYTHING
};

/// Everything that settling needs, on a thread of its own.
struct ApprovalCase {
    event: Event,
    result: HookResult,
    roster: Vec<Arc<HookInfo>>,
    approvers: Vec<TimedApprover>,
    key: SessionKey,
    state: Arc<dyn State>,
    clock: Arc<dyn Clock>,
}

impl ApprovalCase {
    /// Settles the questions, with these approvers or with what is remembered alone.
    fn settle(&self, approvers: &[&dyn Approver]) -> Settlement {
        let hooks = stand_ins(&self.event, &self.roster);
        let with = SettlementContext {
            hooks: &hooks,
            can: &MUTE,
            book: None,
            session: Some((&self.key, &*self.state)),
            now: self.clock.now(),
            approvers,
        };
        settle(&self.event, self.result.clone(), &with)
    }
}

impl Session {
    /// Puts the questions of a result to a person. A question without an answer is refused.
    pub(super) async fn ask(&self, said: ResultSource<'_>, done: &mut ProcessedResult) {
        let case = self.case(said, done);
        let known = case.settle(&[]);
        let open: Vec<Question> = known.result.verdict.questions().to_vec();
        if !open.is_empty() && !case.approvers.is_empty() {
            let refused = self.announce(said, &open, done).await;
            if let Some(verdict) = refused {
                done.result.verdict = verdict;
                return self.tell_verdict(said, &open, done).await;
            }
        }
        let all = case.result.verdict.questions().to_vec();
        let began = self.inner.setup.clock.since();
        let settled = settle_elsewhere(case).await;
        let took = self.inner.setup.clock.since().saturating_sub(began);
        let remarks = settled.remarks.into_iter().chain(settled.trouble);
        done.remarks.extend(remarks.map(String::into_boxed_str));
        done.result.verdict = or_refused(settled.result.verdict);
        for decision in &settled.decisions {
            self.tell_decision(decision, took.as_millis(), done).await;
        }
        self.tell_verdict(said, &all, done).await;
    }

    fn case(&self, said: ResultSource<'_>, done: &ProcessedResult) -> ApprovalCase {
        let inner = &self.inner;
        let before = said
            .original
            .and_then(|original| before(original, said.event, &done.result));
        let patient = |approver: &Arc<dyn Approver>| {
            let patient =
                TimedApprover::new(Arc::clone(approver)).until(Arc::clone(&inner.setup.cancelled));
            match &before {
                Some(before) => patient.showing(before.clone()),
                None => patient,
            }
        };
        ApprovalCase {
            event: said.event.clone(),
            result: done.result.clone(),
            roster: said.roster.to_vec(),
            approvers: inner.setup.approvers.iter().map(patient).collect(),
            key: inner.key.clone(),
            state: Arc::clone(&inner.setup.state),
            clock: Arc::clone(&inner.setup.clock),
        }
    }

    /// Tells that a person is about to be asked. This is a gate: hooks may refuse in the person's place, never approve.
    async fn announce(
        &self,
        said: ResultSource<'_>,
        open: &[Question],
        done: &mut ProcessedResult,
    ) -> Option<Verdict> {
        let mut data = about(said.event, open);
        data.insert("questions".into(), open.iter().map(shown).collect());
        let hooks: Value = open.iter().map(|q| said.hook(q.by)).collect();
        data.insert("hook_names".into(), hooks);
        let answer = self
            .audit(events::APPROVAL_REQUIRED, Value::Object(data), done)
            .await;
        for question in open {
            let mut data = shown(question);
            if let Value::Object(data) = &mut data {
                data.insert("hook_name".into(), said.hook(question.by).into());
            }
            self.audit(events::APPROVAL_REQUESTED, data, done).await;
        }
        let mut verdict = answer.verdict;
        if let Verdict::Deny { reasons } | Verdict::Halt { reasons } = &mut verdict {
            // They are hooks of another event, so their ids name no hook here.
            reasons.iter_mut().for_each(|reason| reason.by = None);
            return Some(verdict);
        }
        None
    }

    async fn tell_decision(&self, decision: &Decision, took: u128, done: &mut ProcessedResult) {
        let is_cached = decision.via == DecisionSource::Before;
        let took = u64::try_from(took).unwrap_or(u64::MAX);
        let took = if is_cached { 0 } else { took };
        let data = json!({
            "hook_name": decision.hook, "prompt": decision.prompt, "decision": decision.grants,
            "remember": decision.lasts, "cached": is_cached, "decision_time_ms": took,
        });
        self.audit(events::APPROVAL_DECISION, data, done).await;
        if decision.via == DecisionSource::TimedOut {
            let is_denied = decision.grants == Grants::Deny;
            let taken = if is_denied { "deny" } else { "allow" };
            let data = json!({
                "hook_name": decision.hook, "prompt": decision.prompt, "default_taken": taken,
            });
            self.audit(events::APPROVAL_TIMEOUT, data, done).await;
        }
    }

    /// Tells what became of it, in one event.
    async fn tell_verdict(
        &self,
        said: ResultSource<'_>,
        all: &[Question],
        done: &mut ProcessedResult,
    ) {
        let mut data = about(said.event, all);
        let verdict = &done.result.verdict;
        let event = match verdict.kind() {
            Kind::Continue | Kind::Allow => events::APPROVAL_GRANTED,
            Kind::Ask | Kind::Deny | Kind::Halt => events::APPROVAL_DENIED,
        };
        data.insert("reason".into(), verdict.text().into());
        self.audit(event, Value::Object(data), done).await;
    }
}

/// Settles on a thread of its own: a person takes time, and the thread that drives this future has other things to do.
async fn settle_elsewhere(case: ApprovalCase) -> Settlement {
    let result = case.result.clone();
    let (say, answer) = oneshot::channel();
    let depth = depth();
    let ask = move || {
        let approvers: Vec<&dyn Approver> = case
            .approvers
            .iter()
            .map(|one| one as &dyn Approver)
            .collect();
        // No one waits any more if the event was dropped.
        let _ = say.send(inside(depth, || case.settle(&approvers)));
    };
    let started = std::thread::Builder::new()
        .name("anyhook-approval".to_owned())
        .spawn(ask);
    let settled = match started {
        Ok(_) => answer.await.ok(),
        Err(_) => None,
    };
    settled.unwrap_or_else(|| Settlement {
        result,
        remarks: vec!["no person was asked: the approval thread could not be started".to_owned()],
        ..Settlement::default()
    })
}

/// A question without an answer is refused.
fn or_refused(verdict: Verdict) -> Verdict {
    let Verdict::Ask { questions } = verdict else {
        return verdict;
    };
    let refusal = |question: Question| Reason {
        by: question.by,
        ..Reason::new(format!(
            "No person is here to answer, so this is refused: {}",
            question.prompt
        ))
    };
    Verdict::Deny {
        reasons: questions.into_iter().map(refusal).collect(),
    }
}

/// The hooks as far as an approval is bound to them: who they are, where they were written, and what they select.
fn stand_ins(event: &Event, roster: &[Arc<HookInfo>]) -> Hooks {
    let one = |info: &Arc<HookInfo>| {
        let mut hook = Hook::in_process(event.name.as_str(), &info.name, |_: &Event| ());
        // What was read once can be read again.
        if let Some(Ok(when)) = info.matcher.as_deref().map(Matcher::parse) {
            hook.when = when;
        }
        hook.info = Arc::clone(info);
        hook
    };
    roster.iter().map(one).collect()
}

/// The action as it was before hooks rewrote it, where they did.
fn before(original: &Event, event: &Event, result: &HookResult) -> Option<String> {
    let patch = result.effects.patch();
    if patch.is_empty() {
        return None;
    }
    let mut data: Map = event.data.json().into_owned();
    for rewrite in patch {
        match original.get(&rewrite.field) {
            Some(value) => drop(data.insert(rewrite.field.to_string(), value.into_owned())),
            None => drop(data.shift_remove(&*rewrite.field)),
        }
    }
    let mut before = event.clone();
    before.data = data.into();
    Some(ExactAction::of(&before, &HookResult::proceed()).text)
}

fn about(event: &Event, questions: &[Question]) -> Map {
    let prompts: Vec<&str> = questions.iter().map(|question| &*question.prompt).collect();
    let mut data = Map::new();
    for field in ["tool_name", "tool_input"] {
        if let Some(value) = event.get(field) {
            data.insert(field.into(), value.into_owned());
        }
    }
    data.insert("operation".into(), prompts.join("\n").into());
    data.insert("hook_event".into(), event.name.as_str().into());
    data
}

fn shown(question: &Question) -> Value {
    let choices = question.choices().into_iter();
    let labels: Vec<Box<str>> = choices.map(|choice| choice.label).collect();
    json!({
        "prompt": question.prompt, "options": labels, "timeout": question.timeout.as_secs_f64(),
        "default": question.default,
    })
}
