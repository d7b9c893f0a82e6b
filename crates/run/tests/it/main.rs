//! The small program and the full one give the same answer to everything: bytes, exit codes and standard error.
//!
//! Needs `anyhook` beside the small program: `cargo test -p anyhook-run -p anyhook-cli`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod cases;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

/// The programs: the small one, and the full one with its verb.
fn programs() -> [(PathBuf, &'static [&'static str]); 2] {
    let small = PathBuf::from(env!("CARGO_BIN_EXE_anyhook-run"));
    let small = std::env::var_os("ANYHOOK_RUN_BIN").map_or(small, PathBuf::from);
    let full = anyhook_run::full(&small);
    assert!(
        full.is_file(),
        "`{}` is not there: cargo build -p anyhook-cli",
        full.display()
    );
    [(small, &[]), (full, &["run"])]
}

/// What a program left, with what is new in every run taken out.
#[derive(Debug, PartialEq)]
struct Left {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A home of rules and commands, and of other files of a person.
struct Place {
    folder: tempfile::TempDir,
    files: Vec<(&'static str, String)>,
    /// What the project has below `hooks`.
    package: Option<PathBuf>,
}

impl Place {
    fn new(files: &[(&'static str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            folder,
            files: files.to_vec(),
            package: None,
        }
    }

    /// A project with these hooks.
    fn of(package: &Path) -> Self {
        Self {
            package: Some(package.to_owned()),
            ..Self::new(&[])
        }
    }

    /// Runs a program in this place as if it was the first one there.
    fn run(&self, program: &(PathBuf, &[&str]), args: &[&str], payload: &[u8]) -> Left {
        let root = self.folder.path();
        for name in ["home", "project", "tmp"] {
            let _ = fs::remove_dir_all(root.join(name));
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for (name, text) in &self.files {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        if let Some(package) = &self.package {
            let copied = Command::new("cp")
                .arg("-R")
                .arg(package)
                .arg(root.join("project/hooks"))
                .status();
            assert!(copied.unwrap().success());
        }
        let mut child = Command::new(&program.0)
            .args(program.1)
            .args(args)
            .env_clear()
            .env("HOME", root.join("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("TMPDIR", root.join("tmp"))
            .current_dir(root.join("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(payload);
        let left = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| without_ids(&String::from_utf8_lossy(bytes));
        Left {
            code: left.status.code(),
            stdout: text(&left.stdout),
            stderr: text(&left.stderr),
        }
    }

    fn both(&self, args: &[&str], payload: &[u8]) -> Left {
        let [small, full] = programs().map(|program| self.run(&program, args, payload));
        let shown = String::from_utf8_lossy(payload);
        assert_eq!(small, full, "{args:?} {shown:.300}");
        small
    }
}

/// Every report has an id of its own, and every open question a code.
fn without_ids(text: &str) -> String {
    ["anyhook why ", "anyhook approve "]
        .into_iter()
        .fold(text.to_owned(), |text, before| without(&text, before))
}

fn without(text: &str, before: &str) -> String {
    let mut parts = text.split(before);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        format!("{text}{before}ID{rest}")
    })
}

fn manifest() -> (&'static str, String) {
    let hooks = |hooks: Value| json!([{"hooks": hooks}]);
    let every = json!({"version": 1, "hooks": {
        "pre-tool-use": hooks(json!([
            {"type": "rule", "when": "tool_input.command.contains('rm -rf')", "then": {"deny": "no"}},
            {"type": "rule", "when": "touches('**/.env')", "then": {"ask": "a secret?"}},
            {"type": "command", "command": "grep -q mcp && echo 'seen' >&2; exit 0", "guard": true},
        ])),
        "stop": hooks(json!([{"type": "command", "command": "echo again >&2; exit 2"}])),
        "UserPromptSubmit": hooks(json!([{"type": "command", "command": "echo '{\"systemMessage\": \"hello\"}'"}])),
        "post-tool-use": hooks(json!([{"type": "rule", "when": "true", "then": {"context": "look again"}}])),
    }});
    ("home/.config/anyhook/hooks.json", every.to_string())
}

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let entries = fs::read_dir(root.join(folder)).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Asks both programs about each payload, on all processors.
fn every(asked: &[(String, Vec<u8>)]) {
    let next = AtomicUsize::new(0);
    let work = || {
        let place = Place::new(&[manifest()]);
        while let Some((host, payload)) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
            place.both(&["--host", host, "--deadline", "60"], payload);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
}

#[test]
fn both_programs_answer_every_payload_of_the_corpus_byte_for_byte_alike() {
    let mut asked = Vec::new();
    for host in fixtures("hosts") {
        let name = host.file_name().unwrap().to_string_lossy().into_owned();
        for file in fixtures(&format!("hosts/{name}")) {
            let Ok(text) = fs::read(&file) else { continue };
            let said: Value = serde_json::from_slice(&text).unwrap_or_default();
            let list = said.as_array().cloned().unwrap_or_default();
            let payloads = list.into_iter().map(|one| one.to_string().into_bytes());
            asked.extend(payloads.map(|payload| (name.clone(), payload)));
        }
    }
    assert!(asked.len() > 250, "{}", asked.len());
    every(&asked);
}

#[test]
fn both_programs_answer_the_hostile_corpus_byte_for_byte_alike() {
    let files = fixtures("hostile");
    let asked: Vec<(String, Vec<u8>)> = files
        .iter()
        .filter_map(|file| Some(("claude-code".to_owned(), fs::read(file).ok()?)))
        .collect();
    assert!(asked.len() > 100, "{}", asked.len());
    every(&asked);
}

fn call(command: &str) -> Vec<u8> {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}})
        .to_string()
        .into_bytes()
}

const CLAUDE: [&str; 2] = ["--host", "claude-code"];

#[test]
fn what_the_small_program_cannot_do_is_answered_by_the_full_one() {
    let toml = (
        "home/.config/anyhook/config.toml",
        "[record]\ninput = \"none\"\n".to_owned(),
    );
    let left = Place::new(&[manifest(), toml]).both(&CLAUDE, &call("rm -rf /"));
    assert!(left.stdout.contains("\"deny\""), "{left:?}");

    let prompt = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "prompt", "prompt": "Is it safe?", "guard": true}]}]}});
    let prompt = ("home/.config/anyhook/hooks.json", prompt.to_string());
    let long = "echo ".to_owned() + &"x".repeat(200_000);
    let left = Place::new(&[prompt]).both(&CLAUDE, &call(&long));
    assert!(
        left.stdout.contains("no model"),
        "no model is configured: {left:?}"
    );

    let native = "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"exit 2\"\n";
    let native = ("project/.codex/config.toml", native.to_owned());
    Place::new(&[native]).both(&["--host", "claude-code", "--trust-all"], &call("ls"));

    let place = Place::new(&[manifest()]);
    for args in [
        &["--host", "no-such-host"][..],
        &["--host"],
        &[],
        &[
            "pre-tool-use",
            "--host",
            "claude-code",
            "--json",
            "--nonsense",
        ],
    ] {
        let [small, full] = programs().map(|program| place.run(&program, args, &call("ls")));
        assert_eq!(
            (small.code, small.stderr),
            (full.code, full.stderr),
            "{args:?}"
        );
    }
}

