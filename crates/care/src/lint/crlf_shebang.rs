//! A first line with the line ending of Windows.

use anyhook_core::manifest::{Lines, Severity};

use super::linted::Linted;
use super::{File, Fix, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH020",
    slug: "crlf-shebang",
    severity: Severity::Error,
    about: "The first line of a script ends in a carriage return.",
    page: "The system takes the carriage return as a part of the program's name, looks for `/bin/sh\\r`, and says `not \
           found` about a file that is there. `check --fix` writes the line endings of Unix; `*.sh text eol=lf` in \
           `.gitattributes` keeps them.",
    bad: Sample::of(&[
        File::RUNS_TIDY,
        File::program("scripts/tidy.sh", "#!/bin/sh\r\nrm -f ./*.tmp\r\n"),
    ]),
    good: Sample::of(&[
        File::RUNS_TIDY,
        File::program("scripts/tidy.sh", "#!/bin/sh\nrm -f ./*.tmp\n"),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let notes = linted.texts().filter_map(|(_, script, text)| {
        let first = text.split_inclusive('\n').next()?;
        let line = first.strip_prefix("#!")?.strip_suffix("\r\n")?;
        let at = Lines::new(0, text).place(0..line.len() + 2);
        let message = "the first line ends in a carriage return, so its program is not found";
        let returns = text
            .match_indices("\r\n")
            .map(|(at, _)| (at..at + 1, String::new()));
        let fix = Fix {
            what: "write the line endings of Unix".to_owned(),
            edits: returns.collect(),
            executable: None,
        };
        let note = Note::new(at, message).help("write the line endings of Unix");
        Some(note.fix(Some(fix)).of(&script.path))
    });
    notes.collect()
}
