//! The answer of the hooks to one event, as far as two answers are compared.

use std::collections::BTreeSet;

use anyhook::core::event::Datum;
use anyhook::core::report::{Report, StepOutcome};
use anyhook::core::result::Kind;
use serde_json::Value;

/// What the hooks said together.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayAnswer {
    /// What the agent would be told.
    pub kind: Kind,
    /// The reasons, and the texts for the model.
    pub text: Vec<String>,
    /// The fields that would be changed, with their values; no value where one is removed.
    pub rewrites: Vec<(String, Option<Value>)>,
    /// The hooks that failed, each with the kind of its fault.
    pub faults: BTreeSet<(Box<str>, &'static str)>,
    /// The hooks that said something.
    pub by: Vec<Box<str>>,
    /// The hook that leads the verdict.
    pub decided: Option<Box<str>>,
    /// The hooks that would have been asked under an agent, and are not asked here.
    pub passed: BTreeSet<Box<str>>,
}

impl ReplayAnswer {
    pub(super) fn of(report: &Report, passed: BTreeSet<Box<str>>) -> Self {
        let said = report.answer();
        let (verdict, effects) = (&said.verdict, &said.effects);
        let reasons = verdict.reasons().iter().map(|one| &*one.text);
        let questions = verdict.questions().iter().map(|one| &*one.prompt);
        let texts = effects.inject().iter().map(|one| &*one.text);
        let text = reasons.chain(questions).chain(texts);
        let name = |id| {
            report
                .hook(id)
                .map_or_else(Box::default, |hook| hook.name.clone())
        };
        let patch = effects.patch().iter();
        let mut faults = BTreeSet::new();
        let mut by = Vec::new();
        for step in &report.steps {
            match &step.became {
                StepOutcome::Failed { fault, .. } => {
                    faults.insert((name(step.hook), fault.kind.as_str()));
                    by.push(name(step.hook));
                }
                StepOutcome::Said(Some(said)) if !said.is_identity() => by.push(name(step.hook)),
                StepOutcome::Said(_) | StepOutcome::Would(_) | StepOutcome::NotAsked(_) => {}
            }
        }
        Self {
            kind: verdict.kind(),
            text: text.map(str::to_owned).collect(),
            rewrites: patch
                .map(|one| (one.field.to_string(), one.value.as_ref().map(Datum::json)))
                .collect(),
            faults,
            by,
            decided: report.decided_by().map(name),
            passed,
        }
    }
}

/// How two answers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnswerChange {
    /// The second one refuses, and the first did not.
    Refused,
    /// The second one is softer.
    Allowed,
    /// A person is asked, and was not.
    Asked,
    /// Another value would be written into the action.
    Rewrite,
    /// The model reads something else.
    Text,
    /// A hook fails that did not.
    Fault,
}

/// Every change, in the order in which they are shown.
pub const CHANGES: &[AnswerChange] = &[
    AnswerChange::Allowed,
    AnswerChange::Refused,
    AnswerChange::Asked,
    AnswerChange::Rewrite,
    AnswerChange::Text,
    AnswerChange::Fault,
];

/// From what lets the most pass.
fn strictness(kind: Kind) -> u8 {
    match kind {
        Kind::Allow => 0,
        Kind::Continue => 1,
        Kind::Ask => 2,
        Kind::Deny => 3,
        Kind::Halt => 4,
    }
}

impl AnswerChange {
    /// The word for it, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "newly-refused",
            Self::Allowed => "newly-allowed",
            Self::Asked => "newly-asked",
            Self::Rewrite => "other-rewrite",
            Self::Text => "other-text",
            Self::Fault => "new-fault",
        }
    }

    /// Finds one by its word.
    pub fn named(word: &str) -> Option<Self> {
        CHANGES
            .iter()
            .copied()
            .find(|change| change.as_str() == word)
    }

    /// Compares what was said before with what is said after.
    pub fn between(before: &ReplayAnswer, after: &ReplayAnswer) -> Vec<Self> {
        let mut changes = Vec::new();
        let (was, is) = (strictness(before.kind), strictness(after.kind));
        let verdict = if is < was {
            Some(Self::Allowed)
        } else if is > was && after.kind >= Kind::Deny {
            Some(Self::Refused)
        } else {
            (is > was).then_some(Self::Asked)
        };
        changes.extend(verdict);
        if before.rewrites != after.rewrites {
            changes.push(Self::Rewrite);
        }
        // With another verdict the text is another one by nature.
        if verdict.is_none() && before.text != after.text {
            changes.push(Self::Text);
        }
        if !after.faults.is_subset(&before.faults) {
            changes.push(Self::Fault);
        }
        changes
    }
}
