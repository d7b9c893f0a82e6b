//! Conversations that grow too long.

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::compact::tokens;
use anyhook_agent::limits::RunLimits;
use anyhook_agent::message::ChatMessage;
use anyhook_agent::outcome::Finish;

use crate::kit::Kit;

fn long(tail: &str) -> Kit {
    let call = r#"{"calls": [{"name": "bash", "input": {"command": "seq 3000"}}]}"#;
    Kit::new(&format!("[{call}, {call}, {tail}]"))
}

fn limits() -> RunLimits {
    RunLimits {
        window: 10_000,
        ..RunLimits::default()
    }
}

#[test]
fn after_a_compaction_the_conversation_is_shorter_by_what_was_reported() {
    let kit = long(r#""a summary", "done""#);
    let mut agent = kit.limited(limits());
    let shared: std::sync::Arc<std::sync::Mutex<Vec<u64>>> = std::sync::Arc::default();
    let sizes = shared.clone();
    let size = move |event: &Event| {
        let messages = event.get("messages").unwrap().into_owned();
        let messages =
            anyhook_agent::message::ChatMessage::list(messages.as_array().unwrap()).unwrap();
        sizes.lock().unwrap().push(tokens(&messages));
    };
    agent.on("athena:chat-params", size);
    assert_eq!(agent.run("count").finish, Finish::Stop);
    let told = kit.seen.data("context:post_compact");
    let pre = kit.seen.data("context:pre_compact");
    let (before, after) = (
        told[0]["metadata"]["before"].as_u64().unwrap(),
        told[0]["metadata"]["after"].as_u64().unwrap(),
    );
    assert_eq!(pre[0]["estimate"]["tokens"], before);
    let count = |data: &serde_json::Value| data["message_count"].as_u64().unwrap();
    let dropped = told[0]["metadata"]["dropped_count"].as_u64().unwrap();
    // What was summarised is one message now.
    assert_eq!(
        count(&pre[0]) - dropped + u64::from(dropped > 0),
        count(&told[0])
    );
    // The request that follows is as long as was reported.
    let all = shared.lock().unwrap().clone();
    assert!(
        all.contains(&after) && after < before,
        "{all:?} {before} {after}"
    );
    assert_eq!(told[0]["token_count"], after);
    assert!(
        !told[0]["metadata"]["stages_applied"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_compaction_that_is_refused_again_and_again_is_not_asked_for_at_every_step() {
    let read = r#"{"calls": [{"name": "read", "input": {"file_path": "a"}}]}"#;
    let kit = Kit::new(&format!(
        r#"[{}, {{"error": "too_long"}}, {{"error": "too_long"}}]"#,
        [read; 20].join(",")
    ));
    std::fs::write(kit.path().join("a"), "x".repeat(400)).unwrap();
    let mut agent = kit.within(500);
    agent.on("context:pre_compact", |_: &Event| {
        HookResult::deny("an audit needs all of it")
    });
    // In the end it does not fit, and no hook lets it be made shorter.
    let told = "the conversation is too long for the model".to_owned();
    assert_eq!(agent.run("go").finish, Finish::Provider(told));
    let asked = kit.seen.data("context:pre_compact").len();
    assert!((3..15).contains(&asked), "{asked}");
    assert_eq!(
        kit.seen.only(&["context:post_compact"]),
        Vec::<String>::new()
    );
}

#[test]
fn no_call_is_cut_from_its_answer() {
    // A hook says something in the person's name between each call and its answer.
    let write = |at: usize| {
        format!(
            r#"{{"calls": [{{"name": "write", "input": {{"file_path": "f{at}", "content": "x"}}}}]}}"#
        )
    };
    let calls: Vec<String> = (0..8).map(write).collect();
    let kit = Kit::new(&format!(
        r#"[{}, {{"error": "too_long"}}, "a summary", "done"]"#,
        calls.join(",")
    ));
    let mut agent = kit.within(1_000_000);
    agent.on("tool:pre", |_: &Event| {
        let said = anyhook::core::result::Injection {
            role: anyhook::core::effects::Role::User,
            ..anyhook::core::result::Injection::new("remember the style")
        };
        HookResult::proceed().injecting(said)
    });
    assert_eq!(agent.run("go").finish, Finish::Stop);
    assert!(!kit.seen.only(&["context:post_compact"]).is_empty());
    let left = agent.transcript.messages();
    let calls: Vec<&str> = left
        .iter()
        .flat_map(|message| match message {
            ChatMessage::Assistant { calls, .. } => calls.as_slice(),
            _ => &[],
        })
        .map(|call| call.id.as_str())
        .collect();
    let answers: Vec<&str> = left
        .iter()
        .filter_map(|message| match message {
            ChatMessage::Tool { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(calls, answers);
}
