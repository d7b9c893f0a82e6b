//! Making the mutants of a hook: each one differs from the hook in one place.

use anyhook::core::manifest::Action;
use anyhook::core::matcher::{Hit, Matcher, Subject};
use anyhook::core::result::Kind;
use anyhook::rules::When;
use anyhook::wires::tools;

use super::alternatives::{self, Alternative};
use super::titles::Titles;
use super::{Seen, implied};
use crate::exercise::Shown;
use crate::mutant::{Mutation, negated, widened, without};
use crate::roster::{Tested, must_act};

/// A mutant that will be tried, with the hook that it is of.
pub(super) struct Made<'t> {
    pub(super) tested: &'t Tested,
    pub(super) mutation: Mutation,
    /// What the case is called that would notice it.
    pub(super) name: String,
    /// Why it survives whatever the cases expect: none shows what it breaks.
    pub(super) unseen: Option<&'static str>,
}

/// Makes the mutants of a hook.
pub(super) fn mutants<'t>(
    tested: &'t Tested,
    seen: &Seen<'_>,
    titles: &mut Titles,
) -> Vec<Made<'t>> {
    let mut all = unnamed(tested, seen);
    // Those of the hooks before it have theirs, whether they survive or not: names do not depend on who is done first.
    for made in &mut all {
        made.name = titles.title(tested, &made.mutation.to_string());
    }
    all
}

fn unnamed<'t>(tested: &'t Tested, seen: &Seen<'_>) -> Vec<Made<'t>> {
    let shown = seen.anywhere(&tested.key);
    let made = |mutation: Mutation| Made {
        tested,
        mutation,
        name: String::new(),
        unseen: None,
    };
    if !shown.iter().any(|one| one.is_asked()) {
        // Every other mutant of it survives too; one line says so.
        return vec![Made {
            unseen: Some(seen.why_unasked(&tested.key)),
            ..made(Mutation::Disabled)
        }];
    }
    let mut all = vec![made(Mutation::Disabled)];
    all.extend(answers(tested, &shown).into_iter().map(made));
    if !must_act(tested).is_shown(&shown) {
        all.push(Made {
            unseen: Some("no case sees this hook refuse, ask, rewrite or tell anything"),
            ..made(refusal(tested))
        });
    }
    all.extend(matchers(tested).into_iter().map(made));
    all.extend(conditions(tested).into_iter().map(made));
    all
}

/// The refusal of a hook that none was seen of: only a command has an exit code to refuse by.
fn refusal(tested: &Tested) -> Mutation {
    match tested.action() {
        Some(Action::Command(_)) => Mutation::ExitCode,
        Some(
            Action::Prompt(_)
            | Action::Http(_)
            | Action::Rule(_)
            | Action::Builtin(_)
            | Action::Broken(_),
        )
        | None => Mutation::Decision(Kind::Deny),
    }
}

/// What it says, dropped: of a rule what its file says, of a program what the cases saw.
fn answers(tested: &Tested, shown: &[&Shown]) -> Vec<Mutation> {
    if let Some(Action::Rule(then)) = tested.action() {
        let kind = then.verdict.as_ref().map(|(kind, _)| *kind);
        let decision = kind.filter(|kind| *kind != Kind::Continue);
        let mut all: Vec<Mutation> = decision.map(Mutation::Decision).into_iter().collect();
        all.extend((!then.modify.is_empty()).then_some(Mutation::Rewrite));
        all.extend((!then.inject.is_empty()).then_some(Mutation::Injection));
        return all;
    }
    let any = |is_it: &dyn Fn(&Shown) -> bool| shown.iter().any(|one| is_it(one));
    let mut all = Vec::new();
    all.extend(any(&|one| one.has_refused_by_code).then_some(Mutation::ExitCode));
    for kind in [Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt] {
        all.extend(any(&|one| one.verdicts.contains(&kind)).then_some(Mutation::Decision(kind)));
    }
    all.extend(any(&|one| one.has_rewritten).then_some(Mutation::Rewrite));
    all.extend(any(&|one| one.has_injected).then_some(Mutation::Injection));
    all
}

