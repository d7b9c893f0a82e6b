//! The program: `anyhook run` on an event for which no hook is there, beside `/bin/true`, interleaved.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook_benches::{Contender, interleave, table};

const PAYLOAD: &str = r#"{"session_id":"s","transcript_path":"/tmp/t.jsonl","cwd":"/","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"npm test","description":"Run unit tests"},"tool_use_id":"toolu_01"}"#;

fn main() {
    let Some(program) = program() else {
        println!("process: no release build of anyhook; run: cargo build --release -p anyhook-cli");
        return;
    };
    let (rounds, times) = if std::env::args().any(|arg| arg == "--bench") {
        (201, 1)
    } else {
        (3, 1)
    };
    let empty = std::env::temp_dir().join(format!("anyhook-bench-{}", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a folder for an empty home");
    let measured = interleave(
        rounds,
        times,
        vec![
            Contender::new("/bin/true (floor)", || {
                spawn(Path::new("/bin/true"), &[], &empty)
            }),
            Contender::new("anyhook run, no hook there", || {
                spawn(&program, &["run", "--host", "claude-code"], &empty)
            }),
            Contender::new("sh -c true", || {
                spawn(Path::new("/bin/sh"), &["-c", "true"], &empty)
            }),
        ],
    );
    println!(
        "{}",
        table("one process per event, payload by pipe", &measured)
    );
    std::fs::remove_dir_all(&empty).expect("our own folder goes away");
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

fn spawn(program: &Path, args: &[&str], home: &Path) -> bool {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(home)
        .env("HOME", home)
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input, such as true, closes the pipe: that is no failure here.
        let _ = stdin.write_all(PAYLOAD.as_bytes());
    }
    child
        .wait_with_output()
        .is_ok_and(|output| output.status.success())
}
