//! Checks whether one event would call Anyhook twice.

use super::presence::Presence;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "twice",
    summary: "no event calls us twice",
    run,
};

const WHY: &str = "each event starts anyhook twice; what refuses is asked once, what lets pass may be asked again";

fn run(seen: &Presence) -> Vec<Finding> {
    let others = seen.reads_too.iter();
    let others = others.map(|(other, file)| through(seen, other).at(file, None));
    scopes(seen).into_iter().chain(others).collect()
}

/// Entries stand in files of several scopes.
fn scopes(seen: &Presence) -> Option<Finding> {
    let host = seen.host.id();
    let scopes = seen.scopes();
    let [wider, .., nearer] = scopes.as_slice() else {
        return None;
    };
    let (wider, nearer, file) = (wider.name(), nearer.name(), seen.file_of(*nearer));
    let what = format!("entries stand in the {wider} and in the {nearer} settings");
    let fix = Fix::by_hand(format!("anyhook uninstall --host {host} --scope {nearer}"));
    let finding = Finding::advice(&ROW, what, WHY, fix);
    Some(match file {
        Some(file) => finding.at(file, None),
        None => finding,
    })
}

/// It reads the entries for another host too.
fn through(seen: &Presence, other: &str) -> Finding {
    let host = seen.host.id();
    if seen.is_installed() {
        let what = format!("it reads the entries for {other} too, beside its own");
        let fix = Fix::by_hand(format!("anyhook uninstall --host {host}   # or keep both"));
        return Finding::advice(&ROW, what, WHY, fix);
    }
    let what = format!("it calls anyhook through the entries for {other}");
    let why = "they answer in the words of that agent, of which this one may not understand all";
    let fix = Fix::by_hand(format!("anyhook install --host {host}"));
    Finding::advice(&ROW, what, why, fix)
}
