//! `anyhook test --watch`, `--changed` and `--bless`, and the end of a run by Ctrl-C.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::env::{Left, TestEnv, command};

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

fn test(env: &TestEnv, args: &[&str]) -> Left {
    env.run(&[&["test"], args].concat(), b"")
}

/// A run that watches, and what it prints.
struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    fn start(env: &TestEnv, args: &[&str]) -> Self {
        let mut line = env.command(&[&["test", "--watch"], args].concat());
        let mut child = line.stdin(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// What it prints until it waits.
    fn until_it_waits(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "{text}");
            if line.contains("waiting for changes") {
                return text;
            }
            text.push_str(&line);
        }
    }

    fn ends_with(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_run_that_watches_runs_what_a_change_affects_and_ends_with_what_is_known() {
    let env = package("exit 0\n");
    let mut watching = Watching::start(&env, &["-v"]);
    let first = watching.until_it_waits();
    assert!(first.contains("✓ 2 passed"), "{first}");
    assert!(
        !first.contains('\u{1b}'),
        "nothing is cleared where no terminal is: {first}"
    );

    // A case is its own file's.
    env.write(
        "project/hooks/tests/cases/b.yaml",
        &B.replace("code: 0", "code: 2"),
    );
    let second = watching.until_it_waits();
    assert!(
        second.contains("✗ fail  b") && second.contains("✗ 0 passed, 1 failed"),
        "{second}"
    );
    assert!(!second.contains("pass  a"), "{second}");

    // A script is everybody's.
    env.write("project/hooks/stop.sh", "exit 2\n");
    let third = watching.until_it_waits();
    assert!(
        third.contains("✗ fail  a") && third.contains("✓ pass  b"),
        "{third}"
    );

    // What is wrong in a file is told, and what is mended is run again.
    env.write("project/hooks/tests/cases/a.yaml", "name: [\n");
    let fourth = watching.until_it_waits();
    assert!(fourth.contains("1 wrong in files"), "{fourth}");
    env.write(
        "project/hooks/tests/cases/a.yaml",
        &A.replace("code: 0", "code: 2"),
    );
    let fifth = watching.until_it_waits();
    assert!(fifth.contains("✓ 1 passed"), "{fifth}");

    // A case that fails and goes away is not named any more.
    env.write("project/hooks/tests/cases/b.yaml", B);
    let sixth = watching.until_it_waits();
    assert!(sixth.contains("✗ fail  b"), "{sixth}");
    std::fs::remove_file(env.path("project/hooks/tests/cases/b.yaml")).unwrap();
    let seventh = watching.until_it_waits();
    assert!(
        !seventh.contains("fail") && !seventh.contains("nothing to run"),
        "{seventh}"
    );
    assert_eq!(watching.ends_with(), Some(0));
}

#[test]
fn what_still_fails_is_named_whenever_the_page_is_cleared() {
    let env = package("exit 0\n");
    let bad = |case: &str| case.replace("code: 0", "code: 2");
    env.write("project/hooks/tests/cases/a.yaml", &bad(A));
    let mut watching = Watching::start(&env, &[]);
    assert!(!watching.until_it_waits().contains("still failing"));
    env.write("project/hooks/tests/cases/b.yaml", &bad(B));
    let second = watching.until_it_waits();
    assert!(second.contains("✗ still failing  a\n"), "{second}");
    // A broken file comes and goes: no case is another one by that.
    env.write("project/hooks/tests/cases/c.yaml", "name: [\n");
    let third = watching.until_it_waits();
    assert!(
        third.contains("1 wrong in files") && third.contains("✗ still failing  a, b\n"),
        "{third}"
    );
    std::fs::remove_file(env.path("project/hooks/tests/cases/c.yaml")).unwrap();
    assert_eq!(watching.until_it_waits(), "✗ still failing  a, b\n");
    assert_eq!(watching.ends_with(), Some(1));
}

#[test]
fn what_is_wrong_with_a_file_stays_on_the_terminal_that_was_cleared_before() {
    let env = package("exit 0\n");
    env.write("project/hooks/tests/cases/c.yaml", "name: [\n");
    let line = format!("{} test --watch", env!("CARGO_BIN_EXE_anyhook"));
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(env.path("project"))
        .env_clear()
        .env("HOME", env.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains("waiting for changes") {
        assert_ne!(lines.read_line(&mut shown).unwrap(), 0, "{shown:?}");
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap();
    let cleared = shown.find("\u{1b}[2J").unwrap();
    let told = shown.find("c.yaml").unwrap();
    assert!(cleared < told, "{shown:?}");
}

#[test]
fn a_run_that_watches_ends_with_the_last_result_of_every_case() {
    let env = package("exit 0\n");
    env.write(
        "project/hooks/tests/cases/a.yaml",
        &A.replace("code: 0", "code: 2"),
    );
    let mut watching = Watching::start(&env, &[]);
    assert!(watching.until_it_waits().contains("✗ 1 passed, 1 failed"));
    // Another case passes: the one that failed still does.
    env.write(
        "project/hooks/tests/cases/b.yaml",
        &format!("{B}tags: [new]\n"),
    );
    assert!(watching.until_it_waits().contains("✓ 1 passed"));
    assert_eq!(watching.ends_with(), Some(1));
}

#[test]
fn hooks_that_write_into_their_package_are_not_run_for_ever() {
    let env = package("echo x >> \"$PACKAGE_ROOT/log\"\n");
    let mut watching = Watching::start(&env, &["-j", "1"]);
    watching.until_it_waits();
    // Once more, because it may have been the person who wrote; then no more.
    assert!(watching.until_it_waits().contains("✓ 2 passed"));
    env.write(
        "project/hooks/tests/cases/b.yaml",
        &format!("{B}tags: [new]\n"),
    );
    let asked = watching.until_it_waits();
    assert!(asked.contains("✓ 1 passed"), "{asked}");
    assert_eq!(watching.ends_with(), Some(0));
}

#[test]
fn what_did_not_change_since_it_passed_is_not_run() {
    let env = package("exit 0\n");
    let changed = || {
        let left = test(&env, &["--changed", "-j", "1", "-v"]);
        let lines = left.stdout.lines().filter(|line| !line.contains("network"));
        let names = lines.filter_map(|line| line.split_whitespace().nth(2));
        (left.code, names.map(str::to_owned).collect::<Vec<_>>())
    };
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(changed(), (0, names(&["a", "b"])), "nothing passed yet");
    let nothing = test(&env, &["--changed"]);
    assert_eq!(
        (nothing.code, nothing.stdout.contains("nothing to run")),
        (4, true)
    );
    env.write(
        "project/hooks/tests/cases/b.yaml",
        &format!("{B}input: {{fixture: fixtures/stop.json}}\n"),
    );
    env.write(
        "project/hooks/tests/fixtures/stop.json",
        "{\"hookEventName\": \"stop\"}",
    );
    assert_eq!(changed(), (0, names(&["b"])));
    env.write(
        "project/hooks/tests/fixtures/stop.json",
        "{\"hookEventName\": \"stop\", \"x\": 1}",
    );
    assert_eq!(changed(), (0, names(&["b"])));
    // What it was before is what passed before, and not what passed last.
    env.write("project/hooks/stop.sh", "exit 2\n");
    assert_eq!(changed().0, 1);
    assert_eq!(changed().0, 1, "what fails did not pass");
    env.write("project/hooks/stop.sh", "exit 0\n");
    assert_eq!(changed(), (0, names(&["a", "b"])));
    // A report of the run is no file of the package.
    let report = ["--changed", "--report", "junit=hooks/report.xml"];
    assert_eq!(test(&env, &report).code, 4);
    assert_eq!(test(&env, &["--report", "junit=hooks/report.xml"]).code, 0);
    assert_eq!(test(&env, &report).code, 4);
}

#[test]
fn expectations_are_blessed_and_the_change_is_shown() {
    let env = package("echo nope >&2; exit 2\n");
    let case = "# why\nname: a\nevent: stop\nexpected:\n  exit-code: 0 # as ever\n";
    env.write("project/hooks/tests/cases/a.yaml", case);
    let left = test(&env, &["--bless", "--case", "a"]);
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        left.stdout
            .contains("  -   exit-code: 0 # as ever\n  +   exit-code: 2 # as ever\n"),
        "{left:?}"
    );
    let now = std::fs::read_to_string(env.path("project/hooks/tests/cases/a.yaml")).unwrap();
    assert_eq!(now, case.replace("code: 0", "code: 2"));
    assert_eq!(test(&env, &["--case", "a"]).code, 0);
    let again = test(&env, &["--bless", "--case", "a"]);
    assert!(again.stdout.contains("nothing to bless"), "{again:?}");

    // Who may read it stays, and where a link leads to it, so does the link.
    let [file, real] =
        ["project/hooks/tests/cases/a.yaml", "project/a.yaml"].map(|name| env.path(name));
    std::fs::rename(&file, &real).unwrap();
    std::os::unix::fs::symlink("../../../a.yaml", &file).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    env.write("project/hooks/stop.sh", "echo nope >&2; exit 3\n");
    test(&env, &["--bless", "--case", "a"]);
    assert!(std::fs::read_to_string(&real).unwrap().contains("code: 3"));
    assert!(file.is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    env.write("project/hooks/stop.sh", "echo nope >&2; exit 2\n");
    test(&env, &["--bless", "--case", "a"]);

    // A refusal that goes away is not blessed without a word.
    env.write("project/hooks/stop.sh", "exit 0\n");
    let softer = test(&env, &["--bless", "--case", "a"]);
    assert!(
        softer
            .stdout
            .contains("this case expected a refusal, and does not any more"),
        "{softer:?}"
    );
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
    let left = test(&env, &["--bless", "--case", "a"]);
    assert_eq!(left.code, 1, "{left:?}");
    assert!(
        left.stdout.contains("NONDETERMINISTIC") && left.stdout.contains("1 not blessed"),
        "{left:?}"
    );
    let now = std::fs::read_to_string(env.path("project/hooks/tests/cases/a.yaml")).unwrap();
    assert_eq!(now, A);
}

#[test]
fn ctrl_c_ends_the_hooks_and_takes_the_folders_away() {
    let env = package("echo $$ > \"$PACKAGE_ROOT/started\"; sleep 302\n");
    let fifo = env.path("project/started");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut child = env
        .command(&["test", "--case", "a"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    // It is there when the hook writes.
    let pid = std::fs::read_to_string(&fifo).unwrap();
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
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(env.path("project"))
        .env_clear()
        .env("HOME", env.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn progress_is_shown_on_a_terminal_and_nowhere_else() {
    let env = package("exit 0\n");
    let shown = on_a_terminal(&env, "-j 1");
    assert!(
        shown.contains("1 of 2") && shown.contains("\r\u{1b}[2K"),
        "{shown:?}"
    );
    let piped = test(&env, &["-j", "1"]);
    assert_eq!(piped.stderr, "");
    assert!(!piped.stdout.contains("1 of 2"), "{piped:?}");
}

#[test]
fn each_flag_of_the_command_line_reaches_the_run() {
    let env = package("exit 0\n");
    env.write(
        "project/hooks/tests/cases/c.yaml",
        &format!(
            "{}tags: [slow]\n",
            A.replace("name: a", "name: c")
                .replace("code: 0", "code: 2")
        ),
    );
    let count = |args: &[&str]| {
        test(&env, &[args, &["--format", "json"]].concat()).json()["cases"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(&["--tag", "slow"]), 1);
    assert_eq!(count(&["--tool", "Bash"]), 0);
    assert_eq!(count(&["--event", "Stop", "--case", "[ab]"]), 0);
    assert_eq!(count(&["--event", "Stop", "--case", "a", "--case", "b"]), 2);
    assert_eq!(count(&["-j", "2", "--repeat", "2"]), 3);
    env.write(
        "project/hooks/tests/cases/0.yaml",
        &A.replace("name: a", "name: zero")
            .replace("code: 0", "code: 2"),
    );
    assert_eq!(count(&["--fail-fast", "-j", "1"]), 1);
    let both = test(
        &env,
        &["--report", "junit=one.xml", "--report", "json=two.json"],
    );
    assert_eq!(both.code, 1);
    assert!(
        std::fs::read_to_string(env.path("project/one.xml"))
            .unwrap()
            .contains("tests=\"4\"")
    );
    let two = std::fs::read_to_string(env.path("project/two.json")).unwrap();
    assert!(two.contains("\"failed\": 2"), "{two}");
    for (args, code) in [
        (&["--watch", "--bless"][..], 64),
        (&["--bless", "--list"], 64),
        (&["-j", "0"], 64),
    ] {
        assert_eq!(test(&env, args).code, code, "{args:?}");
    }
}

#[test]
fn what_takes_long_is_marked() {
    let env = package("sleep 1.1\n");
    let left = test(&env, &["--case", "a"]);
    assert!(
        left.stdout.contains("✓ pass  a") && left.stdout.contains("SLOW"),
        "{left:?}"
    );
}
