//! A file in the form of one agent, where no agent reads that form.

use std::path::Path;

use anyhook_core::manifest::{Lines, Severity};
use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::native_files::NativeFormat;

use super::linted::{self, Linted};
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH034",
    slug: "elsewhere",
    severity: Severity::Warning,
    about: "The file is in the form of one agent, and Anyhook does not read that form at this place.",
    page: "Where a file stands says in whose form it is written: `.cursor/hooks.json` is Cursor's, `hooks/hooks.json` is \
           universal. A file of one agent's form under another name is read as a universal one, and makes no sense as \
           such. The files of some agents are not read at all: their hooks run in that agent alone. The rest of this \
           check judges the file by the form that its words are in.",
    bad: Sample::of(&[File::at(
        "hooks/hooks-cursor.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [
  {"command": "date", "timeout": 5}
]}}"#,
    )]),
    good: Sample::of(&[File::at(
        ".cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [
  {"command": "date", "timeout": 5}
]}}"#,
    )]),
    says: &[("this version of anyhook does not know the host", "")],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    // Settings that say whose they are wait to be copied to their place.
    let is_told = linted::by_schema(linted.text).is_some();
    let Some(format) = linted.format.filter(|_| linted.misplaced && !is_told) else {
        return Vec::new();
    };
    let message = format!(
        "this file is in the form of `{}`, and is read as a universal one at this place",
        format.host
    );
    let place = format.files.first().copied().unwrap_or_default();
    let at = Lines::new(0, " ").place(0..1);
    vec![Note::new(at, message).help(format!("`{}` keeps its hooks in `{place}`", format.host))]
}

/// Returns what there is to say about the file of a host whose files are not read, if it is one.
pub(super) fn unread(file: &Path) -> Option<Note> {
    let host = HOSTS.iter().find(|host| owns(**host, file))?;
    let message = format!(
        "Anyhook does not read the hooks of `{}` from its own files",
        host.id()
    );
    let at = Lines::new(0, " ").place(0..1);
    let help = "they run in that agent alone; write them into a hooks.json to have them everywhere";
    Some(Note::new(at, message).help(help))
}

fn owns(host: &dyn Host, file: &Path) -> bool {
    let is_read =
        NativeFormat::of_host(host.id()).is_some() || NativeFormat::of_file(file).is_some();
    let mut files = host.facts().files.iter().filter(|name| {
        name.starts_with('.')
            && Path::new(name)
                .extension()
                .is_some_and(|ending| ending == "json")
    });
    !is_read && files.any(|name| file.ends_with(name) && !name.starts_with(".anyhook"))
}
