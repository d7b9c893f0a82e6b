//! `anyhook trust`: a person looks at a manifest and lets it run.
//!
//! It needs a terminal, and refuses below an agent: the guarded may not unguard. There is no switch for that. `--yes` is
//! for the scripts of people who looked before: it trusts what has one digest and nothing else.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhook::core::manifest::Manifest;
use anyhook::load;
use anyhook::survey::{LayerFile, Survey};
use anyhook::text::word;
use anyhook::trust::{PinStatus, Trust, TrustError, TrustPin};
use anyhook::world::World;
use clap::Args;

use super::CommandSpec;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::findings;
use crate::manifest;
use crate::person;
use crate::preview::{self, ScriptPreview};
use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("trust", TrustArgs, run);

/// Let the hooks of this project run, as they are now
#[derive(Args)]
#[command(after_help = include_str!("help/trust.txt"))]
struct TrustArgs {
    /// The hooks.json [default: every file that waits here]
    file: Option<PathBuf>,
    /// Show what changed since it was trusted
    #[arg(long)]
    diff: bool,
    /// Stop trusting it; the file may be gone already
    #[arg(long, conflicts_with = "diff")]
    forget: bool,
    /// Do not ask; trust it only if it has this digest, which a person saw here before
    #[arg(long, value_name = "SHA256", conflicts_with_all = ["diff", "forget"])]
    digest: Option<String>,
}

fn run(args: &TrustArgs) -> Result<Exit, CliError> {
    let world = World::real();
    let trust = Trust::of(error::places(&world)?);
    if args.diff {
        let waiting = untrusted(&Survey::of(&world, "")).into_iter();
        let mut changed =
            waiting.filter(|file| matches!(trust.standing(file), PinStatus::Changed(_)));
        let changed = changed.next().filter(|_| args.file.is_none());
        let file = changed.map_or_else(|| file(args, &world), Ok)?;
        let diff = trust.diff(&file).map_err(|error| {
            CliError::new(Exit::NoInput, "no difference to show").because(error)
        })?;
        return ui::done(&visible(&diff));
    }
    let now = world.clock.now();
    if let Some(digest) = &args.digest {
        person::no_agent_above("anyhook trust")?;
        person::proves(&world)?;
        return as_digest(&trust, &file(args, &world)?, digest, now);
    }
    let files = match (&args.file, args.forget) {
        (None, false) => waiting(args, &world)?,
        _ => vec![file(args, &world)?],
    };
    is_there()?;
    person::proves(&world)?;
    if args.forget {
        return files
            .iter()
            .try_fold(Exit::Done, |_, file| forget(&trust, file));
    }
    is_seen()?;
    let mut exit = Exit::Done;
    for file in &files {
        if ask(&trust, file, now)? == Exit::Negative {
            exit = Exit::Negative;
        }
    }
    Ok(exit)
}

