//! An answer that a host cannot carry out as it is.

use anyhook_wires::Host;
use anyhook_wires::matrix::{self, Came};

use super::linted::{Linted, Site};
use super::{Note, said};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
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
