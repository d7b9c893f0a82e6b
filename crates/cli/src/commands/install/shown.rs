//! What a person, or a program, reads about what is written into the settings of agents.

use std::path::Path;

use anyhook::install::{Change, Plan};
use anyhook::wires;
use anyhook::world::World;
use serde_json::{Value, json};

use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::ui::{self, paint, visible};

/// What is said of an agent that is not on this machine.
const ABSENT: &str = "not found here: ";

/// Shows what would change.
pub(in crate::commands) fn dry(plan: &Plan, form: Form) -> Result<Exit, Problem> {
    if form.is_json() {
        return done_as_json(plan);
    }
    let mut page = String::new();
    for change in plan.changes.iter().filter(|change| !change.is_none()) {
        page.push_str(&change.diff());
        if let Some(path) = change.adopted() {
            page.push_str(&format!("# its hooks move: {}\n", path.display()));
        }
    }
    if page.is_empty() {
        page.push_str("nothing would change\n");
    } else {
        page.push_str("\nnothing was written: this is what would change\n");
    }
    ui::out(&visible(&page))?;
    ui::out(&skipped(plan))?;
    Ok(Exit::Done)
}

pub(in crate::commands) fn done_as_json(plan: &Plan) -> Result<Exit, Problem> {
    let changes: Vec<Value> = plan.changes.iter().map(as_json).collect();
    let skipped = plan.skipped.iter();
    let skipped: Vec<Value> = skipped
        .map(|skipped| json!({"host": skipped.host, "why": skipped.why}))
        .collect();
    let value = json!({"files": changes, "skipped": skipped, "program": plan.program});
    let text = serde_json::to_string_pretty(&value)
        .map_err(|error| Problem::new(Exit::Software, "cannot write it as JSON").because(error))?;
    ui::raw(&format!("{text}\n"))?;
    Ok(Exit::Done)
}

fn as_json(change: &Change) -> Value {
    json!({
        "host": change.host,
        "scope": change.scope.name(),
        "path": change.path.to_string_lossy(),
        "changed": !change.is_none(),
        "removed": change.after.is_none(),
        "events": change.entries,
        "adopted": change.adopted().map(Path::to_string_lossy),
        "notes": change.notes,
    })
}

pub(in crate::commands) fn page(plan: &Plan, world: &World) -> String {
    let mut page = String::new();
    let mut last = None;
    for group in groups(plan) {
        page.push_str(&of_group(&group, world));
        let change = group.first().filter(|change| last != Some(change.host));
        page.push_str(&change.map(|change| about_host(change)).unwrap_or_default());
        last = group.first().map(|change| change.host);
    }
    if plan.changes.is_empty() {
        page.push_str("no agent to write for was found, so nothing was written\n");
    }
    page.push_str(&skipped(plan));
    if let Some(program) = &plan.program {
        page.push_str(&format!(
            "\nThe entries call {}\n",
            visible(&short(program, world))
        ));
        page.push_str("Take them out again with: anyhook uninstall\n");
    }
    page
}

/// Puts the scripts of one folder together.
pub(in crate::commands) fn groups(plan: &Plan) -> Vec<Vec<&Change>> {
    let mut groups: Vec<Vec<&Change>> = Vec::new();
    for change in &plan.changes {
        let is_with = |other: &&Change| {
            change.is_script() && other.is_script() && other.path.parent() == change.path.parent()
        };
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(is_with) => group.push(change),
            Some(_) | None => groups.push(vec![change]),
        }
    }
    groups
}

/// Writes where a group stands: the file, or the folder of its scripts.
pub(in crate::commands) fn place(group: &[&Change], world: &World) -> String {
    let path = group.first().map(|change| match change.path.parent() {
        Some(folder) if change.is_script() => folder,
        Some(_) | None => &change.path,
    });
    path.map(|path| visible(&short(path, world)))
        .unwrap_or_default()
}

pub(in crate::commands) fn skipped(plan: &Plan) -> String {
    let (absent, other): (Vec<_>, Vec<_>) = plan
        .skipped
        .iter()
        .partition(|skipped| skipped.why.starts_with(ABSENT));
    let (absent, other) = if absent.len() > 1 {
        (absent, other)
    } else {
        (Vec::new(), plan.skipped.iter().collect())
    };
    let lines = other.iter();
    let mut lines: Vec<String> = lines
        .map(|skipped| format!("skipped {}: {}\n", skipped.host, skipped.why))
        .collect();
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|skipped| skipped.host).collect();
        let all = format!(
            "skipped {} agents that are not here: {}",
            names.len(),
            names.join(", ")
        );
        lines.extend(
            ui::wrap(&all, ui::width())
                .into_iter()
                .map(|line| line + "\n"),
        );
    }
    lines
        .iter()
        .map(|line| paint(ui::DIM, &visible(line)))
        .collect()
}

fn of_group(group: &[&Change], world: &World) -> String {
    let Some(change) = group.first() else {
        return String::new();
    };
    let is_new = group.iter().all(|change| change.before.is_none());
    let what = if group.iter().all(|change| change.is_none()) {
        "has its entries already"
    } else if is_new {
        "made"
    } else {
        "changed"
    };
    let entries: usize = group.iter().map(|change| change.entries).sum();
    let events = if entries == 1 {
        "event calls"
    } else {
        "events call"
    };
    let mut page = format!(
        "{} {}: {what}, {entries} {events} anyhook\n",
        paint(ui::BOLD, change.host),
        place(group, world),
    );
    let mut line = |text: &str| page.push_str(&format!("  {}\n", visible(text)));
    if let Some(path) = change.adopted() {
        line(&format!("its own hooks moved to {}", short(path, world)));
    }
    for found in &change.kept {
        line(&format!(
            "a hook of {} stays with the agent: {}",
            found.event, found.kind
        ));
    }
    page
}

/// Writes what holds for a host, whatever the file.
fn about_host(change: &Change) -> String {
    let settings = wires::host(change.host).and_then(|host| host.facts().settings);
    let next = settings.map(|settings| format!("next: {}", change.next().unwrap_or(settings.next)));
    let lines = change.notes.iter().cloned().chain(next);
    lines
        .map(|line| ui::wrapped("  ", &visible(&line)))
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
