//! `anyhook` with a person at a real terminal: what is shown, what is typed, and Ctrl-C.
//!
//! An agent may run these tests, and below an agent no person is asked. So the program is started from a shell that owns
//! the terminal, and has no parent but the system. Ctrl-C is the character: the terminal makes the signal of it.

use std::io::{Read as _, Write as _};
use std::process::Child;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::env::{Shows as _, TestEnv};

/// No step of a test takes this long.
const PATIENCE: Duration = Duration::from_mins(1);
/// So long is looked before a line is typed again.
const MOMENT: Duration = Duration::from_millis(100);

/// The shell hears no Ctrl-C, and is there until the program has ended. A program in the background of a shell ignores it
/// too, unless it listens itself.
const ORPHAN: &str = r#"trap '' INT; exec 3<&0
({ "$@" <&3; echo $? >code.new; mv code.new code; : >done; } &)
cat done"#;

/// A terminal, and the program on it.
pub(crate) struct Person<'e> {
    env: &'e TestEnv,
    pty: Pty,
    shown: String,
    shell: Child,
}

impl<'e> Person<'e> {
    /// Starts the program in the project.
    pub(crate) fn runs(env: &'e TestEnv, args: &[&str]) -> Self {
        let done = env.path("project/done");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, done, mode).unwrap();
        let (pty, pts) = open().unwrap();
        let shell = Command::new("/bin/sh")
            .args(["-c", ORPHAN, "sh", env!("CARGO_BIN_EXE_anyhook")])
            .args(args)
            .current_dir(env.path("project"))
            .env_clear()
            .env("HOME", env.path("home"))
            .env("TMPDIR", env.path("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("NO_COLOR", "1")
            .spawn(pts)
            .unwrap();
        Self {
            env,
            pty,
            shown: String::new(),
            shell,
        }
    }

    /// Reads what is shown, if there is something within a moment.
    fn looks(&mut self) {
        let time = Timespec::try_from(MOMENT).unwrap();
        let mut waited = [PollFd::new(&self.pty, PollFlags::IN)];
        if poll(&mut waited, Some(&time)).unwrap() == 0 {
            return;
        }
        let mut bytes = [0; 4096];
        // A terminal that the last process left is an error on Linux.
        let count = self.pty.read(&mut bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..count]).replace("\r\n", "\n");
        self.shown.push_str(&text);
        if count == 0 {
            std::thread::yield_now();
        }
    }

