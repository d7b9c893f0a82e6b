//! Where the fixtures lie, and whether they are what their folders promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The universal events, each with the name that Claude Code has for it.
pub(crate) const TEN: &[(&str, &str)] = &[
    ("pre-tool-use", "PreToolUse"),
    ("permission-request", "PermissionRequest"),
    ("post-tool-use", "PostToolUse"),
    ("pre-prompt", "UserPromptSubmit"),
    ("session-start", "SessionStart"),
    ("session-end", "SessionEnd"),
    ("stop", "Stop"),
    ("sub-agent-end", "SubagentStop"),
    ("pre-compact", "PreCompact"),
    ("notification", "Notification"),
];

pub(crate) fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../fixtures")
        .join(folder)
}

pub(crate) fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

pub(crate) fn object(path: &Path) -> Map<String, Value> {
    match json(path) {
        Value::Object(map) => map,
        other => panic!("{} holds {other}", path.display()),
    }
}

/// The event that a file is named after: what stands before a dot. What follows tells variants apart.
fn event(stem: &str) -> &str {
    stem.split('.').next().unwrap_or(stem)
}

/// The stems of the JSON files of a folder, sorted.
fn stems(folder: &Path) -> Vec<String> {
    let mut stems: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    stems.sort();
    stems
}

#[test]
fn every_payload_names_the_event_of_its_file() {
    for (host, field) in [
        ("claude-code", "hook_event_name"),
        ("universal", "hookEventName"),
    ] {
        let folder = fixtures("hosts").join(host);
        for stem in stems(&folder) {
            let payloads = json(&folder.join(format!("{stem}.json")));
            let payloads = payloads.as_array().expect("an array");
            assert!(!payloads.is_empty(), "{stem}");
            for payload in payloads {
                assert_eq!(payload[field], event(&stem));
            }
        }
    }
}

#[test]
fn both_hosts_have_payloads_and_answers_for_the_ten_events() {
    let mut ten: Vec<_> = TEN.iter().map(|(universal, _)| *universal).collect();
    ten.sort_unstable();
    assert_eq!(stems(&fixtures("hosts/universal")), ten);
    assert_eq!(stems(&fixtures("hosts/universal/responses")), ten);
    assert_eq!(stems(&fixtures("hosts/claude-code/responses")), ten);
    let native = stems(&fixtures("hosts/claude-code"));
    let events: BTreeSet<&str> = native.iter().map(|stem| event(stem)).collect();
    assert_eq!(events.len(), 34);
    for (_, name) in TEN {
        assert!(native.iter().any(|stem| stem == name), "{name}");
    }
}

#[test]
fn every_native_event_of_the_corpus_has_a_row() {
    let claude = anyhook_readers::reader("claude-code").expect("a known host");
    for stem in stems(&fixtures("hosts/claude-code")) {
        for payload in json(&fixtures("hosts/claude-code").join(format!("{stem}.json")))
            .as_array()
            .expect("an array")
        {
            let silence = claude.reads(&anyhook_readers::Answer {
                event: event(&stem),
                payload,
                stdout: b"",
                stderr: b"",
                exit: 0,
            });
            // A hook for worktrees does the host's work, so silence is a failure there.
            if stem != "WorktreeCreate" {
                assert_eq!(silence, anyhook_readers::Behaviour::default(), "{stem}");
            }
        }
    }
}
