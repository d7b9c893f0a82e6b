//! Programs of ours that stand beside this one: a command that most people never type is a program of its own, so that no event
//! of an agent and no first build pays for it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use crate::error::Problem;
use crate::exit::Exit;

/// A program of its own, and the command that starts it.
pub(crate) struct Beside {
    /// The command, such as `anyhook serve`.
    pub command: &'static str,
    /// The file of the program.
    pub program: &'static str,
    /// The folder of its crate in a checkout.
    pub crate_folder: &'static str,
}

impl Beside {
    /// Becomes the program; returns only where it cannot.
    pub(crate) fn start(&self, args: impl IntoIterator<Item = OsString>) -> Problem {
        let Self {
            command,
            program,
            crate_folder,
        } = self;
        let Some(found) = self.find() else {
            let what = format!(
                "`{command}` is a program of its own, `{program}`, and it is not beside this one"
            );
            return Problem::new(Exit::Config, what).help(format!(
                "in a checkout: cargo install --path {crate_folder}; or put `{program}` into the folder of `anyhook`"
            ));
        };
        let error = std::process::Command::new(&found).args(args).exec();
        let what = format!("cannot start `{}`", found.display());
        Problem::new(Exit::NoInput, what)
            .because(error)
            .help(format!(
                "install it again: cargo install --path {crate_folder}"
            ))
    }

    /// Finds the program in the folder of this one, or of the file that this one is a link to. `PATH` is not searched: what
    /// stands there may be a stranger's.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        let own = std::env::current_exe().ok()?;
        let real = own.canonicalize().ok();
        let folders = std::iter::once(own).chain(real);
        let mut programs = folders.map(|own| own.with_file_name(self.program));
        programs.find(|program| program.is_file())
    }
}
