//! `anyhook trust`: a person looks at a manifest and lets it run (D23).
//!
//! It needs a terminal, and refuses below an agent: the guarded may not unguard (D28). There is no switch for that.

use std::path::{Path, PathBuf};

use anyhook::core::handler::Handler;
use anyhook::core::manifest::{Action, Manifest};
use anyhook::load::{self, Layer};
use anyhook::text::word;
use anyhook::trust::{Pinned, Standing, Trust, TrustError};
use anyhook::world::World;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::findings;
use crate::person;
use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "trust",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Let the hooks of this project run, as they are now")
        .arg(Arg::new("FILE").value_parser(value_parser!(PathBuf)).help("The hooks.json [default: the project's]"))
        .arg(flag("diff", "Show what changed since it was trusted"))
        .arg(flag("forget", "Trust it no longer").conflicts_with("diff"))
        .after_help(
            "A manifest that came with a project runs under an agent only after you have looked at it. It is pinned by \
             the SHA-256 of itself and of every script that it runs: any change asks you again.\n\n\
             Needs a terminal, and refuses below an agent.",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let world = World::real();
    let places = world.places.as_ref().ok_or_else(|| {
        Problem::new(Exit::Config, "there is no home folder to keep pins in").help("set HOME")
    })?;
    let trust = Trust::of(places);
    let file = file(args, &world)?;
    if args.get_flag("diff") {
        let diff = trust
            .diff(&file)
            .map_err(|error| Problem::new(Exit::NoInput, "no difference to show").because(error))?;
        ui::out(&visible(&diff))?;
        return Ok(Exit::Done);
    }
    is_there()?;
    if args.get_flag("forget") {
        let was_pinned = trust
            .forget(&file)
            .map_err(|error| Problem::new(Exit::CannotCreate, "cannot forget it").because(error))?;
        ui::out(if was_pinned {
            "forgotten: its hooks no longer run under an agent\n"
        } else {
            "it was not trusted: nothing changed\n"
        })?;
        return Ok(Exit::Done);
    }
    ask(&trust, &file, world.clock.now())
}

/// Shows what would run, asks, and pins exactly what was shown.
fn ask(trust: &Trust, file: &Path, now: i64) -> Result<Exit, Problem> {
    let bytes = std::fs::read(file).map_err(|error| Problem::unreadable(file, error))?;
    let manifest = usable(file, &bytes)?;
    let standing = trust.standing(file);
    if standing == Standing::Trusted {
        ui::out("trusted already, and unchanged\n")?;
        return Ok(Exit::Done);
    }
    let shown = looked_at(file)?;
    show((file, &bytes), &manifest, &standing, trust)?;
    if !agreed()? {
        ui::out("nothing changed\n")?;
        return Ok(Exit::Negative);
    }
    let pinned = trust.pin(file, now).map_err(unpinned)?;
    // An agent may write while a person reads.
    if pinned.files != shown.files {
        let forgotten = trust.forget(file);
        let what = "the files changed while you looked at them, so they are not trusted";
        let problem = Problem::new(Exit::Negative, what).help("look again: anyhook trust");
        return Err(match forgotten {
            Ok(_) => problem,
            Err(error) => problem.because(error),
        });
    }
    if let Err(error) = trust.record(file) {
        let what = "it is trusted, but the record of that could not be kept";
        let help =
            "if Anyhook's state folder is removed, this manifest will count as never trusted";
        let problem = Problem::new(Exit::CannotCreate, what).because(error);
        ui::problem(&problem.help(help));
    }
    let files = match pinned.files.len() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    ui::out(&format!(
        "{}: {files} as they are now; a change asks you again\n",
        paint(ui::PASS, "trusted")
    ))?;
    Ok(Exit::Done)
}

/// Pins the files into a folder that goes away: what they are at this moment.
fn looked_at(file: &Path) -> Result<Pinned, Problem> {
    let folder = tempfile::tempdir().map_err(|error| {
        Problem::new(Exit::CannotCreate, "cannot look at the files").because(error)
    })?;
    Trust::new(folder.path()).pin(file, 0).map_err(unpinned)
}

