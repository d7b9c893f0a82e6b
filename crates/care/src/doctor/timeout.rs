//! Checks that the agent waits as long as the entry claims.

use std::time::Duration;

use super::presence::Presence;
use super::{Check, Finding, Fix, Severity};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "timeout",
    summary: "the agent waits as long as the entry says",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, entry, own) in seen.own() {
        let (Some(told), Some(waits)) = (own.called.deadline, entry.standing.timeout) else {
            continue;
        };
        if told == waits {
            continue;
        }
        let event = &entry.standing.found.event;
        let what = format!(
            "the agent waits {} for `{event}`, and the entry says {}",
            seconds(waits),
            seconds(told)
        );
        let fix = Fix::install(seen.host.id(), file.scope);
        let at = |finding: Finding| finding.at(&file.path, Some(entry.standing.line));
        let finding = Finding::problem(
            &ROW,
            what,
            "when the agent stops waiting it goes on, whatever a hook would have said",
            fix,
        );
        findings.push(at(if waits < told {
            finding
        } else {
            Finding {
                severity: Severity::Advice,
                why: "hooks are ended earlier than they would have to be".to_owned(),
                ..finding
            }
        }));
    }
    findings
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
