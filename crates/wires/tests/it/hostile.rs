//! Payloads that nobody should send: none panics, and each that cannot be read still ends in an answer.

use std::fs;

use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind};
use anyhook_wires::{DecodeError, Host, host};
use serde_json::json;

use crate::fixtures::{ended, folder};

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
    for id in ["claude-code", "universal"] {
        let wire = host(id).unwrap();
        for bytes in hostile() {
            let error = wire.read_event(&bytes, Some("PreToolUse")).unwrap_err();
            refused(wire, &error);
        }
    }
}

#[test]
fn the_hostile_fixtures_end_in_an_event_or_a_refusal() {
    let Ok(files) = fs::read_dir(folder("").join("../hostile")) else {
        return;
    };
    for path in files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
    {
        let bytes = fs::read(&path).unwrap();
        for id in ["claude-code", "universal"] {
            let wire = host(id).unwrap();
            match wire.read_event(&bytes, Some("PreToolUse")) {
                Ok(event) => answers(wire, &event),
                Err(error) => refused(wire, &error),
            }
        }
    }
}

/// An unreadable gate is refused in the host's words.
fn refused(wire: &dyn Host, error: &DecodeError) {
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
    assert_eq!(heard.verdict.kind(), Kind::Deny, "{error:?}");
}

/// What could be read can be written again, and answered.
fn answers(wire: &dyn Host, event: &Event) {
    let again = wire.write_event(event).to_string();
    let _ = wire.read_event(again.as_bytes(), None).unwrap();
    let (said, _) =
        HookResult::deny("no").fit(event.name.class(), event.name.mutable(), &wire.can(event));
    let _ = wire.write_result(event, &said);
}

#[test]
fn what_is_only_almost_json_is_read() {
    let wire = host("claude-code").unwrap();
    let read = |input: &[u8]| {
        let head = br#"{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": ""#;
        let bytes = [head.as_slice(), input, b"\"}}"].concat();
        let event = wire.read_event(&bytes, None).unwrap();
        let path = event.data.json()["tool_input"]["file_path"]
            .as_str()
            .map(str::to_owned);
        path.unwrap()
    };
    assert_eq!(read(b"a\0b"), "a\0b");
    assert_eq!(read(br"a\ud800b"), "a\u{fffd}b");
    assert_eq!(read(b"a\xffb"), "a\u{fffd}b");
    assert_eq!(read(b"a\nb"), "a\nb");
    assert_eq!(read(b"--plugin=evil"), "--plugin=evil");
    let long = "a/".repeat(100_000);
    assert_eq!(read(long.as_bytes()), long);
    let mut with_mark = b"\xEF\xBB\xBF".to_vec();
    with_mark.extend(br#"{"hook_event_name": "Stop"}"#);
    assert_eq!(
        wire.read_event(&with_mark, None).unwrap().name.as_str(),
        "stop"
    );
}
