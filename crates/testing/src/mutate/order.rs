//! The cases that may notice a mutant, in their order.

use anyhook::core::event::EventName;
use anyhook::core::report::SkipReason;

use super::Sightings;
use crate::exercise::Sighting;
use crate::mutant::Mutation;
use crate::ran::CaseOutcome;
use crate::roster::TestedHook;

/// Returns the places of the cases to run, those of its own event first.
pub(super) fn cases(tested: &TestedHook, mutation: &Mutation, seen: &Sightings<'_>) -> Vec<usize> {
    let shown = seen.of(&tested.key);
    let own = shown
        .iter()
        .filter(|(_, one)| may_differ(mutation, one))
        .map(|(at, _)| *at);
    let mut cases: Vec<usize> = own.collect();
    for at in earlier(tested, seen) {
        if !cases.contains(&at) {
            cases.push(at);
        }
    }
    cases
}

/// The cases in which an event of the hook came earlier: what it does then may be seen by what comes of the last one.
fn earlier(tested: &TestedHook, seen: &Sightings<'_>) -> Vec<usize> {
    let is_its = |event: &EventName| tested.hook.event.covers(event);
    let earlier = seen.ran.iter().enumerate().filter(|(_, ran)| {
        let mut before = ran.case.before.iter();
        ran.outcome == CaseOutcome::Passed
            && ran.case.package.manifest == tested.key.manifest
            && before.any(|payload| is_its(&payload.event))
    });
    earlier.map(|(at, _)| at).collect()
}

/// Tells whether a case can go otherwise with the mutant than without.
pub(super) fn may_differ(mutation: &Mutation, one: &Sighting) -> bool {
    match mutation {
        Mutation::Disabled
        | Mutation::ExitCode
        | Mutation::Decision(_)
        | Mutation::Rewrite
        | Mutation::Injection => one.is_asked(),
        Mutation::MatcherWithout(name) => one.is_asked() && one.names.contains(name),
        Mutation::MatcherRemoved | Mutation::MatcherWidened => one.selects == Some(false),
        Mutation::WhenNegated => one.condition().is_some(),
        Mutation::WhenRemoved => one.why_not == Some(SkipReason::Condition),
    }
}
