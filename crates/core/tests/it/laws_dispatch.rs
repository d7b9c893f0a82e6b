//! The dispatch against a plain interpreter that runs one hook after the other, in declaration order.

use anyhook_core::dispatch::Strictness;
use anyhook_core::event::Map;
use anyhook_core::hook::{Concurrency, HookRole, Mode, OnFault, Recheck};
use anyhook_core::report::{AskRound, StepOutcome};
use anyhook_core::result::{HookResult, Kind};
use proptest::prelude::*;
use serde_json::Value;

use crate::config;
use crate::table::{Chance, Ran, Selects, Spec, Table, Timing, Word, command_of, run, table};

/// What all hooks came to: everything that a run in declaration order decides.
#[derive(Debug, PartialEq)]
struct Outcome {
    kind: Kind,
    /// Whose reason or question, and what it saw; `*` for words of the kernel's own.
    why: Vec<(usize, String)>,
    injected: Vec<(usize, String)>,
    rewrites: Vec<(usize, String, Option<Value>)>,
    data: Map,
}

impl Outcome {
    fn of(ran: &Ran) -> Self {
        let HookResult { verdict, effects } = &ran.finished.result;
        let saw = |text: &str| {
            text.strip_prefix("saw ")
                .map_or_else(|| "*".to_owned(), str::to_owned)
        };
        let reasons = verdict.reasons().iter().map(|r| (r.by, saw(&r.text)));
        let questions = verdict.questions().iter().map(|q| (q.by, saw(&q.prompt)));
        let name = |(by, text): (Option<anyhook_core::result::HookId>, String)| {
            (by.unwrap().index(), text)
        };
        Self {
            kind: verdict.kind(),
            why: reasons.chain(questions).map(name).collect(),
            injected: effects
                .inject()
                .iter()
                .map(|i| name((i.by, saw(&i.text))))
                .collect(),
            rewrites: effects
                .patch()
                .iter()
                .map(|r| {
                    (
                        r.by.unwrap().index(),
                        r.field.to_string(),
                        r.value.as_ref().map(anyhook_core::event::Datum::json),
                    )
                })
                .collect(),
            data: ran.data.clone(),
        }
    }
}

/// The interpreter. It knows nothing of waves: it walks the table once, and once more for the rechecks.
struct Sequential<'t> {
    table: &'t Table,
    is_gate: bool,
    outcome: Outcome,
    author: Option<usize>,
    silent: Vec<usize>,
}

/// The neighbours that have already started, if the hook at hand goes beside them.
type Company = Option<i32>;

impl<'t> Sequential<'t> {
    fn run(table: &'t Table) -> Outcome {
        let mut machine = Self {
            table,
            is_gate: table.event == "tool:pre",
            outcome: Outcome {
                kind: Kind::Continue,
                why: vec![],
                injected: vec![],
                rewrites: vec![],
                data: table.event().data.json().into_owned(),
            },
            author: None,
            silent: vec![],
        };
        machine.decide();
        machine.recheck();
        machine.outcome
    }

    fn is_refused(&self) -> bool {
        self.outcome.kind >= Kind::Deny
    }

    fn decide(&mut self) {
        let mut company: Company = None;
        let mut sees = self.outcome.data.clone();
        for at in 0..self.table.specs.len() {
            let spec = &self.table.specs[at];
            if spec.role == HookRole::Observe || !self.is_asked(at) {
                continue;
            }
            // On purpose unlike a plain run: a refusal does not end those that had already started beside it, and what
            // they see is what they started with.
            let started = joins(&mut company, spec);
            if self.is_refused() && !started {
                return;
            }
            if !self.is_refused() {
                sees = self.outcome.data.clone();
            }
            self.hear(at, &sees);
        }
    }

    fn recheck(&mut self) {
        let Some(author) = self.author else { return };
        if self.is_refused() {
            return;
        }
        if self.outcome.kind == Kind::Allow {
            self.outcome.why.retain(|(by, _)| *by >= author);
            if self.outcome.why.is_empty() {
                self.outcome.kind = Kind::Continue;
            }
        }
        let mut company: Company = None;
        let data = self.outcome.data.clone();
        for at in 0..author {
            let spec = &self.table.specs[at];
            let again = spec.recheck == Recheck::Yes
                && spec.role == HookRole::Decide
                && spec.mode == Mode::Enforce
                && !self.silent.contains(&at);
            if !again || !self.is_asked(at) {
                continue;
            }
            let started = joins(&mut company, spec);
            if self.is_refused() && !started {
                return;
            }
            self.hear_again(at, &data);
        }
    }

    /// Whether a hook is selected, and is no second writing of one that is.
    fn is_asked(&self, at: usize) -> bool {
        let spec = &self.table.specs[at];
        let twin_before = self.table.specs[..at].iter().any(|other| {
            other.declared
                && other.twin
                && spec.declared
                && spec.twin
                && selected(self.table, other)
                && (
                    other.guard,
                    other.on_fault,
                    other.mode,
                    other.role,
                    other.recheck,
                ) == (
                    spec.guard,
                    spec.on_fault,
                    spec.mode,
                    spec.role,
                    spec.recheck,
                )
        });
        selected(self.table, spec) && !twin_before
    }