#[test]
fn both_programs_say_which_version_they_are() {
    let place = Place::new(&[]);
    let [(small, _), (full, _)] = programs();
    let said = |program: PathBuf| place.run(&(program, &[][..]), &["--version"], b"").stdout;
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said(small), format!("anyhook-run {version}\n"));
    assert_eq!(said(full), format!("anyhook {version}\n"));
}

#[test]
fn a_small_program_alone_answers_what_it_can_and_refuses_what_it_cannot() {
    let [(small, _), _] = programs();
    let alone = tempfile::tempdir().unwrap();
    let copy = alone.path().join("anyhook-run");
    fs::copy(&small, &copy).unwrap();
    let alone = (copy, &[][..]);
    let place = Place::new(&[manifest()]);
    let left = place.run(&alone, &CLAUDE, &call("rm -rf /"));
    assert!(left.stdout.contains("\"deny\""), "{left:?}");
    let left = place.run(&alone, &["--host", "no-such-host"], &call("ls"));
    assert_eq!((left.code, &*left.stdout), (Some(2), ""));
    assert!(
        left.stderr.contains("needs `anyhook` beside it"),
        "{left:?}"
    );
    let prompt = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "prompt", "prompt": "Is it safe?", "guard": true}]}]}});
    let place = Place::new(&[("home/.config/anyhook/hooks.json", prompt.to_string())]);
    let left = place.run(&alone, &CLAUDE, &call("ls"));
    assert!(left.stdout.contains("\"deny\""), "{left:?}");
}
