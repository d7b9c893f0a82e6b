//! `anyhook check` of a package with 300 hooks, beside `python3 -c` that parses and validates the same file, interleaved.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`. Python
//! gets a virtual environment of its own with the package `jsonschema`; without one only our own time is measured.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot write its package has nothing to measure"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook_benches::{Claim, Contender, claims, interleave, program, table, target};
use serde_json::{Value, json};

/// How many hooks the package has.
const HOOKS: usize = 300;

/// Everything that the other one does: read both files, check one against the other, and end with a code.
const VALIDATE: &str = "import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))";

fn main() {
    let Some(program) = program() else {
        println!(
            "checking: no release build of anyhook; run: cargo build --release -p anyhook-cli"
        );
        return;
    };
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { 41 } else { 2 };
    let package = std::env::temp_dir().join(format!("anyhook-bench-check-{}", std::process::id()));
    let manifest = write(&package);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema/hooks-1.json");
    // A virtual environment is a minute of downloads: only for who measures.
    let python = is_bench.then(python).flatten();
    let ours = || {
        succeeds(
            Command::new(&program)
                .arg("check")
                .arg(&manifest)
                .env("HOME", &package),
        )
    };
    assert!(ours(), "the package passes its check");
    let mut contenders = vec![Contender::new("anyhook check, 300 hooks", ours)];
    match &python {
        None => println!("python3 with jsonschema: not available"),
        Some(python) => {
            let (python, manifest, schema) = (python.as_path(), &manifest, &schema);
            let theirs = move || {
                succeeds(
                    Command::new(python)
                        .args(["-c", VALIDATE])
                        .args([manifest, schema]),
                )
            };
            assert!(theirs(), "the package passes the schema");
            contenders.push(Contender::new("python3 -c, json and jsonschema", theirs));
            let parses = move || {
                let code = "import json, sys; json.load(open(sys.argv[1]))";
                succeeds(Command::new(python).args(["-c", code]).arg(manifest))
            };
            contenders.push(Contender::new("python3 -c, json alone", parses));
        }
    }
    let measured = interleave(rounds, 1, contenders);
    println!("{}", table("one process per check", &measured));
    if let Some(theirs) = measured.get(1) {
        let claim = Claim::at_least(
            "python3 and jsonschema, to anyhook check",
            theirs.ratio[0],
            10.0,
        );
        println!("{}", claims(&[claim]));
    }
    fs::remove_dir_all(&package).expect("our own folder goes away");
}

/// Writes a package whose hooks differ in everything that a check looks at.
fn write(package: &Path) -> PathBuf {
    let scripts = package.join("hooks/scripts");
    fs::create_dir_all(&scripts).expect("a folder for scripts");
    let mut events: Vec<(&str, Vec<Value>)> = [
        "pre-tool-use",
        "post-tool-use",
        "permission-request",
        "pre-prompt",
        "stop",
        "session-start",
    ]
    .map(|event| (event, Vec::new()))
    .into();
    let places = events.len();
    for at in 0..HOOKS {
        let Some((event, groups)) = events.get_mut(at % places) else {
            continue;
        };
        let is_tool = event.contains("tool") || *event == "permission-request";
        let hooks = json!([hook(at, is_tool, &scripts)]);
        let matchers = ["Bash", "Write|Edit", "Read", "mcp__shop__order"];
        let matcher = matchers.iter().cycle().nth(at / places);
        groups.push(match matcher {
            Some(matcher) if is_tool => json!({"hooks": hooks, "matcher": matcher}),
            _ => json!({"hooks": hooks}),
        });
    }
    let hooks: Value = events
        .into_iter()
        .map(|(event, groups)| (event.to_owned(), Value::from(groups)))
        .collect();
    let manifest = package.join("hooks/hooks.json");
    let text = serde_json::to_string_pretty(&json!({"version": 1, "hooks": hooks})).expect("JSON");
    fs::write(&manifest, text).expect("a manifest");
    manifest
}

fn hook(at: usize, is_tool: bool, scripts: &Path) -> Value {
    match at % 5 {
        0 | 1 => {
            let name = format!("check-{}.sh", at % 40);
            let file = scripts.join(&name);
            let text = "#!/bin/sh\nset -eu\npayload=$(cat)\ncase $payload in\n*secret*) echo no >&2; exit 2 ;;\nesac\n";
            fs::write(&file, text).expect("a script");
            executable(&file);
            json!({"type": "command", "command": format!("${{PACKAGE_ROOT}}/hooks/scripts/{name}"), "args": [at.to_string()],
                "timeout": 5 + at % 20, "name": format!("command-{at}")})
        }
        2 | 3 if is_tool => json!({"type": "rule", "name": format!("rule-{at}"),
            "when": format!("tool_name == 'Bash' && runs('tool-{at}', '--force') || touches('**/.env-{at}')"),
            "then": {"deny": format!("Rule {at}: {{{{tool_name}}}} must not touch that. Ask for it instead.")}}),
        2 | 3 => {
            json!({"type": "rule", "name": format!("rule-{at}"), "when": format!("session_id == 'session-{at}'"),
            "then": {"inject": format!("Convention {at}: tests stand beside the code.")}})
        }
        _ => json!({"type": "prompt", "name": format!("prompt-{at}"), "timeout": 20,
            "prompt": format!("Question {at}: is this what the user asked for? $ARGUMENTS")}),
    }
}

#[cfg(unix)]
fn executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("a script that runs");
}

#[cfg(not(unix))]
fn executable(_: &Path) {}

/// A Python with `jsonschema`, in a virtual environment below the target folder that is made once.
fn python() -> Option<PathBuf> {
    let venv = target().join("bench-python");
    let python = venv.join("bin/python3");
    let has =
        || python.is_file() && succeeds(Command::new(&python).args(["-c", "import jsonschema"]));
    if !has() {
        let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&venv));
        let pip = ["-m", "pip", "install", "--quiet", "jsonschema"];
        let _ = made && succeeds(Command::new(&python).args(pip));
    }
    has().then_some(python)
}

fn succeeds(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