    /// Waits until this holds.
    fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < PATIENCE, "{what}: {}", self.shown);
            self.looks();
        }
    }

    pub(crate) fn sees(&mut self, words: &str) {
        self.until(words, |person| person.shown.contains(words));
    }

    /// Types a line again and again until the program has ended: what is typed before a question stands there is forgotten.
    pub(crate) fn answers(&mut self, line: &str) {
        let began = Instant::now();
        while !self.is_over() {
            assert!(began.elapsed() < PATIENCE, "{line}: {}", self.shown);
            let _ = self.pty.write_all(format!("{line}\n").as_bytes());
            self.looks();
        }
    }

    /// Answers the one question of a command, and returns what `left` does.
    pub(crate) fn decides(env: &'e TestEnv, args: &[&str], answer: &str) -> (i32, String) {
        let mut person = Self::runs(env, args);
        person.sees("[y/N]");
        person.answers(answer);
        person.left()
    }

    fn is_over(&self) -> bool {
        self.env.path("project/code").exists()
    }

    /// Waits until the program has ended and nothing that it started is there; returns its exit code, and what was shown.
    pub(crate) fn left(mut self) -> (i32, String) {
        self.until("it ends", Self::is_over);
        let began = Instant::now();
        while self.shell.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "{}", self.shown);
            self.looks();
        }
        self.until("no process is left", |person| person.processes().is_empty());
        // What it wrote last is still in the terminal.
        let mut before = usize::MAX;
        while before != self.shown.len() {
            before = self.shown.len();
            self.looks();
        }
        let code = std::fs::read_to_string(self.env.path("project/code")).unwrap();
        for of_this_run in ["project/code", "project/done"] {
            std::fs::remove_file(self.env.path(of_this_run)).unwrap();
        }
        (code.trim().parse().unwrap(), self.shown)
    }

    /// The processes of this test: those with its home, whatever session they are in.
    fn processes(&self) -> Vec<String> {
        let home = format!("HOME={}", self.env.path("home").display());
        // Only Linux shows the environment of another process.
        let Ok(all) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        let ours = all.flatten().filter(|one| {
            let environ = std::fs::read(one.path().join("environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == home.as_bytes())
        });
        ours.map(|one| one.file_name().to_string_lossy().into_owned())
            .collect()
    }
}

#[test]
fn a_file_of_which_nothing_would_run_is_not_trusted_and_a_person_reads_what_to_do() {
    let hook = r#"{"hooks": [{"type": "command", "command": "exit 2"}]}"#;
    for (text, told) in [
        (
            format!(r#"{{"version": 2, "hooks": {{"pre-tool-use": [{hook}]}}}}"#),
            "hooks/hooks.json:1:13`: version 2 is not supported",
        ),
        (
            r#"{"version": 1, "hooks": "#.to_owned(),
            "hooks/hooks.json:1:",
        ),
    ] {
        let env = TestEnv::new();
        let file = env.manifest(&text);
        let (code, shown) = Person::runs(&env, &["trust"]).left();
        assert_eq!(code, 65, "{shown}");
        shown.shows(told);
        shown.shows("nothing of this file would run, so it is not trusted");
        shown.shows("anyhook check ");
        assert!(!shown.contains("[y/N]"), "{shown}");
        let trust = anyhook::trust::Trust::new(env.state().join("trust"));
        assert_eq!(trust.standing(&file), anyhook::trust::Standing::Never(None));
    }
}

#[test]
fn an_entry_that_does_not_run_is_shown_as_such_before_its_file_is_trusted() {
    let env = TestEnv::new();
    let file = env.manifest(
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
            {"type": "command", "command": "exit 2", "name": "runs"},
            {"type": "command", "comand": "exit 2", "name": "slip"}]}]}}"#,
    );
    let (code, shown) = Person::decides(&env, &["trust"], "y");
    assert_eq!(code, 0, "{shown}");
    let below = |name: &str| {
        let (_, rest) = shown.split_once(&format!(" {name} ")).unwrap();
        rest.lines().nth(1).unwrap_or_default()
    };
    assert!(below("runs").ends_with("exit 2"), "{shown}");
    assert!(below("slip").contains("does not run: "), "{shown}");
    let trust = anyhook::trust::Trust::new(env.state().join("trust"));
    assert_eq!(trust.standing(&file), anyhook::trust::Standing::Trusted);
}

#[test]
fn what_a_person_trusts_is_recorded_and_can_be_forgotten_when_it_is_gone() {
    let env = TestEnv::new();
    let manifest = env.manifest(
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "rule", "when": "true", "then": {"deny": "frozen"}}]}]}}"#,
    );
    let mut person = Person::runs(&env, &["trust"]);
    person.sees("[y/N]");
    person.answers("y");
    assert_eq!(person.left().0, 0);
    let record = std::fs::read_to_string(env.path("home/.config/anyhook/trusted.json")).unwrap();
    assert!(record.contains(manifest.to_str().unwrap()), "{record}");
    std::fs::remove_dir_all(env.path("project/hooks")).unwrap();
    let call =
        |command: &str| env.claude(&env.pre("Bash", &serde_json::json!({"command": command})));
    let left = call("one");
    let forget = format!("anyhook trust --forget {}", manifest.display());
    left.decides("deny");
    assert!(
        left.stdout.contains(&forget),
        "the question names the command: {left:?}"
    );
    let (code, shown) =
        Person::runs(&env, &["trust", "--forget", manifest.to_str().unwrap()]).left();
    assert!(code == 0 && shown.contains("forgotten"), "{shown}");
    assert_eq!(call("two").stdout, "");
}

#[test]
fn names_and_commands_of_a_stranger_forge_nothing_in_the_question_of_trust() {
    let hostile = "x\u{1b}[2J\u{9b}1m\u{202e}y\n  script hooks/fine.sh\r";
    let env = TestEnv::new();
    let entry = serde_json::json!({"type": "command", "command": hostile, "name": hostile});
    let hooks = serde_json::json!({"version": 1, "hooks": {hostile: [{"hooks": [entry]}]}});
    env.manifest(&hooks.to_string());
    let (_, shown) = Person::decides(&env, &["trust"], "n");
    assert!(
        !shown.contains('\u{202e}') && !shown.contains('\u{9b}'),
        "{shown:?}"
    );
    assert!(!shown.contains("\u{1b}[2J"), "{shown:?}");
    let forged = shown
        .lines()
        .any(|line| line.trim_end() == "  script hooks/fine.sh");
    assert!(!forged, "{shown}");
}
