//! Making the mutants of a hook: each one differs from the hook in one place.

use anyhook::core::manifest::Action;
use anyhook::core::matcher::Matcher;
use anyhook::core::result::Kind;
use anyhook::rules::CompiledCondition;
use anyhook::wires::tools;

use super::Sightings;
use crate::exercise::Sighting;
use crate::mutant::{Mutant, Mutation, negated, widened, without};
use crate::roster::{TestedHook, must_act};

/// Makes the mutants of a hook.
pub(super) fn mutants<'t>(tested: &'t TestedHook, seen: &Sightings<'_>) -> Vec<Mutant<'t>> {
    let shown = seen.anywhere(&tested.key);
    let shown: Vec<&Sighting> = shown.into_iter().map(|(_, one)| one).collect();
    let made = |mutation: Mutation| Mutant {
        tested,
        mutation,
        unseen: None,
    };
    if !shown.iter().any(|one| one.is_asked()) {
        // Every other mutant of it survives too; one line says so.
        return vec![Mutant {
            unseen: Some("no case asks this hook"),
            ..made(Mutation::Disabled)
        }];
    }
    let mut all = vec![made(Mutation::Disabled)];
    all.extend(answers(tested, &shown).into_iter().map(made));
    if !must_act(tested).is_shown(&shown) {
        all.push(Mutant {
            unseen: Some("no case sees this hook refuse, ask, rewrite or tell anything"),
            ..made(refusal(tested))
        });
    }
    all.extend(matchers(tested).into_iter().map(made));
    all.extend(conditions(tested).into_iter().map(made));
    all
}

/// The refusal of a hook that none was seen of: only a command has an exit code to refuse by.
fn refusal(tested: &TestedHook) -> Mutation {
    if matches!(tested.hook.action(), Some(Action::Command(_))) {
        Mutation::ExitCode
    } else {
        Mutation::Decision(Kind::Deny)
    }
}

/// What it says, dropped: of a rule what its file says, of a program what the cases saw.
fn answers(tested: &TestedHook, shown: &[&Sighting]) -> Vec<Mutation> {
    if let Some(Action::Rule(then)) = tested.hook.action() {
        let kind = then.verdict.as_ref().map(|(kind, _)| *kind);
        let decision = kind.filter(|kind| *kind != Kind::Continue);
        let mut all: Vec<Mutation> = decision.map(Mutation::Decision).into_iter().collect();
        all.extend((!then.modify.is_empty()).then_some(Mutation::Rewrite));
        all.extend((!then.inject.is_empty()).then_some(Mutation::Injection));
        return all;
    }
    let any = |is_it: &dyn Fn(&Sighting) -> bool| shown.iter().any(|one| is_it(one));
    let mut all = Vec::new();
    all.extend(any(&|one| one.has_refused_by_code).then_some(Mutation::ExitCode));
    for kind in [Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt] {
        all.extend(any(&|one| one.verdicts.contains(&kind)).then_some(Mutation::Decision(kind)));
    }
    all.extend(any(&|one| one.has_rewritten).then_some(Mutation::Rewrite));
    all.extend(any(&|one| one.has_injected).then_some(Mutation::Injection));
    all
}

/// What holds for a line of a shell and for no other call.
const SHELL: &[&str] = &["runs(", "pushes("];

fn matchers(tested: &TestedHook) -> Vec<Mutation> {
    let matcher = &tested.hook.when;
    if !tested.is_choosy() {
        return Vec::new();
    }
    let mut all = Vec::new();
    // A `when` that names the same field may let in no more, however wide the matcher is.
    let field = tested.hook.event.spec().and_then(|spec| spec.subject);
    let condition = tested.hook.condition.as_deref().unwrap_or_default();
    let is_of_shell = SHELL.iter().any(|function| condition.contains(function));
    if !(is_of_shell || field.is_some_and(|field| condition.contains(field))) {
        all.push(Mutation::MatcherRemoved);
        all.extend(newcomer(tested).map(|_| Mutation::MatcherWidened));
    }
    let names = matcher.names().iter();
    let dropped = names.filter(|name| is_needed(matcher, name));
    all.extend(dropped.cloned().map(Mutation::MatcherWithout));
    all
}

/// Tells whether a list selects less without this name. `Write|Edit|MultiEdit` does not: that tool is `Edit` too.
fn is_needed(matcher: &Matcher, name: &str) -> bool {
    let Some(rest) = without(matcher, name) else {
        return false;
    };
    !takes(&rest, name)
}

/// A tool that the widened matcher takes in and the matcher does not: without one there is no difference to see.
pub(super) fn newcomer(tested: &TestedHook) -> Option<&'static str> {
    let matcher = &tested.hook.when;
    let spec = tested.hook.event.spec();
    let is_about_tools = spec.and_then(|spec| spec.subject) == Some("tool_name");
    let wider = widened(matcher).filter(|_| is_about_tools)?;
    tools::all().find(|name| takes(&wider, name) && !takes(matcher, name))
}

/// A tool that the matcher does not select.
pub(super) fn stranger(tested: &TestedHook) -> Option<&'static str> {
    let is_strange = |name: &&str| !takes(&tested.hook.when, name);
    tools::all().find(is_strange)
}

pub(super) fn takes(matcher: &Matcher, name: &str) -> bool {
    matcher.takes(name, tools::also(name))
}

fn conditions(tested: &TestedHook) -> Vec<Mutation> {
    let Some(condition) = &tested.hook.condition else {
        return Vec::new();
    };
    let mut all = Vec::new();
    // An expression that is too long for its negation would be a failure, and no mutant.
    let is_readable = CompiledCondition::read(&negated(condition)).is_ok();
    all.extend(is_readable.then_some(Mutation::WhenNegated));
    all.push(Mutation::WhenRemoved);
    all
}
