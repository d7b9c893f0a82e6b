//! `anyhook init`: a first package of hooks, with a first test.

mod takeover;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhook::load;
use anyhook::text::word;
use anyhook::wires::settings::Scope;
use anyhook::world::World;
use clap::Args;

use super::convert::{self, HookFormat};
use super::{CommandSpec, add, check};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::manifest;
use crate::person;
use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("init", InitArgs, run);

const MANIFEST: &str = "hooks/hooks.json";

/// What the cases of a package have in common.
const CONFIG: (&str, &str) = (
    "hooks/tests/test-config.json",
    include_str!("init/test-config.json"),
);

/// What the package has beside its manifest, each with its text.
const CASES: &[(&str, &str)] = &[
    (
        "hooks/tests/cases/01-stopped.yaml",
        include_str!("init/stopped.yaml"),
    ),
    (
        "hooks/tests/cases/02-free.yaml",
        include_str!("init/free.yaml"),
    ),
];

/// What stands in a project, and the pack that is about it.
const PACKS: &str = include_str!("init/packs.txt");

/// Proposes packs by what stands in the project.
fn proposed(project: &Path) -> String {
    let mut packs: Vec<&str> = Vec::new();
    for (file, pack) in PACKS.lines().filter_map(|row| row.split_once(' ')) {
        if !packs.contains(&pack) && project.join(file).exists() {
            packs.push(pack);
        }
    }
    if packs.is_empty() {
        return String::new();
    }
    format!("Packs for what is here: anyhook add {}\n", packs.join(" "))
}

/// Write a first package of hooks, also from the hooks of an agent
#[derive(Args)]
#[command(after_help = include_str!("help/init.txt"))]
struct InitArgs {
    /// The project; with --to, the file of hooks [default: standard input with --from, else that of this project]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Take the hooks of this agent over: the project's, or with --user your own
    #[arg(long, value_name = "NAME", value_parser = convert::named)]
    from: Option<HookFormat>,
    /// Write the hooks in the format of this agent, or universal
    #[arg(long, value_name = "NAME", value_parser = convert::named)]
    to: Option<HookFormat>,
    /// Write guards for all your projects into your own hooks.json, with --from those of an agent
    #[arg(long, conflicts_with_all = ["path", "to"])]
    user: bool,
    /// Run what no-rm-rf cannot read confined to the project instead of blocking it (Linux, if the kernel can)
    #[arg(long, conflicts_with_all = ["from", "to"])]
    confine: bool,
}

/// The rule whose unknowns a confinement holds back: it is about what stands outside of the project too.
const CONFINABLE: &str = "no-rm-rf";

/// Returns what the first rule does with a line of which it does not know what it removes. The kernel has to be able to hold it;
/// without the flag a person at the terminal is asked.
fn when_unknown(args: &InitArgs) -> Result<Option<&'static str>, CliError> {
    let level = anyhook_confine::level();
    if args.confine && level.landlock.is_none() {
        let problem = CliError::new(Exit::Config, format!("no rule can confine here: {level}"));
        return Err(problem.help("leave --confine out: the rule then blocks what it cannot read"));
    }
    let is_wanted = args.confine
        || level.landlock.is_some()
            && person::is_there("anyhook init").is_ok()
            && {
                let question = format!(
                    "The rule {CONFINABLE} cannot read some commands, such as `rm -rf $X`. They are blocked; or the kernel lets \
                     them change this project only, without network. Run them so? [y/N] "
                );
                person::is_yes(&person::ask(&question)?)
            };
    Ok(is_wanted.then_some("confine"))
}

/// Turns a file of hooks into another format: a file that is named, standard input, or the hooks of this project.
fn converts(args: &InitArgs, to: HookFormat, world: &World) -> Result<Exit, CliError> {
    let own = || load::manifests_of(&world.cwd).find(|file| file.is_file());
    let own = own().filter(|_| args.from.is_none() && args.path.is_none());
    if args.from.is_none() && args.path.is_none() && own.is_none() {
        let what = "there is no hooks.json here";
        return Err(CliError::new(Exit::NoInput, what)
            .help("name the file that is to be written in another format"));
    }
    let own = own.map(|file| {
        file.strip_prefix(&world.cwd)
            .map(Path::to_owned)
            .unwrap_or(file)
    });
    let from = args.from.unwrap_or(HookFormat::Universal);
    convert::run(from, to, args.path.as_deref().or(own.as_deref()))
}

