//! A rule that never decides, because another rule decides first.

use anyhook_core::hook::Mode;
use anyhook_core::manifest::{Action, Entry, Severity, Snapshot, Then};
use anyhook_core::result::Kind;

use super::allow_everything::always_holds;
use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH030",
    slug: "shadowed-rule",
    severity: Severity::Warning,
    about: "A rule never counts, because a stricter one always holds with it.",
    page: "All rules of an event are asked, and the gravest verdict wins, whatever their order. A rule that asks about \
           every `git push` says nothing beside one that refuses every `git push`. Take one of them out, or make the \
           stricter one narrower.",
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
        let is_bare = then.modify.is_empty() && then.inject.is_empty() && then.notify.is_empty();
        let has_effects = !is_bare || !then.marks.is_empty() || then.snapshot != Snapshot::No;
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
                    .help("take one of them out, or make the stricter one narrower"),
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
    let by_condition = always_holds(wide.entry)
        || match (when(wide), when(narrow)) {
            (Some(wide), Some(narrow)) => holds_wherever(&wide, &narrow),
            (_, _) => false,
        };
    wide.entry.at != narrow.entry.at
        && event(wide).is_some()
        && event(wide) == event(narrow)
        && by_matcher
        && by_condition
}

/// Tells whether one condition holds wherever another does: where they are the same, or every part that the first asks for
/// is asked for by the second too, or by a command in it that is told more closely.
fn holds_wherever(wide: &str, narrow: &str) -> bool {
    if wide == narrow {
        return true;
    }
    let (Some(wide), Some(narrow)) = (parts(wide), parts(narrow)) else {
        return false;
    };
    wide.iter().all(|wide| {
        let mut asked = narrow.iter();
        asked.any(|narrow| wide == narrow || runs_more(wide, narrow).unwrap_or(false))
    })
}

/// Takes a condition apart that is a list of calls and comparisons which all have to hold; nothing for any other.
fn parts(condition: &str) -> Option<Vec<&str>> {
    let mut quoted = None;
    let mut ends = Vec::new();
    for (at, c) in condition.char_indices() {
        match (quoted, c) {
            (None, '\'' | '"') => quoted = Some(c),
            (Some(quote), c) if c == quote => quoted = None,
            (None, '&') => ends.push(at),
            // What these make of their parts is another question.
            (None, '|' | '?' | '!') | (_, '\\') => return None,
            (_, _) => {}
        }
    }
    let mut from = 0;
    let mut all = Vec::new();
    for at in ends.into_iter().chain([condition.len()]) {
        let part = condition.get(from..at)?.trim();
        from = at + 1;
        // Each of the two signs between parts is one end: between them nothing stands.
        if !part.is_empty() {
            all.push(part);
        }
    }
    let is_whole = |part: &&str| part.matches('(').count() == part.matches(')').count();
    all.iter().all(is_whole).then_some(all)
}

/// Tells whether `runs` with one command holds wherever it does with another, which is the same and goes on.
fn runs_more(wide: &str, narrow: &str) -> Option<bool> {
    let (wide, narrow) = (runs(wide)?, runs(narrow)?);
    let (wide_command, wide_more) = wide.split_first()?;
    let (command, more) = narrow.split_first()?;
    let goes_on = command
        .strip_prefix(wide_command)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    Some(goes_on && wide_more.iter().all(|word| more.contains(word)))
}

/// Returns the words that `runs` is called with.
fn runs(call: &str) -> Option<Vec<&str>> {
    let words = call.strip_prefix("runs(")?.strip_suffix(')')?;
    let words = words.split(',').map(|word| {
        let word = word.trim();
        let quote = word.chars().next().filter(|c| "'\"".contains(*c))?;
        let inner = word.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    words.collect()
}

/// Tells whether one of two equal verdicts asks for less: then the other adds a reason and nothing else.
fn is_wider_only(wide: Site<'_>, narrow: Site<'_>) -> bool {
    always_holds(wide.entry) && !always_holds(narrow.entry)
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
