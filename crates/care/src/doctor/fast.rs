//! Is it fast: the agent waits as long as it is told. How long each hook takes is in `anyhook log stats`.

use std::cmp::Ordering;
use std::time::Duration;

use super::presence::HostPresence;
use super::{DoctorFinding, SuggestedFix};

pub(super) fn timeout(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let findings = seen.own().filter_map(|(file, entry, own)| {
        let (told, waits) = (own.called.deadline?, entry.standing.timeout?);
        let why = match waits.cmp(&told) {
            Ordering::Equal => return None,
            Ordering::Less => {
                "when the agent stops waiting it goes on, whatever a hook would have said"
            }
            Ordering::Greater => "hooks are ended earlier than they would have to be",
        };
        let what = format!(
            "the agent waits {} for `{}`, and the entry says {}",
            seconds(waits),
            entry.standing.event,
            seconds(told)
        );
        let fix = SuggestedFix::install(seen.host.id(), file.scope);
        let finding =
            DoctorFinding::problem(what, why, fix).at(&file.path, Some(entry.standing.line));
        Some(finding.only_advice(waits > told))
    });
    findings.collect()
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
