//! Checks whether the agent trusts this folder and our entries.

use std::path::PathBuf;

use anyhook_engine::folders::{self, TrustState};
use anyhook_wires::health::Trust;
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::edit::toml_at;
use serde_json::{Map, Value};

use super::look::Looking;
use super::presence::{About, Presence, Trusted};
use super::reading::text;
use super::{Check, Finding, Fix, several};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "trust",
    summary: "the agent trusts this folder and our entries",
    run,
};

const WHY: &str =
    "an agent runs no hook that it does not trust, and a run without a person does not say so";

fn run(seen: &Presence) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for trusted in &seen.trusted {
        if let About::Folder(folder) = &trusted.about {
            findings.extend(told(trusted, &format!("the folder `{}`", folder.display())));
        }
    }
    // What is not trusted is rarely one entry alone.
    let untrusted = seen
        .trusted
        .iter()
        .filter_map(|trusted| match &trusted.about {
            About::Entry(event) if trusted.state != TrustState::Yes => {
                Some((trusted, event.as_str()))
            }
            About::Entry(_) | About::Folder(_) => None,
        });
    let untrusted: Vec<(&Trusted, &str)> = untrusted.collect();
    if let Some((first, _)) = untrusted.first() {
        let events: Vec<&str> = untrusted.iter().map(|(_, event)| *event).collect();
        let entries = if events.len() == 1 {
            "entry"
        } else {
            "entries"
        };
        findings.extend(told(
            first,
            &format!("the {entries} for {}", several(&events)),
        ));
    }
    findings
}

fn told(trusted: &Trusted, what: &str) -> Option<Finding> {
    let fix = Fix::by_hand(trusted.fix);
    let finding = match trusted.state {
        TrustState::Yes => return None,
        TrustState::No => {
            Finding::problem(&ROW, format!("the agent does not trust {what}"), WHY, fix)
        }
        TrustState::Unasked => Finding::advice(
            &ROW,
            format!("the agent has not been asked yet whether it trusts {what}"),
            "it asks when it is started there, and runs no hook before",
            fix,
        ),
    };
    Some(finding.at(&trusted.file, None))
}

/// Reads what a host keeps of its trust.
pub(super) fn look(looking: &Looking<'_>, seen: &Presence) -> Vec<Trusted> {
    let tables = looking
        .host
        .facts()
        .health
        .map_or(&[] as &[Trust], |health| health.trust);
    if !seen.is_installed() {
        return Vec::new();
    }
    let entries = tables.iter().flat_map(|table| one(looking, seen, table));
    folder(looking, seen).into_iter().chain(entries).collect()
}

/// Looks whether the folder is trusted, where entries of ours depend on that.
fn folder(looking: &Looking<'_>, seen: &Presence) -> Option<Trusted> {
    let world = looking.installer.world;
    let project = looking.installer.project();
    let project = project.unwrap_or_else(|_| world.cwd.clone());
    let told = folders::told(world, looking.host, &project)?;
    let depends = seen.scopes().iter().any(|scope| told.stops.contains(scope));
    depends.then_some(Trusted {
        about: About::Folder(project),
        state: told.state,
        file: told.file,
        fix: told.fix,
    })
}

fn one(looking: &Looking<'_>, seen: &Presence, table: &Trust) -> Vec<Trusted> {
    match *table {
        Trust::Folders { .. } | Trust::Hidden { .. } => Vec::new(),
        Trust::Entries {
            file,
            at,
            pinned,
            enabled,
            fix,
        } => {
            let Some(file) = looking.place(file) else {
                return Vec::new();
            };
            let table = text(&file).ok().flatten();
            let table = table.and_then(|text| toml_at(&text, at));
            let table = table.as_ref().and_then(Value::as_object);
            entries(seen, table, pinned, enabled, (&file, fix))
        }
    }
}

fn entries(
    seen: &Presence,
    table: Option<&Map<String, Value>>,
    pinned: &str,
    enabled: &str,
    (file, fix): (&PathBuf, &'static str),
) -> Vec<Trusted> {
    // The administrator's entries need no person's trust.
    let own = seen.own();
    let own = own.filter(|(settings, ..)| settings.scope != Scope::Managed);
    own.map(|(settings, entry, _)| {
        let event = &entry.standing.found.event;
        let name = settings
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let is_its = |key: &str| {
            let mut parts = key.rsplitn(4, ':').skip(2);
            let told = parts.next();
            let source = parts.next().unwrap_or_default();
            told == Some(snake(event).as_str()) && source.ends_with(&*name)
        };
        let mut pins = table.into_iter().flatten().filter(|(key, _)| is_its(key));
        let trusted = pins.any(|(_, pin)| {
            pin.get(pinned).is_some_and(Value::is_string)
                && pin.get(enabled) != Some(&Value::Bool(false))
        });
        Trusted {
            about: About::Entry(event.clone()),
            state: if trusted {
                TrustState::Yes
            } else {
                TrustState::No
            },
            file: file.clone(),
            fix,
        }
    })
    .collect()
}

/// Writes `PreToolUse` as `pre_tool_use`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
