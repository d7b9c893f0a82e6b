//! A rule that another one makes idle.

use anyhook_core::hook::Mode;
use anyhook_core::manifest::{Action, Entry, Severity, Then};
use anyhook_core::result::Kind;

use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH030",
    slug: "shadowed-rule",
    severity: Severity::Warning,
    about: "A rule never counts, because a graver one holds wherever it does.",
    page: "All rules of an event are asked, and the gravest verdict wins, whatever their order. A rule that asks about \
           every `git push` says nothing beside one that refuses every `git push`. Take one of them out, or make the \
           graver one narrower.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('git push')", "then": {"ask": "Push it?"}},
  {"type": "rule", "when": "runs('git push')", "then": {"deny": "pushing is for people"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('git push')", "then": {"ask": "Push it?"}},
  {"type": "rule", "when": "runs('git push', '--force')", "then": {"deny": "pushing so is for people"}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let rules: Vec<(Site<'_>, &Then, Kind)> = linted.sites().filter_map(rule).collect();
    let mut notes = Vec::new();
    for (idle, then, kind) in &rules {
        let has_effects =
            !(then.modify.is_empty() && then.inject.is_empty() && then.notify.is_empty());
        let graver = rules.iter().find(|(other, _, graver)| {
            let wins = *graver > *kind || *graver == *kind && is_wider_only(*other, *idle);
            wins && covers(*other, *idle)
        });
        if let Some((graver, ..)) = graver.filter(|_| !has_effects) {
            let line = graver.entry.at.line;
            let message =
                format!("this rule never counts: the one in line {line} holds wherever it does");
            notes.push(
                Note::new(idle.entry.at.clone(), message)
                    .help("take one of them out, or make the graver one narrower"),
            );
        }
    }
    notes
}

fn rule(site: Site<'_>) -> Option<(Site<'_>, &Then, Kind)> {
    let Action::Rule(then) = &site.entry.action else {
        return None;
    };
    let (kind, _) = then.verdict.as_ref()?;
    (site.entry.mode == Mode::Enforce && !site.entry.once).then_some((site, then, *kind))
}

/// Tells whether one rule holds wherever another does, as far as their words tell.
fn covers(wide: Site<'_>, narrow: Site<'_>) -> bool {
    let event = |site: Site<'_>| site.group.spec.map(|spec| spec.name);
    let when = |site: Site<'_>| {
        site.entry
            .when
            .as_ref()
            .map(|when| when.text.trim().to_owned())
    };
    let by_matcher = wide.group.matcher.is_all() || wide.group.matcher == narrow.group.matcher;
    let by_condition = when(wide).is_none() || when(wide) == when(narrow);
    wide.entry.at != narrow.entry.at
        && event(wide).is_some()
        && event(wide) == event(narrow)
        && by_matcher
        && by_condition
}

/// Tells whether one of two equal verdicts asks for less: then the other adds a reason and nothing else.
fn is_wider_only(wide: Site<'_>, narrow: Site<'_>) -> bool {
    wide.entry.when.is_none() && narrow.entry.when.is_some()
}

/// Tells whether a rule refuses, or asks a person.
pub(super) fn refuses(entry: &Entry) -> bool {
    let Action::Rule(then) = &entry.action else {
        return false;
    };
    matches!(
        &then.verdict,
        Some((Kind::Ask | Kind::Deny | Kind::Halt, _))
    )
}
