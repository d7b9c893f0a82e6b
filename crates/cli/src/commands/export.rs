//! `anyhook log export`: exports the record.

use std::io::{self, BufWriter, ErrorKind};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::Duration;

use anyhook::config::ExportSettings as Receiver;
use anyhook::stores::{Filter, Jsonl};
use anyhook::world::{UserFolders, World};
use anyhook_export::{ExportError, ExportSummary, Exporter, lines};

use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::ui;

/// In the background records go out no more often than this.
const PAUSE: Duration = Duration::from_mins(1);

/// Writes records as JSON lines to standard output.
pub(super) fn jsonl(filter: &Filter) -> Result<Exit, CliError> {
    let mut out = BufWriter::new(io::stdout());
    told(lines(&super::log::store()?, filter, &mut out))
}

/// Sends records to a receiver: the one that the command line names, else the one that is configured. What a receiver wants to see
/// goes to no other one.
pub(super) fn otlp(filter: &Filter, to: Option<&str>) -> Result<Exit, CliError> {
    let world = World::real();
    let places = error::places(&world)?;
    let configured = world.config().export.clone().map_err(|error| {
        CliError::new(Exit::Config, "the settings of the export cannot be used").because(error)
    })?;
    let Some(to) = to.or(configured.otlp.as_deref()) else {
        let problem = CliError::new(Exit::Usage, "no receiver is named");
        return Err(problem.help(
            "anyhook log export otlp http://127.0.0.1:4318, or `otlp = \"…\"` below [export] in config.toml",
        ));
    };
    let is_own = configured.otlp.as_deref() == Some(to);
    let authorization = configured.authorization.as_deref().filter(|_| is_own);
    let store = Jsonl::new(places.reports(), configured.level);
    told(Exporter::to(to, authorization, &state(places)).ship(&store, filter))
}

/// The folder for how far an export came.
fn state(places: &UserFolders) -> PathBuf {
    places.state.join("export")
}

fn told(done: Result<ExportSummary, ExportError>) -> Result<Exit, CliError> {
    let done = match done {
        Ok(done) => done,
        Err(ExportError::Lines(source)) if source.kind() == ErrorKind::BrokenPipe => {
            return Ok(Exit::Done);
        }
        Err(ExportError::Lines(source)) => {
            return Err(CliError::unwritable(Path::new("standard output"), source));
        }
        Err(error) => {
            return Err(CliError::new(Exit::Io, "the export ended early").because(error));
        }
    };
    if done.busy {
        ui::err("another export to this receiver is at work\n");
        return Ok(Exit::Done);
    }
    let mut text = format!("{} records were exported\n", done.records);
    let skipped = "lines are no records: anyhook log verify";
    let rejected = "records were rejected by the receiver, and are not sent again";
    text += &ui::counts(
        "",
        &[(done.skipped as u64, skipped), (done.rejected, rejected)],
    );
    if done.lost {
        text.push_str("records were removed by size or age before they were sent: export more often, or keep more\n");
    }
    ui::err(&text);
    Ok(Exit::Done)
}

/// Sends what is new in the background, where that is configured and a minute has passed. It is called when the answer is out:
/// no event waits for it, and its failure changes nothing. `anyhook log export otlp` says what is wrong.
pub(super) fn in_background(world: &World) {
    let Ok(Receiver { otlp: Some(_), .. }) = world.config().export.clone() else {
        return;
    };
    let Some(folder) = world.places.as_ref().map(state) else {
        return;
    };
    let mark = folder.join("started");
    let age = std::fs::metadata(&mark).and_then(|meta| meta.modified());
    if age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < PAUSE)) {
        return;
    }
    let marked = anyhook::files::private_dir(&folder)
        .and_then(|()| anyhook::files::replace(&mark, b"", anyhook::files::Durability::No));
    if let (Ok(()), Ok(program)) = (marked, std::env::current_exe()) {
        // A group of its own: a signal for the agent's hooks does not end it.
        let mut exporting = Program::new(program);
        exporting
            .args(["log", "export", "otlp"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        // By the engine, which ends what it did not start when this program ends.
        drop(anyhook::processes::start(&mut exporting));
    }
}
