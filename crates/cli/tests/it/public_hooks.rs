//! Hooks that other people published, run directly and through `anyhook`, and judged by the reader of Claude Code.
//!
//! `ANYHOOK_CORPUS` names a folder with their repositories, of which none is part of this one. Each hook of each
//! configuration of Claude Code's form is asked about every payload of its event: as it is where its script is there, and
//! with a stand-in for its script that gives every answer of the fixtures, and some that approve nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook_readers::{Answer, Behaviour, reader};
use serde_json::{Value, json};

const MISPLACED: &[&str] = &[
    r#"{"permissionDecision": "allow"}"#,
    r#"{"permission": "allow"}"#,
    r#"{"decision": "approve"}"#,
    r#"{"decision": "allow"}"#,
    r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#,
    r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "allow"}}"#,
    r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "decision": {"behavior": "allow"}}}"#,
];

/// What a stand-in leaves behind.
#[derive(Clone)]
struct Left {
    stdout: String,
    stderr: String,
    exit: i32,
}

/// One hook of one configuration, alone in a package of its own.
struct Public {
    name: String,
    event: String,
    command: String,
    root: tempfile::TempDir,
}

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if path.is_dir() && !is_link && !path.ends_with(".git") && !path.ends_with("node_modules") {
            json_files(&path, found);
        } else if path.ends_with("hooks/hooks.json") || path.ends_with(".claude/settings.json") {
            found.push(path);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() && !path.ends_with(".git") && !path.ends_with("node_modules") {
            copy(&path, &to);
        } else if path.is_file() {
            let _ = fs::copy(&path, &to);
        }
    }
}

/// Every command of a configuration of Claude Code's form.
fn hooks_of(file: &Path) -> Vec<Public> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let Ok(config) = serde_json::from_str::<Value>(&text) else {
        return Vec::new();
    };
    let package = file.parent().and_then(Path::parent).unwrap();
    let mut found = Vec::new();
    for (event, groups) in config["hooks"].as_object().into_iter().flatten() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks = group["hooks"].as_array().into_iter().flatten();
            for (index, hook) in hooks.enumerate() {
                let Some(command) = hook["command"].as_str() else {
                    continue;
                };
                if !payloads().contains_key(event) || hook["async"] == true {
                    continue;
                }
                let root = tempfile::tempdir().unwrap();
                copy(package, root.path());
                // A form of its own for each: what the file says beside the command is another test's business.
                let command = format!(": ${{CLAUDE_PLUGIN_ROOT}}; {command}");
                let alone = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}});
                fs::create_dir_all(root.path().join("hooks")).unwrap();
                fs::write(root.path().join("hooks/hooks.json"), alone.to_string()).unwrap();
                let name = format!("{} {event}[{at}][{index}]", file.display());
                found.push(Public {
                    name,
                    event: event.clone(),
                    command,
                    root,
                });
            }
        }
    }
    found
}

fn fixtures(folder: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/hosts/claude-code")
        .join(folder);
    let files = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    files
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (
                name,
                serde_json::from_slice(&fs::read(&path).unwrap()).unwrap(),
            )
        })
        .collect()
}

fn payloads() -> BTreeMap<String, Vec<Value>> {
    let list = |(name, all): (String, Value)| {
        (
            name.split('.').next().unwrap().to_owned(),
            all.as_array().unwrap().clone(),
        )
    };
    let mut by_event: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (name, all) in fixtures("").into_iter().map(list) {
        by_event.entry(name).or_default().extend(all);
    }
    by_event
}

fn answers(event: &str) -> Vec<Left> {
    let universal = anyhook::core::event::EventName::new(
        anyhook::wires::host("claude-code")
            .unwrap()
            .row(event)
            .unwrap()
            .event,
    );
    let responses = fixtures("responses").into_iter();
    let own = responses.filter(|(name, _)| *name == universal.universal());
    let own = own.flat_map(|(_, all)| all.as_object().unwrap().clone());
    let left = |(_, said): (String, Value)| Left {
        stdout: said["stdout"]
            .as_str()
            .map_or_else(|| said["stdout"].to_string(), str::to_owned),
        stderr: said["stderr"].as_str().unwrap_or_default().to_owned(),
        exit: i32::try_from(said["exit"].as_i64().unwrap()).unwrap(),
    };
    let misplaced = MISPLACED.iter().map(|text| Left {
        stdout: (*text).to_owned(),
        stderr: String::new(),
        exit: 0,
    });
    own.map(left).chain(misplaced).collect()
}

/// Writes programs of these names that give the answer which the environment names.
fn stand_ins(public: &Public, bin: &Path) {
    let script =
        "#!/bin/sh\ncat >/dev/null\nprintf %s \"$SAID\"\nprintf %s \"$TOLD\" >&2\nexit \"$LEFT\"\n";
    let write = |file: &Path| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for name in [
        "node", "python3", "python", "uv", "npx", "bun", "deno", "bash",
    ] {
        write(&bin.join(name));
    }
    for root in [
        "${CLAUDE_PLUGIN_ROOT}/",
        "$CLAUDE_PROJECT_DIR/",
        "${CLAUDE_PROJECT_DIR}/",
    ] {
        for rest in public.command.split(root).skip(1) {
            let name: String = rest
                .chars()
                .take_while(|c| !c.is_whitespace() && !"\"';".contains(*c))
                .collect();
            if !name.is_empty() {
                write(&public.root.path().join(name));
            }
        }
    }
}

