//! Conversations that grow too long.

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::agent::Setup;
use anyhook_agent::compact::tokens;
use anyhook_agent::limits::Limits;
use anyhook_agent::outcome::Finish;

use crate::kit::Kit;

fn long(tail: &str) -> Kit {
    let call = r#"{"calls": [{"name": "bash", "input": {"command": "seq 3000"}}]}"#;
    Kit::new(&format!("[{call}, {call}, {tail}]"))
}

fn limits() -> Limits {
    Limits {
        window: 10_000,
        ..Limits::default()
    }
}

#[test]
fn after_a_compaction_the_conversation_is_shorter_by_what_was_reported() {
    let kit = long(r#""a summary", "done""#);
    let mut agent = kit.agent(Setup {
        limits: limits(),
        ..kit.setup()
    });
    let shared: std::sync::Arc<std::sync::Mutex<Vec<u64>>> = std::sync::Arc::default();
    let sizes = shared.clone();
    let size = move |event: &Event| {
        let messages = event.get("messages").unwrap().into_owned();
        let messages = anyhook_agent::message::Message::list(messages.as_array().unwrap()).unwrap();
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
fn a_compaction_that_is_refused_does_not_happen() {
    let kit = long(r#""done""#);
    let mut agent = kit.agent(Setup {
        limits: limits(),
        ..kit.setup()
    });
    agent.on("context:pre_compact", |_: &Event| {
        HookResult::deny("an audit needs all of it")
    });
    agent.run("count");
    assert_eq!(
        kit.seen
            .only(&["athena:pre-compact-stage", "context:post_compact"]),
        Vec::<String>::new()
    );
}

#[test]
fn a_provider_that_finds_it_too_long_is_asked_once_more_with_less() {
    let kit = long(r#"{"error": "too_long"}, "done""#);
    let mut agent = kit.agent(Setup {
        limits: Limits {
            window: 1_000_000,
            ..limits()
        },
        ..kit.setup()
    });
    let outcome = agent.run("count");
    assert_eq!((outcome.finish, &*outcome.text), (Finish::Stop, "done"));
    let stages = kit.seen.data("athena:pre-compact-stage");
    assert_eq!(stages.len(), 3);
    assert!(
        stages
            .iter()
            .all(|stage| stage["estimate"]["force"] == true)
    );
}

#[test]
fn a_provider_that_finds_it_too_long_twice_has_failed() {
    let kit = Kit::new(r#"[{"error": "too_long"}, {"error": "too_long"}]"#);
    let outcome = kit.free().run("count");
    assert_eq!(
        outcome.finish,
        Finish::Provider("the conversation is too long for the model".into())
    );
}
