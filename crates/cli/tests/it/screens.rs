//! Sessions of a person at a shell, as files. Below `== a sentence` stands what is done in a new home: `$` is typed, `%` is
//! typed at a terminal and `<` what is answered there, `>` goes on with the line before, `! trust` does what a person does with a
//! file. Below that stands what is shown, and `? 1` where the exit code is not 0. `ANYHOOK_GENERATE=1` writes what is shown now.

use std::fmt::Write as _;
use std::path::Path;

use crate::approvals::typed_unseen;
use crate::env::{TestEnv, at_once, files_below, finish, start};

/// Tells Claude Code's call of a shell command, which holds no quotes.
const CALL: &str = r#"#!/bin/sh
printf '{"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": "%s", "permission_mode": "default", "hook_event_name":
  "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "%s"}, "tool_use_id": "%s", "turn_id": "t-1"}' "$PWD" "$*" "$(echo "$*" | cksum)" |
    anyhook run --host "${HOST:-claude-code}" --deadline 20
"#;

/// A home with the program and the call on the path of its shell.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    std::fs::remove_dir(env.path("project/hooks")).unwrap();
    env.program("bin/call", CALL);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_anyhook"), env.path("bin/anyhook")).unwrap();
    env
}

/// What a line shows, errors included, and how it ends.
fn shell(env: &TestEnv, line: &str) -> (String, i32) {
    let mut command = env.other("/bin/sh", &["-c", &format!("exec 2>&1\n{line}")]);
    let path = format!("{}:/usr/bin:/bin", env.path("bin").display());
    command.env("PATH", path).env("COLUMNS", "80");
    command.env("REPO", crate::env::repository());
    // A commit has the same name each time.
    for who in ["AUTHOR", "COMMITTER"] {
        for (what, value) in [
            ("NAME", "n"),
            ("EMAIL", "n@example.com"),
            ("DATE", "@1 +0000"),
        ] {
            command.env(format!("GIT_{who}_{what}"), value);
        }
    }
    let left = finish(start(command, b""));
    (left.stdout, left.code)
}

/// A text without what differs from run to run: the folder of the test, the version, and the names of reports.
fn same(env: &TestEnv, text: &str) -> String {
    let text = text.replace(env.path("").to_str().unwrap(), "@/");
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut parts = text.split("anyhook why ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_id = part.len() > 8 && part[..8].bytes().all(|byte| byte.is_ascii_alphanumeric());
        let rest = if is_id { &part[8..] } else { part };
        all += if is_id {
            "anyhook why ID"
        } else {
            "anyhook why "
        };
        all += rest;
    }
    all
}

/// Does what a session says, and returns it with what was shown.
fn played(session: &str) -> String {
    let env = machine();
    let mut lines = session.lines().peekable();
    let mut text = format!("== {}\n", lines.next().unwrap_or_default());
    while let Some(first) = lines.next() {
        let ways = ["$ ", "% ", "! trust "];
        let Some(way) = ways.into_iter().find(|way| first.starts_with(way)) else {
            continue;
        };
        let mut line = first[way.len()..].to_owned();
        writeln!(text, "{first}").unwrap();
        while let Some(more) = lines.next_if(|line| line.starts_with("> ") || *line == ">") {
            writeln!(text, "{more}").unwrap();
            line.push('\n');
            line.push_str(more.get(2..).unwrap_or_default());
        }
        let (shown, code) = match way {
            "$ " => shell(&env, &line),
            "% " => {
                let mut typed = String::new();
                while let Some(more) = lines.next_if(|line| line.starts_with("< ")) {
                    writeln!(text, "{more}").unwrap();
                    writeln!(typed, "{}", &more[2..]).unwrap();
                }
                let shown = typed_unseen(&env, &line, &typed);
                (shown.text, shown.code)
            }
            _ => {
                env.trust_file(&line);
                (String::new(), 0)
            }
        };
        let shown = same(&env, &shown);
        text.push_str(&shown);
        text.push_str(if shown.is_empty() || shown.ends_with('\n') {
            ""
        } else {
            "\n"
        });
        if code != 0 {
            writeln!(text, "? {code}").unwrap();
        }
    }
    text
}

/// Plays the sessions of a file, and tells what is shown otherwise than it says.
fn differs(file: &Path) -> Option<String> {
    let text = format!("\n{}", std::fs::read_to_string(file).unwrap());
    let sessions = text.split("\n== ").skip(1);
    let shown: Vec<String> = sessions.map(played).collect();
    let shown = shown.join("\n");
    if std::env::var_os("ANYHOOK_GENERATE").is_some() {
        std::fs::write(file, shown).unwrap();
        return None;
    }
    let (shown, wanted) = (shown.trim(), text.trim());
    let mut both = shown.lines().zip(wanted.lines());
    let first = both.find(|(shown, wanted)| shown != wanted);
    (shown != wanted).then(|| format!("{}: {first:?}\n{shown}", file.display()))
}

#[test]
fn every_session_shows_what_its_file_says() {
    let folder = crate::env::repository().join("crates/cli/tests/it/screens");
    let wrong = at_once(files_below(&folder).into_iter(), |file| differs(&file));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
