//! A person at a real terminal: a session asks on `/dev/tty`, in a process that has one of its own.
//!
//! An agent may run these tests, and below an agent no person is asked. So the process that asks is started from a shell
//! that owns the terminal, and has no parent but the system.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhook::Session;
use anyhook::approvers::Terminal;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::question::{Choice, DefaultAnswer, Question};
use anyhook::core::result::HookResult;
use anyhook::session::Setup;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

/// Where the asking process writes what became of it, and how long it asks.
const LEFT: &str = "ANYHOOK_TEST_LEFT";
const TIMEOUT: &str = "ANYHOOK_TEST_TIMEOUT_MS";
/// No step of a test takes this long.
const PATIENCE: Duration = Duration::from_mins(1);
/// So long is looked before a line is typed again.
const MOMENT: Duration = Duration::from_millis(100);

fn question(prompt: &str, options: serde_json::Value) -> Question {
    let timeout: u64 = std::env::var(TIMEOUT).unwrap().parse().unwrap();
    Question {
        options: serde_json::from_value::<Vec<Choice>>(options).unwrap(),
        timeout: Duration::from_millis(timeout),
        default: DefaultAnswer::Allow,
        ..Question::new(prompt)
    }
}

/// What runs on the terminal: two hooks ask about one action, and one of them rewrites it. Run by itself it asks nothing.
#[test]
#[ignore = "asks on a terminal that the other tests make"]
fn asking() {
    let Some(file) = std::env::var_os(LEFT) else {
        return;
    };
    let setup = Setup {
        approvers: vec![std::sync::Arc::new(Terminal::default())],
        ..Setup::default()
    };
    let session = Session::with("s1", setup);
    let ask = |name: &str, question: Question, rewrites: bool| {
        let handler = move |_: &Event| {
            let said = HookResult::asks(question.clone());
            if rewrites {
                return said.modify("tool_input", json!({"command": "pnpm publish"}));
            }
            said
        };
        session
            .hooks()
            .register(Hook::on("tool:pre", handler).named(name));
    };
    ask(
        "release",
        question("publish to the registry?", json!([])),
        true,
    );
    let options = json!([{"label": "Go", "grants": "proceed", "remember": "session"}, {"label": "Stop", "grants": "deny"}]);
    ask("freeze", question("the branch is frozen", options), false);
    let data = json!({"tool_name": "Bash", "tool_input": {"command": "npm publish"}});
    let acted = session.emit_blocking("tool:pre", data);
    let verdict = acted.processed.result.verdict;
    let left = format!("{:?} {}\n", verdict.kind(), verdict.text());
    std::fs::write(file, left).unwrap();
}

/// A terminal, and a process that asks on it.
struct Person {
    pty: Pty,
    shown: String,
    shell: Child,
    folder: tempfile::TempDir,
}

/// The shell owns the terminal and waits; the process that asks is no child of it.
const ORPHAN: &str =
    r#"exec 3<&0; ({ "$0" "$@" <&3 >/dev/null 2>&1 && mv left.new left; : >done; } &); cat done"#;
/// The process that asks is below an agent.
const BELOW: &str = r#"printf '%s\n' '#!/bin/sh' '"$@" >/dev/null 2>&1; mv left.new left' >claude; chmod +x claude; ./claude "$0" "$@""#;

