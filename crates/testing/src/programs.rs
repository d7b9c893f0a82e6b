//! Programs that replace others while a case runs.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook::processes::{find_program, start, write_programs};
use tempfile::TempDir;

use crate::plan::{Case, Stub};

/// The programs that stand in for others, written before anything of theirs runs.
#[derive(Debug)]
pub(crate) struct StubPrograms {
    folder: TempDir,
}

impl StubPrograms {
    /// Writes the stubs of all cases, each beside a link to `anyhook`.
    pub(crate) fn write(cases: &[Case], program: Option<&Path>) -> io::Result<Self> {
        let folder = TempDir::with_prefix("anyhook-programs-")?;
        let programs = Self { folder };
        // A hook that asks a model is a process of our own program, also where hooks find that on their `PATH`.
        let own = cases.iter().any(|case| case.model.is_some());
        let own = own.then(on_the_path).flatten();
        let program = program.or(own.as_deref());
        Self::fill(&programs.of(None), &[], program)?;
        let has_stubs = |(_, case): &(usize, &Case)| !case.stubs.is_empty();
        for (index, case) in cases.iter().enumerate().filter(has_stubs) {
            // Where it is tried whether a case kills a mutant, other threads start hooks meanwhile.
            write_programs(|| Self::fill(&programs.of(Some(index)), &case.stubs, program))?;
        }
        Ok(programs)
    }

    /// Returns the folder of a case with stubs, else the one that all others share, in which those folders are.
    pub(crate) fn of(&self, index: Option<usize>) -> PathBuf {
        let folder = self.folder.path();
        index.map_or_else(|| folder.to_owned(), |index| folder.join(index.to_string()))
    }

    fn fill(folder: &Path, stubs: &[(String, Stub)], program: Option<&Path>) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for (name, stub) in stubs {
            let file = folder.join(name);
            match stub {
                Stub::File(from) => fs::copy(from, &file).map(|_| ())?,
                Stub::Script(text) => fs::write(&file, text)?,
            }
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        let link = folder.join("anyhook");
        match program {
            Some(program) if !link.exists() => symlink(program, link),
            Some(_) | None => Ok(()),
        }
    }
}

/// Runs a program to its end; where it fails, what it said is why.
pub(crate) fn completed(command: &mut Command, failed: &str) -> io::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let done = start(command.stderr(Stdio::piped()))?.wait_with_output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    let why = || io::Error::other(format!("{failed}: {}", said.trim()));
    done.status.success().then_some(()).ok_or_else(why)
}

/// Finds our own program as a hook would.
fn on_the_path() -> Option<PathBuf> {
    find_program(
        "anyhook".as_ref(),
        &std::env::var_os("PATH")?,
        Path::new("/"),
    )
}
