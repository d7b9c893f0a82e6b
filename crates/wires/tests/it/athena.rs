//! What an Elixir program has of its own: its payload around its payload, and one return for an answer.

use anyhook_core::event::Event;
use anyhook_core::fit::{LossKind, Substitute};
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_wires::dialects::read_universal;
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::Case;

fn wire() -> &'static Host {
    host("athena").unwrap()
}

fn read(payload: &Value) -> Event {
    let bytes = payload.to_string();
    wire().read_event(bytes.as_bytes(), None).unwrap()
}

fn first(native: &str) -> Event {
    Case::first("athena", native).event
}

/// What is said about an event, once it is fitted: the answer, and what that lost.
fn answered(event: &Event, said: HookResult) -> (Value, Vec<(LossKind, Substitute)>) {
    let (said, losses) = said.fit(event.name.class(), event.name.mutable(), &wire().can(event));
    let reply = wire().write_result(event, &said);
    assert_eq!((&*reply.stderr, reply.exit), ("", 0));
    let losses = losses.into_iter().map(|loss| (loss.what, loss.became));
    (
        serde_json::from_str(&reply.stdout).unwrap(),
        losses.collect(),
    )
}

#[test]
fn a_tool_under_the_name_that_everybody_uses_has_this_hosts_arguments_all_the_same() {
    let call = |path: &str| {
        let arguments = json!({path: "a", "content": "x"});
        json!({"event": "PermissionDenied", "input": {"tool_name": "Write", "tool_use_id": "c", "arguments": arguments}})
    };
    for payload in [call("path"), call("file_path")] {
        let event = read(&payload);
        assert_eq!(event.get("tool_input").unwrap()["file_path"], "a");
        // It is written as it came.
        assert_eq!(
            read(&wire().write_event(&event)).data.json(),
            event.data.json()
        );
    }
}

#[test]
fn a_refusal_carries_its_code_and_what_belongs_to_it() {
    let reason = Reason {
        code: Some("user_denied".into()),
        detail: Some(json!({"rule": "secrets"})),
        ..Reason::new("protected")
    };
    let said = HookResult::from(Verdict::Deny {
        reasons: [reason].into(),
    });
    let (answer, _) = answered(&first("PreToolUse"), said.clone());
    assert_eq!(
        answer,
        json!({"return": "deny", "reason": "protected", "code": "user_denied", "metadata": {"rule": "secrets"}})
    );
    let raw = crate::fixtures::ended(0, &answer.to_string(), "");
    assert_eq!(read_universal(&raw, &first("PreToolUse")), Ok(said));
}

/// A map with `:tool_name` and a model's own `"tool_name"` is encoded to this.
#[test]
fn two_keys_of_one_name_are_refused() {
    let twice = br#"{"event": "PreToolUse", "input": {"tool_name": "write", "path": ".env", "tool_name": "read"}}"#;
    assert!(wire().read_event(twice, None).is_err());
}
