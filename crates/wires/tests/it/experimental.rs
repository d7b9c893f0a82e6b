//! What the experimental hosts have of their own, and that a hook written for them is never heard more softly.

use std::fmt::Write;
use std::sync::LazyLock;

use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::End;
use anyhook_wires::host;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads, responses};

const THEM: &[&str] = &["goose", "kiro"];

fn first(id: &str, native: &str) -> (Value, Event) {
    let mut all = payloads(id).into_iter();
    let payload = all.find(|(event, _)| event == native).unwrap().1;
    let event = read(id, &payload);
    (payload, event)
}

fn read(id: &str, payload: &Value) -> Event {
    let bytes = payload.to_string();
    host(id)
        .unwrap()
        .read_event(bytes.as_bytes(), None)
        .unwrap()
}

#[test]
fn every_answer_of_an_experimental_host_s_hook_is_heard_as_it_is_meant() {
    for id in THEM {
        let mut all = String::new();
        for (native, name, raw) in responses(id) {
            let heard = host(id).unwrap().read_result(&raw, &first(id, &native).1);
            let text = match heard {
                Err(fault) => format!("fault: {}", fault.text),
                Ok(said) => {
                    let texts = said.effects.inject().iter().map(|said| &*said.text);
                    let notices = said.effects.notify().iter().map(|said| &*said.text);
                    let verdict = said.verdict.text();
                    let mut parts = vec![said.verdict.kind().as_str(), &*verdict];
                    parts.extend(texts.chain(notices));
                    parts.retain(|part| !part.is_empty());
                    parts.join(" | ")
                }
            };
            writeln!(all, "{native} {name}: {text}").unwrap();
        }
        insta::assert_snapshot!(format!("heard_from_{id}"), all);
    }
}

#[test]
fn a_hook_that_kiro_could_not_start_refuses_as_in_its_editor() {
    let (_, event) = first("kiro", "PreToolUse");
    let mut raw = ended(0, "", "");
    raw.end = End::NotStarted("no such file".to_owned());
    let heard = host("kiro").unwrap().read_result(&raw, &event).unwrap();
    assert_eq!(heard, HookResult::deny("no such file"));
    raw.end = End::TimedOut;
    assert!(host("kiro").unwrap().read_result(&raw, &event).is_err());
}

#[test]
fn what_failed_under_goose_stands_where_every_hook_looks_for_it() {
    let (payload, event) = first("goose", "PostToolUseFailure");
    assert_eq!(event.data.json()["error"], "exit 1");
    assert_eq!(host("goose").unwrap().write_event(&event), payload);
    let foreign = Event::new(
        "tool:error",
        json!({"cwd": "/p", "tool_name": "mcp__github__get_issue", "error": {"message": "timed out"}}),
    );
    assert_eq!(
        host("goose").unwrap().write_event(&foreign),
        json!({"event": "PostToolUseFailure", "working_dir": "/p", "tool_name": "github__get_issue",
            "tool_output": {"message": "timed out"}})
    );
}

#[test]
fn the_tools_of_experimental_hosts_have_canonical_names_and_arguments() {
    let call = |id: &str, name: &str, tool: &str, input: Value| {
        let field = if id == "goose" {
            "event"
        } else {
            "hook_event_name"
        };
        let payload =
            json!({field: name, "session_id": "s", "tool_name": tool, "tool_input": input});
        let data = read(id, &payload).data.json().into_owned();
        (data["tool_name"].clone(), data["tool_input"].clone())
    };
    let path = json!({"path": "a", "content": "x"});
    let file = json!({"file_path": "a", "content": "x"});
    for (id, tool, input, expected) in [
        (
            "kiro",
            "execute_bash",
            json!({"command": "ls"}),
            ("Bash", json!({"command": "ls"})),
        ),
        ("kiro", "write", path.clone(), ("Write", file.clone())),
        (
            "kiro",
            "@git/push",
            json!({}),
            ("mcp__git__push", json!({})),
        ),
        (
            "goose",
            "developer__shell",
            json!({"command": "ls"}),
            ("Bash", json!({"command": "ls"})),
        ),
        ("goose", "write", path, ("Write", file)),
        (
            "goose",
            "git__push",
            json!({}),
            ("mcp__git__push", json!({})),
        ),
    ] {
        let found = call(id, "PreToolUse", tool, input);
        assert_eq!(found, (json!(expected.0), expected.1), "{id} {tool}");
    }
}

#[test]
fn what_an_experimental_host_cannot_be_told_to_refuse_is_left_alone() {
    for id in THEM {
        let wire = host(id).unwrap();
        for row in wire.rows() {
            let reply = wire.refuse_unread(Some(row), "it is no JSON");
            let is_refused = reply.exit == 2 || reply.stdout.contains("\"block\"");
            let gates: &[&str] = match *id {
                "kiro" => &["PreToolUse", "UserPromptSubmit", "PreTaskExec"],
                _ => &["PreToolUse"],
            };
            assert_eq!(is_refused, gates.contains(&row.name), "{id} {}", row.name);
        }
    }
}

const JUDGED: &[&str] = &["athena", "gemini-cli", "goose", "kiro"];

/// Every payload, as text, and the event that it is.
static CORPUS: LazyLock<Vec<(&str, String, String)>> = LazyLock::new(|| {
    let of = |id: &&'static str| {
        let id = *id;
        let all = payloads(id).into_iter();
        all.map(move |(native, payload)| (id, native, payload.to_string()))
    };
    JUDGED.iter().flat_map(of).collect()
});

/// Bytes that no agent should send: random ones, and payloads that were cut or had a piece changed.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let cut = |(at, end, byte): (usize, usize, u8)| {
        let mut bytes = CORPUS[at % CORPUS.len()].2.clone().into_bytes();
        let end = end % bytes.len();
        bytes[end] = byte;
        bytes.truncate(end + 1 + usize::from(byte) * 4);
        bytes
    };
    let changed = (any::<usize>(), any::<usize>(), any::<u8>()).prop_map(cut);
    prop_oneof![proptest::collection::vec(any::<u8>(), 0..64), changed]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_no_agent_should_send_or_answer_is_read_or_is_an_error(bytes in hostile(), exit in 0..4_i32) {
        for id in JUDGED {
            let wire = host(id).unwrap();
            for row in wire.rows() {
                if let Ok(event) = wire.read_event(&bytes, Some(row.name)) {
                    let bytes = wire.write_event(&event).to_string();
                    let again = wire.read_event(bytes.as_bytes(), Some(row.name)).unwrap();
                    prop_assert_eq!(again.data.json(), event.data.json());
                }
                let is_it = |found: &&(&str, String, String)| found.0 == *id && found.1 == row.name;
                let sample = CORPUS.iter().find(is_it).unwrap().2.as_bytes();
                let event = wire.read_event(sample, Some(row.name)).unwrap();
                let raw = ended(exit, &String::from_utf8_lossy(&bytes), "");
                let kind = wire.read_result(&raw, &event).map(|said| said.verdict.kind());
                prop_assert_ne!(kind.ok(), Some(Kind::Allow));
            }
        }
    }
}
