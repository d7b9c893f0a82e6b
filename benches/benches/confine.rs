//! The helper that confines a command, beside the same helper that confines nothing.
//!
//! Needs release builds: `cargo build --release -p anyhook-confine --examples`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::borrow::BorrowMut;
use std::fs::{self, Permissions};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhook_confine::{Spec, Watch};
use rustix::io::{FdFlags, fcntl_setfd};

use anyhook_benches::{Claim, Contender, Measured, claims, interleave, table, target};

/// What a guard of a package has: the project and its copy to read, a private folder to write.
const FILES: &str = r#"{"read":["/usr/","/tmp/"],"write":["/var/tmp/"],"network":"any"}"#;
const NO_NETWORK: &str = r#"{"read":["/usr/","/tmp/"],"write":["/var/tmp/"],"network":"none"}"#;
const ALL_LIMITS: &str = r#"{"read":["/usr/","/tmp/"],"write":["/var/tmp/"],"memory":"1GB","cpu":10,"env":["PATH","LC_*"]}"#;
const LOOPBACK: &str = r#"{"read":["/usr/","/tmp/"],"write":["/var/tmp/"],"network":"loopback"}"#;

fn main() {
    let release = target().join("release");
    let (helper, unconfined) = (
        release.join("examples/confined"),
        release.join("examples/unconfined"),
    );
    if !(helper.is_file() && unconfined.is_file()) {
        println!(
            "confine: no release build; run: cargo build --release -p anyhook-confine --examples"
        );
        return;
    }
    // Where every user can start them.
    let place = tempfile::tempdir().expect("there is room");
    let open = Permissions::from_mode(0o755);
    fs::set_permissions(place.path(), open).expect("it is ours");
    let copied = |program: &Path| {
        let copy = place.path().join(program.file_name().unwrap_or_default());
        fs::copy(program, &copy).expect("there is room");
        copy
    };
    let (helper, unconfined) = (copied(&helper), copied(&unconfined));
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { 401 } else { 3 };
    let contenders = vec![
        Contender::new("helper that confines nothing", || {
            start(&unconfined, NO_NETWORK)
        }),
        Contender::new("Landlock and seccomp, network any", || {
            start(&helper, FILES)
        }),
        Contender::new("Landlock and seccomp, network none", || {
            start(&helper, NO_NETWORK)
        }),
        Contender::new("the same with limits and variables", || {
            start(&helper, ALL_LIMITS)
        }),
        Contender::new("with namespaces, network loopback", || {
            start(&helper, LOOPBACK)
        }),
        Contender::new("sh -c : without any helper", || {
            shell(&mut Command::new("/bin/sh"))
        }),
        Contender::new("Landlock and seccomp, network none, watched", || {
            watched(&helper, NO_NETWORK)
        }),
        Contender::new("helper that confines nothing, as another user", || {
            shell(as_a_person(&unconfined, NO_NETWORK))
        }),
        Contender::new("Landlock and seccomp, as another user", || {
            shell(as_a_person(&helper, NO_NETWORK))
        }),
    ];
    let measured = interleave(rounds, 1, contenders);
    println!("{}", table("one start of `sh -c :`", &measured));
    println!("{}", claims(&said(&measured)));
}

fn said(measured: &[Measured]) -> [Claim; 4] {
    [
        Claim::at_most(
            "Landlock and seccomp, ms over the helper alone",
            over(measured, 8) - over(measured, 7),
            0.2,
        ),
        Claim::at_most(
            "the same for root, of whose settings only some are open",
            over(measured, 2),
            0.3,
        ),
        Claim::at_most(
            "a network namespace, ms over Landlock and seccomp",
            over(measured, 4) - over(measured, 2),
            0.7,
        ),
        Claim::at_most(
            "what is refused is seen, ms over the same unseen",
            over(measured, 6) - over(measured, 2),
            0.5,
        ),
    ]
}

/// Returns how many milliseconds a contender takes more than the first: by the median of their ratios in one round.
fn over(measured: &[Measured], row: usize) -> f64 {
    match (measured.first(), measured.get(row)) {
        (Some(first), Some(row)) => (row.ratio[0] - 1.0) * first.median * 1e3,
        _ => f64::NAN,
    }
}

fn start(helper: &Path, spec: &str) -> bool {
    shell(Command::new(helper).args([spec, "--", "/bin/sh"]))
}

/// Prepares it as people run it: the root user reads only named settings, which takes a rule for each of them.
fn as_a_person(helper: &Path, spec: &str) -> Command {
    let mut command = Command::new(helper);
    command.args([spec, "--", "/bin/sh"]).current_dir("/");
    if rustix::process::getuid().is_root() {
        command.uid(65534).gid(65534);
    }
    command
}

/// Starts it with a thread that hears of each call, as a hook is started.
fn watched(helper: &Path, spec: &str) -> bool {
    let read: Spec = serde_json::from_str(spec).expect("the spec is one");
    let (_watch, socket) = Watch::begin(&read, helper).expect("this kernel tells of calls");
    fcntl_setfd(&socket, FdFlags::empty()).expect("the socket is open");
    let number = socket.as_raw_fd().to_string();
    shell(Command::new(helper).args(["--calls", &number, spec, "--", "/bin/sh"]))
}

fn shell(mut command: impl BorrowMut<Command>) -> bool {
    let command = command
        .borrow_mut()
        .args(["-c", ":"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    let ran = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(
        ran.expect("the program starts").success(),
        "what is measured has to work"
    );
    true
}
