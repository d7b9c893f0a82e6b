//! Calls: none is left without an answer, and hooks that misbehave take nothing down.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook::session::SessionEmission;
use anyhook_agent::agent::AgentSetup;
use anyhook_agent::outcome::Finish;
use anyhook_agent::provider::scripted::ScriptedProvider;

use crate::athena::answers;
use crate::kit::Kit;

#[test]
fn what_an_agent_was_is_still_there_after_a_panic_of_who_looks_on() {
    let kit = Kit::new(r#"["one", "two"]"#);
    let panicked = Arc::new(AtomicBool::new(false));
    let mut agent = kit.agent(AgentSetup {
        watcher: Some(Arc::new(move |acted: &SessionEmission| {
            let is_stop = acted.event.name.as_str() == "stop";
            assert!(!is_stop || panicked.swap(true, Ordering::SeqCst), "oh");
        })),
        ..kit.setup()
    });
    let run = catch_unwind(AssertUnwindSafe(|| agent.turn("go")));
    assert_eq!(run.unwrap_err().downcast_ref::<&str>(), Some(&"oh"));
    let outcome = agent.run("go on");
    assert_eq!((outcome.finish, &*outcome.text), (Finish::Stop, "two"));
    // The session had begun, and the conversation is the same.
    assert_eq!(kit.seen.only(&["session:start"]), ["session:start"]);
    assert!(kit.last_request().contains("one"), "{}", kit.last_request());
}

/// A hook that refuses what is about `.env`, by that very name.
fn refuses_env(event: &Event) -> HookResult {
    match event.get("tool_input").unwrap()["file_path"].as_str() {
        Some(".env") => HookResult::deny("`.env` holds secrets"),
        _ => HookResult::proceed(),
    }
}

#[test]
fn a_hook_is_asked_about_the_one_name_of_a_file() {
    let kit = Kit::new("[]");
    std::fs::create_dir(kit.path().join("sub")).unwrap();
    std::fs::write(kit.path().join(".env"), "secret").unwrap();
    std::os::unix::fs::symlink("../.env", kit.path().join("sub/link")).unwrap();
    std::os::unix::fs::symlink("..", kit.path().join("sub/up")).unwrap();
    let whole = kit.path().canonicalize().unwrap().join(".env");
    for path in [
        "./.env",
        "sub/../.env",
        "new/../.env",
        "sub//up/.env",
        "sub/link",
        whole.to_str().unwrap(),
    ] {
        let calls = serde_json::json!([{"calls": [
            {"name": "read", "input": {"file_path": path}},
            {"name": "write", "input": {"file_path": path, "content": "x"}},
        ]}]);
        let mut agent = kit.with(Arc::new(
            ScriptedProvider::read(&calls.to_string()).unwrap(),
        ));
        agent.on("tool:pre", refuses_env);
        agent.run("go");
        let refused = ("denied by a hook: `.env` holds secrets".to_owned(), true);
        assert_eq!(answers(&agent), [refused.clone(), refused], "{path}");
    }
    assert_eq!(std::fs::read_to_string(whole).unwrap(), "secret");
}
