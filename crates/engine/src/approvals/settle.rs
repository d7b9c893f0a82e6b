//! Settling an Ask: the order is decide, ask, fit. One function for every caller.

use anyhook_core::can::Capabilities;
use anyhook_core::event::Event;
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::matcher::Hit;
use anyhook_core::ports::{Approver, Dialog, DialogQuestion};
use anyhook_core::question::{AnswerLifetime, Answerer, Grants, Question};
use anyhook_core::result::{HookResult, Kind, Reason, Reasons, Verdict};
use anyhook_core::taxonomy::Class;

use super::book::ApprovalClaim;
use super::decision::{Decision, DecisionSource};
use super::exact::put;
use super::{
    Approval, ApprovalAnswer, ApprovalBook, ApprovalChannel, ApprovalSubject, AskedQuestion,
    ExactAction,
};
use crate::state::{SessionKey, SessionState, State};
use crate::{files, limits};

/// What an Ask is settled with.
#[derive(Clone, Copy)]
pub struct SettlementContext<'a> {
    /// The hooks that were asked.
    pub hooks: &'a Hooks,
    /// What the host lets a hook say about this event.
    pub can: &'a Capabilities,
    /// The book, where what was approved before counts. A file that cannot be used approves nothing.
    pub book: Option<&'a ApprovalBook>,
    /// The session, and what it remembers.
    pub session: Option<(&'a SessionKey, &'a dyn State)>,
    /// What time it is.
    pub now: i64,
    /// Who is asked where the host cannot ask, in this order; the first who does not defer answers.
    pub approvers: &'a [&'a dyn Approver],
}

impl std::fmt::Debug for SettlementContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SettlementContext")
            .field("can", self.can)
            .field("approvers", &self.approvers.len())
            .finish_non_exhaustive()
    }
}

/// What became of an Ask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settlement {
    /// The result, to be fitted: questions without an answer are still in it.
    pub result: HookResult,
    /// Who answered what, for the report.
    pub remarks: Vec<String>,
    /// Every answer, in the order in which they were given.
    pub decisions: Vec<Decision>,
    /// What went wrong with the files of the book and of the session.
    pub trouble: Vec<String>,
}

/// Answers the questions of a result, as far as a person answered them before or an approver does now.
///
/// An answer settles its question and leaves Continue for it; only a choice that grants Allow gives Allow. A question
/// without an answer stays, and if one stays, no approval for once is used up. Nothing but an Ask is ever touched: what
/// another hook refused is refused, and an event that stops nothing asks no person.
///
/// ```
/// use anyhook_engine::approvals::{SettlementContext, settle};
/// use anyhook_core::can::Capabilities;
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Hooks};
/// use anyhook_core::result::{HookId, HookResult, Verdict};
/// use anyhook_core::{
///     ports::Approver,
///     question::{Answer, Question},
/// };
///
/// struct Nods;
/// impl Approver for Nods {
///     fn answer(&self, _: &Event, _: &Question) -> Answer {
///         Answer::AllowOnce
///     }
/// }
/// let hooks: Hooks =
///     [Hook::in_process("tool:pre", "careful", |_: &Event| HookResult::ask("Really?"))]
///         .into_iter()
///         .collect();
/// let mut question = Question::new("Really?");
/// question.by = Some(HookId(0));
/// let event = Event::new("tool:pre", serde_json::json!({"tool_name": "Bash"}));
/// let with = SettlementContext {
///     hooks: &hooks,
///     can: &Capabilities::NOTHING,
///     book: None,
///     session: None,
///     now: 0,
///     approvers: &[&Nods],
/// };
/// let settled = settle(&event, HookResult::asks(question), &with);
/// assert_eq!(settled.result.verdict, Verdict::Continue);
/// ```
pub fn settle(event: &Event, result: HookResult, with: &SettlementContext<'_>) -> Settlement {
    let stops = matches!(event.name.class(), Class::Gate | Class::Continuation);
    if result.verdict.kind() != Kind::Ask || !stops {
        return Settlement {
            result,
            ..Settlement::default()
        };
    }
    let exact = ExactAction::of(event, &result);
    let questions = result.verdict.questions().iter();
    let mut asking = Settler {
        event,
        about: ApprovalSubject::of(event, &exact, with.session.map(|(key, _)| key)),
        asked: questions
            .map(|question| QuestionState::of(question, with.hooks, &exact))
            .collect(),
        exact: &exact,
        with,
        settled: Settlement::default(),
    };
    asking.recall();
    let refused = asking.refused_before().or_else(|| asking.ask_now());
    let verdict = refused.unwrap_or_else(|| {
        asking.use_up();
        asking.left()
    });
    Settlement {
        result: HookResult {
            verdict,
            effects: result.effects.clone(),
        },
        ..asking.settled
    }
}

/// Returns every question as it can be answered later, or nothing where one of them cannot: then no answer would help.
pub fn put_all(
    result: &HookResult,
    hooks: &Hooks,
    exact: &ExactAction,
) -> Option<Vec<AskedQuestion>> {
    let questions = result.verdict.questions().iter();
    questions
        .map(|question| QuestionState::of(question, hooks, exact).put)
        .collect()
}

