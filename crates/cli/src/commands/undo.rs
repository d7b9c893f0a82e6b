//! `anyhook undo`: a person brings back what an agent destroyed.

use std::path::{Path, PathBuf};

use anyhook::undo::{Change, Difference, Restored, Snapshots, StoredSnapshot};
use anyhook::world::World;
use clap::Args;
use serde_json::json;

use super::Row;
use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::person;
use crate::ui::{self, visible};

/// The row.
pub(crate) const ROW: Row = verb!("undo", UndoArgs, run);

const COMMAND: &str = "anyhook undo";
/// The most files that are listed.
const MOST: usize = 200;

/// Bring back what an agent destroyed
#[derive(Args)]
#[command(
    after_help = "A rule with `\"then\": {\"snapshot\": true}` keeps what an action may destroy before it happens. Without an ID this \
             lists the snapshots, the newest first. With one it shows what differs now, asks, and restores exactly that: files, \
             the index, branches and stashes. What is there now is kept in a snapshot before.\n\n\
             It does not work if an agent starts it.\n\n\
             Examples:\n  anyhook undo\n  anyhook undo 3f9a1c\n  anyhook undo 3f9a1c --path src\n  anyhook undo 3f9a1c --yes"
)]
struct UndoArgs {
    /// The snapshot, or how its name begins [default: list all]
    id: Option<String>,
    /// Restore only this file or folder
    #[arg(long, value_name = "PATH", requires = "id")]
    path: Option<PathBuf>,
    /// Do not ask
    #[arg(long, requires = "id")]
    yes: bool,
    #[command(flatten)]
    form: Form,
}

fn run(args: &UndoArgs) -> Result<Exit, Problem> {
    person::no_agent_above(COMMAND)?;
    let world = World::real();
    let snapshots = Snapshots::of(&world).ok_or_else(|| {
        Problem::new(
            Exit::Config,
            "there is no home folder in which snapshots are kept",
        )
        .help("set HOME")
    })?;
    let all = snapshots.list();
    let Some(id) = &args.id else {
        return list(args, &snapshots, &all, world.clock.now());
    };
    let snapshot = named(&all, id)?;
    let path = args.path.as_ref().map(|path| world.absolute(path));
    let failed =
        |error| Problem::new(Exit::CannotCreate, "the snapshot cannot be read").because(error);
    let difference = snapshots
        .difference(snapshot, path.as_deref())
        .map_err(failed)?;
    if difference.is_none() {
        ui::out("nothing differs from the snapshot\n")?;
        return Ok(Exit::Done);
    }
    if !args.yes {
        if args.form.is_json() {
            ui::raw(&format!(
                "{}\n",
                json!({"snapshot": about(snapshot), "difference": difference})
            ))?;
            return Ok(Exit::Done);
        }
        ui::out(&page(snapshot, &difference))?;
        person::is_there(COMMAND)?;
        if !person::is_yes(&person::ask("Restore this? [y/N] ")?) {
            ui::out("nothing changed\n")?;
            return Ok(Exit::Negative);
        }
    }
    let new = (world.ids)();
    let restored = snapshots
        .restore(snapshot, path.as_deref(), (&new, world.clock.now()))
        .map_err(failed)?;
    tell(args, &restored)
}

fn tell(args: &UndoArgs, restored: &Restored) -> Result<Exit, Problem> {
    if args.form.is_json() {
        ui::raw(&format!("{}\n", json!(restored)))?;
    } else {
        let many = restored.difference.files.len() + restored.difference.state.len();
        ui::out(&format!(
            "restored: {}\nback to how it was before: anyhook undo {}\n",
            ui::many(many as u64, "file"),
            restored.before
        ))?;
        for failed in &restored.failed {
            ui::err(&format!("not restored: {}\n", visible(failed)));
        }
    }
    Ok(if restored.failed.is_empty() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

fn list(
    args: &UndoArgs,
    snapshots: &Snapshots,
    all: &[StoredSnapshot],
    now: i64,
) -> Result<Exit, Problem> {
    let differ = |snapshot: &StoredSnapshot| {
        let difference = snapshots.difference(snapshot, None).ok()?;
        Some(difference.files.len() + difference.state.len())
    };
    if args.form.is_json() {
        let rows = all.iter().map(|snapshot| {
            let mut row = about(snapshot);
            if let Some(row) = row.as_object_mut() {
                row.insert("differ".to_owned(), json!(differ(snapshot)));
            }
            row
        });
        ui::raw(&format!("{}\n", json!(rows.collect::<Vec<_>>())))?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        ui::err("no snapshot was taken: a rule takes one with `\"then\": {\"snapshot\": true}`\n");
        return Ok(Exit::Done);
    }
    let rows = all.iter().map(|snapshot| {
        let differ = differ(snapshot).map_or_else(|| "?".to_owned(), |many| many.to_string());
        let losses = snapshot.losses.len();
        let whole = if losses == 0 {
            "yes".to_owned()
        } else {
            format!("{losses} lost")
        };
        vec![
            snapshot.id.clone(),
            ui::ago(snapshot.at, now),
            differ,
            whole,
            visible(&snapshot.action),
        ]
    });
    let head = ["id", "taken", "files differ", "whole", "before"];
    ui::out(&ui::table(&head, &rows.collect::<Vec<_>>()))?;
    Ok(Exit::Done)
}

fn about(snapshot: &StoredSnapshot) -> serde_json::Value {
    json!({
        "id": snapshot.id,
        "at": snapshot.at,
        "action": snapshot.action,
        "session": snapshot.session,
        "losses": snapshot.losses,
        "bytes": snapshot.bytes,
        "milliseconds": snapshot.milliseconds,
    })
}

/// Finds the one snapshot whose name begins so.
fn named<'a>(all: &'a [StoredSnapshot], id: &str) -> Result<&'a StoredSnapshot, Problem> {
    let mut found = all
        .iter()
        .filter(|snapshot| !id.is_empty() && snapshot.id.starts_with(id));
    let problem = |what: String| Problem::new(Exit::Negative, what).help("list them: anyhook undo");
    match (found.next(), found.next()) {
        (Some(snapshot), None) => Ok(snapshot),
        (None, _) => Err(problem(format!("no snapshot has the id `{}`", visible(id)))),
        (Some(_), Some(_)) => Err(problem(format!(
            "more than one snapshot begins with `{}`",
            visible(id)
        ))),
    }
}

fn page(snapshot: &StoredSnapshot, difference: &Difference) -> String {
    let mut page = format!("before  {}\n", visible(&snapshot.action));
    for loss in &snapshot.losses {
        page.push_str(&format!("lost    {}\n", visible(loss)));
    }
    let all = difference.files.iter().chain(&difference.state);
    let many = difference.files.len() + difference.state.len();
    for one in all.take(MOST) {
        page.push_str(&format!("{:<8}{}\n", word(one.change), shown(&one.path)));
    }
    if many > MOST {
        page.push_str(&format!("and {} more\n", many - MOST));
    }
    if !difference.patch.is_empty() {
        page.push_str(&format!("\n{}", visible(&difference.patch)));
    }
    page
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

const fn word(change: Change) -> &'static str {
    match change {
        Change::Made => "remove",
        Change::Gone => "bring",
        Change::Changed => "change",
    }
}
