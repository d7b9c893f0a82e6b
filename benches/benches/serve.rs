//! An event over a kept connection of `anyhook serve`, beside a start of `/bin/true`; and many clients at once.
//!
//! Needs a release build: `cargo build --release -p anyhook-serve`. `ANYHOOK_SECONDS` says how long the 64 clients ask.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench without its server has nothing to measure"
)]

#[path = "../../crates/serve/tests/it/client.rs"]
#[allow(dead_code, reason = "the tests of the server use the rest")]
mod client;

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{BufRead as _, BufReader, copy, sink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhook::trust::Trust;
use anyhook_benches::{Claim, Contender, claims, interleave, settle, table, target};
use client::Connection;

const RULES: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
    {"name": "no-push", "type": "rule", "when": "runs('git push', '--force')", "then": {"deny": "push a new commit"}},
    {"name": "no-rm", "type": "rule", "when": "runs('rm')", "then": {"deny": "move it away"}}]}]}}"#;

/// A server in a home of its own.
struct Served {
    process: Child,
    home: tempfile::TempDir,
    token: String,
    address: String,
}

impl Served {
    fn start(program: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let manifest = home.path().join("project/hooks/hooks.json");
        fs::create_dir_all(manifest.parent().unwrap()).unwrap();
        fs::write(&manifest, RULES).unwrap();
        let trust = Trust::new(home.path().join(".local/state/anyhook/trust"));
        trust.pin(&manifest, 0).unwrap();
        let command = |args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).env_clear().env("HOME", home.path());
            command
        };
        let token = command(&["--token", "bench"]).output().unwrap().stdout;
        let mut process = command(&["--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        std::thread::spawn(move || copy(&mut said, &mut sink()));
        let address = line.split(", ").find(|part| part.starts_with("127."));
        let address = address.and_then(|part| part.split(' ').next());
        Self {
            process,
            token: String::from_utf8(token).unwrap().trim().to_owned(),
            address: address.expect("the server says its port").to_owned(),
            home,
        }
    }

    fn socket(&self) -> PathBuf {
        self.home.path().join(".local/state/anyhook/serve/socket")
    }

    /// Posts an event that was not there before, and tells whether it was refused.
    fn ask(&self, on: &mut Connection, number: usize) -> bool {
        let project = self.home.path().join("project");
        let event = serde_json::json!({
            "session_id": format!("s-{}", number % 64), "transcript_path": "/t.jsonl", "cwd": project,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": format!("rm file-{number}")}, "tool_use_id": format!("t-{number}"),
        });
        let path = "/v1/hosts/claude-code/events";
        let answer = on.post(path, &self.token, event.to_string().as_bytes());
        answer.status == 200 && answer.body.contains("\"deny\"")
    }

    fn resident_kib(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn main() {
    let program = target().join("release/anyhook-serve");
    if !program.is_file() {
        println!("serve: no release build; run: cargo build --release -p anyhook-serve");
        return;
    }
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let served = Served::start(&program);
    if is_bench {
        let mut on = Connection::port(&served.address);
        let mut number = 0;
        settle(|| {
            number += 1;
            served.ask(&mut on, number)
        });
    }
    let asked = one(&served, if is_bench { 401 } else { 3 });
    let told = std::env::var("ANYHOOK_SECONDS").ok();
    let told = told.and_then(|seconds| seconds.parse().ok());
    let seconds = told.unwrap_or(if is_bench { 60 } else { 1 });
    many(&served, seconds, asked);
}

/// Measures one event at a time, and returns how many there were.
fn one(served: &Served, rounds: usize) -> usize {
    let number = Cell::new(0);
    let next = || {
        number.set(number.get() + 1);
        number.get()
    };
    let socket = RefCell::new(Connection::socket(&served.socket()));
    let port = RefCell::new(Connection::port(&served.address));
    let contenders = vec![
        Contender::new("a start of /bin/true", || {
            let status = Command::new("/bin/true").status();
            status.is_ok_and(|status| status.success())
        }),
        Contender::new("an event over the socket", || {
            served.ask(&mut socket.borrow_mut(), next())
        }),
        Contender::new("an event over the port", || {
            served.ask(&mut port.borrow_mut(), next())
        }),
    ];
    let measured = interleave(rounds, 1, contenders);
    println!("{}", table("one event", &measured));
    let ratio = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.ratio[0]);
    let said = [
        Claim::at_most(
            "an event over the socket, of a start of /bin/true",
            ratio(1),
            0.8,
        ),
        Claim::at_most(
            "an event over the port, of a start of /bin/true",
            ratio(2),
            0.8,
        ),
    ];
    println!("{}", claims(&said));
    number.get()
}

/// Asks from 64 clients for some seconds, and says how many answers were lost, and what the memory was at each sixth of the time.
fn many(served: &Served, seconds: u64, first: usize) {
    let began = Instant::now();
    let end = Duration::from_secs(seconds);
    let (asked, lost) = (AtomicUsize::new(first), AtomicUsize::new(0));
    let answered = || asked.load(Ordering::Relaxed) - first;
    println!("64 clients for {seconds} s, resident memory:");
    println!("{:>10} events {:>8} KiB", 0, served.resident_kib());
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut kept = Connection::port(&served.address);
                while began.elapsed() < end {
                    let number = asked.fetch_add(1, Ordering::Relaxed) + 1;
                    if !served.ask(&mut kept, number) {
                        lost.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for sixth in 1..=6 {
            std::thread::sleep((end * sixth / 6).saturating_sub(began.elapsed()));
            println!("{:>10} events {:>8} KiB", answered(), served.resident_kib());
        }
    });
    println!("{} answers were lost", lost.into_inner());
}