fn matchers(tested: &Tested) -> Vec<Mutation> {
    let matcher = &tested.hook.when;
    if !tested.is_choosy() {
        return Vec::new();
    }
    let mut all = vec![Mutation::MatcherEmptied, Mutation::MatcherRemoved];
    all.extend(newcomer(tested).map(|_| Mutation::MatcherWidened));
    let names = matcher.names().iter();
    let dropped = names.filter(|name| is_needed(matcher, name));
    all.extend(dropped.cloned().map(Mutation::MatcherWithout));
    if matcher.names().is_empty() {
        let alternatives = alternatives::of(matcher.as_str()).into_iter();
        all.extend(alternatives.filter_map(|one| dropped_from(tested, &one)));
    }
    all
}

/// Drops an alternative from a pattern, where some name shows that it is gone.
fn dropped_from(tested: &Tested, one: &Alternative) -> Option<Mutation> {
    let rest = Matcher::unanchored(&one.rest).ok()?;
    let is_only_its = |name: &str| {
        let subject = Some(subject(name));
        let selects = |matcher: &Matcher| matcher.selects(subject.as_ref()) != Hit::No;
        selects(&tested.hook.when) && !selects(&rest)
    };
    let example = example(tested, &one.alone, &is_only_its)?;
    Some(Mutation::PatternWithout {
        alternative: one.text.as_str().into(),
        rest: one.rest.as_str().into(),
        example: example.into(),
    })
}

/// Finds a name of which something is true: that of a tool, else one that a pattern spells.
pub(super) fn example(
    tested: &Tested,
    pattern: &str,
    is_one: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let tools = tools::all().filter(|_| is_about_tools(tested));
    let each = alternatives::of(pattern).into_iter().map(|one| one.alone);
    let patterns = std::iter::once(pattern.to_owned()).chain(each);
    let spelled = patterns.filter_map(|pattern| alternatives::spelled(&pattern));
    let mut names = tools.map(str::to_owned).chain(spelled);
    names.find(|name| is_one(name))
}

/// Tells whether a list selects less without this name. `Write|Edit|MultiEdit` does not: that tool is `Edit` too.
fn is_needed(matcher: &Matcher, name: &str) -> bool {
    let Some(rest) = without(matcher, name) else {
        return false;
    };
    rest.selects(Some(&subject(name))) == Hit::No
}

/// A tool that the widened matcher takes in and the matcher does not: without one there is no difference to see.
pub(super) fn newcomer(tested: &Tested) -> Option<&'static str> {
    let matcher = &tested.hook.when;
    let wider = widened(matcher).filter(|_| is_about_tools(tested))?;
    tools::all().find(|name| {
        let subject = subject(name);
        wider.selects(Some(&subject)) != Hit::No && matcher.selects(Some(&subject)) == Hit::No
    })
}

/// A tool that the matcher does not select.
pub(super) fn stranger(tested: &Tested) -> Option<&'static str> {
    let is_strange = |name: &&str| tested.hook.when.selects(Some(&subject(name))) == Hit::No;
    tools::all().find(is_strange)
}

pub(super) fn is_about_tools(tested: &Tested) -> bool {
    let spec = tested.hook.event.spec();
    spec.and_then(|spec| spec.subject) == Some("tool_name")
}

pub(super) fn subject(name: &str) -> Subject<'_> {
    Subject {
        name,
        also: tools::also(name),
        canonical: None,
    }
}

fn conditions(tested: &Tested) -> Vec<Mutation> {
    let Some(condition) = &tested.hook.condition else {
        return Vec::new();
    };
    let mut all = Vec::new();
    // An expression that is too long for its negation would be a failure, and no mutant.
    let is_readable = When::read(&negated(condition)).is_ok();
    all.extend(is_readable.then_some(Mutation::WhenNegated));
    all.push(Mutation::WhenRemoved);
    all
}

impl Made<'_> {
    /// Tells whether a mutant is no other hook at all: the matcher lets more in, and the `when` behind it none of that.
    pub(super) fn is_equal(&self, seen: &Seen<'_>) -> bool {
        let is_wider = matches!(
            self.mutation,
            Mutation::MatcherRemoved | Mutation::MatcherWidened
        );
        let hook = &self.tested.hook;
        let field = hook.event.spec().and_then(|spec| spec.subject);
        let (true, Some(condition), Some(field)) = (is_wider, &hook.condition, field) else {
            return false;
        };
        // A tool that is selected by another name of it can be allowed nothing, and by its own it can.
        let shown = seen.anywhere(&self.tested.key);
        let allows = shown.iter().any(|one| one.verdicts.contains(&Kind::Allow));
        !allows && implied::is_narrower(condition, field, &hook.when)
    }
}
