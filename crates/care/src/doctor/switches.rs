//! Checks whether the agent's own switches turn our entries off.

use anyhook_engine::text::word;
use anyhook_wires::health::{Off, Place, Switch};
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::edit::{toml_at, value_at};
use serde_json::Value;
use std::path::{Path, PathBuf};

use super::look::Looking;
use super::presence::{Presence, SwitchedOff};
use super::reading::text;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "switches",
    summary: "no switch of the agent turns our entries off",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    let all = seen.switched_off.iter();
    all.map(|off| {
        let scopes: Vec<&str> = off.scopes.iter().map(|scope| scope.name()).collect();
        let what = format!(
            "`{}` turns off the hooks of the {} settings",
            off.name,
            scopes.join(" and ")
        );
        let shown = word(&off.file.to_string_lossy());
        let fix = Fix::by_hand(format!(
            "\"${{EDITOR:-vi}}\" {shown}   # and take `{}` out",
            off.name
        ));
        let why = "a setting says that this agent asks no hooks, so ours do not hold";
        Finding::problem(&ROW, what, why, fix).at(&off.file, None)
    })
    .collect()
}

/// Looks at every switch of a host.
pub(super) fn look(looking: &Looking<'_>, seen: &Presence) -> Vec<SwitchedOff> {
    let switches = looking
        .host
        .facts()
        .health
        .map_or(&[] as &[Switch], |health| health.switches);
    let mut thrown: Vec<SwitchedOff> = Vec::new();
    for switch in switches {
        let is_pinned = |place| {
            let pins = files(looking, seen, place);
            pins.iter()
                .any(|(pin, _)| value(place, switch.at, pin).is_some())
        };
        if switch.pinned_in.is_some_and(is_pinned) {
            continue;
        }
        for (file, own) in files(looking, seen, switch.place) {
            let value = value(switch.place, switch.at, &file);
            if !value.is_some_and(|value| is_off(switch.off, &value, seen)) {
                continue;
            }
            let scopes = seen.scopes().into_iter();
            let scopes: Vec<Scope> = scopes
                .filter(|scope| switch.stops.stops(*scope, own == Some(*scope)))
                .collect();
            let name = switch.at.join(".");
            let known = thrown
                .iter()
                .any(|off| off.name == name && off.file == file);
            if !scopes.is_empty() && !known {
                thrown.push(SwitchedOff { name, file, scopes });
            }
        }
    }
    thrown
}

/// Returns what a file has at these fields.
fn value(place: Place, at: &[&str], file: &Path) -> Option<Value> {
    let text = text(file).ok().flatten()?;
    match place {
        Place::Toml(_) => toml_at(&text, at),
        Place::Json(_) | Place::Settings => value_at(&text, at),
    }
}

/// Returns the files in which a switch may stand, each with its scope if it is one of the settings.
fn files(looking: &Looking<'_>, seen: &Presence, place: Place) -> Vec<(PathBuf, Option<Scope>)> {
    match place {
        Place::Settings => {
            let files = seen.files.iter();
            files
                .map(|file| (file.path.clone(), Some(file.scope)))
                .collect()
        }
        Place::Json(path) | Place::Toml(path) => {
            let place = looking.place(path);
            place.into_iter().map(|path| (path, None)).collect()
        }
    }
}

fn is_off(off: Off, value: &Value, seen: &Presence) -> bool {
    match off {
        Off::True => *value == Value::Bool(true),
        Off::False => *value == Value::Bool(false),
        Off::Listed => {
            let names: Vec<&str> = value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            seen.own().any(|(_, entry, own)| {
                let title = format!("anyhook {}", entry.standing.found.event);
                names.contains(&own.command.as_str()) || names.contains(&title.as_str())
            })
        }
    }
}
