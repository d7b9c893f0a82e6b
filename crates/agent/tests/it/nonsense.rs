//! Models that answer nonsense.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::agent::AgentSetup;
use anyhook_agent::message::{ChatMessage, ToolUse};
use anyhook_agent::outcome::{Finish, RunOutcome};
use anyhook_agent::provider::{Provider, ProviderError, ProviderReply, ProviderRequest};
use serde_json::{Value, json};

use crate::kit::Kit;
use crate::laws::assert_answered;

/// Says these one after the other, then that it is done.
struct Says(Mutex<VecDeque<ProviderReply>>);

impl Provider for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn answer(&self, _: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
        let next = self.0.lock().unwrap().pop_front();
        Ok(next.unwrap_or_else(|| said("done", &[])))
    }
}

fn said(text: &str, calls: &[(&str, &str, Value)]) -> ProviderReply {
    let call = |(id, name, input): &(&str, &str, Value)| ToolUse {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        input: input.as_object().cloned().unwrap_or_default(),
    };
    ProviderReply {
        text: text.to_owned(),
        calls: calls.iter().map(call).collect(),
        ..ProviderReply::default()
    }
}

/// Runs an agent whose model says this; no answer to a call is lost.
fn run(replies: impl Into<VecDeque<ProviderReply>>) -> (RunOutcome, Vec<ChatMessage>) {
    let kit = Kit::new("[]");
    let mut agent = kit.with(Arc::new(Says(Mutex::new(replies.into()))));
    let outcome = agent.run("go");
    assert_eq!(kit.seen.names().last().unwrap(), "session:end");
    let left = agent.transcript.messages();
    assert_answered(&left);
    (outcome, left)
}

fn texts(messages: &[ChatMessage]) -> Vec<&str> {
    let of = messages.iter().filter_map(|message| match message {
        ChatMessage::Tool { text, .. } => Some(text.as_str()),
        _ => None,
    });
    of.collect()
}

#[test]
fn two_calls_of_one_id_are_two_in_a_turn_and_over_turns() {
    let input = |name: &str| json!({"file_path": name, "content": "x"});
    let (outcome, left) = run([
        said(
            "",
            &[("c", "write", input("a")), ("c", "write", input("b"))],
        ),
        said("", &[("c", "write", input("c"))]),
    ]);
    assert_eq!(outcome.finish, Finish::Stop);
    let wrote = |name: &str| format!("wrote 1 bytes to `{name}`");
    assert_eq!(texts(&left), [wrote("a"), wrote("b"), wrote("c")]);
}

#[test]
fn an_unknown_tool_is_named_with_those_that_there_are() {
    let long = "x".repeat(1 << 20);
    let (outcome, left) = run([said(
        "",
        &[
            ("1", "Write", json!({})),
            ("2", &long, json!({})),
            ("3", "", json!({})),
        ],
    )]);
    assert_eq!(outcome.finish, Finish::Stop);
    let none = |name: &str| {
        format!("there is no tool `{name}`; there are: read, write, edit, bash, spawn_agent")
    };
    assert_eq!(
        texts(&left),
        [none("Write"), none(&"x".repeat(64)), none("")]
    );
}

#[test]
fn an_id_of_a_mebibyte_is_not_sent_back_and_an_empty_one_is_given() {
    let huge = "i".repeat(1 << 20);
    let (outcome, left) = run([said(
        "",
        &[
            (&huge, "read", json!({"file_path": "a"})),
            ("", "read", json!({"file_path": "a"})),
        ],
    )]);
    assert_eq!(outcome.finish, Finish::Stop);
    let ids: Vec<&str> = left
        .iter()
        .filter_map(|message| match message {
            ChatMessage::Tool { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["call", "call-2"]);
}

#[test]
fn arguments_of_every_wrong_kind_are_failures_that_the_model_reads() {
    let wrong = [
        json!({}),
        json!({"file_path": 7, "command": [], "prompt": null}),
        json!({"file_path": "a\u{0}b", "content": "x", "old_string": "", "new_string": "", "command": "a\u{0}b"}),
        json!({"prompt": "go", "isolation": "container"}),
        json!({"prompt": "go", "isolation": ["worktree"]}),
        json!({"unreadable": "{\"file_path\": "}),
    ];
    for tool in ["read", "write", "edit", "bash", "spawn_agent"] {
        for input in &wrong {
            if tool == "spawn_agent" && input.get("prompt").is_none() {
                continue;
            }
            let (outcome, left) = run([said("", &[("c", tool, input.clone())])]);
            assert_eq!(outcome.finish, Finish::Stop, "{tool} {input}");
            let failed =
                |message: &ChatMessage| matches!(message, ChatMessage::Tool { failed: true, .. });
            assert!(left.iter().any(failed), "{tool} {input}: {left:?}");
        }
    }
}

/// Fails in a way that it does not tell.
struct Panics;

impl Provider for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn answer(&self, _: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
        // Without the message that a panic prints.
        std::panic::resume_unwind(Box::new("no clause matched"))
    }
}

#[test]
fn a_provider_that_panics_has_failed_and_the_session_ends() {
    let kit = Kit::new("[]");
    let mut agent = kit.with(Arc::new(Panics));
    assert_eq!(
        agent.run("go").finish,
        Finish::Provider("the provider panicked".into())
    );
    assert_eq!(kit.seen.names().last().unwrap(), "session:end");
}

/// What hooks write over the fields of every event that they are asked about.
const FIELDS: &str =
    "prompt messages request model response tool_input tool_result tool_name task estimate";

#[test]
fn a_hook_may_write_nonsense_over_every_field_of_every_event() {
    let nonsense = [
        Value::Null,
        json!(-1),
        json!([[]]),
        json!({"a": {}}),
        json!("\u{0}"),
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": "", "name": "", "input": {}}]}),
    ];
    for (field, said) in FIELDS
        .split(' ')
        .flat_map(|field| nonsense.iter().map(move |said| (field, said)))
    {
        let kit = Kit::new(
            r#"[{"calls": [{"name": "write", "input": {"file_path": "secret", "content": "x"}}, {"name": "spawn_agent", "input": {"prompt": "a secret task"}}]}, "x"]"#,
        );
        let mut agent = kit.agent(AgentSetup {
            model: "a secret model".into(),
            ..kit.setup()
        });
        let wrong = said.clone();
        agent.on("*", move |_: &Event| {
            HookResult::proceed().modify(field, wrong.clone())
        });
        let outcome = agent.run("a secret prompt");
        let at = format!("{field} {said}: {:?}", outcome.finish);
        assert_eq!(kit.seen.names().last().unwrap(), "session:end", "{at}");
        let asked = kit.provider.asked();
        assert_answered(&agent.transcript.messages());
        // What a hook took away is gone, whatever it wrote there instead.
        let said = |text: &str| format!("{asked:?}").contains(text);
        match field {
            "prompt" => assert!(!said("a secret prompt"), "{at}"),
            "task" => assert!(
                !format!("{:?}", asked.get(1)).contains("User { text: \"a secret task\""),
                "{at}"
            ),
            "model" => assert!(!said("a secret model"), "{at}"),
            "messages" | "request" => assert!(asked.is_empty(), "{at}"),
            "response" | "tool_input" => assert!(!kit.path().join("secret").exists(), "{at}"),
            _ => assert_eq!(outcome.finish, Finish::Stop, "{at}"),
        }
    }
}
