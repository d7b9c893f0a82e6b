//! An approval of everything that is not refused.

use anyhook_core::manifest::{Action, Entry, Severity};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;

use super::linted::Linted;
use super::shadowed_rule::refuses;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH031",
    slug: "allow-everything",
    severity: Severity::Error,
    about: "A rule approves every call, beside one that refuses a few.",
    page: "An approval skips the question that the agent would have put to the person. A rule that approves all, beside \
           one that refuses `rm`, approves everything that the author did not think of: `find -delete`, `dd`, a script. \
           Approve what is known to be harmless, by `only_runs` and `stays_in`, and say nothing about the rest.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}},
  {"type": "rule", "then": {"allow": true}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}},
  {"type": "rule", "when": "only_runs('ls', 'git status')", "then": {"allow": true}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for site in linted.sites().filter(|site| site.class() == Class::Gate) {
        if !allows(site.entry) || !always_holds(site.entry) {
            continue;
        }
        let beside = linted.sites().find(|other| {
            let same =
                other.group.spec.map(|spec| spec.name) == site.group.spec.map(|spec| spec.name);
            let meet = site.group.matcher.is_all()
                || other.group.matcher.is_all()
                || other.group.matcher == site.group.matcher;
            same && meet && refuses(other.entry) && !always_holds(other.entry)
        });
        if let Some(other) = beside {
            let line = other.entry.at.line;
            let message =
                format!("this approves everything that the rule in line {line} does not refuse");
            let help = "approve what is known to be harmless: `only_runs('ls', 'git status')`";
            notes.push(Note::new(linted.at(site, "then"), message).help(help));
        }
    }
    notes
}

/// Tells whether an entry has no condition, or one that says so.
pub(super) fn always_holds(entry: &Entry) -> bool {
    let when = entry.when.as_ref();
    when.is_none_or(|when| when.text.trim() == "true")
}

/// Tells whether a rule approves.
pub(super) fn allows(entry: &Entry) -> bool {
    let Action::Rule(then) = &entry.action else {
        return false;
    };
    matches!(&then.verdict, Some((Kind::Allow, _)))
}
