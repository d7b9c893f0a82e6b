//! A command hook of a trusted project, which runs from its copy, beside the same hook of a person.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook::trust::Trust;
use anyhook_benches::{Claim, Contender, Measured, claims, interleave, program, settle, table};

fn main() {
    let Some(program) = program() else {
        println!("trusted: no release build of anyhook; run: cargo build --release -p anyhook-cli");
        return;
    };
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { 401 } else { 3 };
    let own = Place::own().expect("a home");
    let trusted = Place::trusted().expect("a project");
    let fresh = asked((&own, &trusted), &program, rounds);
    println!("{}", table("in the first seconds after the trust", &fresh));
    if is_bench {
        settle(|| {
            own.ask(&program);
            trusted.ask(&program);
        });
    }
    let settled = asked((&own, &trusted), &program, rounds);
    println!(
        "{}",
        table("one event with one hook, a script of sh", &settled)
    );
    let said = [Claim::at_most(
        "a trusted run, us over a hook of a person",
        over(&settled),
        60.0,
    )];
    println!("{}", claims(&said));
}

fn asked((own, trusted): (&Place, &Place), program: &Path, rounds: usize) -> Vec<Measured> {
    let contenders = vec![
        Contender::new("a hook of a person", || own.ask(program)),
        Contender::new("the same hook of a trusted project", || {
            trusted.ask(program);
        }),
    ];
    interleave(rounds, 1, contenders)
}

/// How many microseconds the second one takes more.
fn over(measured: &[Measured]) -> f64 {
    match (measured.first(), measured.get(1)) {
        (Some(first), Some(second)) => (second.ratio[0] - 1.0) * first.median * 1e6,
        _ => f64::NAN,
    }
}

/// A home with a project in it.
struct Place(tempfile::TempDir);

impl Place {
    fn own() -> io::Result<Self> {
        let place = Self::new()?;
        Self::hook(&place.home().join(".config/anyhook"))?;
        Ok(place)
    }

    fn trusted() -> io::Result<Self> {
        let place = Self::new()?;
        let manifest = Self::hook(&place.home().join("project/hooks"))?;
        let trust = Trust::new(place.home().join(".local/state/anyhook/trust"));
        trust.pin(&manifest, 0).map_err(io::Error::other)?;
        trust.settle(&manifest);
        Ok(place)
    }

    fn new() -> io::Result<Self> {
        let place = Self(tempfile::tempdir()?);
        fs::create_dir_all(place.home().join("project/.git"))?;
        Ok(place)
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// Writes a hook into a folder, and returns its manifest.
    fn hook(folder: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(folder.join("scripts"))?;
        let script = folder.join("scripts/look.sh");
        fs::write(&script, "exit 0\n")?;
        let command = serde_json::json!({"type": "command", "command": "sh", "args": [script]});
        let hooks = serde_json::json!([{"matcher": "Bash", "hooks": [command]}]);
        let text = serde_json::json!({"version": 1, "hooks": {"pre-tool-use": hooks}});
        let manifest = folder.join("hooks.json");
        fs::write(&manifest, text.to_string())?;
        Ok(manifest)
    }

    fn ask(&self, program: &Path) {
        let payload = serde_json::json!({
            "session_id": "s", "cwd": self.home().join("project"), "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "npm test"},
        });
        let mut child = Command::new(program)
            .args(["run", "--host", "claude-code"])
            .current_dir(self.home().join("project"))
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        write!(stdin, "{payload}").expect("it reads");
        drop(stdin);
        let left = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&left.stdout);
        assert!(left.status.success() && !said.contains("ask"), "{left:?}");
    }
}
