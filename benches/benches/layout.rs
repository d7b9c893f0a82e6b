//! Which functions of the small program ordinary events run: writes `crates/run/hot.ld`, which puts them side by side.
//!
//! Needs valgrind and the small program with its names: the command is in `benches/README.md`. A run as a test writes nothing.

#![allow(clippy::print_stdout, reason = "a bench says what it wrote")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use anyhook_benches::place::{COMMON, Place};
use anyhook_benches::target;
use serde_json::{Value, json};

const ARGS: [&str; 4] = ["--host", "claude-code", "--deadline", "600"];

fn main() {
    if !env::args().any(|arg| arg == "--bench") {
        return;
    }
    let program = target().join("small/anyhook-run");
    let place = Place::new(&COMMON).expect("a home");
    place
        .commands_of_the_person(&["true"])
        .expect("a hook of the person");
    let mut names = BTreeSet::new();
    for (event, payload) in events(&place) {
        let out = place.root().join("callgrind");
        let mut args = vec![
            "--tool=callgrind".to_owned(),
            "--demangle=no".to_owned(),
            format!("--callgrind-out-file={}", out.display()),
            program.to_string_lossy().into_owned(),
            event.to_owned(),
        ];
        args.extend(ARGS.map(str::to_owned));
        let own: Vec<String> = args.iter().skip(4).cloned().collect();
        // The first event of a place finds out what the later ones know, and the same call is not asked about twice.
        let other = payload.replace("toolu_01", "toolu_00");
        place.ask(&program, &own, &other).expect("it starts");
        let asked = place.ask(Path::new("valgrind"), &args, &payload);
        let left = asked.expect("valgrind starts").status;
        assert!(left.success(), "{event}: {left}");
        let counted = fs::read_to_string(&out).expect("callgrind wrote what it counted");
        names.extend(counted.lines().filter_map(name));
    }
    assert!(
        names.len() > 100,
        "{} has no names: see benches/README.md",
        program.display()
    );
    let script = script(&names);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/run/hot.ld");
    fs::write(&file, script).expect("the script is written");
    println!("{} names in {}", names.len(), file.display());
}

/// An ordinary call, one that is refused, a long line, a tool that reads, and what comes after a call and before one.
fn events(place: &Place) -> Vec<(&'static str, String)> {
    let payload: Value = serde_json::from_str(&place.payload()).expect("JSON");
    let with = |field: &str, value: Value| {
        let mut payload = payload.clone();
        if let Some(at) = payload.pointer_mut(field) {
            *at = value;
        }
        payload.to_string()
    };
    let line = |line: &str| with("/tool_input/command", json!(line));
    vec![
        ("PreToolUse", payload.to_string()),
        ("PreToolUse", line("git push --force origin main")),
        (
            "PreToolUse",
            line(
                "cd src && sed -i 's/a/b/' lib.rs | tee log; API_KEY=abcdef0123456789 curl -s https://example.com",
            ),
        ),
        ("PreToolUse", with("/tool_name", json!("Read"))),
        (
            "PostToolUse",
            with("/hook_event_name", json!("PostToolUse")),
        ),
        (
            "UserPromptSubmit",
            with("/hook_event_name", json!("UserPromptSubmit")),
        ),
        ("Stop", with("/hook_event_name", json!("Stop"))),
    ]
}

/// The name of a function of Rust in a line of callgrind, without the digest that each compiler and version makes anew.
fn name(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("fn=(")?;
    let (_, name) = rest.split_once(") ")?;
    if let Some((stem, _)) = name.split_once("17h").filter(|_| name.starts_with("_ZN")) {
        return Some(format!("{stem}*"));
    }
    let mut parts = name.strip_prefix("_R")?.split("Cs");
    let mut pattern = format!("_R{}", parts.next()?);
    for part in parts {
        let (_, rest) = part.split_once('_')?;
        pattern += &format!("Cs*_{rest}");
    }
    Some(pattern)
}

fn script(names: &BTreeSet<String>) -> String {
    let mut lines = String::new();
    for name in names {
        lines += "    *(.text*.";
        lines += name;
        lines += ")\n";
    }
    format!(
        "/* What an ordinary event runs, side by side: fewer pages are touched. Written by the bench `layout`. */\n\
         SECTIONS {{\n  .text.hot : {{\n{lines}  }}\n}}\nINSERT BEFORE .text;\n"
    )
}
