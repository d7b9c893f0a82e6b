//! The corpus: every payload is read and written again, every answer is read and said again.

use anyhook_core::event::Event;
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Behaviour, reader};
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

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

/// The answers whose meaning is not the same once we have read and said them: host, event, name, and why.
const EXCEPTIONS: &[[&str; 4]] = &[
    [
        "claude-code",
        "*",
        "stop_agent_without_a_reason",
        "we say that there is no reason",
    ],
    [
        "claude-code",
        "pre-tool-use",
        "deny_without_a_reason",
        "we say that there is no reason",
    ],
    [
        "claude-code",
        "pre-tool-use",
        "stop_agent",
        "the host stops after the tool; we refuse the tool as well",
    ],
    [
        "claude-code",
        "post-tool-use",
        "replace_with_another_shape",
        "the host drops it; we give it the form of the tool",
    ],
    [
        "claude-code",
        "session-start",
        "stop_agent",
        "the host ignores it; why it was said is told",
    ],
    [
        "claude-code",
        "sub-agent-end",
        "context",
        "whether it sends the sub-agent on was not tried, so it waits",
    ],
    [
        "claude-code",
        "pre-tool-use",
        "wrong_event_name",
        "the host drops a refusal; we never do",
    ],
    [
        "claude-code",
        "pre-tool-use",
        "no_event_name",
        "the host drops a refusal; we never do",
    ],
    [
        "claude-code",
        "pre-tool-use",
        "wrong_kind_exit2",
        "the person is told what is wrong with the JSON",
    ],
    [
        "claude-code",
        "session-end",
        "exit2",
        "nothing can be said here: a recorded loss",
    ],
    [
        "universal",
        "*",
        "block_exit2_silent",
        "the sentence for a missing reason is ours",
    ],
    [
        "universal",
        "*",
        "block_without_a_reason",
        "the sentence for a missing reason is ours",
    ],
    [
        "universal",
        "*",
        "two_documents",
        "the person is told that a hook decided twice",
    ],
    [
        "universal",
        "*",
        "wrong_event_name",
        "a refusal stands, and the person is told",
    ],
    [
        "universal",
        "*",
        "empty_rewrite",
        "the seed's placeholder changes nothing",
    ],
    [
        "universal",
        "notification",
        "block_exit2",
        "nothing reaches the model here; the person is told",
    ],
    [
        "universal",
        "session-end",
        "block_exit2",
        "nothing reaches the model here; the person is told",
    ],
    [
        "universal",
        "stop",
        "ask",
        "a stop cannot be asked about: it is refused",
    ],
    ["universal", "stop", "allow", "a stop needs no approval"],
];

#[test]
fn an_answer_to_claude_code_means_the_same_when_we_say_it() {
    means_the_same("claude-code");
}

#[test]
fn a_universal_answer_means_the_same_when_we_say_it() {
    means_the_same("universal");
}

fn means_the_same(id: &str) {
    let wire = host(id).unwrap();
    let mut wrong = Vec::new();
    for (universal, name, raw) in responses(id) {
        let payload = payload_of(wire, &universal);
        let event = wire
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        let Ok(said) = wire.read_result(&raw, &event) else {
            continue;
        };
        let class = event.name.class();
        let (said, _) = said.fit(class, event.name.mutable(), &wire.can(&event));
        let reply = wire.write_result(&event, &said);
        let native = wire.row(&universal).unwrap().name;
        let meant = behaviour(id, native, &payload, &raw);
        let stdout = reply.stdout.as_bytes();
        let ours = reader(id).unwrap().reads(&Answer {
            event: native,
            payload: &payload,
            stdout,
            stderr: reply.stderr.as_bytes(),
            exit: i32::from(reply.exit),
        });
        assert_eq!(ours.errors, Vec::<String>::new(), "{universal} {name}");
        let excepted = EXCEPTIONS.iter().any(|[host, event, known, _]| {
            *host == id && [&*universal, "*"].contains(event) && *known == name
        });
        if (meaning(&meant) == meaning(&ours)) == excepted {
            wrong.push(format!("{universal} {name}:\n  {meant:?}\n  {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn behaviour(id: &str, native: &str, payload: &Value, raw: &Transcript) -> Behaviour {
    let End::Code(exit) = raw.end else {
        unreachable!()
    };
    reader(id).unwrap().reads(&Answer {
        event: native,
        payload,
        stdout: &raw.stdout.kept,
        stderr: &raw.stderr.kept,
        exit,
    })
}

/// What an answer means: all but what the host drops and complains about.
fn meaning(behaviour: &Behaviour) -> Behaviour {
    Behaviour {
        ignored: Vec::new(),
        errors: Vec::new(),
        ..behaviour.clone()
    }
}

fn payload_of(wire: &dyn Host, universal: &str) -> Value {
    let named = |payload: &Value| {
        let event: Event = wire
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        event.name.universal() == universal
    };
    let first = wire.row(universal).unwrap().name;
    let payloads = payloads(wire.id()).into_iter();
    let mut payloads = payloads.filter(|(name, _)| name == first || name == universal);
    payloads.find(|(_, payload)| named(payload)).unwrap().1
}
