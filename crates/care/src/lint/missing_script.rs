//! A script that is not there.

use anyhook_core::manifest::Severity;

use super::linted::Linted;
use super::script::State;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH017",
    slug: "missing-script",
    severity: Severity::Error,
    about: "A hook runs a file that is not there.",
    page: "A hook whose script is missing fails at every event. Most agents then go on as if there were no hook, so a \
           guard is off without a sign. Paths start at the root of the package: write `${PACKAGE_ROOT}` before them. \
           Also looked at is what `uv run` and its like are given, and paths below `~` or `$HOME`, where a file that \
           is missing on this machine is a warning.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/tidy.sh", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/tidy.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let missing = linted
        .scripts
        .iter()
        .filter(|script| script.state == State::Missing);
    let notes = missing.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let shown = script
            .path
            .strip_prefix(&linted.root)
            .unwrap_or(&script.path);
        let message = format!("the script `{}` is not there", shown.display());
        let note = Note::new(linted.command_at(site), message);
        Some(if script.of_home {
            // It may be there for others, and for this person after a first use.
            note.warning()
                .help("it is looked for in your home: without it the hook fails at every event")
        } else {
            note.help("without it the hook fails at every event")
        })
    });
    notes.collect()
}