/// One question, and what was answered.
struct QuestionState<'q> {
    question: &'q Question,
    hook: Option<&'q Hook>,
    /// What an answer is bound to; nothing where it can be bound to nothing.
    put: Option<AskedQuestion>,
    yes: Option<Consent>,
}

/// A yes to one question.
enum Consent {
    Before(Box<Approval>),
    Now(Grants),
}

impl<'q> QuestionState<'q> {
    fn of(question: &'q Question, hooks: &'q Hooks, exact: &ExactAction) -> Self {
        let hook = question.by.and_then(|by| hooks.get(by));
        // What only the host may answer is not answered for it.
        let own = hook.filter(|_| question.who == Answerer::Anyone);
        Self {
            question,
            hook,
            put: own.and_then(|hook| put(question, hook, exact)),
            yes: None,
        }
    }

    fn asks(&self) -> DialogQuestion<'q> {
        DialogQuestion {
            hook: self.hook.map_or("a hook", |hook| &hook.info.name),
            question: self.question,
        }
    }

    /// Names an approval for once that answers it.
    fn once(&self) -> Option<&str> {
        match &self.yes {
            Some(Consent::Before(approval)) if approval.lasts == AnswerLifetime::Once => {
                Some(&approval.key)
            }
            _ => None,
        }
    }

    /// Tells whether the answer approves the action itself. A hook that was asked because of a tool's other name approves nothing.
    fn allows(&self, event: &Event) -> bool {
        let grants = match &self.yes {
            Some(Consent::Before(approval)) => approval.grants,
            Some(Consent::Now(grants)) => *grants,
            None => return false,
        };
        grants == Grants::Allow
            && self
                .hook
                .is_some_and(|hook| hook.selects(event) == Hit::Name)
    }
}

struct Settler<'a> {
    event: &'a Event,
    about: ApprovalSubject,
    exact: &'a ExactAction,
    with: &'a SettlementContext<'a>,
    asked: Vec<QuestionState<'a>>,
    settled: Settlement,
}

