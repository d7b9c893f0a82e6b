//! Checks that the agent is there, and that its version is a known one.

use std::cmp::Ordering;

use anyhook_engine::text::versions_in;

use super::presence::Presence;
use super::{Asked, Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "agent",
    summary: "the agent is there, in a version that is known",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    let host = seen.host.id();
    let Some(agent) = &seen.agent else {
        return missing(seen).into_iter().collect();
    };
    let Some(version) = &agent.version else {
        return Vec::new();
    };
    // What the agent itself was seen to do says more than what is known of other versions.
    if seen.is_verified() {
        return Vec::new();
    }
    let covers = seen.host.facts().covers;
    let verify = || Fix::by_hand(format!("anyhook verify --host {host}"));
    let why = "no problem with it is known, but it was not tried";
    let Some(Range { first, last }) = Range::of(covers) else {
        let what = format!("{host} {version} was never held against what is known of it: {covers}");
        return vec![Finding::advice(&ROW, what, why, verify())];
    };
    let is_older = |first: &String| compare(version, first) == Ordering::Less;
    let Some(first) = first.filter(is_older) else {
        if compare(version, &last) != Ordering::Greater {
            return Vec::new();
        }
        let what = format!("{host} {version} is newer than what is known of it: {covers}");
        return vec![Finding::advice(&ROW, what, why, verify())];
    };
    let what = format!("{host} {version} is older than what is known of it: {covers}");
    let why =
        "an older version may not have the events that our entries are for, and then asks no hook";
    let fix = Fix::by_hand(format!(
        "anyhook verify --host {host}   # or update the agent"
    ));
    // Of one version alone it is not known since when it holds.
    vec![if first == last {
        Finding::advice(&ROW, what, why, fix)
    } else {
        Finding::problem(&ROW, what, why, fix)
    }]
}

fn missing(seen: &Presence) -> Option<Finding> {
    let names = seen.host.facts().executables;
    let first = names.first()?;
    let host = seen.host.id();
    let names: Vec<&str> = names.to_vec();
    let what = format!("no {} on PATH", super::several(&names));
    let why = "without the agent nothing calls the hooks";
    let fix = Fix::by_hand(format!(
        "install {host}, or put {first} on PATH; then: anyhook doctor"
    ));
    let is_here = seen.trace.is_some() || seen.is_installed();
    match (seen.asked, is_here) {
        (Asked::Named, false) => Some(Finding::problem(&ROW, what, why, fix)),
        // Editors and cloud agents are not started from a shell.
        (Asked::Named | Asked::Found, _) => Some(Finding::advice(&ROW, what, why, fix)),
    }
}

/// The versions that a host's facts cover.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    /// The first, unless only the last is told: `notes to 0.160.0`.
    first: Option<String>,
    last: String,
}

impl Range {
    /// Reads the versions out of what a host says it covers; nothing where it names none. One alone is the first and the last.
    fn of(covers: &str) -> Option<Self> {
        let all: Vec<String> = versions_in(covers).collect();
        let first = all.iter().min_by(|a, b| compare(a, b))?;
        let last = all.iter().max_by(|a, b| compare(a, b))?;
        let is_end = all.len() == 1 && covers.contains(&format!("to {last}"));
        Some(Self {
            first: (!is_end).then(|| first.clone()),
            last: last.clone(),
        })
    }
}

/// Compares the numbers; a part that is missing is 0, and what stands behind `-` or `+` counts for nothing.
fn compare(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Vec<u64> {
        let digits = text.split(['-', '+']).next().unwrap_or_default();
        let parts = digits.split('.').map(|part| part.parse().unwrap_or(0));
        let mut parts: Vec<u64> = parts.collect();
        while parts.last() == Some(&0) {
            parts.pop();
        }
        parts
    };
    parts(a).cmp(&parts(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhook_engine::text::version_in;

    #[test]
    fn the_versions_that_are_covered_are_read_from_the_text_about_them() {
        let range = |first: Option<&str>, last: &str| {
            Some(Range {
                first: first.map(str::to_owned),
                last: last.to_owned(),
            })
        };
        for (covers, expected) in [
            (
                "2.1.240 to 2.1.317, 2026-11-03",
                range(Some("2.1.240"), "2.1.317"),
            ),
            (
                "v0.56.0-nightly.1, read 2026-08-21",
                range(Some("0.56.0-nightly.1"), "0.56.0-nightly.1"),
            ),
            (
                "source of 2026-08-12, notes to 0.160.0, 2026-10-10",
                range(None, "0.160.0"),
            ),
            (
                "desktop 3.18, cursor-agent 2026.09.10",
                range(Some("3.18"), "2026.09.10"),
            ),
            ("the documents of 2026-11-03", None),
            ("documents at 00d06c8, IDE 1.x", None),
        ] {
            assert_eq!(Range::of(covers), expected, "{covers}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(compare("2.1.9", "2.1.240"), Ordering::Less);
        assert_eq!(compare("2.2", "2.1.240"), Ordering::Greater);
        assert_eq!(compare("1.0.0-beta.2", "1.0.0"), Ordering::Equal);
        assert_eq!(compare("4.1", "4.1.0"), Ordering::Equal);
    }

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (said, version) in [
            ("2.1.300 (Claude Code)", Some("2.1.300")),
            ("codex-cli 0.154.0", Some("0.154.0")),
            (
                "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.",
                Some("1.0.102"),
            ),
            ("v1.0.102", Some("1.0.102")),
            ("2026.09.10-fd3934a", Some("2026.09.10-fd3934a")),
            (
                "tool/3.18.2+build.5 linux-x64 node-v22.1.0",
                Some("3.18.2+build.5"),
            ),
            ("@scope/tool@0.24.4", Some("0.24.4")),
            ("since 2026-11-03, e.g. today", None),
            ("no idea", None),
        ] {
            assert_eq!(version_in(said).as_deref(), version, "{said}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_stands_around_a_version_is_no_part_of_it(
            version in "[0-9]{1,3}(\\.[0-9]{1,3}){1,3}(-[a-z]{1,7}(\\.[0-9]{1,8})?)?",
            before in "([A-Za-z]{0,9} )?[(\"']?v?",
            after in "[.,;:!?)\"']{0,3}( [A-Za-z ]{0,9})?",
        ) {
            let found = version_in(&format!("{before}{version}{after}"));
            proptest::prop_assert_eq!(found, Some(version));
        }
    }
}
