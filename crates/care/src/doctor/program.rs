//! Whether the program that an entry names is there, may be executed, and is this one.

use std::path::Path;

use anyhook_wires::settings::command::OLD_NAME;

use super::presence::{Presence, ProgramState};
use super::{Check, Finding, Fix, Severity as Kind, several};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "program",
    summary: "the program that the entries name is there, runs, and is this version",
    run,
};

const WHY: &str = "most agents go on when a hook cannot be started, so nothing is guarded";

fn run(seen: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &seen.files {
        let mut told: Vec<&str> = Vec::new();
        for own in file
            .entries
            .iter()
            .flatten()
            .filter_map(|entry| entry.own.as_ref())
        {
            let program = own.called.program.as_str();
            if told.contains(&program) {
                continue;
            }
            told.push(program);
            let problem = wrong(program, &own.program).map(|wrong| (Kind::Problem, wrong));
            let Some((kind, (what, why))) = problem.or_else(|| old(program)) else {
                continue;
            };
            let entries = file.entries.iter().flatten();
            let same = entries.filter(|entry| {
                let own = entry.own.as_ref();
                own.is_some_and(|own| own.called.program == program)
            });
            let same: Vec<_> = same.map(|entry| &entry.standing).collect();
            let names = same.iter().map(|entry| entry.found.event.as_str());
            let names: Vec<&str> = names.collect();
            let what = format!("{what} (the entries for {})", several(&names));
            let fix = match own.program {
                ProgramState::Closed(_) => Fix::by_hand(
                    "anyhook serve   # or, to start a program for every event: anyhook install",
                ),
                _ => Fix::install(seen.host.id(), file.scope),
            };
            let line = same.first().map(|entry| entry.line);
            let finding = Finding {
                severity: kind,
                ..Finding::problem(&ROW, what, why, fix)
            };
            findings.push(finding.at(&file.path, line));
        }
    }
    findings
}

/// Says that an entry is one of an older version.
fn old(program: &str) -> Option<(Kind, (String, &'static str))> {
    (Path::new(program).file_name()? == OLD_NAME).then(|| {
        let what = format!("`{program}` is a name of older versions, and there is one program now");
        let why = "it goes on answering only as long as a file of this name is there";
        (Kind::Advice, (what, why))
    })
}

fn wrong(program: &str, state: &ProgramState) -> Option<(String, &'static str)> {
    let ours = env!("CARGO_PKG_VERSION");
    match state {
        ProgramState::Searched | ProgramState::Serves => None,
        ProgramState::Closed(why) => Some((
            format!("the server at `{program}` gives no answer to events: {why}"),
            "an agent that knows `onFailure` refuses what could be refused until it does, and another one asks no hook",
        )),
        ProgramState::Strangers => Some((
            format!(
                "`{program}` is called in a way that `anyhook install` does not write, so it was not tried"
            ),
            "a project's file is a stranger's, and what it names may be anything",
        )),
        ProgramState::Missing => Some((format!("nothing is at `{program}`"), WHY)),
        ProgramState::NotExecutable => Some((format!("`{program}` may not be executed"), WHY)),
        ProgramState::Strange(why) => Some((format!("`{program}` does not run: {why}"), WHY)),
        ProgramState::Runs(version) if version == ours => None,
        ProgramState::Runs(version) => Some((
            format!("`{program}` is anyhook {version}, and this is {ours}"),
            "what this version says about your hooks may not be what the agent hears",
        )),
    }
}
