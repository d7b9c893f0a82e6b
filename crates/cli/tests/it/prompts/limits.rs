//! What a prompt hook may use: whose key, which model, and how much of a session.

use serde_json::json;

use super::{SECRET, asking, call, chosen, decided, fine, judge, judged, outcome, told};
use crate::env::{Shows as _, TestEnv, command, files_below, with};
use crate::server::{Reply, Server};

#[test]
fn a_key_is_in_no_report_no_error_and_no_other_hook() {
    let echo = Reply::error("418 Teapot", &format!("your key is {SECRET}, is it not?"));
    let server = Server::says(vec![echo]);
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"hooks": [judge(), command("env > $HOME/env; anyhook get tool_name")]}]),
    );
    chosen(&env, "openai", &server.base());
    let (_, reason) = decided(&told(&env, &call(&env, "ls")));
    reason.shows("answered 418: your key is [key], is it not?");
    let seen = env.lines("env");
    assert!(
        seen.iter().any(|line| line.starts_with("ANYHOOK_EVENT=")),
        "{seen:?}"
    );
    assert!(!seen.concat().contains(SECRET), "{seen:?}");
    let files = files_below(&env.path(""));
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        assert!(
            !String::from_utf8_lossy(&bytes).contains(SECRET),
            "{file:?}"
        );
    }
    // A report, a session, a manifest, the settings and what the hook wrote.
    assert!(files.len() > 4, "{files:?}");
}

#[test]
fn a_key_that_is_refused_is_quoted_nowhere() {
    let told = "Incorrect API key provided: sk-judge-47**";
    let half = Reply::error("401 Unauthorized", told);
    let (_, reason, _) = outcome("openai", vec![half]);
    reason.shows("401: it does not accept the key");
    assert!(!reason.contains("sk-judge"), "{reason}");
}

#[test]
fn the_environment_of_the_agent_chooses_a_local_server_without_a_key() {
    let no = json!({"ok": false, "reason": "no"});
    let server = Server::says(vec![judged("openai", &no)]);
    let env = TestEnv::hook("pre-tool-use", &judge());
    // A proxy has no business between two processes of one machine.
    let proxies = ["http_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9"));
    let left = env.told_in("claude-code", &call(&env, "ls"), |run| {
        run.env("ANYHOOK_MODEL", "qwen3")
            .env("ANYHOOK_MODEL_BASE_URL", server.base())
            .envs(proxies)
    });
    assert_eq!(decided(&left), (Some("deny".into()), "no".into()));
    let asked = server.asked();
    assert_eq!(
        (asked[0].header("authorization"), &asked[0].body["model"]),
        (None, &json!("qwen3"))
    );
}

#[test]
fn a_session_asks_at_most_fifty_times_in_all_its_processes() {
    let server = Server::says(vec![fine("anthropic")]);
    let env = asking(&judge(), "anthropic", &server);
    let key = anyhook::state::SessionKey::new("claude-code", "s-1");
    let state = anyhook::state::FileState::new(env.state().join("sessions"));
    let calls = |calls: Option<u64>| {
        let mut found = anyhook::state::ModelUsage::default();
        let _ = anyhook::state::State::update(&state, &key, &mut |session| {
            session.models.calls = calls.unwrap_or(session.models.calls);
            found = session.models;
        })
        .unwrap();
        (found.calls, found.tokens)
    };
    told(&env, &call(&env, "a")).passes();
    told(&env, &call(&env, "b")).passes();
    assert_eq!(
        calls(None),
        (2, 840),
        "each process counted what the server told"
    );
    calls(Some(49));
    // Of two at the same time one has the last call.
    let mut both = std::thread::scope(|scope| {
        let asks = |shell| decided(&told(&env, &call(&env, shell)));
        ["c", "d"]
            .map(|shell| scope.spawn(move || asks(shell)))
            .map(|asked| asked.join().unwrap())
    });
    both.sort();
    assert_eq!(both[0], (None, String::new()));
    assert!(
        both[1].1.contains("have asked a model 50 times already"),
        "{both:?}"
    );
    assert_eq!((calls(None).0, server.asked().len()), (50, 3));
    // Another session has its own.
    let other = with(call(&env, "e"), &json!({"session_id": "s-2"}));
    told(&env, &other).passes();
}

#[test]
fn what_would_take_more_tokens_than_a_session_has_is_not_sent() {
    let server = Server::says(vec![fine("anthropic")]);
    let env = asking(&judge(), "anthropic", &server);
    let (decision, reason) = decided(&told(&env, &call(&env, &"x".repeat(500_000))));
    assert_eq!(decision.as_deref(), Some("deny"));
    reason.shows("of 100000 left");
    assert_eq!(server.asked().len(), 0);
    // And it costs nothing.
    told(&env, &call(&env, "ls")).passes();
}
