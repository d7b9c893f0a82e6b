//! Whether the hostile cases are what their page says, judged by the guard of that page.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::corpus::{fixtures, json, object};

fn folder() -> PathBuf {
    fixtures("hostile")
}

/// The committed payloads by name, sorted.
fn payloads() -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                path,
            )
        })
        .filter(|(name, _)| name.starts_with(|first: char| first.is_ascii_digit()))
        .map(|(name, path)| (name, fs::read(path).expect("the payload")))
        .collect();
    all.sort();
    all
}

/// The cases of a list, each as its name and itself.
fn listed(file: &str) -> Vec<(String, Value)> {
    let list = json(&folder().join(file));
    let list = list.as_array().expect("a list").clone();
    let named = |case: Value| (case["name"].as_str().expect("a name").to_owned(), case);
    list.into_iter().map(named).collect()
}

/// Writes out a recipe.
fn bytes(recipe: &Value) -> Vec<u8> {
    let mut all = Vec::new();
    for part in recipe["parts"].as_array().expect("parts") {
        let times = part["times"].as_u64().unwrap_or_default();
        match (part, &part["repeat"], &part["each"]) {
            (Value::String(text), ..) => all.extend(text.bytes()),
            (_, Value::String(text), Value::Null) => {
                all.extend(text.repeat(usize::try_from(times).unwrap()).bytes());
            }
            (_, Value::Null, Value::String(text)) => {
                all.extend(
                    (0..times).flat_map(|n| text.replace("{n}", &n.to_string()).into_bytes()),
                );
            }
            _ => panic!("{part} is no part of a recipe"),
        }
    }
    all
}

/// The guard of the page: what must come out, given a parser that reads no more than plain JSON.
fn guarded(payload: &[u8]) -> &'static str {
    let Ok(event) = serde_json::from_slice::<Value>(payload) else {
        return "refused";
    };
    if !event["tool_name"].is_string() || !event["tool_input"].is_object() {
        return "refused";
    }
    let names = |field: &str, bad: &str| {
        let value = &event["tool_input"][field];
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        text.to_lowercase().contains(bad)
    };
    if names("file_path", ".env") || names("command", "rm -rf") {
        "refused"
    } else {
        "answered"
    }
}

#[test]
fn each_case_has_one_expectation_and_each_expectation_a_case() {
    let mut names: Vec<String> = payloads().into_iter().map(|(name, _)| name).collect();
    assert!(names.len() >= 44, "{}", names.len());
    for list in ["generated.json", "environments.json"] {
        names.extend(listed(list).into_iter().map(|(name, _)| name));
    }
    let expected = object(&folder().join("expect.json"));
    assert_eq!(names.len(), expected.len());
    let unique: BTreeSet<String> = names.into_iter().collect();
    assert_eq!(unique, expected.keys().cloned().collect());
}

#[test]
fn the_guard_of_the_page_does_with_each_payload_what_is_expected() {
    let expected = object(&folder().join("expect.json"));
    let generated = listed("generated.json").into_iter();
    let generated = generated.map(|(name, recipe)| (name, bytes(&recipe)));
    for (name, payload) in payloads().into_iter().chain(generated) {
        assert_eq!(expected[&name], guarded(&payload), "{name}");
    }
}

#[test]
fn every_environment_changes_something_that_the_page_knows() {
    const KEYS: &[&str] = &[
        "stdin",
        "stdout",
        "stderr",
        "set",
        "unset",
        "clear",
        "set_hex",
        "set_repeat",
        "limits",
        "state",
        "cwd",
        "plant",
        "path",
        "signals",
        "umask",
    ];
    for (name, case) in listed("environments.json") {
        let keys = case.as_object().expect("an object").keys();
        let rest: Vec<_> = keys
            .filter(|key| !["name", "what", "needs"].contains(&key.as_str()))
            .collect();
        assert!(!rest.is_empty(), "{name}");
        assert!(
            rest.iter().all(|key| KEYS.contains(&key.as_str())),
            "{name}: {rest:?}"
        );
    }
}

#[test]
fn the_page_names_every_case() {
    let page = fs::read_to_string(folder().join("README.md")).expect("the page");
    for (name, expected) in object(&folder().join("expect.json")) {
        let row = format!("| `{name}` | {} |", expected.as_str().expect("a word"));
        assert!(page.contains(&row), "{name}");
    }
}
