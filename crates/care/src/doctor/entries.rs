//! Checks that each event has its entry, and each entry its event.

use anyhook_wires::settings::Scope;

use super::presence::{Entry, File, Own, Presence};
use super::{Asked, Check, Finding, Fix, several};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "entries",
    summary: "every event calls us, under its own name",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return none(seen).into_iter().collect();
    }
    let mut findings: Vec<Finding> = missing(seen).into_iter().collect();
    findings.extend(
        seen.own()
            .filter_map(|(file, entry, own)| wrong(seen, file, entry, own)),
    );
    findings
}

/// There is no entry at all.
fn none(seen: &Presence) -> Option<Finding> {
    // What cannot be read may hold entries.
    if seen.files.iter().any(|file| file.entries.is_err()) {
        return None;
    }
    let host = seen.host.id();
    if let Some(scope) = seen.recorded.first() {
        let what = format!(
            "the entries that anyhook wrote are gone from the {} settings",
            scope.name()
        );
        let why = "they were removed, and this agent asks no hook any more";
        return Some(Finding::problem(
            &ROW,
            what,
            why,
            Fix::by_hand(Fix::install(host, *scope).command),
        ));
    }
    let what = "no event calls anyhook".to_owned();
    let why = "your hooks do not hold under this agent";
    // Whether an agent is guarded is the person's to say, so nothing is written here.
    let fix = Fix::by_hand(Fix::install(host, Scope::User).command);
    Some(match seen.asked {
        Asked::Named => Finding::problem(&ROW, what, why, fix),
        Asked::Found => Finding::advice(&ROW, what, why, fix),
    })
}

/// Some events have no entry, in no file.
fn missing(seen: &Presence) -> Option<Finding> {
    let has = |name: &str| {
        seen.own()
            .any(|(_, entry, _)| entry.standing.found.event == name)
    };
    let rows = seen.host.rows().iter();
    let rows = rows.filter(|row| seen.settings.has(row.name) && !has(row.name));
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    let (file, ..) = seen.own().next()?;
    (!names.is_empty()).then(|| {
        let what = format!("no entry for {}", several(&names));
        let why = "the agent does not ask about what has no entry";
        let fix = Fix::install(seen.host.id(), file.scope);
        Finding::problem(&ROW, what, why, fix).at(&file.path, None)
    })
}

fn wrong(seen: &Presence, file: &File, entry: &Entry, own: &Own) -> Option<Finding> {
    let event = &entry.standing.found.event;
    let host = seen.host.id();
    let row = seen.host.rows().iter().find(|row| row.name == event);
    let fix = Fix::install(host, file.scope);
    let at = |finding: Finding| Some(finding.at(&file.path, Some(entry.standing.line)));
    let Some(row) = row else {
        let what = format!("there is an entry for `{event}`, and {host} has no event of this name");
        let why = "the agent may reject the whole file for it, and nothing here answers it";
        return at(Finding::problem(&ROW, what, why, fix));
    };
    if anyhook_wires::host(&own.called.host).is_none_or(|called| called.id() != host) {
        let what = format!("the entry for `{event}` answers as `{}`", own.called.host);
        let why = "the agent does not understand the answers of another one, so it goes on whatever we say";
        return at(Finding::problem(&ROW, what, why, fix));
    }
    let named = own
        .called
        .event
        .as_deref()
        .and_then(|name| seen.host.row(name));
    if own.called.event.is_some() && named.is_none_or(|named| named.name != row.name) {
        let told = own.called.event.as_deref().unwrap_or_default();
        let what = format!("the entry for `{event}` says that it is for `{told}`");
        let why = "what the entry says is believed, so other hooks are asked, or none";
        return at(Finding::problem(&ROW, what, why, fix));
    }
    let matcher = entry.standing.matcher.as_deref().unwrap_or_default();
    if !matches!(matcher, "" | "*" | ".*") {
        let what = format!("the entry for `{event}` stands behind the matcher `{matcher}`");
        let why = "for everything that the matcher leaves out no hook is asked";
        return at(Finding::problem(&ROW, what, why, fix));
    }
    None
}
