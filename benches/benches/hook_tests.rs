//! The test runner: 200 cases that each start a three-line script, beside 200 bare starts, pytest and bats, in one run.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`. pytest is
//! found on `PATH` (or by `ANYHOOK_PYTEST`), bats too; what is not there is not measured, and that is said.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhook_benches::{Claim, Contender, Measured, claims, interleave, table};

/// How many cases there are.
const CASES: usize = 200;

/// How many of them run at once.
const JOBS: usize = 2;

/// What each of them starts.
const SCRIPT: &str = "read -r event\ncase \"$event\" in *forbidden*) exit 2 ;; esac\nexit 0\n";

fn main() {
    let Some(program) = program() else {
        println!(
            "hook_tests: no release build of anyhook; run: cargo build --release -p anyhook-cli"
        );
        return;
    };
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let cases = if is_bench { CASES } else { 4 };
    let place = std::env::temp_dir().join(format!("anyhook-bench-tests-{}", std::process::id()));
    let suite = Suite::write(&place, cases, &program);
    let (ours, each) = (suite.package("ours", ""), suite.package("each", EACH));
    let floor = || suite.bare();
    let ours = || suite.run(hook_tests(&program), &ours);
    let each = || suite.run(hook_tests(&program), &each);
    let rounds = if is_bench { 15 } else { 1 };
    let floors = interleave(
        rounds,
        1,
        vec![
            Contender::new("bare starts of the script, 2 jobs (floor)", floor),
            Contender::new("anyhook test", ours),
            Contender::new("anyhook test, isolate: each", each),
        ],
    );
    println!("{}", table(&format!("{cases} cases, {JOBS} jobs"), &floors));
    let others = suite.others(if is_bench { 3 } else { 1 }, &ours);
    println!("{}", claims(&[bounds(&floors), others].concat()));
    fs::remove_dir_all(&place).expect("our own folder goes away");
}

fn hook_tests(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["test", "-j", &JOBS.to_string()]);
    command
}

const EACH: &str = r#"{"version": 1, "isolate": "each"}"#;

fn bounds(measured: &[Measured]) -> Vec<Claim> {
    let ratio = |at: usize| measured.get(at).map_or(f64::NAN, |row| row.ratio[0]);
    vec![
        Claim::at_most("anyhook test, to bare starts", ratio(1), 1.3),
        Claim::at_most(
            "anyhook test with isolate: each, to bare starts",
            ratio(2),
            1.6,
        ),
    ]
}

/// The same cases in every form.
struct Suite {
    place: PathBuf,
    script: PathBuf,
    cases: usize,
    /// What each script reads: a shell reads it letter by letter, so everybody sends the line that ours sends.
    payload: String,
}

impl Suite {
    fn write(place: &Path, cases: usize, program: &Path) -> Self {
        let mut suite = Self {
            place: place.to_path_buf(),
            script: place.join("guard.sh"),
            cases: 1,
            payload: String::new(),
        };
        suite.file("home/.keep", "");
        // The name of the package, which the line holds, is as long as that of the others.
        suite.file("guard.sh", &format!("cat > {}/payload", place.display()));
        let listening = suite.package("hear", "");
        suite.run(hook_tests(program), &listening);
        let heard = fs::read_to_string(place.join("payload")).expect("what the script heard");
        heard.trim_end().clone_into(&mut suite.payload);
        suite.cases = cases;
        suite.file("guard.sh", SCRIPT);
        let (script, payload) = (suite.script.display(), &suite.payload);
        let one = |at: usize| {
            format!(
                "def test_{at}():\n    ran = subprocess.run(['sh', '{script}'], input='{payload}\\n', text=True, \
                 capture_output=True)\n    assert ran.returncode == 0\n"
            )
        };
        let tests: String = (0..cases).map(one).collect();
        suite.file(
            "pytest/test_guard.py",
            &format!("import subprocess\n{tests}"),
        );
        let one = |at: usize| {
            format!(
                "@test \"case {at}\" {{\n  run sh '{script}' <<< '{payload}'\n  [ \"$status\" -eq 0 ]\n}}\n"
            )
        };
        let tests: String = (0..cases).map(one).collect();
        suite.file("bats/guard.bats", &tests);
        suite
    }

