//! `anyhook test` as a person calls it: `--bless`, progress, and the end of a run by Ctrl-C.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::env::{Shows as _, TestEnv, command, fifo, finish, start};

const A: &str = "name: a\nevent: stop\nexpected:\n  exit-code: 0\n";
const B: &str = "name: b\nevent: stop\nexpected:\n  exit-code: 0\n";

/// A package with a script and two cases.
fn package(script: &str) -> TestEnv {
    let env = TestEnv::new();
    let manifest = json!({"version": 1, "hooks": {
        "stop": [{"hooks": [command("sh \"${PACKAGE_ROOT}/hooks/stop.sh\"")]}],
    }});
    env.manifest(&manifest.to_string());
    env.write("project/hooks/stop.sh", script);
    env.write("project/hooks/tests/cases/a.yaml", A);
    env.write("project/hooks/tests/cases/b.yaml", B);
    env
}

#[test]
fn expectations_are_blessed_and_the_change_is_shown() {
    let env = package("echo nope >&2; exit 2\n");
    let case = "# why\nname: a\nevent: stop\nexpected:\n  exit-code: 0\n";
    env.write("project/hooks/tests/cases/a.yaml", case);
    let left = env.anyhook("test --bless --case a");
    assert_eq!(left.code, 0, "{left:?}");
    left.says("  -   exit-code: 0\n  +   exit-code: 2\n");
    let now = std::fs::read_to_string(env.path("project/hooks/tests/cases/a.yaml")).unwrap();
    assert_eq!(now, case.replace("code: 0", "code: 2"));
    assert_eq!(env.anyhook("test --case a").code, 0);
    env.anyhook("test --bless --case a")
        .says("nothing to bless");

    // Who may read it stays, and where a link leads to it, so does the link.
    let [file, real] =
        ["project/hooks/tests/cases/a.yaml", "project/a.yaml"].map(|name| env.path(name));
    std::fs::rename(&file, &real).unwrap();
    std::os::unix::fs::symlink("../../../a.yaml", &file).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    env.write("project/hooks/stop.sh", "echo nope >&2; exit 3\n");
    env.anyhook("test --bless --case a");
    assert!(std::fs::read_to_string(&real).unwrap().contains("code: 3"));
    assert!(file.is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn nothing_is_blessed_in_ci_or_where_it_goes_otherwise_each_time() {
    let env = package("cat /proc/sys/kernel/random/uuid; exit 2\n");
    let mut ci = env.command(&["test", "--bless"]);
    let output = ci.env("CI", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(77));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("`CI` is set"),
        "{output:?}"
    );
    let left = env.anyhook("test --bless --case a");
    assert_eq!(left.code, 1, "{left:?}");
    left.says("NONDETERMINISTIC");
    left.says("1 not blessed");
    let now = std::fs::read_to_string(env.path("project/hooks/tests/cases/a.yaml")).unwrap();
    assert_eq!(now, A);
}

#[test]
fn ctrl_c_ends_the_hooks_and_takes_the_folders_away() {
    let env = package("echo $$ > \"$PACKAGE_ROOT/started\"; sleep 302\n");
    let started = env.path("project/started");
    fifo(&started);
    let mut child = env
        .command(&["test", "--case", "a"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    // It is there when the hook writes.
    let pid = std::fs::read_to_string(&started).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());
    let left = std::fs::read_dir(env.path("home")).unwrap().flatten();
    let left: Vec<_> = left
        .map(|entry| entry.file_name())
        .filter(|name| name != ".local")
        .collect();
    assert_eq!(left, [""; 0]);
}

/// What the program shows on a terminal.
fn on_a_terminal(env: &TestEnv, args: &str) -> String {
    let line = format!("{} test {args}", env!("CARGO_BIN_EXE_anyhook"));
    let mut script = env.other("script", &["-qec", &line, "/dev/null"]);
    script.env("TERM", "xterm").env("SHELL", "/bin/sh");
    finish(start(script, b"")).stdout
}

#[test]
fn progress_is_shown_on_a_terminal_and_nowhere_else() {
    let env = package("exit 0\n");
    let shown = on_a_terminal(&env, "");
    shown.shows("1 of 2");
    shown.shows("\r\u{1b}[2K");
    let piped = env.anyhook("test");
    assert_eq!(piped.stderr, "");
    assert!(!piped.stdout.contains("1 of 2"), "{piped:?}");
}
