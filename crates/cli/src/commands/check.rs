//! `anyhook check`: finds mistakes in hooks before they run.

mod formats;
mod page;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhook::core::manifest::{self, Severity};
use anyhook::lint::{self, LINTS, LintContext, LintFinding};
use anyhook::load;
use anyhook::trust::package_root;
use anyhook::wires;
use anyhook::wires::native_files::NativeFormat;
use anyhook::world::World;
use clap::Args;

use super::CommandSpec;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::pretty;

use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("check", CheckArgs, run);

/// How often a file is mended and looked at again: one fix may uncover another.
const ROUNDS: usize = 8;

/// Find mistakes in hooks before they run
#[derive(Args)]
#[command(after_help = include_str!("help/check.txt"))]
struct CheckArgs {
    /// Files of hooks, or folders that hold some [default: this folder]
    #[arg(default_value = ".", hide_default_value = true)]
    path: Vec<PathBuf>,
    /// Check your own hooks.json, which holds for all your projects, and your settings
    #[arg(long, conflicts_with = "path")]
    user: bool,
    /// Correct what can be corrected safely
    #[arg(long)]
    fix: bool,
    /// Also find answers that this agent does not understand; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    host: Vec<String>,
    /// The form of the findings
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json", "github"], default_value = "text")]
    format: String,
    /// Count warnings as errors
    #[arg(long)]
    strict: bool,
    /// Explain a rule, such as AH012
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
    /// Print the JSON Schema of a hooks.json, or of its closed form
    #[arg(long, value_name = "FORM", exclusive = true, value_parser = ["hooks", "closed"], num_args = 0..=1, require_equals = true, default_missing_value = "hooks", hide_possible_values = true)]
    schema: Option<String>,
}

fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    if let Some(form) = &args.schema {
        // An editor reads it to complete and explain a file.
        let schema = match &**form {
            "closed" => manifest::closed_schema(),
            _ => manifest::schema(),
        };
        ui::raw(&pretty(&schema))?;
        return Ok(Exit::Done);
    }
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let world = World::real();
    let hosts = args.host.iter().map(|name| error::host(name));
    let how = LintContext {
        hosts: hosts.collect::<Result<_, _>>()?,
        path: world.env.get(OsStr::new("PATH")).cloned(),
        home: world.env.get(OsStr::new("HOME")).map(PathBuf::from),
    };
    let files = files(args, &world)?;
    let mut found = Vec::new();
    for file in &files {
        if args.fix {
            mend(file, &how)?;
        }
        found.extend(lint::check(file, &read(file)?, &how));
    }
    match &*args.format {
        "json" => ui::raw(&formats::json(&files, &found))?,
        "github" => ui::raw(&formats::annotations(&found))?,
        _ => ui::out(&formats::text(&files, &found))?,
    }
    let wrong = args.user.then(|| world.config().mistakes());
    let wrong = wrong.unwrap_or_default();
    for mistake in &wrong {
        ui::err(&format!("{}\n", visible(&format!("settings: {mistake}"))));
    }
    let fails = |found: &LintFinding| args.strict || found.severity == Severity::Error;
    Ok(Exit::from(!found.iter().any(fails) && wrong.is_empty()))
}

/// Finds the files that are meant: those that are named, those of a folder that is named, or those of this one.
fn files(args: &CheckArgs, world: &World) -> Result<Vec<PathBuf>, CliError> {
    if args.user {
        let own = error::places(world)?.user_manifest();
        crate::manifest::bytes(&own)
            .map_err(|problem| problem.help("anyhook init --user writes a first one"))?;
        return Ok(vec![own]);
    }
    let mut files = Vec::new();
    for path in &args.path {
        if !world.absolute(path).is_dir() {
            if let Some(host) = unread_host(path) {
                let what = format!(
                    "`{}` holds hooks of {host}, which are not read here",
                    path.display()
                );
                let help =
                    format!("anyhook doctor --host {host} looks at the entries of ours in it");
                return Err(CliError::new(Exit::Usage, what).help(help));
            }
            files.push(path.clone());
            continue;
        }
        let mut found = of_folder(path, world);
        if let (true, Some(project)) = (found.is_empty() && path == Path::new("."), above(world)) {
            found = of_folder(&project, world);
        }
        if found.is_empty() {
            let what = format!("no file of hooks in `{}`", path.display());
            return Err(
                CliError::new(Exit::NoInput, what).help("`anyhook init` writes a first one")
            );
        }
        files.extend(found);
    }
    Ok(files)
}

/// Returns the agent that keeps its hooks in such a file, in a form that it alone reads.
fn unread_host(file: &Path) -> Option<&'static str> {
    let is_read = |host: &str| NativeFormat::of_host(host).is_some();
    let mut hosts = wires::hosts::HOSTS
        .iter()
        .filter(|host| !is_read(host.id()));
    let keeps = |host: &&&'static wires::Host| {
        let files = host
            .facts()
            .settings
            .map_or(&[][..], |settings| settings.files);
        let mut paths = files.iter().map(|file| file.path.trim_start_matches("~/"));
        paths.any(|path| file.ends_with(path))
    };
    let is_ours = file.ends_with("hooks/hooks.json") || NativeFormat::of_file(file).is_some();
    hosts.find(keeps).map(|host| host.id()).filter(|_| !is_ours)
}

