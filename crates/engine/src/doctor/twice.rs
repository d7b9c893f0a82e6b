//! Whether one event would call us twice.

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
    let host = seen.host.id();
    let mut findings = Vec::new();
    let scopes = seen.scopes();
    if let [wider, .., nearer] = scopes.as_slice() {
        let what = format!(
            "entries stand in the {} and in the {} settings",
            wider.name(),
            nearer.name()
        );
        let fix = Fix::by_hand(format!(
            "anyhook uninstall --host {host} --scope {}",
            nearer.name()
        ));
        let finding = Finding::advice(&ROW, what, WHY, fix);
        findings.push(match seen.file_of(*nearer) {
            Some(file) => finding.at(file, None),
            None => finding,
        });
    }
    for (other, file) in &seen.reads_too {
        let (what, why) = if seen.is_installed() {
            (
                format!("it reads the entries for {other} too, beside its own"),
                WHY,
            )
        } else {
            (
                format!("it calls anyhook through the entries for {other}"),
                "they answer in the words of that agent, of which this one may not understand all",
            )
        };
        let fix = if seen.is_installed() {
            Fix::by_hand(format!("anyhook uninstall --host {host}   # or keep both"))
        } else {
            Fix::by_hand(format!("anyhook install --host {host}"))
        };
        findings.push(Finding::advice(&ROW, what, why, fix).at(file, None));
    }
    findings
}
