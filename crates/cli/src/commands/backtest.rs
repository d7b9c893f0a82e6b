//! `anyhook backtest`: shows what a change of the hooks would have changed.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhook::load::manifests_of;
use anyhook::mounts;
use anyhook::stores::Filter;
use anyhook::trust::{PinStatus, Trust};
use anyhook::world::World;
use anyhook_testing::replay::{
    AnswerChange, Backtest, CHANGES, Comparison, ComparisonTitle, Exclusion, History, HistoryScan,
    ReplayHooks, compare, json, text,
};
use clap::Args;

use super::{CommandSpec, log};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("backtest", BacktestArgs, run);

/// Show what a change of your hooks would have changed
#[derive(Args)]
#[command(after_help = include_str!("help/backtest.txt"))]
struct BacktestArgs {
    /// The hooks before: a folder, a hooks.json, git:REVISION, or record: what the record says [default: what is trusted now]
    #[arg(long, value_name = "HOOKS")]
    before: Option<String>,
    /// The hooks after: a folder, a hooks.json or git:REVISION [default: the file of this project as it is]
    #[arg(long, value_name = "HOOKS")]
    after: Option<String>,
    /// A file with a record on each line, as anyhook log export writes them [default, and with -: your own record]
    history: Option<PathBuf>,
    /// Only records since then: 30m, 2h, 7d, 2026-11-22
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only records of this folder or below it [default: of all projects]
    #[arg(long, value_name = "FOLDER")]
    project: Option<String>,
    /// Exit with 1 if there is such a change: newly-allowed, newly-refused, newly-asked, other-rewrite, other-text, new-fault
    #[arg(long, value_name = "CHANGES", value_delimiter = ',', value_parser = change)]
    fail_on: Vec<AnswerChange>,
    #[command(flatten)]
    form: JsonFlag,
}

fn change(text: &str) -> Result<AnswerChange, String> {
    let known = || CHANGES.iter().map(|change| change.as_str());
    AnswerChange::named(text)
        .ok_or_else(|| format!("one of: {}", known().collect::<Vec<_>>().join(", ")))
}

fn run(args: &BacktestArgs) -> Result<Exit, CliError> {
    let [before, after] = ComparisonSide::both(args)?;
    let reading = reading(args)?;
    let compared = compared([before.as_ref(), after.as_ref()], &reading)?;
    let title = ComparisonTitle {
        before: before.map_or("what the record says".to_owned(), |side| side.name),
        after: after.map_or("the hooks that hold now".to_owned(), |side| side.name),
        fails: args.fail_on.clone(),
    };
    if args.form.is_json() {
        ui::raw(&format!("{}\n", json(&title, &compared)))?;
    } else {
        ui::out(&text(&title, &compared))?;
    }
    if title.is_failed(&compared) {
        return Ok(Exit::Negative);
    }
    // A history that was named and of which nothing was asked is no comparison.
    if !title.fails.is_empty() || compared.asked == 0 && args.history.is_some() {
        is_whole(&compared, &reading)?;
    }
    Ok(Exit::Done)
}

/// How `git:` begins a revision.
const GIT: &str = "git:";

/// Reads which records are taken.
fn reading(args: &BacktestArgs) -> Result<HistoryScan, CliError> {
    let named = args.history.as_ref().filter(|name| *name != Path::new("-"));
    let history = match named {
        None => History::Own(log::store()?),
        Some(file) => {
            std::fs::File::open(file).map_err(|error| CliError::unreadable(file, error))?;
            History::File(file.clone())
        }
    };
    let usual = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let world = World::real();
    super::run::listen(&world);
    Ok(HistoryScan {
        history,
        filter: Filter {
            since: log::moment(args.since.as_deref())?,
            project: args.project.as_deref().map(log::project),
            ..Filter::default()
        },
        jobs: usual,
        interrupted: Arc::clone(&world.interrupted),
    })
}

/// Refuses to call a comparison good of which a part is not known: nothing could be asked, lines cannot be read, or a person
/// ended it.
fn is_whole(compared: &Backtest, reading: &HistoryScan) -> Result<(), CliError> {
    let unread = compared
        .left
        .get(&Exclusion::Unread)
        .copied()
        .unwrap_or_default();
    let is_named = matches!(reading.history, History::File(_));
    let (what, help) = if reading.interrupted.load(Ordering::Relaxed) {
        (
            "it was ended before all records were read".to_owned(),
            "let it read all of them",
        )
    } else if compared.asked == 0 {
        (
            "no event of the history could be asked again".to_owned(),
            "anyhook log lists what is recorded",
        )
    } else if unread > 0 && is_named {
        (
            format!("{unread} lines of the history cannot be read"),
            "write it again: anyhook log export",
        )
    } else {
        return Ok(());
    };
    let what = format!("{what}, so it is not known whether there is such a change");
    Err(CliError::new(Exit::Data, what).help(help))
}

/// One side of a comparison, and how it is called.
struct ComparisonSide {
    hooks: ReplayHooks,
    name: String,
    /// The file of the project that it is, or was.
    file: PathBuf,
}