fn forget(trust: &Trust, file: &Path) -> Result<Exit, CliError> {
    let was_pinned = trust
        .forget(file)
        .map_err(|error| CliError::new(Exit::CannotCreate, "cannot forget it").because(error))?;
    if !was_pinned {
        let what = format!("`{}` was not trusted, so nothing changed", file.display());
        let help =
            "name the file of hooks, such as hooks/hooks.json; what is trusted: anyhook list";
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    ui::done("forgotten: its hooks no longer run under an agent\n")
}

/// Returns the files here that a person has to look at: those that are not trusted, and newer ones.
pub(super) fn untrusted(survey: &Survey) -> Vec<PathBuf> {
    let waits = |file: &&LayerFile| file.waits() && file.file.exists() && !file.hooks.is_empty();
    let waiting = survey.files.iter().filter(waits);
    waiting.map(|file| file.file.clone()).collect()
}

/// Returns what to ask about where no file is named: whatever waits, else the file of the project, which is trusted already.
fn waiting(args: &TrustArgs, world: &World) -> Result<Vec<PathBuf>, CliError> {
    match untrusted(&Survey::of(world, "")) {
        none if none.is_empty() => Ok(vec![file(args, world)?]),
        all => Ok(all),
    }
}

/// Trusts what has this digest, for a script: a person read the digest where the package was shown.
fn as_digest(trust: &Trust, file: &Path, digest: &str, now: i64) -> Result<Exit, CliError> {
    let bytes = manifest::bytes(file)?;
    usable(file, &bytes)?;
    let shown = Trust::look(file).map_err(unpinned)?;
    if shown.digest() != digest {
        // A script that is told the right one could trust without a person.
        let what = "its digest is not the one of --digest";
        let help = "a person looks at it, and at its digest, at a terminal: anyhook trust";
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    keep(trust, file, &shown, now)
}

/// Shows what would run, asks, and keeps exactly what was shown.
pub(super) fn ask(trust: &Trust, file: &Path, now: i64) -> Result<Exit, CliError> {
    let bytes = manifest::bytes(file)?;
    let manifest = usable(file, &bytes)?;
    let standing = trust.standing(file);
    if standing == PinStatus::Trusted {
        return ui::done("trusted already, and unchanged\n");
    }
    let shown = Trust::look(file).map_err(unpinned)?;
    let trusted = trust.pinned_text(file);
    let trusted = trusted.and_then(|text| usable(file, text.as_bytes()).ok());
    let page = |scripts| preview::page(file, &manifest, trusted.as_ref(), &shown, scripts);
    ui::out(&page(ScriptPreview::First))?;
    if let PinStatus::Changed(_) = standing
        && let Ok(diff) = trust.diff(file)
    {
        ui::out(&format!(
            "\n{}\n{}",
            paint(ui::BOLD, "what changed"),
            visible(&diff)
        ))?;
    }
    ui::out(&findings::of(file))?;
    if answered(&page)? {
        return keep(trust, file, &shown, now);
    }
    ui::out("nothing changed\n")?;
    Ok(Exit::Negative)
}

fn changed() -> CliError {
    let what = "the files changed while you looked at them, so they are not trusted";
    CliError::new(Exit::Negative, what).help("look again: anyhook trust")
}

/// Keeps a copy of what was shown.
fn keep(trust: &Trust, file: &Path, shown: &TrustPin, now: i64) -> Result<Exit, CliError> {
    let pinned = trust.pin(file, now).map_err(unpinned)?;
    // An agent may write while a person reads.
    if pinned.digest() != shown.digest() {
        let forgotten = trust.forget(file);
        return Err(match forgotten {
            Ok(_) => changed(),
            Err(error) => changed().because(error),
        });
    }
    if let Err(error) = trust.record(file) {
        let what = "it is trusted, but the record of that could not be kept";
        let help =
            "if Anyhook's state folder is removed, this manifest will count as never trusted";
        let problem = CliError::new(Exit::CannotCreate, what).because(error);
        ui::problem(&problem.help(help));
    }
    ui::done(&format!(
        "{}: {} as they are now; a later edit has no effect until you look at it\n",
        paint(ui::PASS, "trusted"),
        ui::many(pinned.files.len(), "file"),
    ))
}

fn unpinned(error: TrustError) -> CliError {
    CliError::new(Exit::CannotCreate, "cannot pin it").because(error)
}

fn file(args: &TrustArgs, world: &World) -> Result<PathBuf, CliError> {
    let forgets = args.forget;
    if let Some(file) = &args.file {
        // What is gone can still be forgotten.
        if !forgets {
            std::fs::File::open(file).map_err(|error| CliError::unreadable(file, error))?;
        }
        return Ok(world.absolute(file));
    }
    let here = std::slice::from_ref(&world.cwd);
    let pinned = world.places.as_ref().map(Trust::of);
    let found = load::find(world, here, "", pinned.as_ref()).into_iter();
    let own = found.filter(|found| found.layer == load::Layer::Project);
    let (there, gone): (Vec<_>, Vec<_>) = own.partition(|found| found.file.exists());
    match (there.into_iter().next(), gone.into_iter().next()) {
        (Some(found), _) => Ok(found.file),
        (None, Some(found)) if forgets => Ok(found.file),
        (None, Some(found)) => {
            let is_pinned = |trust: &Trust| trust.is_pinned(&found.file).unwrap_or(true);
            if !pinned.as_ref().is_some_and(is_pinned) {
                let why = std::io::Error::other("a link there leads nowhere");
                return Err(CliError::unreadable(&found.file, why));
            }
            let file = ui::path(&found.file);
            let what = format!("`{file}` is gone, and goes on guarding as you trusted it");
            let help = "bring it back; or: anyhook trust --forget";
            Err(CliError::new(Exit::NoInput, what).help(help))
        }
        (None, None) => {
            let what = "there is no hooks.json in this project";
            Err(CliError::new(Exit::NoInput, what).help("name it: anyhook trust FILE"))
        }
    }
}

/// Without a terminal the caller may be a machine, for which there is another way.
fn is_there() -> Result<(), CliError> {
    let help = "type it in a terminal of your own; in CI, where every file is reviewed before: anyhook run --trust-all";
    person::is_there("anyhook trust").map_err(|problem| problem.help(help))
}

/// What is asked about has to be on the screen.
fn is_seen() -> Result<(), CliError> {
    if !std::io::stdout().is_terminal() {
        let what =
            "what `anyhook trust` shows goes elsewhere, so you would answer without having seen it";
        return Err(CliError::new(Exit::Permission, what).help("type it without `>` and `|`"));
    }
    Ok(())
}

/// Understands it as `anyhook run` does: a file of which nothing would run is not trusted.
fn usable(file: &Path, bytes: &[u8]) -> Result<Manifest, CliError> {
    let parsed = load::parse(file, &String::from_utf8_lossy(bytes));
    parsed.and_then(load::usable).map_err(|finding| {
        let (shown, at) = (file.to_string_lossy(), &finding.at);
        let what = format!("`{shown}:{}:{}`: {}", at.line, at.column, finding.message);
        let own = finding.help.map(|help| format!("{help}; "));
        let help = format!(
            "{}nothing of this file would run, so it is not trusted: mend it, and look at `anyhook check {}`",
            own.unwrap_or_default(),
            word(&shown)
        );
        CliError::new(Exit::Data, what).help(help)
    })
}

/// Asks, and shows all of the scripts as often as the person wants. What is no answer is asked again.
fn answered(page: &dyn Fn(ScriptPreview) -> String) -> Result<bool, CliError> {
    let question = "Let these hooks run under agents, as they are now? v shows all scripts. [y/N] ";
    loop {
        match person::ask(question)?.to_ascii_lowercase().as_str() {
            "v" => ui::out(&page(ScriptPreview::Whole))?,
            "" | "n" | "no" => return Ok(false),
            answer if person::is_yes(answer) => return Ok(true),
            _ => ui::out("y, n or v\n")?,
        }
    }
}
