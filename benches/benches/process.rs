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

use anyhook_benches::{Claim, Contender, claims, interleave, program, table};

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
    let common = home("common", &COMMON);
    let lists = home("lists", &LISTS);
    let mut run = vec![
        Contender::new("anyhook run, no hook there", || {
            spawn(&program, &["run", "--host", "claude-code"], &empty)
        }),
        Contender::new(
            "anyhook run, five rules of comparisons and commands",
            || spawn(&program, &["run", "--host", "claude-code"], &common),
        ),
        Contender::new("anyhook run, five rules with lists and patterns", || {
            spawn(&program, &["run", "--host", "claude-code"], &lists)
        }),
    ];
    run.push(Contender::new("/bin/true", || {
        spawn(Path::new("/bin/true"), &[], &empty)
    }));
    run.push(Contender::new("sh -c true", || {
        spawn(Path::new("/bin/sh"), &["-c", "true"], &empty)
    }));
    let measured = interleave(rounds, times, run);
    println!(
        "{}",
        table("one process per event, payload by pipe", &measured)
    );
    let to = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.ratio[0]);
    let said = [
        Claim::at_most(
            "five rules of comparisons and commands, to no hook",
            to(1),
            1.3,
        ),
        Claim::at_most("five rules with lists and patterns, to no hook", to(2), 1.3),
    ];
    println!("{}", claims(&said));
    for folder in [empty, common, lists] {
        std::fs::remove_dir_all(&folder).expect("our own folder goes away");
    }
}

const COMMON: [&str; 5] = [
    "tool_input.command.contains('rm -rf')",
    "runs('git push', '--force')",
    "touches('**/.env', '**/*.pem')",
    "tool_input.command.startsWith('sudo ') || tool_input.command.endsWith('| sh')",
    "permission_mode == 'plan' && !only_runs('ls')",
];

const LISTS: [&str; 5] = [
    "tool_input.command.matches('rm +-rf')",
    "['push', 'pull'].exists(verb, tool_input.command.contains(verb))",
    "tool_input.command.matches('^ *(sudo|doas) ')",
    "['.env', '.pem'].all(ending, tool_input.command.endsWith(ending))",
    "size(tool_input.command) > 4000 || 'file_path' in tool_input",
];

/// A home whose own hooks are these rules; none of them holds.
fn home(name: &str, rules: &[&str]) -> PathBuf {
    let home = std::env::temp_dir().join(format!("anyhook-bench-{name}-{}", std::process::id()));
    let config = home.join(".config/anyhook");
    std::fs::create_dir_all(&config).expect("a folder for a home");
    let rule = |when: &&str| format!(r#"{{"type":"rule","when":"{when}","then":{{"deny":"no"}}}}"#);
    let rules: Vec<String> = rules.iter().map(rule).collect();
    let manifest = format!(
        r#"{{"version":1,"hooks":{{"pre-tool-use":[{{"matcher":"Bash","hooks":[{}]}}]}}}}"#,
        rules.join(",")
    );
    std::fs::write(config.join("hooks.json"), manifest).expect("a manifest");
    home
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
