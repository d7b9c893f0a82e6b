//! `anyhook list modules`: what is built in, or what a plan names, and where each comes from.

use std::path::Path;

use anyhook::modules::MODULES;
use anyhook::mounts::{Catalogue, Entry, Found, MountError, Plan};
use anyhook::world::World;
use serde_json::{Value, json};

use crate::error::Problem;
use crate::exit::Exit;
use crate::findings;
use crate::form::Form;
use crate::ui::{self, paint, visible};

/// Lists the modules that are built in.
pub(in crate::commands) fn built_in(form: Form) -> Result<Exit, Problem> {
    let all = MODULES.iter().map(|module| {
        json!({"module": module.name, "kind": "built-in", "aliases": module.aliases, "summary": module.summary})
    });
    form.say(&all.collect::<Vec<_>>(), |_| {
        let rows = MODULES
            .iter()
            .map(|module| [module.name, module.summary].map(str::to_owned).into());
        ui::table(&["module", "about"], &rows.collect::<Vec<_>>())
            + "\nMount them by name in a plan, or write `\"type\": \"builtin\"` in a hooks.json.\n"
    })?;
    Ok(Exit::Done)
}

/// Finds each module of a mount plan, and pins those that come from repositories.
pub(in crate::commands) fn of_plan(file: &Path, form: Form) -> Result<Exit, Problem> {
    let plan = read(file)?;
    let catalogue = Catalogue::new(World::real());
    let found = catalogue.find_all(&plan);
    let all = || plan.entries.iter().zip(&found);
    let facts = all().map(|(entry, found)| as_json(entry, found));
    form.say(&facts.collect::<Vec<_>>(), |_| {
        all().map(|(entry, found)| line(entry, found)).collect()
    })?;
    let is_well = !plan.has_errors() && found.iter().all(Result::is_ok);
    Ok(if is_well { Exit::Done } else { Exit::Negative })
}

/// Reads a plan, and writes what is wrong with it.
fn read(file: &Path) -> Result<Plan, Problem> {
    let world = World::real();
    let full = world.absolute(file);
    match Plan::open(&full) {
        Ok(plan) => {
            if !plan.findings.is_empty() {
                let text = std::fs::read_to_string(&full).unwrap_or_default();
                ui::err(&findings::page(file, &text, &plan.findings));
            }
            Ok(plan)
        }
        Err(error) => {
            let Some(text) = &error.text else {
                let what = format!("`{}` {error}", file.display());
                return Err(Problem::new(Exit::NoInput, what));
            };
            let finding = std::slice::from_ref(&error.finding);
            ui::err(&findings::page(file, text, finding));
            let what = format!("`{}` is no mount plan", file.display());
            Err(Problem::new(Exit::Data, what))
        }
    }
}

fn line(entry: &Entry, found: &Result<Found, MountError>) -> String {
    let name = if entry.module.is_empty() {
        format!("line {}", entry.at.line)
    } else {
        visible(&entry.module)
    };
    let name = paint(ui::BOLD, &name);
    match found {
        Ok(found) => {
            let mut text = format!("{name}  {}", found.kind);
            if let Some(source) = &entry.source {
                text.push_str(&format!("  {}", visible(&source.to_string())));
            }
            if let Some(commit) = &found.commit {
                let short: String = commit.chars().take(12).collect();
                text.push_str(&format!("  {}", paint(ui::DIM, &short)));
            }
            format!("{text}\n")
        }
        Err(error) => {
            let what = visible(&error.text);
            let help = error
                .help
                .as_deref()
                .map(|help| format!("\n    {}", visible(help)));
            format!(
                "{name}  {}: {what}{}\n",
                paint(ui::DENY, "not found"),
                help.unwrap_or_default()
            )
        }
    }
}

fn as_json(entry: &Entry, found: &Result<Found, MountError>) -> Value {
    let source = entry.source.as_ref().map(ToString::to_string);
    match found {
        Ok(found) => json!({
            "module": entry.module, "kind": found.kind, "source": source, "folder": found.folder,
            "commit": found.commit, "priority": entry.rules.priority,
        }),
        Err(error) => json!({
            "module": entry.module, "source": source, "line": entry.at.line,
            "error": error.text, "reason_code": error.reason.code(), "help": error.help,
        }),
    }
}
