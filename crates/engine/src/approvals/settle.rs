//! Settling an Ask: the order is decide, ask, fit. One function for every caller.

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::hook::Hooks;
use anyhook_core::matcher::Hit;
use anyhook_core::ports::{Approver, Asks, Dialog};
use anyhook_core::question::{Grants, Question, Remember, Who};
use anyhook_core::result::{HookResult, Kind, Reason, Reasons, Verdict};
use anyhook_core::taxonomy::Class;

use super::decision::{Decision, Via};
use super::exact::put;
use super::{About, Approval, Exact, Known, Put, may_last};

/// What an Ask is settled with.
#[derive(Clone, Copy)]
pub struct Settling<'a> {
    /// The hooks that were asked.
    pub hooks: &'a Hooks,
    /// What the host lets a hook say about this event.
    pub can: &'a Can,
    /// What was approved before.
    pub known: Option<&'a Known<'a>>,
    /// Who is asked where the host cannot ask, in this order; the first who does not defer answers.
    pub approvers: &'a [&'a dyn Approver],
}

impl std::fmt::Debug for Settling<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settling")
            .field("can", self.can)
            .field("approvers", &self.approvers.len())
            .finish_non_exhaustive()
    }
}

/// What became of an Ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The result, to be fitted: questions without an answer are still in it.
    pub result: HookResult,
    /// Who answered what, for the report.
    pub remarks: Vec<String>,
    /// Every answer, in the order in which they were given.
    pub decisions: Vec<Decision>,
}

/// Answers the questions of a result, as far as a person answered them before or an approver does now.
///
/// An answer settles its question and leaves Continue for it; only a choice that grants Allow gives Allow. A question
/// without an answer stays, and if one stays, no approval for once is used up. Nothing but an Ask is ever touched: what
/// another hook refused is refused, and an event that stops nothing asks no person.
///
/// ```
/// use anyhook_engine::approvals::{Settling, settle};
/// use anyhook_core::can::Can;
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
/// let with = Settling { hooks: &hooks, can: &Can::NOTHING, known: None, approvers: &[&Nods] };
/// let settled = settle(&event, HookResult::asks(question), &with);
/// assert_eq!(settled.result.verdict, Verdict::Continue);
/// ```
pub fn settle(event: &Event, result: HookResult, with: &Settling<'_>) -> Settled {
    let class = event.name.class();
    let stops = matches!(class, Class::Gate | Class::Continuation);
    if result.verdict.kind() != Kind::Ask || !stops {
        return Settled {
            result,
            remarks: Vec::new(),
            decisions: Vec::new(),
        };
    }
    let exact = Exact::of(event, &result);
    let questions = result.verdict.questions();
    let puts = put_each(questions, with.hooks, &exact);
    let mut asking = Asking {
        event,
        about: About::of(event, &exact, with.known.and_then(Known::key)),
        exact,
        with,
        remarks: Vec::new(),
        decisions: Vec::new(),
    };
    let mut answers = asking.before(questions, &puts);
    let mut refused = asking.refused(questions, &puts, &answers);
    if refused.is_none() {
        refused = asking.now(questions, &puts, &mut answers);
    }
    if refused.is_none() {
        asking.use_up(questions, &puts, &mut answers);
    }
    let verdict = refused.unwrap_or_else(|| asking.left(questions, &answers));
    Settled {
        result: HookResult {
            verdict,
            effects: result.effects,
        },
        remarks: asking.remarks,
        decisions: asking.decisions,
    }
}

/// Returns every question as it can be answered later, or nothing where one of them cannot: then no answer would help.
pub fn put_all(result: &HookResult, hooks: &Hooks, exact: &Exact) -> Option<Vec<Put>> {
    put_each(result.verdict.questions(), hooks, exact)
        .into_iter()
        .collect()
}

fn put_each(questions: &[Question], hooks: &Hooks, exact: &Exact) -> Vec<Option<Put>> {
    let one = |question: &Question| {
        // What only the host may answer is not answered for it.
        let hook = question.by.filter(|_| question.who == Who::Anyone);
        put(question, hooks.get(hook?)?, exact)
    };
    questions.iter().map(one).collect()
}

