//! What a person, or a program, reads about what is written into the settings of agents.

use std::path::Path;

use anyhook::install::{InstallPlan, PlannedChange, SkippedHost};
use anyhook::wires;
use anyhook::wires::health::{OffValue, SwitchLocation};
use anyhook::wires::native_files::Syntax;
use anyhook::wires::settings::edit::value_at;
use anyhook::world::World;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint, visible};

/// What is said of an agent that is not on this machine.
const ABSENT: &str = "not found here: ";

/// Shows what would change.
pub(super) fn dry(plan: &InstallPlan, form: JsonFlag) -> Result<Exit, CliError> {
    say(plan, form, || {
        let mut page = String::new();
        for change in plan.changes.iter().filter(|change| !change.is_none()) {
            page.push_str(&change.diff());
        }
        page.push_str(match &*page {
            "" => "nothing would change\n",
            _ => "\nnothing was written: this is what would change\n",
        });
        visible(&page) + &skipped(plan)
    })?;
    Ok(Exit::Done)
}

/// Says what was written, or is taken out.
pub(super) fn say(
    plan: &InstallPlan,
    form: JsonFlag,
    page: impl FnOnce() -> String,
) -> Result<Exit, CliError> {
    let files = plan.changes.iter().map(|change| {
        json!({
            "host": change.host, "scope": change.scope.name(), "path": change.path.to_string_lossy(),
            "changed": !change.is_none(), "removed": change.after.is_none(), "events": change.entries,
            "notes": change.notes,
        })
    });
    let files: Value = files.collect();
    let facts = json!({"files": files, "skipped": plan.skipped, "program": plan.program});
    form.say(&facts, |_| page())
}

/// Says of each file what became of it, and of each agent what a person should know.
pub(super) fn page(plan: &InstallPlan, world: &World) -> String {
    let mut page = String::new();
    let mut last = None;
    for group in plan.changes.chunk_by(is_with) {
        let Some(change) = group.first() else {
            continue;
        };
        let host = paint(ui::BOLD, change.host);
        let (place, what) = (place(group, world), what(group));
        page.push_str(&format!("{host} {place}: {what}\n"));
        let is_new = last != Some(change.host) || change.fenced().is_some();
        let about = is_new.then(|| about_host(change));
        for line in about.into_iter().flatten() {
            page.push_str(&ui::wrapped("  ", &visible(&line)));
        }
        last = Some(change.host);
    }
    page
}

/// Says what became of a file, or of the scripts of a folder.
fn what(group: &[PlannedChange]) -> String {
    let entries: usize = group.iter().map(|change| change.entries).sum();
    let is_there = |change: &PlannedChange| change.before.is_some();
    let fenced = group
        .iter()
        .filter_map(PlannedChange::fenced)
        .sum::<usize>();
    let what = match group {
        _ if entries == 0 && fenced > 0 => "its sandbox holds what the rules say",
        _ if entries > 0 && group.iter().all(PlannedChange::is_none) => "has its entries already",
        _ if entries > 0 && !group.iter().any(is_there) => "made",
        _ if entries > 0 => "changed",
        [change, ..] if !is_there(change) => "was gone already",
        [change, ..] if change.after.is_none() => "removed, as anyhook had made it",
        [change, ..] if change.is_restored => "as it was before",
        _ => "without the entries of anyhook",
    };
    match entries {
        0 => what.to_owned(),
        1 => format!("{what}, 1 event calls anyhook"),
        many => format!("{what}, {many} events call anyhook"),
    }
}

/// Returns what holds for an agent, whatever the file.
fn about_host(change: &PlannedChange) -> Vec<String> {
    let settings = wires::host(change.host).and_then(|host| host.facts().settings);
    let settings = settings.filter(|_| change.entries > 0);
    let next = settings.map(|settings| format!("next: {}", change.next().unwrap_or(settings.next)));
    let off = settings.and_then(|_| switched_off(change)).map(|name| {
        format!("`{name}` in this file turns its hooks off, so none of them is asked before you take it out")
    });
    let notes = change.notes.iter().cloned();
    notes.chain(off).chain(next).collect()
}

/// Names what stands in the file that has our entries, and turns them off.
fn switched_off(change: &PlannedChange) -> Option<String> {
    let text = str::from_utf8(change.after.as_deref().or(change.before.as_deref())?).ok()?;
    let health = wires::host(change.host)?.facts().health?;
    let mut off = health.switches.iter().filter(|switch| {
        let value =
            value_at(text, Syntax::of(&change.path), switch.at).and_then(|value| value.as_bool());
        let off = value.map(|value| {
            if value {
                OffValue::True
            } else {
                OffValue::False
            }
        });
        switch.place == SwitchLocation::Settings && off == Some(switch.off)
    });
    off.next().map(|switch| switch.at.join("."))
}

/// Tells whether two files are scripts of one folder, which are told together.
fn is_with(one: &PlannedChange, other: &PlannedChange) -> bool {
    one.is_script && other.is_script && one.path.parent() == other.path.parent()
}

/// Writes where a group stands: the file, or the folder of its scripts.
fn place(group: &[PlannedChange], world: &World) -> String {
    let path = group.first().map(|change| match change.path.parent() {
        Some(folder) if change.is_script => folder,
        Some(_) | None => &change.path,
    });
    path.map(|path| visible(&short(path, world)))
        .unwrap_or_default()
}

pub(super) fn skipped(plan: &InstallPlan) -> String {
    let is_absent = |skipped: &&SkippedHost| skipped.why.starts_with(ABSENT);
    let absent = plan.skipped.iter().filter(is_absent);
    let absent: Vec<&str> = absent.map(|skipped| skipped.host).collect();
    let is_many = absent.len() > 1;
    let told = plan.skipped.iter();
    let told = told.filter(|skipped| !(is_many && is_absent(skipped)));
    let told = told.map(|skipped| format!("skipped {}: {}", skipped.host, skipped.why));
    let mut lines: Vec<String> = told.collect();
    if is_many {
        let (many, names) = (absent.len(), absent.join(", "));
        lines.push(format!("skipped {many} agents that are not here: {names}"));
    }
    let lines = lines.iter();
    lines
        .map(|line| paint(ui::DIM, &ui::wrapped("", &visible(line))))
        .collect()
}

/// Writes a path with `~` for the home.
pub(in crate::commands) fn short(path: &Path, world: &World) -> String {
    let home = world.places.as_ref().map(|places| &places.home);
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
