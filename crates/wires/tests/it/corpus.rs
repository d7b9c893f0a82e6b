//! The corpus: every payload is read and written again, every answer is read and said again.

use anyhook_wires::host;
use serde_json::json;

use crate::fixtures::{amplifier, payloads};

#[test]
fn a_universal_payload_keeps_every_field_under_both_names() {
    let universal = host("universal").unwrap();
    for (name, payload) in payloads("universal") {
        let event = universal
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        let written = universal.write_event(&event);
        for (key, value) in payload.as_object().unwrap() {
            assert_eq!(&written[key], value, "{name}: {key}");
        }
        let again = universal
            .read_event(written.to_string().as_bytes(), None)
            .unwrap();
        assert_eq!(again.name, event.name);
        assert_eq!(again.data.json(), event.data.json(), "{name}");
    }
}

#[test]
fn what_a_payload_of_claude_code_says_reaches_a_universal_hook() {
    let (claude, universal) = (host("claude-code").unwrap(), host("universal").unwrap());
    for (name, payload) in payloads("claude-code") {
        let event = claude
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        let shown = universal.write_event(&event);
        // A line of a skill is a tool that is about to run.
        let called = match &*name {
            "PreSkillShellCommand" => "PreToolUse",
            name => name,
        };
        assert_eq!(shown["hook_event_name"], json!(called), "{name}");
        assert_eq!(shown["native"]["event"], payload["hook_event_name"]);
        let heard = universal
            .read_event(shown.to_string().as_bytes(), None)
            .unwrap();
        assert_eq!(heard.name, event.name);
    }
}

#[test]
fn a_payload_of_amplifier_is_written_as_it_was_read() {
    let wire = host("amplifier").unwrap();
    for row in wire.rows() {
        let payload = amplifier(row.name);
        let bytes = payload.to_string().into_bytes();
        let event = wire.read_event(&bytes, None).unwrap();
        assert_eq!(event.name.as_str(), row.name);
        assert_eq!(wire.write_event(&event), payload);
    }
}
