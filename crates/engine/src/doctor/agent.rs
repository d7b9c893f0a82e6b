//! Whether the agent is there, and whether its version is one that we know.

use std::cmp::Ordering;

use super::presence::Presence;
use super::versions::version_in;
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
    let covers = seen.host.covers();
    let Some((first, last)) = range(covers) else {
        return Vec::new();
    };
    if compare(version, &first) == Ordering::Less {
        let what = format!("{host} {version} is older than what is known of it: {covers}");
        let why = "an older version may not have the events that our entries are for, and then asks nobody";
        let fix = Fix::by_hand(format!(
            "anyhook verify --host {host}   # or update the agent"
        ));
        return vec![Finding::problem(&ROW, what, why, fix)];
    }
    if last.is_some_and(|last| compare(version, &last) == Ordering::Greater) {
        let what = format!("{host} {version} is newer than what is known of it: {covers}");
        let why = "nothing is known against it, and nobody has looked";
        let fix = Fix::by_hand(format!("anyhook verify --host {host}"));
        return vec![Finding::advice(&ROW, what, why, fix)];
    }
    Vec::new()
}

fn missing(seen: &Presence) -> Option<Finding> {
    let names = seen.host.executables();
    let first = names.first()?;
    let host = seen.host.id();
    let names: Vec<&str> = names.to_vec();
    let what = format!("no {} on PATH", super::several(&names));
    let why = "without the agent nothing calls the hooks";
    let fix = Fix::by_hand(format!(
        "{first} --version   # find or install {host}, then look again"
    ));
    let is_here = seen.trace.is_some() || seen.is_installed();
    match (seen.asked, is_here) {
        (Asked::Named, false) => Some(Finding::problem(&ROW, what, why, fix)),
        // Editors and cloud agents are not started from a shell.
        (Asked::Named | Asked::Found, _) => Some(Finding::advice(&ROW, what, why, fix)),
    }
}

/// Reads the versions out of what a host says it covers: the first, and the last where there is one.
fn range(covers: &str) -> Option<(String, Option<String>)> {
    let mut words = covers.split_whitespace();
    let first = words.by_ref().find_map(version_in)?;
    let last = (words.next() == Some("to")).then(|| words.next().and_then(version_in));
    Some((first, last.flatten()))
}

fn compare(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Vec<u64> {
        let digits = text.split(['-', '+']).next().unwrap_or_default();
        digits
            .split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    parts(a).cmp(&parts(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_that_are_covered_are_read_from_the_text_about_them() {
        let both = ("2.1.240".to_owned(), Some("2.1.317".to_owned()));
        assert_eq!(range("2.1.240 to 2.1.317, 2026-11-03"), Some(both));
        assert_eq!(range("the documents of 2026-11-03"), None);
        assert_eq!(
            range("v0.56.0-nightly"),
            Some(("0.56.0-nightly".to_owned(), None))
        );
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(compare("2.1.9", "2.1.240"), Ordering::Less);
        assert_eq!(compare("2.2", "2.1.240"), Ordering::Greater);
        assert_eq!(compare("1.0.0-beta.2", "1.0.0"), Ordering::Equal);
    }

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        let found = [
            "2.1.300 (Claude Code)",
            "codex-cli 0.154.0",
            "v1.0.102",
            "2026.09.10-fd3934a",
            "no idea",
        ];
        let found: Vec<_> = found.into_iter().map(version_in).collect();
        let expected = ["2.1.300", "0.154.0", "1.0.102", "2026.09.10-fd3934a"];
        let expected = expected
            .map(|text| Some(text.to_owned()))
            .into_iter()
            .chain([None]);
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}
