//! An answer that the hook's host does not hear.

use anyhook_core::manifest::{Lines, Severity};
use serde_json::{Map, Value};

use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample, literals, said};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH027",
    slug: "ignored-output",
    severity: Severity::Error,
    about: "A script prints an answer of which its host hears nothing.",
    page: "Each agent reads its own fields, at its own places, with its own words: what stands anywhere else is dropped \
           without a word, and a refusal with it. Each answer that stands as a whole in the text of a script is read here \
           as the agent of the file would read it. `anyhook say deny 'why'` writes the right form by itself.",
    bad: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/no.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at(
            "scripts/no.sh",
            "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"permision\": \"deny\", \"why\": \"no\"}}'\n",
        ),
    ]),
    good: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/no.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at(
            "scripts/no.sh",
            "#!/bin/sh\necho '{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"no\"}}'\n",
        ),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (path, (text, sites)) in said::by_script(linted) {
        let lines = Lines::new(0, text);
        for answer in literals::answers(text) {
            let heard: Vec<Heard> = sites
                .iter()
                .map(|site| heard(linted, *site, &answer.object))
                .collect();
            let Some(Heard::Nothing(why)) = heard.first() else {
                continue;
            };
            if heard
                .iter()
                .any(|heard| !matches!(heard, Heard::Nothing(_)))
            {
                continue;
            }
            let host = linted.format.map_or("anyhook", |format| format.host);
            let message = format!("`{host}` hears nothing of this answer{why}");
            let help = "`anyhook say deny 'why'` writes the form that is heard";
            notes.push(
                Note::new(lines.place(answer.at), message)
                    .help(help)
                    .of(path),
            );
        }
    }
    notes
}

/// What a host makes of an answer.
enum Heard {
    /// Nothing, for this reason.
    Nothing(String),
    Something,
    /// Nobody can tell from here.
    Unknown,
}

fn heard(linted: &Linted<'_>, site: Site<'_>, answer: &Map<String, Value>) -> Heard {
    // An answer that says "go on" in so many words is heard by doing nothing.
    let goes_on = ["continue", "suppressOutput"]
        .iter()
        .any(|key| answer.contains_key(*key));
    match said::read(linted, site, answer) {
        None => Heard::Unknown,
        Some(Err(fault)) => Heard::Nothing(format!(": {}", fault.text)),
        Some(Ok(result)) if result.is_identity() && !goes_on => Heard::Nothing(String::new()),
        Some(Ok(_)) => Heard::Something,
    }
}