fn run(args: &InitArgs) -> Result<Exit, CliError> {
    let world = World::real();
    if args.user {
        return match args.from {
            Some(from) => {
                let manifest = error::places(&world)?.user_manifest();
                takeover::run(from, Scope::User, &manifest, &world)
            }
            None => for_all_projects(args, &world),
        };
    }
    if let Some(to) = args.to {
        return converts(args, to, &world);
    }
    let folder = args.path.as_deref().unwrap_or(Path::new("."));
    // Without the dot of the folder where it is typed.
    let project: PathBuf = world.absolute(folder).components().collect();
    let there = load::manifests_of(&project).find(|file| file.symlink_metadata().is_ok());
    if let Some(there) = there {
        let there = there.strip_prefix(&project).unwrap_or(&there);
        return Err(is_there(&at(folder, there)));
    }
    let above = || load::manifests_of(&check::above(&world)?).find(|file| file.is_file());
    if let Some(above) = above().filter(|_| args.path.is_none()) {
        let what = format!("`{}` holds in this folder already", above.display());
        let help = "add a rule to it: anyhook add; a file for this folder alone: anyhook init .";
        return Err(CliError::new(Exit::CannotCreate, what).help(help));
    }
    if let Some(from) = args.from {
        let at_project = World {
            cwd: project.clone(),
            ..world
        };
        let manifest = project.join(MANIFEST);
        return takeover::run(from, Scope::Project, &manifest, &at_project);
    }
    let unknown = when_unknown(args)?;
    let manifest = include_str!("init/hooks.json");
    let mut manifest = add::with_known(manifest, &[CONFINABLE], unknown)?;
    if unknown.is_some() {
        // What is confined may still write in the project, which is refused where it is blocked instead.
        manifest = add::with(&manifest, &add::read(include_str!("init/confined.json")))?;
    }
    // Nothing is written where one of them is there: half a package is of no use.
    let is_there = |path: &str| project.join(path).symlink_metadata().is_ok();
    if let Some((path, _)) = CASES.iter().find(|(path, _)| is_there(path)) {
        let what = format!("`{}` is there already", at(folder, path.as_ref()).display());
        return Err(CliError::new(Exit::CannotCreate, what).help("move it away first"));
    }
    write(&project.join(MANIFEST), &manifest)?;
    said(folder, MANIFEST)?;
    for (path, text) in CASES {
        write(&project.join(path), text)?;
        said(folder, path)?;
    }
    let enter = match &args.path {
        Some(path) if project != world.cwd => {
            format!("cd {}, then ", word(&path.to_string_lossy()))
        }
        Some(_) | None => String::new(),
    };
    ui::out(&format!(
        "\nNow: {}anyhook check, anyhook test, anyhook trust, then anyhook install\n",
        visible(&enter)
    ))?;
    ui::done(&proposed(&project))
}

/// Writes the person's own guards: rules only, in one file that needs no trust.
fn for_all_projects(args: &InitArgs, world: &World) -> Result<Exit, CliError> {
    person::no_agent_above("anyhook init --user")?;
    let file = error::places(world)?.user_manifest();
    if file.symlink_metadata().is_ok() {
        let help = "add a rule to it: anyhook add --user; find its mistakes: anyhook check --user";
        return Err(is_there(&file).help(help));
    }
    let rules = add::with_known(manifest::EMPTY, &[CONFINABLE], when_unknown(args)?)?;
    let rules = add::with_known(&rules, &["secret-files"], None)?;
    write(&file, &rules)?;
    let name = ui::path(&file);
    ui::done(&format!(
        "{}  {name}\n\nIts two rules block removals of whole folders and files with secrets, in all your projects.\n\
         Now: anyhook install, which lets your agents ask them. More rules: anyhook add\n",
        paint(ui::PASS, "wrote")
    ))
}

fn is_there(file: &Path) -> CliError {
    let what = format!("`{}` is there already", file.display());
    CliError::new(Exit::CannotCreate, what)
        .help("add a rule to it: anyhook add; find its mistakes: anyhook check")
}

/// Names a file of the package as a person would.
fn at(folder: &Path, path: &Path) -> PathBuf {
    if folder == Path::new(".") {
        return path.to_path_buf();
    }
    folder.join(path)
}

/// Writes a case for each hook: that it is asked about what its matcher selects. What it answers its author knows.
fn first_cases(project: &Path, folder: &Path) -> Result<(), CliError> {
    let is_new = |path: &str| project.join(path).symlink_metadata().is_err();
    let (path, text) = CONFIG;
    if is_new(path) {
        write(&project.join(path), text)?;
        said(folder, path)?;
    }
    let suite = anyhook_testing::read(&[project.join(MANIFEST)]);
    let cases = anyhook_testing::coverage(&suite, &[]).hooks.into_iter();
    for case in cases.filter_map(|hook| hook.sketch) {
        let name = Path::new(&case.file).file_name().unwrap_or_default();
        let path = format!("hooks/tests/cases/{}", name.to_string_lossy());
        if is_new(&path) {
            write(&project.join(&path), &case.text)?;
            said(folder, &path)?;
        }
    }
    ui::out(
        "\nThe cases run your hooks in an empty home and without network: what they need there is said with `workspace`, \
         `stubs` and `env`.\n",
    )
}

fn said(folder: &Path, path: &str) -> Result<(), CliError> {
    let name = visible(&at(folder, path.as_ref()).to_string_lossy());
    ui::out(&format!("{}  {name}\n", paint(ui::PASS, "wrote")))
}

/// Writes a file that is not there; one that comes in between stays.
fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error| CliError::unwritable(file, error);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    File::create_new(file)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(failed)
}
