//! An answer that the hook's host does not hear.

use anyhook_core::manifest::{Lines, Severity};
use serde_json::{Map, Value};

use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample, composed, said};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH027",
    slug: "ignored-output",
    severity: Severity::Error,
    about: "A script prints an answer of which its host hears nothing.",
    page: "Each agent reads its own fields, at its own places, with its own words: what stands anywhere else is dropped \
           without a word, and a refusal with it. Each answer that stands in the text of a script is read here as the \
           agent of the file would read it, also one that `printf`, `echo`, `jq -n`, Python or JavaScript puts together: \
           whatever its open values become, nothing of it would be heard. `anyhook say deny 'why'` writes the right form by itself.",
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
        for answer in composed::all(text) {
            let Some(why) = unheard(linted, &sites, &answer.filled()) else {
                continue;
            };
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

/// Says why no hook of a script is heard with an answer, whatever it becomes; nothing where one is, or may be.
fn unheard(
    linted: &Linted<'_>,
    sites: &[Site<'_>],
    answers: &[Map<String, Value>],
) -> Option<String> {
    let mut first = None;
    for site in sites {
        for answer in answers {
            match heard(linted, *site, answer) {
                Heard::Nothing(why) => {
                    first.get_or_insert(why);
                }
                Heard::Something | Heard::Unknown => return None,
            }
        }
    }
    // What a value that is not known would be called helps nobody.
    first.map(|why| {
        if answers.len() > 1 {
            String::new()
        } else {
            why
        }
    })
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
