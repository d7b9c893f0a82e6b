//! The commands of the README and of some other pages, typed by a machine.
//!
//! Each `sh` block between the markers of a page runs in one copy of the checkout with one empty home, in order, so that a later
//! block sees what an earlier one did. A `text` block behind it is what must be printed.

mod script;

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Done, Failure, Outcome, build};
use crate::say;
use crate::workspace::{Workspace, run as pass};
use script::{Block, blocks, first_missing};

/// What is in the home of a page before its first block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Empty,
    /// The record of two weeks that `anyhook-testing` makes.
    WithHistory,
}

/// The pages; each has a copy of the checkout and a home of its own.
const PAGES: &[(&str, Home)] = &[
    ("README.md", Home::Empty),
    ("docs/athena.md", Home::Empty),
    ("docs/security.md", Home::Empty),
    ("docs/log.md", Home::WithHistory),
    ("docs/backtest.md", Home::WithHistory),
];

pub(crate) fn run(workspace: &Workspace) -> Done {
    for (page, home) in PAGES {
        match tour(workspace, page, *home)? {
            Outcome::Passed => {}
            skipped @ Outcome::Skipped(_) => return Ok(skipped),
        }
    }
    Ok(Outcome::Passed)
}

fn tour(workspace: &Workspace, page: &'static str, home: Home) -> Done {
    if !workspace.has(page) {
        return Ok(Outcome::Skipped(format!("{page}: not there yet")));
    }
    let Some(blocks) = blocks(page, &workspace.read(page)?).map_err(Failure::new)? else {
        return Ok(Outcome::Skipped(format!(
            "{page}: no `<!-- tour:start -->`"
        )));
    };
    let binary = build::binary(workspace)?;
    let place = Place::new().map_err(|cause| Failure::because("a place for the tour", cause))?;
    place.copy(workspace)?;
    if home == Home::WithHistory {
        place.fill(workspace)?;
    }
    for block in &blocks {
        say::line(format!(
            "{page}:{}: {}",
            block.line,
            block.script.lines().next().unwrap_or_default()
        ));
        let output = place.run(block, &binary)?;
        if let Some(missing) = first_missing(&block.expected, &output) {
            let complaint = format!(
                "{page}:{}: the output lacks `{missing}`, or has it too early",
                block.line
            );
            return Err(Failure(vec![output, complaint]));
        }
    }
    Ok(Outcome::Passed)
}

/// A temporary folder with a home and a copy of the checkout, gone at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> io::Result<Self> {
        let place = Self(env::temp_dir().join(format!("anyhook-tour-{}", std::process::id())));
        fs::create_dir(&place.0)?;
        for folder in ["home", "checkout", "tmp"] {
            fs::create_dir(place.0.join(folder))?;
        }
        Ok(place)
    }

    fn copy(&self, workspace: &Workspace) -> Result<(), Failure> {
        for file in workspace.files()? {
            let (from, to) = (
                workspace.root.join(&file),
                self.0.join("checkout").join(&file),
            );
            copy_one(&from, &to)
                .map_err(|cause| Failure::because(format!("`{}`", file.display()), cause))?;
        }
        Ok(())
    }

    /// Writes a history where the record of the home is.
    fn fill(&self, workspace: &Workspace) -> Result<(), Failure> {
        let reports = self.0.join("home/.local/state/anyhook/reports");
        let args = [
            "run",
            "--quiet",
            "--package",
            "anyhook-testing",
            "--example",
            "history",
            "--",
        ];
        pass(workspace.cargo(&args).arg(reports))
    }

    /// Runs one block, and gives what it printed on both streams.
    fn run(&self, block: &Block, binary: &Path) -> Result<String, Failure> {
        let at = format!("{}:{}", block.page, block.line);
        let printed = self.0.join("printed");
        let failure = |cause| Failure::because(&at, cause);
        let output = File::create(&printed).map_err(failure)?;
        let errors = output.try_clone().map_err(failure)?;
        let mut command = Command::new("sh");
        command
            .args(["-eu", "-c", &block.script])
            .current_dir(self.0.join("checkout"));
        self.surround(&mut command, binary);
        let status = command
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .status()
            .map_err(failure)?;
        let text = String::from_utf8_lossy(&fs::read(&printed).map_err(failure)?).into_owned();
        if status.success() {
            Ok(text)
        } else {
            Err(Failure(vec![
                text,
                format!("{at}: the block ended with {status}"),
            ]))
        }
    }

    /// Gives a command nothing of this machine but its tools.
    fn surround(&self, command: &mut Command, binary: &Path) {
        let own = env::var_os("PATH").unwrap_or_default();
        let folders = binary
            .parent()
            .map(Path::to_path_buf)
            .into_iter()
            .chain(env::split_paths(&own));
        command
            .env_clear()
            .env("NO_COLOR", "1")
            .env("LANG", "C.UTF-8");
        command.env("PATH", env::join_paths(folders).unwrap_or(own));
        command
            .env("HOME", self.0.join("home"))
            .env("TMPDIR", self.0.join("tmp"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy_one(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    #[cfg(unix)]
    if from.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    fs::copy(from, to).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn block(script: &str) -> Block {
        Block {
            page: "README.md",
            line: 7,
            script: script.to_owned(),
            expected: Vec::new(),
        }
    }

    #[test]
    fn a_block_sees_an_empty_home_and_what_an_earlier_block_did() {
        let place = Place::new().unwrap();
        let binary = Path::new("/no/such/folder/anyhook");
        let printed = place
            .run(
                &block("ls -A \"$HOME\"; cat; echo one > f; echo two >&2"),
                binary,
            )
            .unwrap();
        assert_eq!(printed, "two\n");
        assert_eq!(place.run(&block("cat f"), binary).unwrap(), "one\n");
        let failure = place
            .run(&block("echo so; false; echo never"), binary)
            .unwrap_err();
        assert_eq!(
            failure.0,
            ["so\n", "README.md:7: the block ended with exit status: 1"]
        );
        let folder = place.0.clone();
        drop(place);
        assert!(!folder.exists());
    }
}
