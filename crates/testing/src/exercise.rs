//! What a case covers of each hook: whether it was asked, its answer, and the branches it took.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhook::core::event::EventName;
use anyhook::core::fault::FaultKind;
use anyhook::core::report::{SkipReason, StepOutcome};
use anyhook::core::result::{HookId, HookResult, Kind};
use anyhook::core::transcript::End;
use serde::Serialize;

use crate::package::HookKey;
use crate::plan::Case;
use crate::play::{Evidence, OfferedHook};

/// What a hook came to when it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookReaction {
    /// It let the action pass: it said nothing, or approved.
    Allowed,
    /// It refused, or stopped the agent.
    Denied,
    /// It wanted a person to decide.
    Asked,
    /// It changed a field.
    Rewrote,
    /// It failed.
    Fault,
    /// It ran into its timeout.
    Timeout,
}

impl HookReaction {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Rewrote => "rewrote",
            Self::Fault => "fault",
            Self::Timeout => "timeout",
        }
    }
}

/// What one case shows of one hook.
#[derive(Debug, Clone)]
pub(crate) struct Sighting {
    pub(crate) hook: HookKey,
    pub(crate) event: EventName,
    /// What it came to; empty where it was not asked.
    pub(crate) saw: BTreeSet<HookReaction>,
    /// The verdicts that it gave, those by exit code 2 left out.
    pub(crate) verdicts: BTreeSet<Kind>,
    /// Whether it ended with exit code 2.
    pub(crate) has_refused_by_code: bool,
    pub(crate) has_rewritten: bool,
    pub(crate) has_injected: bool,
    pub(crate) why_not: Option<SkipReason>,
    pub(crate) selects: Option<bool>,
    pub(crate) names: Vec<Box<str>>,
    /// Its answer to the input as it was.
    pub(crate) said: Option<HookResult>,
}

impl Sighting {
    pub(crate) fn is_asked(&self) -> bool {
        !self.saw.is_empty()
    }

    /// Tells whether it did more than let pass.
    pub(crate) fn has_acted(&self) -> bool {
        self.has_refused_by_code
            || self.has_rewritten
            || self.has_injected
            || self.verdicts.iter().any(|kind| *kind != Kind::Continue)
    }

    /// Tells whether it refused, or wanted a person to decide.
    pub(crate) fn has_refused(&self) -> bool {
        self.saw.contains(&HookReaction::Denied) || self.saw.contains(&HookReaction::Asked)
    }

    /// Tells whether its own condition was looked at, and what came of it.
    pub(crate) fn condition(&self) -> Option<bool> {
        let has_only_failed = self.saw.iter().all(|saw| *saw == HookReaction::Fault);
        match self.why_not {
            // A condition that cannot be answered is a failure of the hook, and no hit.
            None => (!has_only_failed).then_some(true),
            Some(SkipReason::Condition) => Some(false),
            Some(_) => None,
        }
    }

    /// Tells whether it came to its turn, so that its matcher was heeded.
    pub(crate) fn had_its_turn(&self) -> bool {
        match self.why_not {
            None | Some(SkipReason::Condition | SkipReason::NoValue | SkipReason::Background) => {
                true
            }
            Some(
                SkipReason::NoMatch
                | SkipReason::OtherEvent
                | SkipReason::Same(_)
                | SkipReason::Decided
                | SkipReason::OutOfTime
                | SkipReason::Once
                | SkipReason::SingleFlight
                | SkipReason::Untrusted,
            ) => false,
        }
    }

    fn add(&mut self, became: &StepOutcome) {
        match became {
            StepOutcome::Said(None) => {
                self.saw.insert(HookReaction::Allowed);
                self.why_not = None;
            }
            StepOutcome::Said(Some(said)) | StepOutcome::Would(said) => self.answered(said),
            StepOutcome::Failed { fault, .. } => {
                self.why_not = None;
                self.saw.insert(if fault.kind == FaultKind::TimedOut {
                    HookReaction::Timeout
                } else {
                    HookReaction::Fault
                });
            }
            StepOutcome::NotAsked(why) if self.saw.is_empty() => self.why_not = Some(*why),
            StepOutcome::NotAsked(_) => {}
        }
    }

    fn answered(&mut self, said: &HookResult) {
        self.why_not = None;
        let kind = said.verdict.kind();
        let rewrites = !said.effects.patch().is_empty();
        let saw = match kind {
            Kind::Deny | Kind::Halt => Some(HookReaction::Denied),
            Kind::Ask => Some(HookReaction::Asked),
            Kind::Continue | Kind::Allow => (!rewrites).then_some(HookReaction::Allowed),
        };
        self.saw.extend(saw);
        self.saw.extend(rewrites.then_some(HookReaction::Rewrote));
        self.has_rewritten |= rewrites;
        self.has_injected |= !said.effects.inject().is_empty();
        if !self.has_refused_by_code {
            self.verdicts.insert(kind);
        }
        if self.said.is_none() {
            self.said = Some(said.clone());
        }
    }
}

/// What a case shows of each hook: by its own event, and by those that came first.
pub(crate) fn shown(case: &Case, evidence: &Evidence) -> (Vec<Sighting>, Vec<Sighting>) {
    let earlier = evidence.earlier.iter();
    let earlier = earlier.flat_map(|one| one_event(case, one));
    (one_event(case, evidence), earlier.collect())
}

fn one_event(case: &Case, evidence: &Evidence) -> Vec<Sighting> {
    let report = &evidence.report;
    let of = |offered: &OfferedHook| {
        let mut roster = report.hooks.iter();
        let id = roster.position(|info| Arc::ptr_eq(info, &offered.info))?;
        let mut shown = Sighting {
            hook: HookKey {
                manifest: case.package.manifest.clone(),
                entry: offered.entry,
            },
            event: report.event.name.clone(),
            saw: BTreeSet::new(),
            verdicts: BTreeSet::new(),
            has_refused_by_code: evidence
                .heard
                .iter()
                .any(|heard| heard.entry == Some(offered.entry) && heard.raw.end == End::Code(2)),
            has_rewritten: false,
            has_injected: false,
            why_not: Some(SkipReason::OtherEvent),
            selects: offered.selects,
            names: offered.names.clone(),
            said: None,
        };
        let own = |hook: HookId| hook.index() == id;
        let steps = report.steps.iter().filter(|step| own(step.hook));
        steps.for_each(|step| shown.add(&step.became));
        Some(shown)
    };
    let offered = evidence.offered.iter().filter(|offered| offered.is_about);
    offered.filter_map(of).collect()
}