impl Settler<'_> {
    /// Tells what went wrong with a file, and goes on without it.
    fn told<T>(&mut self, done: Result<T, impl std::error::Error + 'static>) -> Option<T> {
        let error = done.as_ref().err().map(|error| files::with_causes(error));
        self.settled.trouble.extend(error);
        done.ok()
    }

    fn update_session(&mut self, change: &mut dyn FnMut(&mut SessionState)) {
        let Some((key, state)) = self.with.session else {
            return;
        };
        let loaded = self.told(state.update(key, change));
        let forgotten = loaded.as_ref().and_then(limits::forgotten);
        self.settled.trouble.extend(forgotten.map(String::from));
    }

    /// Finds what a person said before; of several answers the one that holds longest.
    fn recall(&mut self) {
        let (now, mut all) = (self.with.now, Vec::new());
        if let Some(pages) = self.with.book.and_then(|book| self.told(book.look(now))) {
            let whose = ApprovalClaim::of(&self.about, self.exact);
            all.extend(pages.always);
            all.extend(pages.once.into_iter().filter(|one| whose.may_use(one, now)));
        }
        self.update_session(&mut |state| all.extend(state.approvals.granted.values().cloned()));
        for asked in &mut self.asked {
            let Some(put) = &asked.put else { continue };
            let fits = all.iter().filter(|one| {
                one.grants != Grants::Deny && one.key == put.key && one.lasts <= put.longest
            });
            let best = fits.max_by_key(|one| one.lasts).cloned();
            asked.yes = best.map(|one| Consent::Before(Box::new(one)));
        }
    }

    /// The no that a person gave elsewhere to a question that is still open, with its note.
    fn refused_before(&mut self) -> Option<Verdict> {
        let book = self.with.book?;
        let open = self.asked.iter().filter(|asked| asked.yes.is_none());
        let puts: Vec<&AskedQuestion> = open.filter_map(|asked| asked.put.as_ref()).collect();
        let keys: Vec<&str> = puts.iter().map(|put| &*put.key).collect();
        let whose = ApprovalClaim::of(&self.about, self.exact);
        let note = book.refusal(&keys, whose, self.with.now);
        let asks = self.asked.iter().find(|asked| {
            let put = asked.put.as_ref();
            put.is_some_and(|put| keys.contains(&&*put.key))
        });
        let decision = asks.map(|asked| {
            Decision::new(
                &asked.asks(),
                Grants::Deny,
                AnswerLifetime::Once,
                DecisionSource::Before,
            )
        });
        let (note, decision) = self.told(note).flatten().zip(decision)?;
        let mut reason = decision.refusal();
        if !note.is_empty() {
            reason.text = format!("{}\nThe person says: {note}", reason.text).into();
        }
        self.settled.remarks.push(format!(
            "a person answered the question of `{}` with no",
            decision.hook
        ));
        self.settled.decisions.push(decision);
        Some(Verdict::Deny {
            reasons: [reason].into(),
        })
    }

    /// What the approvers say now, each about all that is still open, in one dialog. A no ends the asking and refuses.
    fn ask_now(&mut self) -> Option<Verdict> {
        if self.with.can.says(Kind::Ask) {
            return None;
        }
        for approver in self.with.approvers {
            let is_open = |asked: &QuestionState<'_>| {
                asked.question.who != Answerer::Host && asked.yes.is_none()
            };
            let (open, asks): (Vec<usize>, Vec<DialogQuestion<'_>>) = (0..)
                .zip(&self.asked)
                .filter(|(_, asked)| is_open(asked))
                .map(|(at, asked)| (at, asked.asks()))
                .unzip();
            if asks.is_empty() {
                break;
            }
            let said = approver.answer_all(&Dialog {
                event: self.event,
                action: &self.exact.text,
                before: None,
                asks: &asks,
            });
            let both = open.into_iter().zip(&asks).zip(said);
            let decided =
                both.filter_map(|((at, asks), answer)| Some((at, Decision::of(asks, answer)?)));
            let mut refused = Vec::new();
            for (at, decision) in decided.collect::<Vec<_>>() {
                if decision.grants == Grants::Deny {
                    refused.push(decision.refusal());
                } else {
                    self.remember(&decision, at);
                }
                self.settled.decisions.push(decision);
            }
            if !refused.is_empty() {
                let reasons = refused.into();
                return Some(Verdict::Deny { reasons });
            }
        }
        None
    }

    /// Takes a yes, remembers it for as long as it holds, and tells of it.
    fn remember(&mut self, decision: &Decision, at: usize) {
        let hook = &decision.hook;
        self.settled.remarks.push(match decision.via {
            DecisionSource::Before | DecisionSource::Person => {
                format!("the question of `{hook}` was answered with yes")
            }
            DecisionSource::TimedOut => {
                format!("the question of `{hook}` was not answered in time, and its default is yes")
            }
            DecisionSource::Failed => {
                format!("the question of `{hook}` could not be put, and its default is yes")
            }
        });
        let Some(asked) = self.asked.get_mut(at) else {
            return;
        };
        asked.yes = Some(Consent::Now(decision.grants));
        let lasts = |put: &&AskedQuestion| {
            decision.lasts == AnswerLifetime::Session && put.longest >= AnswerLifetime::Session
        };
        if let Some(put) = asked.put.as_ref().filter(lasts) {
            let answer = ApprovalAnswer {
                grants: decision.grants,
                lasts: AnswerLifetime::Session,
            };
            let (by, at) = (ApprovalChannel::Dialog, self.with.now);
            let approval = Approval::new(&self.about, put, answer, by, at);
            self.update_session(&mut |state| state.approve(approval.clone()));
        }
    }

    /// Uses up what was approved for once, if every question has an answer. What another process used up first is none.
    fn use_up(&mut self) {
        let once: Vec<&str> = self.asked.iter().filter_map(QuestionState::once).collect();
        let are_answered = self.asked.iter().all(|asked| asked.yes.is_some());
        let whose = ApprovalClaim::of(&self.about, self.exact);
        let book = self.with.book.filter(|_| are_answered && !once.is_empty());
        let taken = book.map(|book| book.take(&once, whose, self.with.now));
        let is_taken = once.is_empty() || taken.and_then(|taken| self.told(taken)) == Some(true);
        for asked in &mut self.asked {
            if asked.once().is_some() && !is_taken {
                asked.yes = None;
            }
            let Some(Consent::Before(approval)) = &asked.yes else {
                continue;
            };
            let lasts = match approval.lasts {
                AnswerLifetime::Once => "once",
                AnswerLifetime::Session => "the session",
                AnswerLifetime::Always => "always",
            };
            let (asks, id) = (asked.asks(), approval.id());
            self.settled.remarks.push(format!(
                "the question of `{}` was approved for {lasts} by a person ({id})",
                asks.hook
            ));
            let decision = Decision::new(
                &asks,
                approval.grants,
                approval.lasts,
                DecisionSource::Before,
            );
            self.settled.decisions.push(decision);
        }
    }

    /// The verdict that is left: the questions without an answer, else what the answers give.
    fn left(&self) -> Verdict {
        let open = self.asked.iter().filter(|asked| asked.yes.is_none());
        let questions: Box<[Question]> = open.map(|asked| asked.question.clone()).collect();
        if !questions.is_empty() {
            return Verdict::Ask { questions };
        }
        let allows = self.asked.iter().filter(|asked| asked.allows(self.event));
        let reasons: Reasons = allows.map(|asked| approved(asked.question)).collect();
        if reasons.is_empty() {
            Verdict::Continue
        } else {
            Verdict::Allow { reasons }
        }
    }
}

fn approved(question: &Question) -> Reason {
    let mut reason = Reason::new("A person approved this.");
    reason.by = question.by;
    reason
}
