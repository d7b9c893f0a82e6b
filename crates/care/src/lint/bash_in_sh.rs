//! Words of Bash in a text that `sh` reads.

use std::collections::BTreeSet;

use anyhook_core::manifest::{Command, Lines, Severity, Spells};
use anyhook_effects::outline;

use super::linted::Linted;
use super::script::{self, Script};
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH041",
    slug: "bash-in-sh",
    severity: Severity::Error,
    about: "A script or a line that `sh` reads is written for Bash.",
    page: "On Debian and Ubuntu `sh` is dash, which knows no `[[ … ]]`, no arrays, no `<<<`, no `<(…)` and no `pipefail`. It \
           takes such a line for a command that is not there, and the guard lets everything pass; or it ends with 2, which \
           agents read as a refusal of whatever was asked. Begin the script with `#!/usr/bin/env bash` and run it itself or by \
           `bash`, or write what every shell understands: `case`, `[ … ]`, a pipe.",
    bad: Sample::of(&[
        File::RUNS_TIDY,
        File::program(
            "scripts/tidy.sh",
            "#!/bin/sh\nif [[ -d tmp ]]; then rm -f tmp/*.tmp; fi\n",
        ),
    ]),
    good: Sample::of(&[
        File::RUNS_TIDY,
        File::program(
            "scripts/tidy.sh",
            "#!/bin/sh\nif [ -d tmp ]; then rm -f tmp/*.tmp; fi\n",
        ),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands().filter(|(_, c)| is_line(linted, c)) {
        if let Some((_, what)) = outline::read(&command.command).bash.first() {
            let help = "write it for every shell, or put it into a script that `bash` runs";
            notes.push(note(linted.command_at(site), what).help(help));
        }
    }
    let mut seen = BTreeSet::new();
    for (_, script, text) in linted.texts().filter(|(_, script, _)| is_script(script)) {
        let read = outline::read(text);
        let Some((at, what)) = read.bash.first().filter(|_| seen.insert(&script.path)) else {
            continue;
        };
        let end = text.get(*at..).and_then(|rest| rest.find('\n'));
        let place = Lines::new(0, text).place(*at..end.map_or(text.len(), |end| at + end));
        let help = "begin the script with `#!/usr/bin/env bash` and let `bash` run it";
        notes.push(note(place, what).help(help).of(&script.path));
    }
    notes
}

fn note(at: anyhook_core::manifest::Place, what: &str) -> Note {
    let message = format!("`sh` reads this, and only Bash understands `{what}`");
    Note::new(at, message)
}

/// Tells whether `sh` reads a command line: where neither the file nor the habit of its host names another shell.
fn is_line(linted: &Linted<'_>, command: &Command) -> bool {
    let of_host = linted.format.map_or("sh", |format| format.shell);
    let is_sh = match command.shell {
        Some(shell) => shell.name == "sh" && shell.spells == Spells::AsWritten,
        None => of_host == "sh",
    };
    is_sh && script::is_for_a_shell(linted, command)
}

/// Tells whether `sh` reads a script: a shell that the command names wins over its first line.
fn is_script(script: &Script) -> bool {
    let shebang = script.text.as_deref().and_then(script::interpreter_of);
    let by = script.by.as_ref().or(shebang.as_ref());
    let name = by.and_then(|by| by.rsplit('/').next());
    matches!(name, Some("sh" | "dash"))
}
