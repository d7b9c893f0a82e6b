//! Whatever hooks and models do, every call is answered.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhook::core::effects::{Placement, Role};
use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Injection};
use anyhook_agent::agent::{Agent, AgentSetup};
use anyhook_agent::limits::RunLimits;
use anyhook_agent::message::{ChatMessage, ToolUse};
use anyhook_agent::order::EventOrder;
use anyhook_agent::permissions::{PermissionPhase, Permissions};
use anyhook_agent::provider::scripted::ScriptedProvider;
use proptest::prelude::*;
use serde_json::{Map, json};

/// Each call has an id of its own, and an answer after it.
pub(crate) fn assert_answered(said: &[ChatMessage]) {
    let mut called = BTreeSet::new();
    let mut open = BTreeSet::new();
    for message in said {
        match message {
            ChatMessage::Assistant { calls, .. } => {
                for call in calls {
                    assert!(called.insert(&call.id), "{said:?}");
                    open.insert(&call.id);
                }
            }
            ChatMessage::Tool { id, .. } => {
                open.remove(id);
            }
            ChatMessage::System { .. } | ChatMessage::User { .. } => {}
        }
    }
    assert_eq!(open, BTreeSet::new(), "{said:?}");
}

fn message() -> impl Strategy<Value = ChatMessage> {
    let id = prop_oneof![Just("a"), Just("b"), Just("c")];
    let call = id.clone().prop_map(|id| ToolUse {
        id: id.into(),
        name: "read".into(),
        input: Map::new(),
    });
    prop_oneof![
        "[a-z ]{0,3}".prop_map(|text| ChatMessage::System { text, name: None }),
        "[a-z ]{0,3}".prop_map(|text| ChatMessage::User { text, name: None }),
        ("[a-z ]{0,3}", prop::collection::vec(call, 0..4))
            .prop_map(|(text, calls)| ChatMessage::Assistant { text, calls }),
        (id, "[a-z]{0,3}").prop_map(|(id, text)| ChatMessage::Tool {
            id: id.into(),
            name: "read".into(),
            text,
            failed: false
        }),
    ]
}

/// What one hook does.
#[derive(Debug, Clone)]
enum Does {
    Says(HookResult),
    Fails,
    Panics,
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        12 => said().prop_map(Does::Says),
        1 => Just(Does::Fails),
        1 => Just(Does::Panics),
    ]
}

fn said() -> impl Strategy<Value = HookResult> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)];
    let place = prop_oneof![Just(Placement::Message), Just(Placement::LastToolResult)];
    let text = (role, place, any::<bool>()).prop_map(|(role, place, goes)| {
        let text = Injection {
            role,
            place,
            ..Injection::new("a text of a hook")
        };
        HookResult::proceed().injecting(if goes { text.ephemeral() } else { text })
    });
    prop_oneof![
        4 => text,
        1 => Just(HookResult::deny("no")),
        1 => Just(HookResult::ask("sure?")),
        1 => Just(HookResult::halt("enough")),
        1 => Just(HookResult::allow()),
        1 => Just(HookResult::proceed().modify("tool_input", json!({"file_path": "b"}))),
        1 => Just(HookResult::proceed().modify("tool_input", json!(7))),
        1 => Just(HookResult::proceed().modify("tool_result", json!(["x"]))),
        1 => Just(HookResult::proceed().modify("prompt", json!(""))),
        1 => Just(HookResult::proceed().modify("prompt", json!(null))),
        1 => Just(HookResult::proceed().modify("request", json!({"model": "m", "max_tokens": 1, "tools": []}))),
        1 => Just(HookResult::proceed().modify("response", json!({"role": "assistant", "content": " ", "tool_calls": [
            {"id": "c", "name": "write", "input": {}}, {"id": "c", "name": "read", "input": {"file_path": "a"}},
        ]}))),
        1 => Just(HookResult::proceed().modify("messages", json!([
            {"role": "tool", "tool_use_id": "c", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "name": "read", "input": {}}]},
            {"role": "user", "content": " "},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "name": "read", "input": {}}]},
        ]))),
        1 => Just(HookResult::proceed().modify("messages", json!([{"role": "assistant", "content": "I"}]))),
        1 => Just(HookResult::proceed().modify("response", json!({"role": "assistant", "content": ""}))),
    ]
}

fn line() -> impl Strategy<Value = serde_json::Value> {
    let call = prop_oneof![
        Just(json!({"id": "c", "name": "read", "input": {"file_path": "a"}})),
        Just(json!({"id": "c", "name": "write", "input": {"file_path": "a", "content": "x"}})),
        Just(json!({"id": "", "name": "nothing", "input": {}})),
        Just(json!({"name": "edit", "input": {"file_path": 7}})),
        Just(json!({"name": "spawn_agent", "input": {"prompt": "go"}})),
    ];
    prop_oneof![
        3 => prop::collection::vec(call, 0..4).prop_map(|calls| json!({"text": "", "calls": calls})),
        1 => Just(json!("done")),
        1 => Just(json!({"error": "too_long"})),
        1 => Just(json!({"error": "again"})),
    ]
}

const EVENTS: &str = "
    session:start prompt:submit athena:pre-iteration athena:chat-params provider:request provider:response
    decision:tool_resolution approval:required approval:denied user:notification
    context:pre_compact athena:pre-compact-stage context:post_compact
    tool:pre tool:post tool:error agent:spawn agent:complete stop *";

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_list_of_messages_is_read_back_as_it_was_told(messages in prop::collection::vec(message(), 0..24)) {
        let told: Vec<_> = messages.iter().map(ChatMessage::json).collect();
        prop_assert_eq!(ChatMessage::list(&told).unwrap(), messages);
    }

    #[test]
    fn whatever_hooks_say_every_call_is_answered(
        hooks in prop::collection::vec((prop::sample::select(EVENTS.split_whitespace().collect::<Vec<_>>()), does(), 0..3_u32), 0..6),
        script in prop::collection::vec(line(), 0..8),
        is_original in any::<bool>(),
        phase in prop::sample::select(vec![PermissionPhase::Trusted, PermissionPhase::Default, PermissionPhase::Plan]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let script = serde_json::Value::from(script).to_string();
        let provider = Arc::new(ScriptedProvider::read(&script).unwrap());
        let permissions = Permissions { phase, ..Permissions::default() };
        let order = if is_original { EventOrder::Athena } else { EventOrder::Ours };
        let limits = RunLimits { turns: 12, depth: 1, retries: 1, window: 2_000, ..RunLimits::default() };
        let setup = AgentSetup { permissions, limits, order, ..AgentSetup::new("s1", provider, folder.path()) };
        let mut agent = Agent::new(setup).unwrap();
        for (event, does, skips) in hooks {
            let count = std::sync::atomic::AtomicU32::new(0);
            agent.on(event, move |_: &Event| {
                let asked = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                match &does {
                    _ if asked % 3 != skips => Ok(HookResult::proceed()),
                    Does::Says(said) => Ok(said.clone()),
                    Does::Fails => Err("nonsense"),
                    // Without the message that a panic prints.
                    Does::Panics => std::panic::resume_unwind(Box::new("oh")),
                }
            });
        }
        agent.run("go");
        assert_answered(&agent.transcript.messages());
    }
}