impl ComparisonSide {
    /// Reads both sides; none before is what the record says, and none after the hooks that hold now.
    fn both(args: &BacktestArgs) -> Result<[Option<Self>; 2], CliError> {
        let world = World::real();
        let named = |text: &str| named(text, &world);
        if args.before.as_deref() == Some("record") {
            return Ok([None, args.after.as_deref().map(named).transpose()?]);
        }
        let after = named(args.after.as_deref().unwrap_or("."))?;
        let before = match &args.before {
            Some(text) => named(text)?,
            None => trusted(&after.file, &world)?,
        };
        Ok([Some(before), Some(after)])
    }
}

/// Finds the manifest that a person names, and the file that holds today for it.
fn named(text: &str, world: &World) -> Result<ComparisonSide, CliError> {
    let Some(revision) = text.strip_prefix(GIT) else {
        let file = manifest(&world.absolute(Path::new(text)))?;
        let hooks = ReplayHooks::File(file.clone());
        return Ok(ComparisonSide {
            hooks,
            name: visible(text),
            file,
        });
    };
    let (root, commit) = commit(revision, world)?;
    let address = format!("git+file://{}@{commit}", root.display());
    let failed = |why: String| {
        let what = format!("the revision `{revision}` cannot be read: {why}");
        CliError::new(Exit::NoInput, what)
    };
    let source =
        mounts::ModuleSource::read(&address, &world.cwd).map_err(|error| failed(error.what))?;
    let mounts::ModuleSource::Git(git) = source else {
        return Err(failed("it is no repository".to_owned()));
    };
    let (folder, _) = mounts::fetched(&git, world).map_err(failed)?;
    // The same folder of the project, as it was then.
    let below = world.cwd.strip_prefix(&root).unwrap_or(Path::new(""));
    let file = manifest(&folder.join(below)).or_else(|_| manifest(&folder))?;
    let rest = file.strip_prefix(&folder).unwrap_or(&file).to_owned();
    let name = format!(
        "{} ({})",
        visible(text),
        commit.get(..12).unwrap_or(&commit)
    );
    Ok(ComparisonSide {
        hooks: ReplayHooks::File(file),
        name,
        file: root.join(rest),
    })
}

/// Returns the manifest of a folder, or the file itself.
fn manifest(place: &Path) -> Result<PathBuf, CliError> {
    if place.is_file() {
        return Ok(place.to_owned());
    }
    let found = manifests_of(place).find(|file| file.is_file());
    found.ok_or_else(|| {
        let what = format!("there is no hooks.json in `{}`", ui::path(place));
        CliError::new(Exit::NoInput, what)
            .help("name the file, or a folder that has hooks/hooks.json")
    })
}

/// The trusted form of a manifest; one of the person's own needs no trust.
fn trusted(file: &Path, world: &World) -> Result<ComparisonSide, CliError> {
    let places = world.places.as_ref();
    let standing = places.map(|places| Trust::of(places).standing(file));
    match standing {
        Some(PinStatus::Trusted | PinStatus::Changed(_)) => Ok(ComparisonSide {
            hooks: ReplayHooks::Trusted(file.to_owned()),
            name: "what is trusted now".to_owned(),
            file: file.to_owned(),
        }),
        Some(PinStatus::Never(_) | PinStatus::Unreadable(_)) | None => {
            let what = format!(
                "`{}` was never trusted, so there is nothing to compare with",
                ui::path(file)
            );
            Err(CliError::new(Exit::NoInput, what)
                .help("name the other side: --before git:HEAD, or a file"))
        }
    }
}

/// Returns the repository of this folder, and the commit that a person names.
fn commit(revision: &str, world: &World) -> Result<(PathBuf, String), CliError> {
    let git = |words: &[&str]| {
        let mut git = Program::new("git");
        git.arg("-C")
            .arg(&world.cwd)
            .args(["-c", "core.fsmonitor=false"])
            .args(words);
        let said = git
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8(said.stdout).ok()?;
        said.status.success().then(|| text.trim().to_owned())
    };
    let root = git(&["rev-parse", "--show-toplevel"]);
    let commit = git(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{revision}^{{commit}}"),
    ]);
    let found = root.zip(commit);
    found
        .map(|(root, commit)| (PathBuf::from(root), commit))
        .ok_or_else(|| {
            let what = format!("git knows no revision `{revision}` here");
            CliError::new(Exit::NoInput, what)
                .help("write a revision of this repository, such as git:HEAD~1 or git:main")
        })
}

/// Compares two sides, and tells on standard error what has to do with the clock.
fn compared(
    [before, after]: [Option<&ComparisonSide>; 2],
    reading: &HistoryScan,
) -> Result<Backtest, CliError> {
    let began = std::time::Instant::now();
    let comparison = Comparison {
        before: before.map(|side| side.hooks.clone()),
        after: after.map_or(ReplayHooks::Today, |side| side.hooks.clone()),
        program: std::env::current_exe().ok(),
    };
    let (compared, taken) = compare(&comparison, reading)
        .map_err(|error| CliError::new(Exit::Io, "the history cannot be read").because(error))?;
    ui::err(&format!(
        "{} records in {:.2} s\n",
        taken,
        began.elapsed().as_secs_f64()
    ));
    Ok(compared)
}
