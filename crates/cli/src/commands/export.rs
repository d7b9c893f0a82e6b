//! `anyhook export`: exports the record, by the program `anyhook-export` beside this one.
//!
//! Here the command line is read, so that both have one reading of the filters of `log`; file formats and the network are in
//! the other program, so that no event and no first build pays for them.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command as Program, Stdio};
use std::time::Duration;

use anyhook::limits::Exported;
use anyhook::stores::Filter;
use anyhook::world::World;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Row;
use super::log::Wanted;
use crate::beside::Beside;
use crate::error::Problem;
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = verb!("export", ExportArgs, run);

const EXPORT: Beside = Beside {
    command: "anyhook export",
    program: "anyhook-export",
    crate_folder: "crates/export",
};

/// In the background records go out no more often than this.
const PAUSE: Duration = Duration::from_mins(1);

/// Export the record as JSON lines, Parquet or OTLP
#[derive(Args)]
#[command(
    arg_required_else_help = false,
    after_help = "This command starts the program `anyhook-export`. `otlp` continues where it stopped.\n\n\
             Examples:\n  anyhook export jsonl --denied --since 7d\n  anyhook export parquet --to july.parquet\n  \
             anyhook export otlp --to http://127.0.0.1:4318"
)]
struct ExportArgs {
    #[command(subcommand)]
    form: Form,
}

#[derive(Subcommand)]
enum Form {
    /// Write one record per line, and the head of the chain at the end
    Jsonl {
        #[command(flatten)]
        wanted: Wanted,
        /// The file to write [default: standard output]
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Write a table with one row for each event
    Parquet {
        #[command(flatten)]
        wanted: Wanted,
        /// The file to write
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
    },
    /// Send logs and spans to a receiver (OTLP over HTTP), each at least once
    Otlp {
        #[command(flatten)]
        wanted: Wanted,
        /// The address of the receiver [default: `export.otlp` in config.toml]
        #[arg(long, value_name = "URL")]
        to: Option<String>,
    },
}

fn run(args: &ExportArgs) -> Result<Exit, Problem> {
    let world = World::real();
    let (wanted, form) = match &args.form {
        Form::Jsonl { wanted, to } => {
            let to = to.as_ref().map(|file| world.absolute(file));
            (wanted, json!({"jsonl": {"to": to}}))
        }
        Form::Parquet { wanted, to } => (wanted, json!({"parquet": {"to": world.absolute(to)}})),
        Form::Otlp { wanted, to } => (wanted, otlp(&world, to.as_ref())?),
    };
    let request = request(&world, &wanted.filter()?, &form)?;
    Err(EXPORT.start([request.into()]))
}

/// Says where to: what the command line names, else what is configured. What a receiver wants to see goes to no other one.
fn otlp(world: &World, to: Option<&String>) -> Result<Value, Problem> {
    let configured = Exported::of(world).map_err(|error| {
        Problem::new(Exit::Config, "the settings of the export cannot be used").because(error)
    })?;
    let Some(to) = to.or(configured.otlp.as_ref()) else {
        let problem = Problem::new(Exit::Usage, "no receiver is named");
        return Err(problem.help(
            "anyhook export otlp --to http://127.0.0.1:4318, or `otlp = \"…\"` below [export] in config.toml",
        ));
    };
    let authorization = configured
        .authorization
        .filter(|_| configured.otlp.as_ref() == Some(to));
    Ok(
        json!({"otlp": {"to": to, "authorization": authorization, "state": state(world),
        "level": configured.level}}),
    )
}

/// The folder for how far an export came.
fn state(world: &World) -> Option<PathBuf> {
    let places = world.places.as_ref();
    places.map(|places| places.state.join("export"))
}

fn request(world: &World, filter: &Filter, form: &Value) -> Result<String, Problem> {
    let Some(places) = &world.places else {
        let problem = Problem::new(
            Exit::Config,
            "there is no home folder, so nothing was stored",
        );
        return Err(problem.help("set HOME"));
    };
    Ok(json!({"reports": places.reports(), "filter": filter, "form": form}).to_string())
}

/// Sends what is new in the background, where that is configured and a minute has passed. It is called when the answer is out:
/// no event waits for it, and its failure changes nothing. `anyhook export otlp` says what is wrong.
pub(super) fn in_background(world: &World) {
    let Ok(Exported { otlp: Some(to), .. }) = Exported::of(world) else {
        return;
    };
    let Some(folder) = state(world) else { return };
    let mark = folder.join("started");
    let age = std::fs::metadata(&mark).and_then(|meta| meta.modified());
    if age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < PAUSE)) {
        return;
    }
    let marked = anyhook::files::private_dir(&folder)
        .and_then(|()| anyhook::files::replace(&mark, b"", anyhook::files::Durable::No));
    let form = otlp(world, Some(&to));
    let request = form.and_then(|form| request(world, &Filter::default(), &form));
    if let (Ok(()), Ok(request), Some(program)) = (marked, request, EXPORT.find()) {
        // A group of its own: a signal for the agent's hooks does not end it.
        let started = Program::new(program)
            .arg(request)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        drop(started);
    }
}