/// Finds the files of a folder that is named, by names that begin as it does.
fn of_folder(path: &Path, world: &World) -> Vec<PathBuf> {
    let full = world.absolute(path);
    let mut found = Vec::new();
    below(&full, DEEPEST, &mut found);
    // The folder of a manifest may be named too.
    let own = full.join("hooks.json");
    if found.is_empty() && package_root(&own) != full && own.is_file() {
        found.push(own);
    }
    let as_named = |file: PathBuf| match file.strip_prefix(&full) {
        Ok(below) if path == Path::new(".") => below.to_owned(),
        Ok(below) => path.join(below),
        Err(_) => file,
    };
    found.into_iter().map(as_named).collect()
}

/// Returns the project above this folder whose hooks hold here, where this folder has none of its own.
pub(super) fn above(world: &World) -> Option<PathBuf> {
    let here = std::slice::from_ref(&world.cwd);
    let found = load::find(world, here, "", None).into_iter();
    let own = found.filter(|found| found.layer == load::Layer::Project);
    let mut roots = own.map(|found| package_root(&found.file));
    roots.find(|root| *root != world.cwd && world.cwd.starts_with(root))
}

/// Folders that hold what others wrote, or what a build made.
const FOREIGN: &[&str] = &["node_modules", "target", "vendor", "venv", "__pycache__"];

/// So many folders below the one that is named are looked into.
const DEEPEST: usize = 12;

/// Finds the files of hooks of a folder and of all below it. What a package keeps for its tests is none of its hooks, and a
/// hidden folder is looked into by the one above it.
fn below(folder: &Path, deeper: usize, files: &mut Vec<PathBuf>) {
    // What stands in the place of a file of ours and is none is told of.
    let own = load::manifests_of(folder).chain(load::locals_of(folder));
    let is_absent =
        |error: Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    files.extend(own.filter(|file| !file.symlink_metadata().is_err_and(is_absent)));
    let natives = load::natives_of(folder, "").into_iter();
    files.extend(natives.filter(|file| file.is_file()));
    let Some(deeper) = deeper.checked_sub(1) else {
        return;
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_of_tests = name == "tests" && folder.ends_with("hooks");
            !name.starts_with('.') && !FOREIGN.contains(&&*name) && !is_of_tests
        })
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    for folder in folders {
        below(&folder, deeper, files);
    }
}

fn read(file: &Path) -> Result<String, CliError> {
    let bytes = crate::manifest::bytes(file)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = error
            .as_bytes()
            .iter()
            .take(error.utf8_error().valid_up_to());
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        let what = format!("`{}:{line}` is no text in UTF-8", file.display());
        CliError::new(Exit::Data, what).help("save the file as UTF-8")
    })
}

/// Mends a manifest and the scripts of its package until nothing is left that can be mended.
fn mend(file: &Path, how: &LintContext) -> Result<(), CliError> {
    for _ in 0..ROUNDS {
        let found = lint::check(file, &read(file)?, how);
        let mut fixes: BTreeMap<&Path, Vec<&LintFinding>> = BTreeMap::new();
        for found in found.iter().filter(|found| found.fix.is_some()) {
            let script = found.fix.as_ref().and_then(|fix| fix.executable.as_deref());
            let is_own = |of: &Path| is_of_package(file, of);
            if is_own(&found.file) && script.is_none_or(is_own) {
                fixes.entry(&found.file).or_default().push(found);
            }
        }
        if fixes.is_empty() {
            break;
        }
        for (file, found) in fixes {
            write(file, &found)?;
        }
    }
    Ok(())
}

/// Tells whether a file may be mended: the manifest itself, and what really lies in its package. A stranger's manifest
/// must not have us rewrite a file of the person's.
fn is_of_package(manifest: &Path, file: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let root = real(&package_root(manifest));
    file == manifest
        || root.is_some_and(|root| real(file).is_some_and(|file| file.starts_with(root)))
}

fn write(file: &Path, found: &[&LintFinding]) -> Result<(), CliError> {
    let bytes = fs::read(file).map_err(|error| CliError::unreadable(file, error))?;
    // What is no text is not written back as something else.
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(());
    };
    let fixes = || found.iter().filter_map(|found| found.fix.as_ref());
    let mended = lint::apply(&text, fixes());
    if mended != text {
        fs::write(file, mended).map_err(|error| CliError::unwritable(file, error))?;
    }
    for script in fixes().filter_map(|fix| fix.executable.as_deref()) {
        set_executable(script).map_err(|error| CliError::unwritable(script, error))?;
    }
    for found in found {
        let what = found.fix.as_ref().map(|fix| &*fix.what).unwrap_or_default();
        let place = format!("{}:{}", ui::path(file), found.at.line);
        ui::err(&format!("{}: {place}: {what}\n", paint(ui::PASS, "mended")));
    }
    Ok(())
}

/// Lets everybody execute a file who may read it.
fn set_executable(script: &Path) -> std::io::Result<()> {
    let mut permissions = fs::metadata(script)?.permissions();
    let mode = permissions.mode();
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    fs::set_permissions(script, permissions)
}

fn explain(code: &str) -> Result<Exit, CliError> {
    let known = LINTS.iter().flat_map(|lint| [lint.code, lint.slug]);
    let help = "a code stands in brackets behind `error` or `warning`, such as AH012";
    let unknown = || CliError::unknown("rule", code, known).or_help(help.to_owned());
    let lint = lint::lint(code).ok_or_else(unknown)?;
    ui::done(&page::of(lint))
}