fn unpinned(error: TrustError) -> Problem {
    Problem::new(Exit::CannotCreate, "cannot pin it").because(error)
}

fn file(args: &ArgMatches, world: &World) -> Result<PathBuf, Problem> {
    let forgets = args.get_flag("forget");
    if let Some(file) = args.get_one::<PathBuf>("FILE") {
        // What is gone can still be forgotten.
        if !forgets {
            std::fs::File::open(file).map_err(|error| Problem::unreadable(file, error))?;
        }
        return Ok(world.absolute(file));
    }
    let here = std::slice::from_ref(&world.cwd);
    let mut found = load::find(world, here, "");
    if forgets {
        load::add_pinned(world, here, "", &mut found);
    }
    let found = found
        .into_iter()
        .find(|found| found.layer == Layer::Project);
    found.map(|found| found.file).ok_or_else(|| {
        Problem::new(Exit::NoInput, "there is no hooks.json in this project")
            .help("name it: anyhook trust FILE")
    })
}

/// Without a terminal the caller may be a machine, for which there is another way.
fn is_there() -> Result<(), Problem> {
    person::is_there("anyhook trust").map_err(|problem| match &problem.help {
        Some(_) => problem,
        None => problem.help("in CI, where every file is reviewed before: anyhook run --trust-all"),
    })
}

/// Understands it as `anyhook run` does: a file of which nothing would run is not trusted.
fn usable(file: &Path, bytes: &[u8]) -> Result<Manifest, Problem> {
    let parsed = load::parse(file, &String::from_utf8_lossy(bytes));
    parsed.and_then(load::usable).map_err(|finding| {
        let (shown, at) = (file.to_string_lossy(), &finding.at);
        let what = format!(
            "`{}:{}:{}`: {}",
            visible(&shown),
            at.line,
            at.column,
            visible(&finding.message)
        );
        let own = finding.help.map(|help| format!("{}; ", visible(&help)));
        let help = format!(
            "{}nothing of this file would run, so it is not trusted: mend it, and look at `anyhook check {}`",
            own.unwrap_or_default(),
            visible(&word(&shown))
        );
        Problem::new(Exit::Data, what).help(help)
    })
}

fn show(
    (file, bytes): (&Path, &[u8]),
    manifest: &Manifest,
    standing: &Standing,
    trust: &Trust,
) -> Result<(), Problem> {
    ui::out(&format!(
        "{}\n",
        paint(ui::BOLD, &ui::line(&file.to_string_lossy()))
    ))?;
    if let Standing::Changed(_) = standing
        && let Ok(diff) = trust.diff(file)
    {
        ui::out(&visible(&diff))?;
    }
    for hook in load::hooks(manifest, file) {
        let what = match &hook.handler {
            Handler::Declared(action) => match &**action {
                Action::Command(command) => command.command.clone(),
                Action::Broken(why) => format!("does not run: {why}"),
                other => load::kind(other).to_owned(),
            },
            Handler::InProcess(_) => String::new(),
        };
        ui::out(&format!(
            "  {:20} {:24} {}\n",
            ui::short(hook.event.universal(), 40),
            ui::short(&hook.info.name, 24),
            ui::indented(&what, "      ")
        ))?;
    }
    let scripts = anyhook::trust::scripts(bytes, &anyhook::trust::package_root(file));
    for script in scripts.unwrap_or_default() {
        ui::out(&format!(
            "  {} {}\n",
            paint(ui::DIM, "script"),
            ui::line(&script.to_string_lossy())
        ))?;
    }
    ui::out(&findings::of(file))?;
    Ok(())
}

fn agreed() -> Result<bool, Problem> {
    let answer = person::ask("Let these hooks run under agents, as they are now? [y/N] ")?;
    Ok(person::is_yes(&answer))
}