    fn hear(&mut self, at: usize, sees: &Map) {
        let spec = &self.table.specs[at];
        let saying = spec.saying(sees);
        let enforced = spec.mode == Mode::Enforce;
        match saying.word {
            _ if spec.spent => self.silent.push(at),
            Word::Fault => {
                self.silent.push(at);
                if enforced {
                    self.fail(at);
                }
            }
            Word::Verdict(_) if !enforced => {}
            Word::Verdict(kind) => {
                self.change(at, &saying.change.of(&command_of(sees)));
                if saying.inject {
                    self.outcome.injected.push((at, command_of(sees)));
                }
                self.say(at, kind, command_of(sees));
            }
        }
    }

    fn hear_again(&mut self, at: usize, data: &Map) {
        let spec = &self.table.specs[at];
        let saying = spec.saying(data);
        let command = command_of(data);
        match saying.word {
            Word::Fault => self.fail(at),
            Word::Verdict(kind) => {
                let last = saying
                    .change
                    .of(&command)
                    .into_iter()
                    .rfind(|(field, _)| *field == "tool_input");
                if last.is_some_and(|(_, value)| value.as_ref() != data.get("tool_input")) {
                    self.say(at, Kind::Deny, "*".into());
                }
                let twice = kind == Kind::Ask && self.outcome.why.contains(&(at, command.clone()));
                if self.outcome.kind != Kind::Ask || !twice {
                    self.say(at, kind, command);
                }
            }
        }
    }

