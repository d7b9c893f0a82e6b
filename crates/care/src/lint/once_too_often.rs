//! `once` where every call counts.

use anyhook_core::manifest::Severity;
use anyhook_core::taxonomy::Class;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH014",
    slug: "guard-only-once",
    severity: Severity::Warning,
    about: "A guard looks at the first call of a session and at no other.",
    page: "`once` is for what has to happen one time: a greeting, a warm cache. A guard with it judges the first action \
           of the session, and every later one goes by.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}, "once": true}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let once = linted
        .sites()
        .filter(|site| site.entry.once && site.class() == Class::Gate);
    let guards = once.filter(|site| site.entry.guard || super::shadowed_rule::refuses(site.entry));
    let notes = guards.map(|site| {
        let message = "this guard looks at the first call of a session and at no other";
        Note::new(linted.at(site, "once"), message).help("leave `once` out")
    });
    notes.collect()
}
