//! A scratch place with a project, a home and something outside, for commands that run as an ordinary user.

use std::fs;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use anyhook_confine::{AccessMonitor, AccessRefusals, KernelSupport, Roots, Spec, level};
use anyhook_core::sandbox::Sandbox;
use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where the root user runs the tests, commands run as this user: for the root user some limits do not hold.
const NOT_ROOT: u32 = 65534;

/// The helper, where every user can start it. It is copied before any test starts a process, so that it is never busy.
static HELPERS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    open_to_all(folder.path());
    let own = std::env::current_exe().unwrap();
    let from = own.ancestors().nth(2).unwrap().join("examples/confined");
    assert!(
        from.is_file(),
        "`cargo test --test it` builds no examples: leave `--test` out, or add `--examples`"
    );
    // A link: a file that was just written may still be open in a process that another test starts, and then runs nowhere.
    let to = folder.path().join(HELPER);
    fs::hard_link(&from, &to)
        .or_else(|_| fs::copy(&from, &to).map(drop))
        .unwrap();
    folder
});

/// Called as our program is, which a confined command may start.
const HELPER: &str = "anyhook";

/// What this kernel can do.
static LEVEL: LazyLock<KernelSupport> = LazyLock::new(level);

fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
}

/// Says that a test is skipped, and why.
macro_rules! skip {
    ($why:expr) => {{
        eprintln!("skipped: {}", $why);
        return;
    }};
}

/// Goes on only where the kernel has what the test is about.
macro_rules! needs {
    ($part:ident) => {
        if let Some(why) = crate::room::missing(stringify!($part)) {
            crate::room::skip!(why);
        }
    };
}

pub(crate) use {needs, skip};

/// Returns why a test cannot be made here.
pub(crate) fn missing(part: &str) -> Option<&'static str> {
    let tools = |program: &str| {
        Command::new(program)
            .arg("-e")
            .arg("1")
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    match part {
        // It also has what tells of calls, which is older.
        "told" if LEVEL.landlock.is_none_or(|abi| abi < 3) || !LEVEL.seccomp => {
            Some("this kernel has no Landlock ABI 3, or no seccomp")
        }
        "landlock" if LEVEL.landlock.is_none() => Some("this kernel has no Landlock"),
        "scopes" if LEVEL.landlock.is_none_or(|abi| abi < 6) => {
            Some("this kernel has no scopes of Landlock (ABI 6)")
        }
        "seccomp" if !LEVEL.seccomp => Some("this kernel has no seccomp"),
        "namespaces" if !LEVEL.namespaces => Some("this user may make no namespaces"),
        "perl" if !tools("perl") => Some("there is no perl"),
        _ => None,
    }
}

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The scratch place.
pub(crate) struct Room {
    folder: TempDir,
}

impl Room {
    /// Makes `project/`, `home/.ssh/id` with a secret, and `outside/notes`.
    pub(crate) fn new() -> Self {
        let _ = HELPERS.path();
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let room = Self { folder };
        for below in ["project", "home/.ssh", "outside"] {
            fs::create_dir_all(room.path(below)).unwrap();
        }
        room.write("home/.ssh/id", "the secret\n");
        room.write("outside/notes", "as before\n");
        for below in ["project", "home", "home/.ssh", "outside"] {
            room.given(below);
        }
        room
    }

    /// Returns a path in the room, without links in it.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    /// Writes a file that the commands own.
    pub(crate) fn write(&self, below: &str, text: &str) {
        fs::write(self.path(below), text).unwrap();
        self.given(below);
    }

    fn given(&self, below: &str) {
        if is_root() {
            std::os::unix::fs::chown(self.path(below), Some(NOT_ROOT), Some(NOT_ROOT)).unwrap();
        }
    }

    /// Lets every user connect to a socket or read a file.
    pub(crate) fn given_to_all(&self, below: &str) {
        open_to_all(&self.path(below));
    }

    /// Returns the path of the helper.
    pub(crate) fn helper() -> String {
        HELPERS.path().join(HELPER).display().to_string()
    }

    /// Runs a program confined, as the user who runs the tests.
    pub(crate) fn as_root(&self, confinement: &Value, words: &[&str]) -> Ran {
        let mut command = self.confined(confinement, words);
        Ran::of(&command.uid(0).gid(0).output().unwrap())
    }

