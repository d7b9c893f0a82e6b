//! An answer that a host cannot carry out as it is.

use anyhook_core::manifest::Severity;
use anyhook_wires::Host;
use anyhook_wires::matrix::{self, Came};

use super::linted::{Linted, Site};
use super::{File, Lint, Note, Sample, said};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH029",
    slug: "lossy-answer",
    severity: Severity::Warning,
    about: "With `--host`: something that a hook says cannot be said to that host, and becomes something else.",
    page: "What an agent cannot be told never becomes softer: a question becomes a refusal with a code for the person, a \
           rewrite a refusal that names the corrected value, a text for the model a note to the person. The finding says \
           what becomes of it; `docs/reference/hosts.md` has the whole table.",
    bad: Sample {
        files: &[File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('sudo')", "then": {"ask": "Run it as root?"}}
]}]}}"#,
        )],
        hosts: &["windsurf"],
    },
    good: Sample {
        files: &[File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('sudo')", "then": {"deny": "not as root"}}
]}]}}"#,
        )],
        hosts: &["windsurf"],
    },
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for host in &linted.how.hosts {
        for site in linted.sites() {
            notes.extend(of_site(linted, *host, site));
        }
    }
    notes
}

fn of_site(linted: &Linted<'_>, host: &dyn Host, site: Site<'_>) -> Vec<Note> {
    let own = linted.format.is_some_and(|format| format.host == host.id());
    let cells = site
        .group
        .spec
        .filter(|_| !own)
        .map(|spec| matrix::cells(host, spec));
    let Some(Ok(Some(cells))) = cells else {
        return Vec::new();
    };
    let says = said::probes(linted, site);
    let lossy = cells
        .cells
        .iter()
        .filter(|cell| cell.came != Came::Exact && says.contains(cell.probe.name));
    let notes = lossy.map(|cell| {
        let (id, probe, came) = (host.id(), cell.probe.name, cell.came.word());
        let message = format!(
            "on `{id}`, `{probe}` about `{}` becomes: {came}",
            site.event()
        );
        Note::new(site.entry.at.clone(), message).help(cell.came.meaning())
    });
    notes.collect()
}
