//! A matcher where there is nothing to match.

use anyhook_core::manifest::Severity;
use anyhook_wires::native_files::Matching;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH007",
    slug: "useless-matcher",
    severity: Severity::Warning,
    about: "A matcher stands on an event that has no subject.",
    page: "A matcher looks at one field of the event: the tool's name, the source of a session. Events such as `stop` and \
           `pre-prompt` have none, so the hook runs on every one of them, whatever the matcher says. Leave it out, or say \
           the condition as `when`.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-prompt": [{"matcher": "deploy", "hooks": [
  {"type": "rule", "when": "prompt.contains('deploy')", "then": {"inject": "Deploys are frozen."}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-prompt": [{"hooks": [
  {"type": "rule", "when": "prompt.contains('deploy')", "then": {"inject": "Deploys are frozen."}}
]}]}}"#,
    )]),
    says: &[("a matcher has no effect on ", "")],
    find,
};

/// The reader of universal files says it; in a host's own file that host decides what it looks at.
fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let groups = linted.manifest.groups.iter();
    let notes = groups.filter_map(|group| {
        let native = &group.speaks.as_ref()?.native;
        let form = format.events.iter().find(|form| form.native == &**native);
        let at = linted.document.field(&group.at, "matcher")?;
        // What selects everything says what holds anyway.
        let text = group.matcher_text.as_deref().map(str::trim);
        if matches!(text, Some("" | "*" | "**")) {
            return None;
        }
        let blind = format.matching == Matching::Nothing
            || form.is_some_and(|form| form.at.is_none() && form.tools.is_none());
        let message = format!("`{}` looks at no matcher on `{native}`", format.host);
        let help = "leave it out: the hook runs on every such event";
        blind.then(|| Note::new(at, message).help(help))
    });
    notes.collect()
}
