//! Counting: rows, branches and goals of one hook.

use std::collections::{BTreeMap, BTreeSet};

use super::{CoverageBranch, EventCoverage, Goal, HookCoverage};
use crate::exercise::{HookReaction, Sighting};
use crate::mutate::sketch;
use crate::roster::{RequiredAction, TestedHook, must_act};

/// Tells what the cases show of a hook, each by its place in the run.
pub(super) fn covered(tested: &TestedHook, shown: &[(usize, &Sighting)]) -> HookCoverage {
    let all: Vec<&Sighting> = shown.iter().map(|(_, one)| *one).collect();
    let is_asked = all.iter().any(|one| one.is_asked());
    let branches = branches(tested, shown);
    HookCoverage {
        hook: tested.who.clone(),
        rows: rows(tested, shown),
        goals: goals(tested, &all, &branches),
        branches,
        sketch: (!is_asked).then(|| sketch::unasked(tested)),
    }
}

fn rows(tested: &TestedHook, shown: &[(usize, &Sighting)]) -> Vec<EventCoverage> {
    let mut rows: BTreeMap<&str, EventCoverage> = BTreeMap::new();
    let own = [&tested.hook.event];
    let own = own.into_iter().filter(|event| !event.is_glob());
    for event in own.chain(shown.iter().map(|(_, one)| &one.event)) {
        let event = event.universal();
        rows.entry(event).or_insert_with(|| EventCoverage {
            event: event.to_owned(),
            ..EventCoverage::default()
        });
    }
    // An event may come several times in one case, which counts once.
    let mut cases: BTreeMap<(&str, usize), BTreeSet<HookReaction>> = BTreeMap::new();
    for (at, one) in shown {
        let saw = cases.entry((one.event.universal(), *at)).or_default();
        saw.extend(&one.saw);
    }
    for ((event, _), saw) in cases {
        let Some(row) = rows.get_mut(event) else {
            continue;
        };
        row.not_asked += usize::from(saw.is_empty());
        for saw in saw {
            *row.cases.entry(saw).or_default() += 1;
        }
    }
    rows.into_values().collect()
}

fn branches(tested: &TestedHook, shown: &[(usize, &Sighting)]) -> Vec<CoverageBranch> {
    let count = |is_it: &dyn Fn(&Sighting) -> bool| {
        let those = shown.iter().filter(|(_, one)| is_it(one));
        let cases: BTreeSet<usize> = those.map(|(at, _)| *at).collect();
        cases.len()
    };
    let branch = |of: &'static str, branch: &str, cases: usize| CoverageBranch {
        of,
        branch: branch.to_owned(),
        cases,
    };
    let mut branches = Vec::new();
    let matcher = &tested.hook.when;
    if tested.is_choosy() {
        for name in matcher.names() {
            let goes = |one: &Sighting| one.had_its_turn() && one.names.contains(name);
            branches.push(branch("matcher", name, count(&goes)));
        }
        if matcher.names().is_empty() {
            let hit = |one: &Sighting| one.had_its_turn() && one.selects == Some(true);
            let miss = |one: &Sighting| one.selects == Some(false);
            branches.push(branch("matcher", "hit", count(&hit)));
            branches.push(branch("matcher", "miss", count(&miss)));
        }
    }
    if tested.hook.condition.is_some() {
        for (name, holds) in [("hit", true), ("miss", false)] {
            let goes = |one: &Sighting| one.condition() == Some(holds);
            branches.push(branch("when", name, count(&goes)));
        }
    }
    branches
}

fn goals(tested: &TestedHook, shown: &[&Sighting], branches: &[CoverageBranch]) -> Vec<Goal> {
    let goal = |goal: String, is_covered: bool| Goal { goal, is_covered };
    let is_asked = shown.iter().any(|one| one.is_asked());
    let mut goals = vec![goal("it is asked".to_owned(), is_asked)];
    let must = must_act(tested);
    let words = match must {
        RequiredAction::No => None,
        RequiredAction::Somehow => Some("it does more than let pass"),
        RequiredAction::Refuse => Some("it refuses or asks"),
    };
    goals.extend(words.map(|words| goal(words.to_owned(), must.is_shown(shown))));
    goals.extend(branches.iter().map(|one| {
        let words = match (one.of, one.branch.as_str()) {
            ("when", "hit") => "its `when` holds".to_owned(),
            ("when", _) => "its `when` does not hold".to_owned(),
            (_, "hit") => "its matcher selects".to_owned(),
            (_, "miss") => "its matcher does not select".to_owned(),
            (_, name) => format!("its matcher selects `{name}`"),
        };
        goal(words, one.cases > 0)
    }));
    goals
}