/// A yes to one question.
enum Yes {
    Before(Box<Approval>),
    Now(Grants),
}

struct Asking<'a> {
    event: &'a Event,
    about: About,
    exact: Exact,
    with: &'a Settling<'a>,
    remarks: Vec<String>,
    decisions: Vec<Decision>,
}

impl Asking<'_> {
    /// What a person said before.
    fn before(&self, questions: &[Question], puts: &[Option<Put>]) -> Vec<Option<Yes>> {
        let Some(known) = self.with.known else {
            return questions.iter().map(|_| None).collect();
        };
        let found = known.find(puts, &self.about, &self.exact);
        let before = |one: Approval| Yes::Before(Box::new(one));
        found.into_iter().map(|one| one.map(before)).collect()
    }

    /// The no that a person gave elsewhere to a question that is still open, with its note.
    fn refused(
        &mut self,
        questions: &[Question],
        puts: &[Option<Put>],
        answers: &[Option<Yes>],
    ) -> Option<Verdict> {
        let open = || puts.iter().zip(answers).filter(|(_, yes)| yes.is_none());
        let keys: Vec<&str> = open()
            .filter_map(|(put, _)| Some(&*put.as_ref()?.key))
            .collect();
        let note = self.with.known?.refusal(&keys, &self.about, &self.exact)?;
        let both = questions.iter().zip(puts);
        let (question, put) = both
            .filter_map(|(question, put)| Some((question, put.as_ref()?)))
            .find(|(_, put)| keys.contains(&&*put.key))?;
        let decision = Decision {
            hook: put.hook.clone(),
            by: question.by,
            prompt: put.prompt.clone(),
            grants: Grants::Deny,
            lasts: Remember::Once,
            via: Via::Before,
        };
        let mut reason = decision.refusal();
        if !note.is_empty() {
            reason.text = format!("{}\nThe person says: {note}", reason.text).into();
        }
        self.remarks.push(format!(
            "a person answered the question of `{}` with no",
            put.hook
        ));
        self.decisions.push(decision);
        Some(Verdict::Deny {
            reasons: [reason].into(),
        })
    }

    /// What the approvers say now, each about all that is still open. A no ends the asking and refuses.
    fn now(
        &mut self,
        questions: &[Question],
        puts: &[Option<Put>],
        answers: &mut [Option<Yes>],
    ) -> Option<Verdict> {
        if self.with.can.says(Kind::Ask) {
            return None;
        }
        for approver in self.with.approvers {
            let is_open = |at: &usize| {
                let for_us = questions.get(*at).is_some_and(|q| q.who != Who::Host);
                for_us && answers.get(*at).is_some_and(Option::is_none)
            };
            let open: Vec<usize> = (0..questions.len()).filter(is_open).collect();
            let mut refused = Vec::new();
            for (at, decision) in self.ask(*approver, questions, &open) {
                let put = puts.get(at).and_then(Option::as_ref);
                if decision.grants == Grants::Deny {
                    refused.push(decision.refusal());
                } else if let Some(answer) = answers.get_mut(at) {
                    self.remember(&decision, put);
                    *answer = Some(Yes::Now(decision.grants));
                }
                self.decisions.push(decision);
            }
            if !refused.is_empty() {
                let reasons = refused.into();
                return Some(Verdict::Deny { reasons });
            }
        }
        None
    }

    /// Puts the open questions to one approver, in one dialog. Returns what was decided about which.
    fn ask(
        &self,
        approver: &dyn Approver,
        questions: &[Question],
        open: &[usize],
    ) -> Vec<(usize, Decision)> {
        let one = |at: &usize| {
            let question = questions.get(*at)?;
            let hook = question.by.and_then(|by| self.with.hooks.get(by));
            let hook = hook.map_or("a hook", |hook| &*hook.info.name);
            Some(Asks { hook, question })
        };
        let asks: Vec<Asks<'_>> = open.iter().filter_map(one).collect();
        if asks.is_empty() {
            return Vec::new();
        }
        let said = approver.answer_all(&Dialog {
            event: self.event,
            action: &self.exact.text,
            before: None,
            asks: &asks,
        });
        let both = open.iter().zip(&asks).zip(said);
        both.filter_map(|((at, asks), answer)| Some((*at, Decision::of(asks, answer)?)))
            .collect()
    }

    /// Remembers a yes for as long as it holds, and tells of it.
    fn remember(&mut self, decision: &Decision, put: Option<&Put>) {
        let hook = &decision.hook;
        self.remarks.push(match decision.via {
            Via::Before | Via::Person => {
                format!("the question of `{hook}` was answered with yes")
            }
            Via::TimedOut => {
                format!("the question of `{hook}` was not answered in time, and its default is yes")
            }
            Via::Failed => {
                format!("the question of `{hook}` could not be put, and its default is yes")
            }
        });
        if let (Remember::Session, Some(put), Some(known)) = (decision.lasts, put, self.with.known)
            && may_last(Remember::Session, put.longest)
        {
            known.remember(&self.about, put, decision.grants);
        }
    }

    /// Uses up what was approved for once, if every question has an answer. What another process used up first is none.
    fn use_up(
        &mut self,
        questions: &[Question],
        puts: &[Option<Put>],
        answers: &mut [Option<Yes>],
    ) {
        let once: Vec<&str> = answers.iter().flatten().filter_map(Yes::once).collect();
        let taken = once.is_empty()
            || answers.iter().all(Option::is_some)
                && self
                    .with
                    .known
                    .is_some_and(|known| known.take(&once, &self.about, &self.exact));
        for ((answer, put), question) in answers.iter_mut().zip(puts).zip(questions) {
            let is_once = answer.as_ref().is_some_and(|yes| yes.once().is_some());
            if is_once && !taken {
                *answer = None;
            }
            if let (Some(Yes::Before(approval)), Some(put)) = (&*answer, put) {
                let lasts = match approval.lasts {
                    Remember::Once => "once",
                    Remember::Session => "the session",
                    Remember::Always => "always",
                };
                let (hook, id) = (&put.hook, approval.id());
                self.remarks.push(format!(
                    "the question of `{hook}` was approved for {lasts} by a person ({id})"
                ));
                self.decisions
                    .push(Decision::before(question.by, put, approval));
            }
        }
    }

    /// The verdict that is left: the questions without an answer, else what the answers give.
    fn left(&self, questions: &[Question], answers: &[Option<Yes>]) -> Verdict {
        let both = || questions.iter().zip(answers);
        let open = both().filter(|(_, answer)| answer.is_none());
        let questions: Box<[Question]> = open.map(|(question, _)| question.clone()).collect();
        if !questions.is_empty() {
            return Verdict::Ask { questions };
        }
        let allows = both().filter(|(question, yes)| {
            let grants = yes.as_ref().map(Yes::gives) == Some(Grants::Allow);
            grants && self.asked_by_name(question)
        });
        let reasons: Reasons = allows.map(|(question, _)| approved(question)).collect();
        if reasons.is_empty() {
            Verdict::Continue
        } else {
            Verdict::Allow { reasons }
        }
    }

    /// A hook that was asked because of a tool's other name approves nothing.
    fn asked_by_name(&self, question: &Question) -> bool {
        let hook = question.by.and_then(|by| self.with.hooks.get(by));
        hook.is_some_and(|hook| hook.selects(self.event) == Hit::Name)
    }
}

impl Yes {
    fn once(&self) -> Option<&str> {
        match self {
            Self::Before(approval) if approval.lasts == Remember::Once => Some(&approval.key),
            Self::Before(_) | Self::Now(_) => None,
        }
    }

    fn gives(&self) -> Grants {
        match self {
            Self::Before(approval) => approval.grants,
            Self::Now(grants) => *grants,
        }
    }
}

fn approved(question: &Question) -> Reason {
    let mut reason = Reason::new("A person approved this.");
    reason.by = question.by;
    reason
}