    fn file(&self, name: &str, text: &str) {
        let file = self.place.join(name);
        let folder = file.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    /// A package with these cases.
    fn package(&self, name: &str, config: &str) -> PathBuf {
        let script = self.script.display();
        let manifest = format!(
            r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [{{"type": "command", "command": "sh {script}"}}]}}]}}}}"#
        );
        self.file(&format!("{name}/hooks/hooks.json"), &manifest);
        if !config.is_empty() {
            self.file(&format!("{name}/hooks/tests/test-config.json"), config);
        }
        for at in 0..self.cases {
            let case = format!("name: case-{at}\nevent: stop\nexpected:\n  exit-code: 0\n");
            self.file(&format!("{name}/hooks/tests/cases/{at:03}.yaml"), &case);
        }
        self.place.join(name)
    }

    /// Starts the script as often as there are cases, and does nothing else.
    fn bare(&self) -> usize {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..JOBS {
                scope.spawn(|| {
                    while next.fetch_add(1, Ordering::Relaxed) < self.cases {
                        self.once();
                    }
                });
            }
        });
        next.into_inner()
    }

    fn once(&self) {
        use std::io::Write as _;
        let mut child = self
            .clean(&mut Command::new("/bin/sh"))
            .arg(&self.script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the script starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let line = format!("{}\n", self.payload);
        stdin.write_all(line.as_bytes()).expect("the script reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the script ends");
        assert!(output.status.success());
    }

    /// Gives everybody the same few variables: `cargo bench` sets some that make each start of a program slower.
    fn clean<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.place.join("home"))
            .env("LANG", "C.UTF-8")
    }

    /// Runs a command in a folder, which has to succeed.
    fn run(&self, mut command: Command, folder: &Path) -> bool {
        let output = self
            .clean(&mut command)
            .current_dir(folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{command:?}: {output:?}");
        true
    }

    /// Measures the others, as far as they are there.
    fn others(&self, rounds: usize, ours: &dyn Fn() -> bool) -> Vec<Claim> {
        let mut held = Vec::new();
        let others = [
            ("pytest", pytest as fn() -> Command, 4.0),
            ("bats", bats, 40.0),
        ];
        for (name, line, wanted) in others {
            if !is_there(line()) {
                println!("\n{name}: not available");
                continue;
            }
            let folder = self.place.join(name);
            let measured = interleave(
                rounds,
                1,
                vec![
                    Contender::new("anyhook test", ours),
                    Contender::new(name, || self.run(line(), &folder)),
                ],
            );
            println!(
                "{}",
                table(&format!("{} cases, beside {name}", self.cases), &measured)
            );
            let ratio = measured.get(1).map_or(f64::NAN, |row| row.ratio[0]);
            held.push(Claim::at_least(
                &format!("{name}, to anyhook test"),
                ratio,
                wanted,
            ));
        }
        held
    }
}

fn pytest() -> Command {
    let mut command = Command::new(named("ANYHOOK_PYTEST", "pytest"));
    command.args(["-q", "-p", "no:cacheprovider", "test_guard.py"]);
    command
}

fn bats() -> Command {
    let mut command = Command::new(named("ANYHOOK_BATS", "bats"));
    command.arg("guard.bats");
    command
}

fn named(variable: &str, name: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| name.into(), PathBuf::from)
}

fn is_there(mut command: Command) -> bool {
    let program = command.get_program().to_owned();
    command = Command::new(program);
    let asked = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ANYHOOK_BIN").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    named
        .into_iter()
        .chain([target.join("release/anyhook")])
        .find(|program| program.is_file())
}