    fn change(&mut self, at: usize, rewrites: &[(&'static str, Option<Value>)]) {
        let before = self.outcome.data.clone();
        for (field, value) in rewrites.iter().filter(|(field, _)| *field != "session_id") {
            match value {
                Some(value) => self.outcome.data.insert((*field).to_owned(), value.clone()),
                None => self.outcome.data.shift_remove(*field),
            };
        }
        for field in ["tool_input", "note"] {
            let now = self.outcome.data.get(field);
            if now != before.get(field) {
                self.outcome
                    .rewrites
                    .push((at, field.to_owned(), now.cloned()));
                if field == "tool_input" && self.is_gate {
                    self.author = Some(at);
                }
            }
        }
    }

    fn fail(&mut self, at: usize) {
        let strict = self.is_gate && self.table.strict == Strictness::Strict;
        match self.table.specs[at].on_fault {
            OnFault::Halt => self.say(at, Kind::Halt, "*".into()),
            OnFault::Deny if self.is_gate => self.say(at, Kind::Deny, "*".into()),
            OnFault::Deny | OnFault::Continue if strict => self.say(at, Kind::Deny, "*".into()),
            OnFault::Deny | OnFault::Continue => {}
        }
    }

    fn say(&mut self, at: usize, kind: Kind, why: String) {
        let by_alias = self.table.specs[at].selects == Selects::Alias && self.table.event != "stop";
        if kind == Kind::Continue || (kind == Kind::Allow && by_alias) {
            return;
        }
        if kind > self.outcome.kind {
            self.outcome.kind = kind;
            self.outcome.why.clear();
        }
        if kind == self.outcome.kind {
            self.outcome.why.push((at, why));
        }
    }
}

fn selected(table: &Table, spec: &Spec) -> bool {
    match spec.selects {
        Selects::OtherEvent => false,
        Selects::OtherSubject => table.event == "stop",
        Selects::All | Selects::Name | Selects::Alias => true,
    }
}

/// Walks the company on by one hook, and tells whether that one had started beside those before it.
fn joins(company: &mut Company, spec: &Spec) -> bool {
    let beside = (spec.declared && spec.turn == Concurrency::Together).then_some(spec.priority);
    let joined = beside.is_some() && *company == beside;
    *company = beside;
    joined
}

fn timing() -> impl Strategy<Value = Timing> {
    (any::<u64>(), any::<bool>()).prop_map(|(seed, piecemeal)| Timing {
        chance: Chance(seed),
        piecemeal,
        expires_after: None,
    })
}

/// An approval holds only for the input that its hook saw, or made.
fn approvals_hold(table: &Table, ran: &Ran) -> Result<(), TestCaseError> {
    let outcome = Outcome::of(ran);
    if outcome.kind != Kind::Allow || table.event != "tool:pre" {
        return Ok(());
    }
    let last = outcome
        .rewrites
        .iter()
        .rfind(|(_, field, _)| field == "tool_input");
    for (by, saw) in &outcome.why {
        let made = last.is_some_and(|(author, ..)| author == by);
        prop_assert!(
            made || *saw == command_of(&outcome.data),
            "{by} approved {saw}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_answer_is_that_of_a_run_in_declaration_order(table in table(), timing in timing()) {
        let ran = run(&table, timing);
        prop_assert_eq!(Outcome::of(&ran), Sequential::run(&table));
    }

    #[test]
    fn the_order_in_which_answers_arrive_has_no_meaning(table in table(), timing in timing()) {
        let (one, other) = (run(&table, Timing::in_order()), run(&table, timing));
        prop_assert_eq!(one.finished, other.finished);
        prop_assert_eq!(one.data, other.data);
        prop_assert_eq!(one.askings, other.askings);
    }

    #[test]
    fn an_allow_never_survives_a_later_rewrite(table in table(), timing in timing()) {
        approvals_hold(&table, &run(&table, timing))?;
    }

    /// Each hook is asked once, once more for each earlier neighbour of its priority that rewrote, and once to recheck.
    /// A dispatch of n hooks ends within n * (n + 5) / 2 + 1 calls of `next`.
    #[test]
    fn the_machine_ends_and_asks_no_hook_too_often(table in table(), timing in timing()) {
        let piecemeal = Timing { piecemeal: false, ..timing };
        let ran = run(&table, piecemeal);
        let n = table.specs.len();
        prop_assert!(ran.turns <= n * (n + 5) / 2 + 1, "{} turns", ran.turns);
        for (at, spec) in table.specs.iter().enumerate() {
            let times = |asked| ran.askings.iter().filter(|a| a.hook == at && a.asked == asked).count();
            let rewriters = Outcome::of(&ran)
                .rewrites
                .iter()
                .map(|(by, ..)| *by)
                .filter(|by| *by < at && table.specs[*by].priority == spec.priority)
                .collect::<std::collections::BTreeSet<_>>();
            prop_assert!(times(AskRound::First) <= 1);
            prop_assert!(times(AskRound::Again) <= rewriters.len() + 1);
        }
    }

    #[test]
    fn every_hook_of_the_table_is_in_the_report(table in table(), timing in timing()) {
        let ran = run(&table, timing);
        for at in 0..table.specs.len() {
            let steps = ran.finished.steps.iter().filter(|step| step.hook.index() == at);
            prop_assert!(steps.count() >= 1, "no step for hook {at}");
        }
    }

    #[test]
    fn what_was_only_recorded_changes_nothing(table in table()) {
        let ran = run(&table, Timing::in_order());
        let without = Table {
            specs: table
                .specs
                .iter()
                .cloned()
                .map(|mut spec| {
                    if spec.mode == Mode::Shadow || spec.role == HookRole::Observe {
                        spec.selects = Selects::OtherEvent;
                    }
                    spec
                })
                .collect(),
            ..table
        };
        let (with, without) = (Outcome::of(&ran), Outcome::of(&run(&without, Timing::in_order())));
        // A hook of this process takes its own turn, so those behind it had not started when a refusal came.
        if with.kind >= Kind::Deny {
            prop_assert!(without.kind >= Kind::Deny);
        } else {
            prop_assert_eq!(with, without);
        }
    }

    #[test]
    fn when_time_is_over_no_guard_of_a_gate_is_passed_by(
        table in table(),
        timing in timing(),
        after in 0..8usize,
    ) {
        let ran = run(&table, Timing { expires_after: Some(after), ..timing });
        approvals_hold(&table, &ran)?;
        let outcome = Outcome::of(&ran);
        if table.event != "tool:pre" || outcome.kind >= Kind::Deny {
            return Ok(());
        }
        let machine = Sequential { table: &table, is_gate: true, outcome, author: None, silent: vec![] };
        let last = machine.outcome.rewrites.iter().rfind(|(_, field, _)| field == "tool_input");
        for (at, spec) in table.specs.iter().enumerate() {
            let enforced = spec.guard && spec.mode == Mode::Enforce && spec.role == HookRole::Decide;
            if !enforced || !machine.is_asked(at) {
                continue;
            }
            let mut asked = ran.askings.iter().filter(|a| a.hook == at).peekable();
            prop_assert!(asked.peek().is_some(), "guard {at} was never asked");
            let steps = ran.finished.steps.iter().filter(|step| step.hook.index() == at);
            let mut became = steps.map(|step| &step.became);
            let excused = became.any(|became| matches!(became, StepOutcome::Failed { .. } | StepOutcome::NotAsked(_)));
            let made = last.is_some_and(|(author, ..)| *author == at);
            let exempt = excused || made || spec.recheck == Recheck::No;
            let saw = asked.any(|a| a.answered && a.command == command_of(&machine.outcome.data));
            prop_assert!(exempt || saw, "guard {at} did not see the final input");
        }
    }

    #[test]
    fn when_time_is_over_nothing_but_a_gate_is_refused_for_it(
        table in table(),
        timing in timing(),
        after in 0..8usize,
    ) {
        let ran = run(&table, Timing { expires_after: Some(after), ..timing });
        let reasons = ran.finished.result.verdict.reasons();
        let refused = reasons.iter().any(|reason| reason.text.starts_with("out of time"));
        prop_assert!(!refused || table.event == "tool:pre");
        prop_assert!(!refused || table.specs.iter().any(|spec| spec.guard));
        for at in 0..table.specs.len() {
            let firsts = ran.finished.steps.iter().filter(|s| s.hook.index() == at && s.again == AskRound::First);
            prop_assert!(firsts.count() <= 1, "hook {at} is told twice");
            let any = ran.finished.steps.iter().any(|s| s.hook.index() == at);
            prop_assert!(any, "no step for hook {at}");
        }
    }
}
