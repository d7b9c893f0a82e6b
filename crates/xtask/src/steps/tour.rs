//! The commands of the README and of some other pages, typed by a machine.
//!
//! The `sh` blocks between the markers of a page run in one shell, in an empty folder with an empty home, one after the other as a
//! person types them. A `text` block behind one is what it must print.

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

/// The pages; each has a shell and a home of its own.
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
    if home == Home::WithHistory {
        place.fill(workspace)?;
    }
    say::line(format!("{page}: {} blocks in one shell", blocks.len()));
    let printed = place.run(page, &blocks, &binary)?;
    for (block, output) in blocks.iter().zip(printed) {
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

/// What is printed behind each block.
const BEHIND: &str = "-- the block behind this line is the next one --";

/// A temporary folder with a home and an empty folder to work in, gone at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> io::Result<Self> {
        let place = Self(env::temp_dir().join(format!("anyhook-tour-{}", std::process::id())));
        fs::create_dir(&place.0)?;
        for folder in ["home", "work", "tmp"] {
            fs::create_dir(place.0.join(folder))?;
        }
        Ok(place)
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
        pass(workspace.cargo(&args).arg(reports))?;
        // The hooks that this history was made with, where a checkout has them.
        let hooks = "crates/testing/src/history/hooks.json";
        let to = self.0.join("work").join(hooks);
        let copied = to.parent().map_or(Ok(()), fs::create_dir_all);
        let copied = copied.and_then(|()| fs::copy(workspace.root.join(hooks), &to));
        copied.map_err(|cause| Failure::because(format!("`{hooks}`"), cause))?;
        Ok(())
    }

    /// Runs all blocks in one shell, and gives what each printed on both streams.
    fn run(&self, page: &str, blocks: &[Block], binary: &Path) -> Result<Vec<String>, Failure> {
        let printed = self.0.join("printed");
        let failure = |cause| Failure::because(page, cause);
        let output = File::create(&printed).map_err(failure)?;
        let errors = output.try_clone().map_err(failure)?;
        let scripts = blocks.iter().map(|block| &*block.script);
        let script: String = scripts
            .flat_map(|script| [script, "echo '", BEHIND, "'\n"])
            .collect();
        let mut command = Command::new("sh");
        command
            .args(["-eu", "-c", &script])
            .current_dir(self.0.join("work"));
        self.surround(&mut command, binary);
        let status = command
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .status()
            .map_err(failure)?;
        let text = String::from_utf8_lossy(&fs::read(&printed).map_err(failure)?).into_owned();
        let mut each: Vec<String> = text.split(BEHIND).map(str::to_owned).collect();
        let last = each.pop().unwrap_or_default();
        match blocks.get(each.len()) {
            None if status.success() => Ok(each),
            at => {
                let line = at.map_or(0, |block| block.line);
                Err(Failure(vec![
                    last,
                    format!("{page}:{line}: the block ended with {status}"),
                ]))
            }
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn block(line: usize, script: &str) -> Block {
        Block {
            line,
            script: script.to_owned(),
            expected: Vec::new(),
        }
    }

    #[test]
    fn blocks_are_typed_in_one_shell_with_an_empty_home_until_one_fails() {
        let place = Place::new().unwrap();
        let binary = Path::new("/no/such/folder/anyhook");
        let first = "ls -A \"$HOME\"; cat; mkdir d && cd d; echo one > f; echo two >&2\n";
        let blocks = [block(7, first), block(9, "cat f\n")];
        let printed = place.run("README.md", &blocks, binary).unwrap();
        assert_eq!(printed, ["two\n", "\none\n"]);
        let blocks = [
            block(7, "echo a\n"),
            block(9, "echo so; false; echo never\n"),
        ];
        let failure = place.run("README.md", &blocks, binary).unwrap_err();
        assert_eq!(
            failure.0,
            ["\nso\n", "README.md:9: the block ended with exit status: 1"]
        );
        let folder = place.0.clone();
        drop(place);
        assert!(!folder.exists());
    }
}
