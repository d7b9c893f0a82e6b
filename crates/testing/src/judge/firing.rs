//! Which hooks were asked: a hook that never is asked guards nothing, however well its script works.

use anyhook::core::event::EventName;
use anyhook::core::hook::HookInfo;
use anyhook::core::report::{Report, SkipReason, StepOutcome};
use anyhook::wires::tools;

use super::Judgement;
use crate::case::{CaseMode, NameSelector};
use crate::plan::Case;

/// The hooks of the package, each with what became of it. A guard of ours is no part of the test.
pub(super) fn of_package<'r>(
    case: &Case,
    report: &'r Report,
) -> impl Iterator<Item = (&'r HookInfo, &'r StepOutcome)> {
    let manifest = case.package.manifest.to_string_lossy().into_owned();
    report.steps.iter().filter_map(move |step| {
        let hook = report.hook(step.hook)?;
        let is_ours = hook
            .source
            .as_ref()
            .is_some_and(|source| *source.file == *manifest);
        is_ours.then_some((hook, &step.became))
    })
}

/// The names of the hooks that were asked.
pub(crate) fn asked(case: &Case, report: &Report) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (hook, became) in of_package(case, report) {
        let is_asked = !matches!(became, StepOutcome::NotAsked(_));
        if is_asked && !names.contains(&hook.name.to_string()) {
            names.push(hook.name.to_string());
        }
    }
    names
}

/// Holds who was asked against who was to be.
pub(super) fn fires(case: &Case, report: &Report, judged: &mut Judgement) {
    let expected = case.merged().fires;
    let asked = asked(case, report);
    let default = (case.mode() != CaseMode::Dispatch).then_some(NameSelector::Any(true));
    match expected.or(default) {
        None => {}
        Some(NameSelector::Any(true)) if !asked.is_empty() => {}
        Some(NameSelector::Any(false)) if asked.is_empty() => {}
        Some(NameSelector::Any(true)) => judged.fail("fires", why_none(case, report)),
        Some(NameSelector::Any(false)) => {
            judged.fail(
                "fires",
                format!("no hook was to be asked, and `{}` was", asked.join("`, `")),
            );
        }
        Some(wanted) => {
            let wanted = wanted.names();
            for name in wanted.iter().filter(|name| !asked.contains(name)) {
                let why = why_of(case, report, name);
                judged.fail("fires", format!("`{name}` was not asked{why}"));
            }
            for name in asked.iter().filter(|name| !wanted.contains(name)) {
                judged.fail("fires", format!("`{name}` was asked, and is not expected"));
            }
        }
    }
}

/// Finds a hook that was not asked, and why: that of this name, else the first one.
fn not_asked<'r>(
    case: &Case,
    report: &'r Report,
    name: Option<&str>,
) -> Option<(&'r HookInfo, SkipReason)> {
    of_package(case, report).find_map(|(hook, became)| match became {
        StepOutcome::NotAsked(why) if name.is_none_or(|name| *hook.name == *name) => {
            Some((hook, *why))
        }
        StepOutcome::NotAsked(_)
        | StepOutcome::Said(_)
        | StepOutcome::Would(_)
        | StepOutcome::Failed { .. } => None,
    })
}

/// Says why no hook was asked, by the first one.
fn why_none(case: &Case, report: &Report) -> String {
    let Some((hook, why)) = not_asked(case, report, None) else {
        return "no hook was asked".to_owned();
    };
    format!(
        "`{}` is never asked about this payload: {}{}",
        hook.name,
        why_not(report, why, hook),
        other_group(case, report, why)
    )
}

/// Says why a hook that was to be asked was not.
fn why_of(case: &Case, report: &Report, name: &str) -> String {
    let hooks = case.package.hooks();
    let is_there = hooks.iter().any(|hook| *hook.info.name == *name);
    match not_asked(case, report, Some(name)) {
        Some((hook, why)) => format!(": {}", why_not(report, why, hook)),
        None if is_there => String::new(),
        None => ": no hook of the package is called that".to_owned(),
    }
}

fn why_not(report: &Report, why: SkipReason, hook: &HookInfo) -> String {
    let why = anyhook::record::not_asked(&report.event, &report.hooks, why, hook);
    why.trim_start_matches("not asked: ").to_owned()
}

/// Names the groups whose matchers do select the subject: a wrong index is the commonest reason for a miss.
fn other_group(case: &Case, report: &Report, why: SkipReason) -> String {
    let subject = report.event.subject.as_deref();
    let (SkipReason::NoMatch, Some(name)) = (why, subject) else {
        return String::new();
    };
    let groups = case.package.groups.iter().filter(|group| {
        EventName::new(&group.event) == case.event
            && !group.matcher.is_all()
            && group.matcher.takes(name, tools::also(name))
    });
    let groups: Vec<String> = groups.map(|group| group.index.to_string()).collect();
    match &groups[..] {
        [] => String::new(),
        [one] => format!("; that of `hook-index: {one}` does"),
        many => format!("; those of `hook-index` {} do", many.join(", ")),
    }
}
