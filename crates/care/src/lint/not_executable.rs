//! A script that may not be executed.

use anyhook_core::manifest::Severity;

use super::linted::Linted;
use super::script::State;
use super::{File, Fix, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH018",
    slug: "not-executable",
    severity: Severity::Error,
    about: "A hook runs a file that is not executable.",
    page: "The command begins with the script itself, and the script lacks its executable bit: it ends with `permission \
           denied` at every event. `chmod +x` sets the bit, and `git update-index --chmod=+x` keeps it for others; or \
           let the command name the interpreter.",
    bad: Sample::of(&[
        File::RUNS_TIDY,
        File::at("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    good: Sample::of(&[
        File::RUNS_TIDY,
        File::program("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let scripts = linted.scripts.iter();
    let plain = scripts.filter(|script| script.state == State::Plain && script.by.is_none());
    let notes = plain.filter_map(|script| {
        let site = linted.sites().find(|site| site.entry.at == script.of)?;
        let shown = script
            .path
            .strip_prefix(&linted.root)
            .unwrap_or(&script.path)
            .display();
        let message = format!("`{shown}` may not be executed");
        let note = Note::new(linted.command_at(site), message);
        let fix = Fix::executable(&script.path);
        Some(note.help(format!("run `chmod +x {shown}`")).fix(Some(fix)))
    });
    notes.collect()
}
