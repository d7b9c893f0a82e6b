//! A hook with `keep: warm` that cannot be kept warm.

use anyhook_core::hook::Pace;
use anyhook_core::manifest::{Action, Keep, Severity};
use anyhook_engine::{sandbox, warm};

use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH047",
    slug: "cold-keep",
    severity: Severity::Warning,
    about: "A hook says `keep: warm`, and starts cold at each event all the same.",
    page: "A script of Python or Node can be kept warm where the command names the interpreter and then the script, or the \
           script alone: `python3 guard.py`. A line that a shell reads, words before the script, another program, a hook that \
           runs confined and one in the background start cold at each event. Nothing is wrong with that but its time.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "python3 -m greeting", "keep": "warm", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "python3 ${PACKAGE_ROOT}/hooks/scripts/greeting.py", "keep": "warm", "timeout": 5}
]}]}}"#,
        ),
        File::at("hooks/scripts/greeting.py", "print('hello')\n"),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let why = |site: &Site<'_>| {
        let Action::Command(command) = &site.entry.action else {
            return None;
        };
        if command.keep == Keep::Cold {
            return None;
        }
        if sandbox::holding(linted.file, site.entry.sandbox.as_ref()).is_some() {
            return Some("it runs confined");
        }
        if site.entry.pace == Pace::Background {
            return Some("no event waits for a hook in the background");
        }
        warm::why_command_cold(command)
    };
    let cold = linted.sites().filter_map(|site| Some((site, why(&site)?)));
    let note = |(site, why): (Site<'_>, &str)| {
        let place = linted.document.field(&site.entry.at, "keep");
        let place = place.unwrap_or_else(|| site.entry.at.clone());
        Note::new(place, format!("`keep: warm` has no effect: {why}"))
            .help("leave `keep` out, or name the interpreter and then the script")
    };
    cold.map(note).collect()
}