fn run(
    mut command: Command,
    public: &Public,
    path: &str,
    payload: &Value,
    left: Option<&Left>,
) -> Left {
    command
        .env_clear()
        .current_dir(public.root.path())
        .env("PATH", path);
    command
        .env("HOME", public.root.path())
        .env("CLAUDE_PROJECT_DIR", public.root.path())
        .env("CLAUDE_PLUGIN_ROOT", public.root.path());
    if let Some(left) = left {
        command
            .env("SAID", &left.stdout)
            .env("TOLD", &left.stderr)
            .env("LEFT", left.exit.to_string());
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(payload.to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    Left {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        exit: output.status.code().unwrap_or(-1),
    }
}

fn reads(public: &Public, payload: &Value, left: &Left) -> Behaviour {
    reader("claude-code").unwrap().reads(&Answer {
        event: &public.event,
        payload,
        stdout: left.stdout.as_bytes(),
        stderr: left.stderr.as_bytes(),
        exit: left.exit,
    })
}

/// What Anyhook does worse than the agent alone; nothing where all is well.
fn wrong(theirs: &Behaviour, ours: &Behaviour) -> Option<String> {
    if ours.gravity() < theirs.gravity() {
        return Some("softer".to_owned());
    }
    // What the agent drops, or takes for a mistake, we may take more gravely; nothing else.
    let is_doubtful =
        !theirs.errors.is_empty() || !theirs.ignored.is_empty() || theirs.input.is_some();
    if ours.gravity() > theirs.gravity() && !is_doubtful {
        return Some("graver".to_owned());
    }
    // What it takes for a mistake and still shows the model is a fault of a gate here, and a session that ended hears
    // nothing: either is told or recorded.
    if !theirs.errors.is_empty() {
        return None;
    }
    let heard = |sees: &[String]| sees.join("\n");
    let (model, person) = (heard(&ours.model_sees), heard(&ours.person_sees));
    let lost =
        |all: &[String], told: &str| all.iter().find(|text| !told.contains(text.trim())).cloned();
    let lost = lost(&theirs.model_sees, &model)
        .or_else(|| lost(&theirs.person_sees, &format!("{person}\n{model}")));
    lost.map(|text| format!("lost: {text}"))
}

#[test]
fn public_hooks_approve_no_more_and_lose_no_text_through_anyhook() {
    let Some(corpus) = std::env::var_os("ANYHOOK_CORPUS") else {
        eprintln!("skipped: ANYHOOK_CORPUS names no folder of public hooks");
        return;
    };
    let mut files = Vec::new();
    json_files(Path::new(&corpus), &mut files);
    let (payloads, mut count, mut bad) = (payloads(), 0_u32, Vec::new());
    for public in files.iter().flat_map(|file| hooks_of(file)) {
        let bin = tempfile::tempdir().unwrap();
        let mut compare = |path: &str, payload: &Value, left: Option<&Left>| {
            let mut direct = Command::new("/bin/sh");
            direct.args(["-c", &public.command]);
            let mut through = Command::new(env!("CARGO_BIN_EXE_anyhook"));
            through.args([
                "run",
                "--host",
                "claude-code",
                "--deadline",
                "60",
                "--trust-all",
                "--manifest",
            ]);
            through.arg(public.root.path().join("hooks/hooks.json"));
            let theirs = run(direct, &public, path, payload, left);
            let ours = run(through, &public, path, payload, left);
            count += 1;
            let (theirs, ours) = (
                reads(&public, payload, &theirs),
                reads(&public, payload, &ours),
            );
            let told = public.event != "SessionEnd";
            if let Some(why) = wrong(&theirs, &ours).filter(|why| told || !why.starts_with("lost"))
            {
                bad.push(format!("{}: {why}\n  {theirs:?}\n  {ours:?}", public.name));
            }
        };
        let mut turn = 0;
        let all = payloads.get(&public.event).unwrap();
        // Each event has a session of its own, so that nothing is told for another one.
        let mut fresh = |payload: &Value| {
            turn += 1;
            let mut payload = payload.clone();
            payload["session_id"] = format!("s-{turn}").into();
            payload["cwd"] = public.root.path().to_str().into();
            payload
        };
        for payload in all {
            compare("/usr/local/bin:/usr/bin:/bin", &fresh(payload), None);
        }
        stand_ins(&public, bin.path());
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.path().display());
        // Every answer at three of the payloads, and each payload gets its turn.
        let said = answers(&public.event);
        let thrice = said.iter().chain(&said).chain(&said);
        for (payload, left) in all.iter().cycle().zip(thrice) {
            compare(&path, &fresh(payload), Some(left));
        }
    }
    eprintln!(
        "{count} comparisons of {} configurations, {} of them wrong",
        files.len(),
        bad.len()
    );
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