    pub(crate) fn text(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    /// Returns what the helper gets for this confinement.
    pub(crate) fn spec(&self, confinement: &Value) -> String {
        let confinement: Sandbox = serde_json::from_value(confinement.clone()).unwrap();
        let roots = Roots::new(&self.path("project"), Some(&self.path("home"))).unwrap();
        Spec::of(&confinement, &roots).unwrap().to_argument()
    }

    /// Prepares a program in the project, as an ordinary user.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("ROOM", self.path(""));
        if is_root() {
            command.uid(NOT_ROOT).gid(NOT_ROOT);
        }
        command
    }

    /// Prepares a program that the helper confines.
    pub(crate) fn confined(&self, confinement: &Value, words: &[&str]) -> Command {
        let mut command = self.command(HELPERS.path().join(HELPER));
        command.arg(self.spec(confinement)).arg("--").args(words);
        command
    }

    /// Runs a program unconfined.
    pub(crate) fn open(&self, words: &[&str]) -> Ran {
        let (program, args) = words.split_first().unwrap();
        Ran::of(&self.command(program).args(args).output().unwrap())
    }

    /// Runs a program confined.
    pub(crate) fn run(&self, confinement: &Value, words: &[&str]) -> Ran {
        Ran::of(&self.confined(confinement, words).output().unwrap())
    }

    /// Runs a program confined and watched, as the user who runs the tests: what it left, and what was seen.
    pub(crate) fn watched(&self, confinement: &Value, words: &[&str]) -> (Ran, AccessRefusals) {
        let (mut command, watch) = self.begun(confinement, words);
        let ran = Ran::of(&command.output().unwrap());
        (ran, watch.refused().unwrap())
    }

    /// Prepares it. The end of the socket stays open here, which changes nothing.
    pub(crate) fn begun(&self, confinement: &Value, words: &[&str]) -> (Command, AccessMonitor) {
        let spec: Spec = serde_json::from_str(&self.spec(confinement)).unwrap();
        let helper = HELPERS.path().join(HELPER);
        let (watch, theirs) = AccessMonitor::begin(&spec, &helper).unwrap();
        fcntl_setfd(&theirs, FdFlags::empty()).unwrap();
        let mut command = self.command(helper);
        let number = theirs.into_raw_fd().to_string();
        command.args(["--calls", &number]).arg(spec.to_argument());
        command.arg("--").args(words);
        if is_root() {
            command.uid(0).gid(0);
        }
        (command, watch)
    }

    /// Runs a line of `sh` that may write the project and nothing else.
    pub(crate) fn sh(&self, line: &str) -> Ran {
        self.run(&json!({"write": ["./**"]}), &["sh", "-c", line])
    }

    /// Runs a line of `sh` unconfined, where it must work, in a room of its own; then confined, where it must not.
    pub(crate) fn only_works_unconfined(line: &str) -> (Self, Ran) {
        let control = Self::new();
        let ran = control.open(&["sh", "-c", line]);
        assert_eq!(
            ran.code,
            Some(0),
            "it has to work unconfined: {line}: {ran:?}"
        );
        let room = Self::new();
        let ran = room.sh(line);
        assert_ne!(ran.code, Some(0), "{line}: {ran:?}");
        assert_eq!(room.text("outside/notes"), "as before\n", "{line}");
        assert_eq!(room.text("home/.ssh/id"), "the secret\n", "{line}");
        assert!(!ran.out.contains("the secret"), "{line}: {ran:?}");
        (room, ran)
    }
}

/// Says whether the tests run as the root user.
pub(crate) fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Makes a call of the system in perl, and prints `done` or the name of the error.
pub(crate) fn call(words: &str) -> String {
    format!(
        "use Errno; my $r = {words}; print defined($r) && $r != -1 ? 'done' : (grep {{ $!{{$_}} }} qw(EPERM EACCES ENOSYS))[0] // \"error $!\";"
    )
}

/// Runs a call of the system as [`call`] says it, confined and with this network.
pub(crate) fn called(room: &Room, network: &str, words: &str) -> String {
    let confinement = json!({"write": ["./**"], "network": network});
    let ran = room.run(&confinement, &["perl", "-MSocket", "-e", &call(words)]);
    assert_eq!(ran.err, "", "{words}");
    ran.out
}

/// Runs the same call unconfined.
pub(crate) fn called_open(room: &Room, words: &str) -> String {
    room.open(&["perl", "-MSocket", "-e", &call(words)]).out
}
