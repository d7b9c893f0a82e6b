//! What a prompt hook may use: whose key, which model, and how much of a session.

use serde_json::json;

use super::{SECRET, asking, call, chosen, decided, judge, line, outcome, told};
use crate::env::{Shows as _, TestEnv, command, finish, start};
use crate::server::{Reply, Server, anthropic, openai};

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
    let mut folders = vec![env.path("home"), env.path("project")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                assert!(
                    !String::from_utf8_lossy(&bytes).contains(SECRET),
                    "{path:?}"
                );
            }
        }
    }
    assert!(
        files > 4,
        "a report, a session, a manifest, the settings and what the hook wrote"
    );
}

#[test]
fn a_key_that_is_refused_is_quoted_nowhere() {
    let half = Reply::error(
        "401 Unauthorized",
        "Incorrect API key provided: sk-judge-47**",
    );
    let (_, reason, _) = outcome("openai", vec![half]);
    reason.shows("401: it does not accept the key");
    assert!(!reason.contains("sk-judge"), "{reason}");
}

#[test]
fn the_environment_of_the_agent_chooses_a_local_server_without_a_key() {
    let server = Server::says(vec![Reply::json(&openai(
        "{\"ok\": false, \"reason\": \"no\"}",
    ))]);
    let env = TestEnv::hook("pre-tool-use", &judge());
    let mut command = line(&env);
    command
        .env("ANYHOOK_MODEL", "qwen3")
        .env("ANYHOOK_MODEL_BASE_URL", server.base());
    // A proxy has no business between two processes of one machine.
    command
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9");
    let left = finish(start(command, call(&env, "ls").to_string().as_bytes()));
    assert_eq!(decided(&left), (Some("deny".into()), "no".into()));
    let asked = server.asked();
    assert_eq!(
        (asked[0].header("authorization"), &asked[0].body["model"]),
        (None, &json!("qwen3"))
    );
}

#[test]
fn a_session_asks_at_most_fifty_times_in_all_its_processes() {
    let server = Server::says(vec![Reply::json(&anthropic(&json!({"ok": true})))]);
    let env = asking(&judge(), "anthropic", &server);
    let key = anyhook::state::SessionKey::new("claude-code", "s-1");
    let state = anyhook::state::FileState::new(env.state().join("sessions"));
    let calls = |calls: Option<u64>| {
        let mut found = anyhook::state::Models::default();
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
    let both = ["c", "d"].map(|shell| start(line(&env), call(&env, shell).to_string().as_bytes()));
    let mut both: Vec<_> = both
        .into_iter()
        .map(|child| decided(&finish(child)))
        .collect();
    both.sort();
    assert_eq!(both[0], (None, String::new()));
    assert!(
        both[1].1.contains("have asked a model 50 times already"),
        "{both:?}"
    );
    assert_eq!((calls(None).0, server.asked().len()), (50, 3));
    let mut other = call(&env, "e");
    other["session_id"] = json!("s-2");
    assert_eq!(
        told(&env, &other).decision(),
        None,
        "another session has its own"
    );
}

#[test]
fn what_would_take_more_tokens_than_a_session_has_is_not_sent() {
    let server = Server::says(vec![Reply::json(&anthropic(&json!({"ok": true})))]);
    let env = asking(&judge(), "anthropic", &server);
    let (decision, reason) = decided(&told(&env, &call(&env, &"x".repeat(500_000))));
    assert_eq!(decision.as_deref(), Some("deny"));
    reason.shows("of 100000 left");
    assert_eq!(server.asked().len(), 0);
    assert_eq!(
        told(&env, &call(&env, "ls")).decision(),
        None,
        "and costs nothing"
    );
}
