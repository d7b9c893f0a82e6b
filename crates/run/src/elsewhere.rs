//! Handing an event over to the full program: this process becomes it, and the payload goes along.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use anyhook_wires::Host;

use crate::options::Options;
use crate::watchdog::{Times, Watchdog};

/// The full program, and what it has to be told of this event.
pub(crate) struct Elsewhere {
    program: PathBuf,
    host: &'static dyn Host,
    options: Options,
    read: OnceLock<(Arc<[u8]>, Watchdog)>,
}

impl Elsewhere {
    pub(crate) fn new(program: PathBuf, host: &'static dyn Host, options: Options) -> Self {
        Self {
            program,
            host,
            options,
            read: OnceLock::new(),
        }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Keeps what was read of standard input, and the watchdog that must not answer beside the other program.
    pub(crate) fn has_read(&self, payload: Arc<[u8]>, watchdog: Watchdog) {
        let _ = self.read.set((payload, watchdog));
    }

    /// Becomes the full program. It returns only where that is not possible: then this program answers as well as it can,
    /// and a hook that it cannot ask fails.
    pub(crate) fn go(&self, times: Times) {
        let mut command = Command::new(&self.program);
        command.arg("run");
        command.args(self.options.again(self.host.id(), times.left()));
        if let Some((payload, watchdog)) = self.read.get() {
            let Ok(file) = holding(payload) else { return };
            command.stdin(file);
            watchdog.call_off();
        }
        let _ = command.exec();
    }
}

/// Becomes the full program with the arguments of this one, and returns why that is not possible.
pub(crate) fn instead(program: &Path, args: Vec<OsString>) -> io::Error {
    Command::new(program).arg("run").args(args).exec()
}

/// Returns a file without a name that holds these bytes, to be read from its beginning.
fn holding(payload: &[u8]) -> io::Result<File> {
    let mut file = unnamed()?;
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(target_os = "linux")]
fn unnamed() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    memfd_create("anyhook-payload", MemfdFlags::CLOEXEC)
        .map(File::from)
        .or_else(|_| tempfile::tempfile())
}

#[cfg(not(target_os = "linux"))]
fn unnamed() -> io::Result<File> {
    tempfile::tempfile()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_was_read_of_standard_input_is_there_again_from_its_beginning() {
        let payload = vec![b'x'; 300_000];
        let mut read = Vec::new();
        holding(&payload).unwrap().read_to_end(&mut read).unwrap();
        assert!(read == payload);
    }
}
