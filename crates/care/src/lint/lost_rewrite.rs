//! A rewrite of a field that cannot be changed.

use anyhook_core::event::EventName;
use anyhook_core::manifest::{Action, Severity};
use anyhook_core::taxonomy::nearest;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH044",
    slug: "lost-rewrite",
    severity: Severity::Error,
    about: "A rule changes a field that no hook may change at this event.",
    page: "`modify` gives whole fields of the event a new value, and no agent hears of any other: `{\"command\": …}` is no \
           field of an event, it stands inside `tool_input`. Say the field, with everything that is in it. As it is, the rule \
           does what its `if-unsayable` says: at a gate it refuses.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('npm')", "then": {"modify": {"command": "pnpm install"}}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('npm')", "then": {"modify": {"tool_input": {"command": "pnpm install"}}}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for site in linted.sites() {
        let (Action::Rule(then), Some(_)) = (&site.entry.action, site.group.spec) else {
            continue;
        };
        let event = &site.group.event;
        let mutable = EventName::new(event).mutable();
        let lost = then.modify.iter().map(|(field, _)| field);
        for field in lost.filter(|field| !mutable.contains(&&***field)) {
            let help = match (nearest(field, mutable.iter().copied()), mutable) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, ["tool_input", ..]) => {
                    format!(
                        "say `tool_input`, with everything that is in it: `{{\"tool_input\": {{\"{field}\": …}}}}`"
                    )
                }
                (None, []) => "nothing of this event can be changed".to_owned(),
                (None, fields) => format!("what can be changed is `{}`", fields.join("`, `")),
            };
            let message = format!(
                "a new `{field}` has no effect: no hook can change this field at this event"
            );
            notes.push(Note::new(linted.at(site, "then"), message).help(help));
        }
    }
    notes
}
