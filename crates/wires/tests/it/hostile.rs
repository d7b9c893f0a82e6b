//! Payloads that no agent should send: none panics, and each that cannot be read still ends in an answer.

use std::fs;
use std::path::Path;

use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::{Answer, Gravity, reader};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{DecodeError, Host, Reply, host};
use serde_json::{Value, json};

use crate::fixtures::{ended, folder, payloads};

fn hostile() -> Vec<Vec<u8>> {
    let call = |input: &str| {
        format!(
            r#"{{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {input}}}"#
        )
        .into_bytes()
    };
    let deep =
        |open: &str, close: &str| call(&format!("{}{}", open.repeat(2_000), close.repeat(2_000)));
    let mut all = vec![
        Vec::new(),
        b"\0".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"\"PreToolUse\"".to_vec(),
        b"{".to_vec(),
        vec![0xff; 64],
        "{".repeat(100_000).into_bytes(),
        "[".repeat(100_000).into_bytes(),
        "\"".repeat(100_001).into_bytes(),
        deep("[", "]"),
        deep("{\"a\":", "}"),
        call(r#"{"file_path": "ok", "file_path": ".env"}"#),
        call(r#"{"n": 1e400}"#),
        call(r#"{"n": -1e400}"#),
        call("null"),
        call("[]"),
    ];
    all.push(call("{").into_iter().take(80).collect());
    all
}

#[test]
fn a_hostile_payload_is_read_or_refused_and_never_panics() {
    for wire in HOSTS {
        for bytes in hostile() {
            let error = wire.read_event(&bytes, Some("PreToolUse")).unwrap_err();
            refused(wire, &error);
        }
    }
}

#[test]
fn byte_order_marks_before_a_payload_change_nothing_whatever_the_host() {
    for wire in HOSTS.iter().filter(|wire| folder(wire.id()).is_dir()) {
        for (name, payload) in payloads(wire.id()) {
            let plain = payload.to_string();
            let marked = format!("\u{feff}\u{feff}{plain}");
            let read = |text: &str| {
                let event = wire.read_event(text.as_bytes(), Some(&name)).unwrap();
                (event.name, event.data.json().into_owned())
            };
            assert_eq!(read(&marked), read(&plain), "{} {name}", wire.id());
        }
    }
}

#[test]
fn every_hostile_fixture_ends_as_it_is_expected_to() {
    let folder = folder("").join("../hostile");
    let expect: Map =
        serde_json::from_slice(&fs::read(folder.join("expect.json")).unwrap()).unwrap();
    let mut cases: Vec<(String, Vec<u8>)> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name.starts_with(|first: char| first.is_ascii_digit()))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect();
    cases.extend(generated(&folder));
    assert!(cases.len() > 150);
    for (name, bytes) in cases {
        let expected = expect[&name].as_str().unwrap();
        let reply = guarded(&bytes);
        let behaviour = reader("claude-code").unwrap().reads(&Answer {
            event: "PreToolUse",
            payload: &json!({}),
            stdout: reply.stdout.as_bytes(),
            stderr: reply.stderr.as_bytes(),
            exit: i32::from(reply.exit),
        });
        assert_eq!(behaviour.errors, Vec::<String>::new(), "{name}");
        if expected == "refused" {
            assert!(behaviour.gravity() >= Gravity::Refuse, "{name}: {reply:?}");
        }
    }
}

/// The payloads that are too large to keep.
fn generated(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let recipes: Vec<Value> =
        serde_json::from_slice(&fs::read(folder.join("generated.json")).unwrap()).unwrap();
    let part = |part: &Value| {
        let times = part["times"]
            .as_u64()
            .map_or(0, |times| usize::try_from(times).unwrap());
        match (part, part["repeat"].as_str(), part["each"].as_str()) {
            (Value::String(text), _, _) => text.clone(),
            (_, Some(text), _) => text.repeat(times),
            (_, _, Some(text)) => (0..times)
                .map(|n| text.replace("{n}", &n.to_string()))
                .collect(),
            (_, None, None) => panic!("{part}"),
        }
    };
    let made = |recipe: &Value| {
        let parts: String = recipe["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(part)
            .collect();
        (
            recipe["name"].as_str().unwrap().to_owned(),
            parts.into_bytes(),
        )
    };
    recipes.iter().map(made).collect()
}

/// What the host is told when a guard refuses `.env` and `rm -rf`, and what cannot be read is refused.
fn guarded(bytes: &[u8]) -> Reply {
    let wire = host("claude-code").unwrap();
    let event = match wire.read_event(bytes, Some("PreToolUse")) {
        Ok(event) => event,
        Err(error) => {
            let row = wire.row(error.event.as_deref().unwrap());
            return wire.refuse_unread(row, &error.to_string());
        }
    };
    let data = event.data.json();
    let holds = |field: &str, text: &str| {
        let value = data["tool_input"].get(field);
        value.is_some_and(|value| value.to_string().to_lowercase().contains(text))
    };
    let result = if holds("file_path", ".env") || holds("command", "rm -rf") {
        HookResult::deny("no")
    } else {
        HookResult::proceed()
    };
    let (said, _) = result.fit(event.name.class(), event.name.mutable(), &wire.can(&event));
    wire.write_result(&event, &said)
}

/// An unreadable gate is refused in the host's words.
fn refused(wire: &Host, error: &DecodeError) {
    assert!(!error.what.is_empty());
    let row = wire.row(error.event.as_deref().unwrap_or("PreToolUse"));
    let reply = wire.refuse_unread(row, &error.to_string());
    let event = Event::new(
        "PreToolUse",
        json!({"tool_name": "Write", "tool_input": {}}),
    );
    let heard = wire
        .read_result(
            &ended(i32::from(reply.exit), &reply.stdout, &reply.stderr),
            &event,
        )
        .unwrap();
    assert!(heard.verdict.kind() >= Kind::Deny, "{error:?} {heard:?}");
}
