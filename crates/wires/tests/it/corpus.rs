//! The corpus: every payload is read and written again, every answer is read and said again.

use anyhook_readers::Behaviour;
use anyhook_wires::host;
use serde_json::json;

use crate::case::{Case, left};
use crate::fixtures::{amplifier, payloads, responses};

#[test]
fn a_payload_of_claude_code_is_written_as_it_was_read() {
    let claude = host("claude-code").unwrap();
    for (name, payload) in payloads("claude-code") {
        let bytes = payload.to_string().into_bytes();
        let event = claude.read_event(&bytes, None).unwrap();
        assert_eq!(claude.write_event(&event), payload, "{name}");
        let origin = event.origin.unwrap();
        assert_eq!(origin.raw.as_deref(), Some(&*bytes));
        assert_eq!(&*origin.native, &name);
        assert_eq!(origin.session.as_deref(), payload["session_id"].as_str());
    }
}

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

/// The answers whose meaning is not the same once we have read and said them: event, name, and why.
const EXCEPTIONS: &[[&str; 3]] = &[
    [
        "*",
        "stop_agent_without_a_reason",
        "we say that there is no reason",
    ],
    [
        "pre-tool-use",
        "deny_without_a_reason",
        "we say that there is no reason",
    ],
    [
        "pre-tool-use",
        "stop_agent",
        "the host stops after the tool; we refuse the tool as well",
    ],
    [
        "post-tool-use",
        "replace_mcp_output",
        "the host drops it; the model is told so",
    ],
    [
        "post-tool-use",
        "replace_with_another_shape",
        "the host drops it; we give it the form of the tool",
    ],
    [
        "session-start",
        "stop_agent",
        "the host ignores it; why it was said is told",
    ],
    [
        "sub-agent-end",
        "context",
        "whether it sends the sub-agent on was not tried, so it waits",
    ],
    [
        "pre-tool-use",
        "wrong_event_name",
        "the host drops a refusal; we never do",
    ],
    [
        "pre-tool-use",
        "no_event_name",
        "the host drops a refusal; we never do",
    ],
    [
        "pre-tool-use",
        "wrong_kind_exit2",
        "the person is told what is wrong with the JSON",
    ],
    [
        "session-end",
        "exit2",
        "nothing can be said here: a recorded loss",
    ],
];

#[test]
fn an_answer_to_claude_code_means_the_same_when_we_say_it() {
    let wire = host("claude-code").unwrap();
    let mut wrong = Vec::new();
    for (universal, name, raw) in responses("claude-code") {
        let case = Case::first("claude-code", wire.row(&universal).unwrap().name);
        let Ok(heard) = case.hears(&raw) else {
            continue;
        };
        let (meant, ours) = (case.does(&raw), case.does(&left(&case.says(heard).1)));
        assert_eq!(ours.errors, Vec::<String>::new(), "{universal} {name}");
        let excepted = EXCEPTIONS
            .iter()
            .any(|[event, known, _]| [&*universal, "*"].contains(event) && *known == name);
        if (meaning(&meant) == meaning(&ours)) == excepted {
            wrong.push(format!("{universal} {name}:\n  {meant:?}\n  {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What an answer means: all but what the host drops and complains about.
fn meaning(behaviour: &Behaviour) -> Behaviour {
    Behaviour {
        ignored: Vec::new(),
        errors: Vec::new(),
        ..behaviour.clone()
    }
}
