//! The corpus of payloads and answers, as files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::transcript::{Capture, End, Transcript};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the folder of one host's fixtures.
pub(crate) fn folder(host: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/hosts")
        .join(host)
}

/// Returns the example of an event as Amplifier sends it.
pub(crate) fn amplifier(event: &str) -> Value {
    let file = format!("{}.json", event.replace(':', "."));
    let text = fs::read(folder("../events").join(file)).unwrap();
    let data: Value = serde_json::from_slice(&text).unwrap();
    json!({"event": event, "data": data})
}

/// Reads every JSON file of a folder, by its name without the ending.
pub(crate) fn files(folder: &Path) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (
                name,
                serde_json::from_slice(&fs::read(&path).unwrap()).unwrap(),
            )
        })
        .collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert!(!all.is_empty());
    all
}

/// Returns the event that a file is named after. What may follow tells variants apart; a dot may belong to the name.
pub(crate) fn tagged(name: &str) -> &str {
    let tags = [".seen", ".pascal", ".mcp"].into_iter();
    let mut events = tags.filter_map(|tag| name.strip_suffix(tag));
    events.next().unwrap_or(name)
}

/// Returns every payload of a host, with the event that its file is named after.
pub(crate) fn payloads(host: &str) -> Vec<(String, Value)> {
    let list = |(name, payloads): (String, Value)| {
        let payloads = payloads.as_array().unwrap().clone();
        payloads
            .into_iter()
            .map(move |payload| (tagged(&name).to_owned(), payload))
    };
    files(&folder(host)).into_iter().flat_map(list).collect()
}

/// The file of answers that hold for each event with a payload and without a file of its own.
const EVERY_EVENT: &str = "every-event";

/// Returns every answer of a host: the name of the file of its event, its own name, and what a process left behind.
pub(crate) fn responses(host: &str) -> Vec<(String, String, Transcript)> {
    let mut all: BTreeMap<String, Value> =
        files(&folder(host).join("responses")).into_iter().collect();
    if let Some(every) = all.remove(EVERY_EVENT) {
        for (event, _) in payloads(host) {
            all.entry(event).or_insert_with(|| every.clone());
        }
    }
    let list = |(event, responses): (String, Value)| {
        let responses = responses.as_object().unwrap().clone();
        responses
            .into_iter()
            .map(move |(name, response)| (event.clone(), name, transcript(&response)))
    };
    all.into_iter().flat_map(list).collect()
}

/// Reads the file of a host in a folder beside that of the hosts; one that is not there is empty.
pub(crate) fn beside<T: DeserializeOwned + Default>(name: &str, host: &str) -> T {
    let file = folder("..").join(name).join(format!("{host}.json"));
    let text = fs::read(file).ok();
    text.map(|text| {
        serde_json::from_slice(&text).unwrap_or_else(|why| panic!("{name} {host}: {why}"))
    })
    .unwrap_or_default()
}

/// Returns answers of hooks that get something wrong, as [`responses`] does.
pub(crate) fn odd(host: &str) -> Vec<(String, String, Transcript)> {
    let all: BTreeMap<String, BTreeMap<String, Value>> = beside("odd", host);
    let of_event = |(event, answers): (String, BTreeMap<String, Value>)| {
        let answers = answers.into_iter();
        answers.map(move |(name, one)| (event.clone(), name, transcript(&one)))
    };
    all.into_iter().flat_map(of_event).collect()
}

/// Returns what a host does with those answers of which its examples say it: the event, the name, the answer, the word.
pub(crate) fn deeds(host: &str) -> Vec<(String, String, Transcript, String)> {
    let files: BTreeMap<String, Value> =
        files(&folder(host).join("responses")).into_iter().collect();
    let says = |(event, name, raw): (String, String, Transcript)| {
        let file = files.get(&event).unwrap_or_else(|| &files[EVERY_EVENT]);
        let does = match &file[&name]["does"] {
            // Of an answer to every event, the events at which the host does something.
            Value::Object(events) => events
                .get(&event)
                .map_or("runs", |does| does.as_str().unwrap()),
            does => does.as_str().unwrap(),
        };
        let does = does.to_owned();
        (event, name, raw, does)
    };
    responses(host).into_iter().map(says).collect()
}

fn transcript(response: &Value) -> Transcript {
    let stdout = match &response["stdout"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    ended(
        i32::try_from(response["exit"].as_i64().unwrap()).unwrap(),
        &stdout,
        response["stderr"].as_str().unwrap_or_default(),
    )
}

/// Makes what a process left behind.
pub(crate) fn ended(exit: i32, stdout: &str, stderr: &str) -> Transcript {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end: End::Code(exit),
        took: Duration::from_millis(5),
    }
}