impl Person {
    /// Starts the process that asks, with these lines on its standard input.
    fn before(script: &str, timeout: Duration, stdin: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            folder.path().join("done"),
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        )
        .unwrap();
        let (pty, pts) = open().unwrap();
        let command = Command::new("/bin/sh")
            .args(["-c", script])
            .arg(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "terminal::asking"])
            .current_dir(folder.path())
            .env(LEFT, folder.path().join("left.new"))
            .env(TIMEOUT, timeout.as_millis().to_string())
            .stdin(Stdio::piped());
        let mut shell = command.spawn(pts).unwrap();
        shell.stdin.take().unwrap().write_all(stdin).unwrap();
        Self {
            pty,
            shown: String::new(),
            shell,
            folder,
        }
    }

    /// Reads what is shown, if there is something within this time.
    fn read(&mut self, within: Duration) {
        let time = Timespec::try_from(within).unwrap();
        let mut waited = [PollFd::new(&self.pty, PollFlags::IN)];
        if poll(&mut waited, Some(&time)).unwrap() == 0 {
            return;
        }
        let mut bytes = [0; 1024];
        // A terminal that the last process left is an error on Linux.
        let count = self.pty.read(&mut bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..count]).replace("\r\n", "\n");
        self.shown.push_str(&text);
    }

    /// Waits for these words.
    fn sees(&mut self, words: &str) {
        let began = Instant::now();
        while !self.shown.contains(words) {
            assert!(began.elapsed() < PATIENCE, "{}", self.shown);
            self.read(MOMENT);
        }
    }

    /// Types a line until it was heard: what is typed before a question stands there is forgotten.
    fn types(&mut self, line: &str, until: impl Fn(&str, &Path) -> bool) {
        let began = Instant::now();
        loop {
            let typed = Instant::now();
            let _ = self.pty.write_all(format!("{line}\n").as_bytes());
            while typed.elapsed() < 3 * MOMENT {
                self.read(MOMENT);
                if until(&self.shown, self.folder.path()) {
                    return;
                }
            }
            assert!(began.elapsed() < PATIENCE, "{}", self.shown);
        }
    }

    /// Returns what became of the action, and everything that was shown.
    fn left(mut self) -> (String, String) {
        let began = Instant::now();
        while self.shell.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "{}", self.shown);
            self.read(MOMENT);
        }
        self.read(Duration::ZERO);
        let left = std::fs::read_to_string(self.folder.path().join("left"));
        (left.unwrap_or_default(), self.shown)
    }
}

fn is_over(_: &str, folder: &Path) -> bool {
    folder.join("left").exists() || folder.join("left.new").exists()
}

fn second(shown: &str, _: &Path) -> bool {
    shown.contains("freeze asks:")
}

#[test]
fn a_person_at_a_terminal_reads_the_exact_action_and_its_diff_and_answers_all_questions_in_one_dialog()
 {
    let mut person = Person::before(ORPHAN, Duration::from_mins(10), b"");
    person.sees("Your choice");
    person.types("yes", second);
    person.types("Go", is_over);
    let (left, shown) = person.left();
    assert_eq!(left, "Continue \n", "{shown}");
    for part in [
        "anyhook: tool:pre, this exact action:\n",
        "pnpm publish",
        "Hooks changed it:\n",
        "release asks:\n  publish to the registry?\n  1  Allow (this once)\n  2  Deny (refuse)\n",
        "freeze asks:\n  the branch is frozen\n  1  Go (this exact action, until the session ends)\n  2  Stop (refuse)\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let diff = |sign: char, word: &str| {
        shown
            .lines()
            .any(|line| line.trim_start().starts_with(sign) && line.contains(word))
    };
    assert!(
        diff('-', "\"npm publish\"") && diff('+', "\"pnpm publish\""),
        "{shown}"
    );
    assert_eq!(shown.matches("this exact action:").count(), 1);
}

#[test]
fn standard_input_answers_nothing_and_one_no_on_the_terminal_refuses() {
    let mut person = Person::before(ORPHAN, Duration::from_mins(10), b"yes\nGo\nyes\nGo\n");
    person.sees("Your choice");
    person.types("no", is_over);
    let (left, shown) = person.left();
    assert!(left.starts_with("Deny "), "{left} {shown}");
    assert!(!second(&shown, Path::new("")), "{shown}");
}

#[test]
fn below_an_agent_nothing_is_drawn_and_no_person_to_ask_is_a_refusal() {
    let person = Person::before(BELOW, Duration::from_mins(10), b"");
    let (left, shown) = person.left();
    assert_eq!((left.split(' ').next(), &*shown), (Some("Deny"), ""));
}
