//! The checkout that the steps work on: where it is, its files, and how to run something in it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use crate::done::Failure;
use crate::say;

/// One checkout, and the cargo that builds it.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// The one target folder of all steps.
    pub(crate) target: PathBuf,
    /// Whether the run is one that a person waits for.
    pub(crate) quick: bool,
    cargo: OsString,
}

impl Workspace {
    /// Finds the workspace that cargo started us in, or the one around the current folder.
    pub(crate) fn find() -> Result<Self, Failure> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => {
                env::current_dir().map_err(|cause| Failure::because("current folder", cause))?
            }
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("crates/xtask/Cargo.toml").is_file())
            .ok_or_else(|| Failure::new(format!("no workspace around `{}`", start.display())))?
            .to_path_buf();
        let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Ok(Self {
            root,
            target,
            quick: false,
            cargo,
        })
    }

    /// The same workspace for a run that a person waits for, or not.
    pub(crate) fn hurried(self, quick: bool) -> Self {
        Self { quick, ..self }
    }

    /// A cargo command in the root, with the shared target folder.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&self.cargo);
        command
            .args(arguments)
            .env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Any command in the root.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// The text of a file below the root.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<String, Failure> {
        let path = path.as_ref();
        fs::read_to_string(self.root.join(path))
            .map_err(|cause| Failure::because(format!("`{}`", path.display()), cause))
    }

    /// The files of the checkout relative to its root and sorted: what git knows or would add.
    ///
    /// Where git gives no answer (an unpacked archive, a checkout of another user) all files outside `target` and
    /// `.git` are listed, and a line says so.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let listed = self
            .command("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .output()
            .ok()
            .filter(|output| output.status.success() && !output.stdout.is_empty());
        let mut files: Vec<PathBuf> = Vec::new();
        if let Some(output) = listed {
            let names = String::from_utf8_lossy(&output.stdout);
            files.extend(names.split_terminator('\0').map(PathBuf::from));
        } else {
            say::line("git lists no files here: every file outside `target` is read");
            self.walk(Path::new(""), &mut files)
                .map_err(|cause| Failure::because("listing files", cause))?;
        }
        // A file that was deleted and not committed yet is still listed.
        files.retain(|file| self.root.join(file).symlink_metadata().is_ok());
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The Rust files among [`Workspace::files`].
    pub(crate) fn rust_files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = self.files()?;
        files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
        Ok(files)
    }

    /// Whether a relative path names something inside the checkout.
    pub(crate) fn has(&self, path: &str) -> bool {
        let inside = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        inside && !path.is_empty() && self.root.join(path).exists()
    }

    fn walk(&self, folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            // In a linked worktree `.git` is a file.
            if path == Path::new("target") || path == Path::new(".git") {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.walk(&path, found)?;
            } else {
                found.push(path);
            }
        }
        Ok(())
    }
}

/// Runs a command with its output passed through; a failure names it.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command
        .status()
        .map_err(|cause| Failure::because(shown(command), cause))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{}` ended with {status}",
        shown(command)
    )))
}

/// Runs a command and gives what it printed; a failure holds what it complained about.
pub(crate) fn capture(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .output()
        .map_err(|cause| Failure::because(shown(command), cause))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned();
    Err(Failure(vec![
        complaint,
        format!("`{}` ended with {}", shown(command), output.status),
    ]))
}

/// Whether a command can be started and succeeds, whatever it prints.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Makes sure that a rustup component is there, by installing it where it is not.
pub(crate) fn component(
    workspace: &Workspace,
    subcommand: &str,
    component: &str,
) -> Result<(), Failure> {
    if succeeds(&mut workspace.cargo(&[subcommand, "--version"])) {
        return Ok(());
    }
    say::line(format!(
        "{component}: not installed, trying `rustup component add {component}`"
    ));
    run(workspace
        .command("rustup")
        .args(["component", "add", component]))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_stem()
        .unwrap_or(command.get_program())
        .to_string_lossy();
    let words = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned());
    std::iter::once(program.into_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_checkout_is_not_in_it() {
        let workspace = Workspace::find().unwrap();
        assert!(workspace.has("Cargo.toml"));
        assert!(workspace.has("crates/xtask/src"));
        for outside in ["", "../", "crates/../Cargo.toml", "/etc", "no/such/file"] {
            assert!(!workspace.has(outside), "{outside}");
        }
    }

    #[test]
    fn a_failing_command_is_named_with_its_words() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo no >&2; exit 3"]);
        let failure = capture(&mut command).unwrap_err();
        let expected = [
            "no",
            "`sh -c echo no >&2; exit 3` ended with exit status: 3",
        ];
        assert_eq!(failure.0, expected);
    }

    #[test]
    fn every_listed_file_exists() {
        let workspace = Workspace::find().unwrap();
        let files = workspace.files().unwrap();
        assert!(files.contains(&PathBuf::from("Cargo.toml")));
        assert!(
            files
                .iter()
                .all(|file| workspace.root.join(file).symlink_metadata().is_ok())
        );
    }

    #[test]
    fn without_git_the_walk_leaves_out_the_target_folder() {
        let workspace = Workspace::find().unwrap();
        let mut found = Vec::new();
        workspace.walk(Path::new(""), &mut found).unwrap();
        assert!(found.contains(&PathBuf::from("crates/xtask/Cargo.toml")));
        assert!(
            !found
                .iter()
                .any(|file| file.starts_with("target") || file.starts_with(".git"))
        );
    }
}
