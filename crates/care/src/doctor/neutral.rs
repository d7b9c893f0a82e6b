//! Checks whether the agent takes an answer without a decision as an approval.

use anyhook_wires::Neutral;

use super::presence::Presence;
use super::{Check, Finding, Fix, several};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "neutral",
    summary: "the agent has an answer for a hook with nothing to say",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let rows = seen.host.rows().iter();
    let rows = rows.filter(|row| row.neutral == Neutral::Allow);
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let what = format!(
        "at {} this agent has no neutral answer: nothing to say is an allow",
        several(&names)
    );
    let why = "with anyhook installed it may ask you less than before";
    let fix = Fix::by_hand(format!(
        "anyhook uninstall --host {}   # only if you want its own questions back",
        seen.host.id()
    ));
    vec![Finding::advice(&ROW, what, why, fix)]
}
