//! The Python package: built as a wheel, installed where nothing else is, and tested there.
//!
//! The crate stands outside of the workspace, because building the workspace needs no Python. So it is formatted and
//! linted here.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Done, Failure, Outcome};
use crate::say;
use crate::workspace::{Workspace, capture, run as pass};

const MANIFEST: &str = "bindings/python/Cargo.toml";

/// What people call their Python, the newest first.
const NAMES: &[&str] = &[
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3",
    "python",
];

/// What is said where there is no Python.
pub(super) const NONE: &str = "Python: none that is 3.11 or newer and can make environments";

const VERSION: &str = "import sys, venv, ensurepip; print(sys.version_info >= (3, 11))";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let Some(python) = python(workspace) else {
        return Ok(Outcome::Skipped(NONE.to_owned()));
    };
    let folder = workspace.target.join("python");
    let builder = environment(workspace, &python, &folder.join("builder"))?;
    if pip(workspace, &builder, &["maturin>=1.9,<2"]).is_err() {
        let why = "Python: the package index does not give `maturin`";
        return Ok(Outcome::Skipped(why.to_owned()));
    }
    locked(workspace)?;
    lint(workspace, &builder)?;
    let wheel = built(workspace, &builder, "build")?;
    let fresh = environment(workspace, &python, &folder.join("wheel"))?;
    pip(workspace, &fresh, &[&format!("{}[test]", wheel.display())])?;
    tests(workspace, &fresh)?;
    let archive = built(workspace, &builder, "sdist")?;
    let source = environment(workspace, &python, &folder.join("sdist"))?;
    pip(workspace, &source, &[&archive.display().to_string()])?;
    let smoke = "import asyncio, anyhook; print(asyncio.run(anyhook.HookRegistry().emit('tool:pre', {})).action)";
    pass(workspace.command(&source).args(["-c", smoke]))?;
    Ok(Outcome::Passed)
}

/// Finds a Python that is new enough.
pub(super) fn python(workspace: &Workspace) -> Option<PathBuf> {
    let wanted = env::var("ANYHOOK_PYTHON").ok();
    let names = wanted.as_deref().into_iter().chain(NAMES.iter().copied());
    let mut good = names.filter(|name| {
        let answer = capture(workspace.command(name).args(["-c", VERSION]));
        answer.is_ok_and(|answer| answer.trim() == "True")
    });
    good.next().map(PathBuf::from)
}

/// Puts a package of Python into an environment of the target folder, unless it is there; why not, where it cannot be had.
pub(super) fn has(workspace: &Workspace, name: &str, package: &str) -> Result<(), String> {
    let at = workspace.target.join(name);
    let mark = at.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|there| there == package) {
        return Ok(());
    }
    let python = python(workspace).ok_or(NONE)?;
    let failed = || format!("Python: the package index does not give `{package}`");
    let python = environment(workspace, &python, &at).map_err(|_| NONE)?;
    pip(workspace, &python, &[package]).map_err(|_| failed())?;
    fs::write(mark, package).map_err(|error| error.to_string())
}

/// Makes an environment with nothing in it, and returns its Python.
fn environment(workspace: &Workspace, python: &Path, at: &Path) -> Result<PathBuf, Failure> {
    let mut make = workspace.command(python);
    pass(make.args(["-m", "venv", "--clear"]).arg(at))?;
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    Ok(at.join(folder).join("python"))
}

/// Installs; what is built from source is built as quickly as can be, in our own target folder.
fn pip(workspace: &Workspace, python: &Path, packages: &[&str]) -> Result<(), Failure> {
    let mut pip = workspace.command(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(packages)
    .env("CARGO_TARGET_DIR", &workspace.target)
    .env("MATURIN_PEP517_ARGS", "--profile dev");
    pass(&mut pip)
}

/// Fails where the lock file of the package does not fit the crates that it is built from.
fn locked(workspace: &Workspace) -> Result<(), Failure> {
    let mut metadata = workspace.cargo(&["metadata", "--locked", "--format-version=1"]);
    capture(metadata.args(["--manifest-path", MANIFEST])).map_err(|Failure(mut lines)| {
        let help =
            "write it anew: `cargo update --workspace --manifest-path bindings/python/Cargo.toml`";
        lines.push(help.to_owned());
        Failure(lines)
    })?;
    Ok(())
}

fn lint(workspace: &Workspace, python: &Path) -> Result<(), Failure> {
    pass(&mut workspace.cargo(&["fmt", "--check", "--manifest-path", MANIFEST]))?;
    let mut clippy = workspace.cargo(&["clippy", "--manifest-path", MANIFEST]);
    clippy.args([
        "--features",
        "pyo3/extension-module",
        "--",
        "-D",
        "warnings",
    ]);
    pass(clippy.env("PYO3_PYTHON", python))
}

/// Tells where what was built of the package lies.
pub(super) fn dist(workspace: &Workspace, what: &str) -> PathBuf {
    workspace.target.join("python/dist").join(what)
}

/// Builds a wheel or a source archive, and returns it.
fn built(workspace: &Workspace, python: &Path, what: &str) -> Result<PathBuf, Failure> {
    let dist = dist(workspace, what);
    let _ = fs::remove_dir_all(&dist);
    let mut maturin = workspace.command(python);
    maturin
        .args(["-m", "maturin", what, "--manifest-path", MANIFEST, "--out"])
        .arg(&dist);
    if what == "build" {
        maturin
            .args(["--profile", "dev", "--interpreter"])
            .arg(python);
    }
    pass(maturin.env("CARGO_TARGET_DIR", &workspace.target))?;
    let because = |cause| Failure::because(format!("`{}`", dist.display()), cause);
    let made = fs::read_dir(&dist).map_err(because)?.next();
    let made = made.ok_or_else(|| Failure::new("maturin made nothing"))?;
    Ok(made.map_err(because)?.path())
}

/// Runs the tests, and the examples of the documentation, against what was installed.
fn tests(workspace: &Workspace, python: &Path) -> Result<(), Failure> {
    let folder = workspace.root.join("bindings/python");
    let pytest = |arguments: &[&str]| {
        let mut command: Command = workspace.command(python);
        command
            .current_dir(&folder)
            .env("ANYHOOK_EXIT_RUNS", "200")
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .args(arguments);
        pass(&mut command)
    };
    say::line("python: the tests");
    pytest(&["tests"])?;
    say::line("python: the examples of the documentation");
    pytest(&["--doctest-modules", "--pyargs", "anyhook"])
}
