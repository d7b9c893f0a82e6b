//! The order of the cases that may notice a mutant: the most likely first.

use std::cmp::Reverse;

use anyhook::core::event::EventName;
use anyhook::core::report::WhyNot;

use super::Seen;
use crate::case::Fires;
use crate::exercise::Shown;
use crate::mutant::Mutation;
use crate::plan::Case;
use crate::ran::Outcome;
use crate::roster::Tested;

/// Returns the places of the cases to run, in the order in which to run them.
pub(super) fn cases(tested: &Tested, mutation: &Mutation, seen: &Seen<'_>) -> Vec<usize> {
    let shown = seen.of(&tested.key);
    let mut cases: Vec<usize> = shown
        .iter()
        .filter(|(_, one)| may_differ(mutation, one))
        .map(|(at, _)| *at)
        .collect();
    let earlier = earlier(tested, seen);
    let rank = |at: &usize| {
        let ran = seen.ran.get(*at)?;
        Some((Reverse(looks(&ran.case, mutation)), ran.took))
    };
    cases.sort_by_key(rank);
    let others = earlier.into_iter().filter(|at| !cases.contains(at));
    let others: Vec<usize> = others.collect();
    cases.extend(others);
    cases
}

/// The cases in which an event of the hook came earlier: what it does then may be seen by what comes of the last one.
fn earlier(tested: &Tested, seen: &Seen<'_>) -> Vec<usize> {
    let is_its = |event: &EventName| tested.hook.event.covers(event);
    let earlier = seen.ran.iter().enumerate().filter(|(_, ran)| {
        let mut before = ran.case.before.iter();
        ran.outcome == Outcome::Passed
            && ran.case.package.manifest == tested.key.manifest
            && before.any(|payload| is_its(&payload.event))
    });
    earlier.map(|(at, _)| at).collect()
}

/// Tells whether a case can go otherwise with the mutant than without.
fn may_differ(mutation: &Mutation, one: &Shown) -> bool {
    match mutation {
        Mutation::Disabled
        | Mutation::MatcherEmptied
        | Mutation::PatternWithout { .. }
        | Mutation::ExitCode
        | Mutation::Decision(_)
        | Mutation::Rewrite
        | Mutation::Injection => one.is_asked(),
        Mutation::MatcherWithout(name) => one.is_asked() && one.names.contains(name),
        Mutation::MatcherRemoved | Mutation::MatcherWidened => one.selects == Some(false),
        Mutation::WhenNegated => one.condition().is_some(),
        Mutation::WhenRemoved => one.why_not == Some(WhyNot::Condition),
    }
}

/// Counts the expectations of a case that such a mutant may break.
fn looks(case: &Case, mutation: &Mutation) -> usize {
    let expected = &case.spec.expected;
    let says = |is_there: bool| usize::from(is_there);
    let answer = says(expected.exit_code.is_some())
        + says(expected.decision.is_some())
        + says(expected.stdout_json.is_some())
        + says(expected.fault.is_some());
    let silent = says(matches!(expected.fires, Some(Fires::Any(false))));
    let fires = says(expected.fires.is_some());
    match mutation {
        Mutation::ExitCode | Mutation::Decision(_) => answer,
        Mutation::Rewrite => says(expected.rewrites.is_some()) * 2 + answer,
        Mutation::Injection => says(expected.injects.is_some()) * 2 + answer,
        Mutation::MatcherRemoved | Mutation::MatcherWidened | Mutation::WhenRemoved => {
            silent * 2 + fires
        }
        Mutation::Disabled
        | Mutation::MatcherEmptied
        | Mutation::MatcherWithout(_)
        | Mutation::PatternWithout { .. }
        | Mutation::WhenNegated => fires + answer,
    }
}
