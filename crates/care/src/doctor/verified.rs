//! Checks whether `anyhook verify` saw this version of the agent obey.

use anyhook_truth::TRUTHS;

use super::presence::Presence;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "verified",
    summary: "the agent itself was seen to obey, in the version that is here",
    run,
};

const WHY: &str = "what is said above is what our own tables make of the answers; only the agent shows what it does with them";

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() || seen.is_verified() {
        return Vec::new();
    }
    let host = seen.host.id();
    let version = seen
        .agent
        .as_ref()
        .and_then(|agent| agent.version.as_deref());
    let this = version.map_or_else(
        || "this version".to_owned(),
        |version| format!("version {version}"),
    );
    let what = match &seen.verified {
        Some(verified) if !verified.differences.is_empty() => {
            let (version, date) = (&verified.version, verified.date());
            let (first, many) = (verified.differences.join(", "), verified.differences.len());
            let first: String = first.chars().take(200).collect();
            format!(
                "{host} {version} did something else than expected on {date}, {many} times: {first}"
            )
        }
        Some(verified) => {
            let (version, date) = (&verified.version, verified.date());
            format!("not verified with {this}: verified with {version} on {date}")
        }
        None => format!("not verified with {this}"),
    };
    // What the lab asks, a person can ask.
    let can_ask = TRUTHS.iter().any(|(known, ..)| *known == host);
    let fix = if can_ask {
        format!("anyhook verify --host {host}")
    } else {
        "anyhook log   # after the agent did something that a hook refuses".to_owned()
    };
    vec![Finding::advice(&ROW, what, WHY, Fix::by_hand(fix))]
}
