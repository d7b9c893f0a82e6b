//! `anyhook undo`: a person brings back what an agent destroyed.

use std::path::PathBuf;

use anyhook::undo::{RestoreOutcome, SnapshotChange, SnapshotDiff, Snapshots, StoredSnapshot};
use anyhook::world::World;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::CommandSpec;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::person;
use crate::ui::{self, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("undo", UndoArgs, run);

const COMMAND: &str = "anyhook undo";
/// The most files that are listed.
const MOST: usize = 200;

/// Bring back what an agent destroyed
#[derive(Args)]
#[command(after_help = include_str!("help/undo.txt"))]
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
    form: JsonFlag,
}

fn run(args: &UndoArgs) -> Result<Exit, CliError> {
    person::no_agent_above(COMMAND)?;
    let world = World::real();
    let snapshots = Snapshots::of(&world).ok_or_else(error::no_home)?;
    let all = snapshots.list();
    let Some(id) = &args.id else {
        return list(args, &snapshots, &all, world.clock.now());
    };
    let help = "list them: anyhook undo";
    let snapshot = error::by_id(&all, id, |one| &one.id, "snapshot", help)?;
    let path = args.path.as_ref().map(|path| world.absolute(path));
    let failed =
        |error| CliError::new(Exit::CannotCreate, "the snapshot cannot be read").because(error);
    let difference = snapshots
        .difference(snapshot, path.as_deref())
        .map_err(failed)?;
    if difference.is_none() {
        let is_gone = |path: &&PathBuf| path.symlink_metadata().is_err();
        if let Some(gone) = path.as_ref().filter(is_gone) {
            let what = format!("`{}` is not here, nor in the snapshot", gone.display());
            return Err(CliError::new(Exit::NoInput, what).help("list its files: leave --path out"));
        }
        let below = path
            .as_ref()
            .map(|path| format!(" below `{}`", ui::path(path)));
        let below = below.unwrap_or_default();
        return ui::done(&format!("nothing differs from the snapshot{below}\n"));
    }
    if !args.yes {
        let facts = json!({"snapshot": snapshot, "difference": difference});
        args.form.say(&facts, |_| page(snapshot, &difference))?;
        if args.form.is_json() {
            return Ok(Exit::Done);
        }
        let help = "type it in a terminal of your own; a script says --yes";
        person::is_there(COMMAND).map_err(|problem| problem.help(help))?;
        if !person::is_yes(&person::ask("Restore this? [y/N] ")?) {
            ui::out("nothing changed\n")?;
            return Ok(Exit::Negative);
        }
    }
    let new = (world.ids)();
    let restored = snapshots
        .restore(snapshot, path.as_deref(), &new, world.clock.now())
        .map_err(failed)?;
    tell(args, &restored)
}

fn tell(args: &UndoArgs, restored: &RestoreOutcome) -> Result<Exit, CliError> {
    args.form.say(restored, |restored| {
        let all = || restored.difference.all();
        let gone = all()
            .filter(|one| one.change == SnapshotChange::Made)
            .count();
        let removed = match gone {
            0 => String::new(),
            _ => format!(", removed: {}", ui::many(gone, "file")),
        };
        let failed = restored.failed.iter();
        let failed = failed.map(|failed| format!("not restored: {}\n", visible(failed)));
        format!(
            "{}restored: {}{removed}\nback to how it was before: anyhook undo {}\n",
            failed.collect::<String>(),
            ui::many(all().count() - gone, "file"),
            restored.before
        )
    })?;
    Ok(Exit::from(restored.failed.is_empty()))
}

/// A snapshot in the list.
#[derive(Serialize)]
struct SnapshotRow<'s> {
    #[serde(flatten)]
    snapshot: &'s StoredSnapshot,
    /// How many files differ from it now, where that can be told.
    differ: Option<usize>,
}

fn list(
    args: &UndoArgs,
    snapshots: &Snapshots,
    all: &[StoredSnapshot],
    now: i64,
) -> Result<Exit, CliError> {
    let none = "no snapshot was taken: a rule takes one with `\"then\": {\"snapshot\": true}`\n";
    let none = all.is_empty().then_some(none);
    let listed = all.iter().map(|snapshot| {
        let difference = snapshots.difference(snapshot, None).ok();
        let differ = difference.map(|found| found.all().count());
        SnapshotRow { snapshot, differ }
    });
    args.form.say_or(none, &listed.collect::<Vec<_>>(), |all| {
        let rows = all.iter().map(|SnapshotRow { snapshot, differ }| {
            let differ = differ.map_or_else(|| "?".to_owned(), |many| many.to_string());
            let whole = match snapshot.losses.len() {
                0 => "yes".to_owned(),
                losses => format!("{losses} lost"),
            };
            let (id, ago) = (snapshot.id.clone(), ui::ago(snapshot.at, now));
            [id, ago, differ, whole, visible(&snapshot.action)]
        });
        ui::table("id|taken|files differ|whole|before", rows)
    })
}

fn page(snapshot: &StoredSnapshot, difference: &SnapshotDiff) -> String {
    let mut page = format!("before  {}\n", visible(&snapshot.action));
    for loss in &snapshot.losses {
        page.push_str(&format!("lost    {}\n", visible(loss)));
    }
    let many = difference.all().count();
    for one in difference.all().take(MOST) {
        let path = ui::path(&one.path);
        page.push_str(&format!("{:<8}{path}\n", one.change.word()));
    }
    if many > MOST {
        page.push_str(&format!("and {} more\n", many - MOST));
    }
    if !difference.patch.is_empty() {
        page.push_str(&format!("\n{}", visible(&difference.patch)));
    }
    page
}
