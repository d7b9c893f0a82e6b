//! Events over HTTP.

use std::sync::Arc;
use std::time::Duration;

use anyhook_serve::Limits;
use serde_json::{Value, json};

use super::client::Answer;
use super::home::{CLAUDE, Home};

/// A rule that refuses a push.
fn no_push() -> Value {
    json!([{"name": "no-push", "type": "rule", "when": "runs('git push')", "then": {"deny": "not today"}}])
}

fn decision(answer: &Answer) -> Option<String> {
    let json: Value = serde_json::from_str(&answer.body).ok()?;
    let said = json["hookSpecificOutput"]["permissionDecision"].as_str();
    said.map(str::to_owned)
}

#[test]
fn an_event_is_answered_in_the_words_of_its_agent() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let mut kept = served.connect();
    let mut post = |line: &str| {
        let event = home.bash(line).to_string();
        kept.post(CLAUDE, &served.token, event.as_bytes())
    };
    let refused = post("git push");
    assert_eq!(
        (refused.status, refused.header("anyhook-exit")),
        (200, Some("0"))
    );
    assert_eq!(decision(&refused).as_deref(), Some("deny"), "{refused:?}");
    assert_eq!(refused.header("content-type"), Some("application/json"));
    // The connection is kept, and an event that no hook objects to has no body.
    let passed = post("ls");
    assert_eq!((passed.status, &*passed.body), (200, ""));
}

#[test]
fn a_strict_event_refuses_what_an_untrusted_project_guards() {
    let home = Home::new(&no_push());
    home.forget_trust();
    let served = home.serve(Limits::default());
    let body = home.bash("ls").to_string();
    let post = |query: &str| {
        let path = format!("{CLAUDE}?{query}");
        served.connect().post(&path, &served.token, body.as_bytes())
    };
    let lenient = post("");
    assert_ne!(decision(&lenient).as_deref(), Some("deny"));
    assert!(lenient.body.contains("not trusted"), "{lenient:?}");
    assert_eq!(decision(&post("strict=yes")).as_deref(), Some("deny"));
    assert_eq!(post("strict=no").status, 400);
}

#[test]
fn a_canonical_event_comes_back_with_its_result_and_its_report() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let event = json!({"hookEventName": "pre-tool-use", "toolName": "Bash", "cwd": home.path("project"),
        "toolInput": {"command": "git push"}});
    let answer = served
        .connect()
        .post("/v1/events", &served.token, event.to_string().as_bytes());
    let said: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(said["result"].to_string().contains("not today"), "{said}");
    assert_eq!(said["report"]["event"]["name"], "tool:pre", "{said}");
    assert!(said["report"]["id"].is_string(), "{said}");
}

#[test]
fn a_reply_by_exit_code_is_no_success_and_says_its_standard_error() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let project = home.path("project");
    let path = format!("{CLAUDE}?project={}", project.display());
    let post = |path: &str| {
        served
            .connect()
            .post(path, &served.token, b"{\"tool_name\": ")
    };
    let broken = post(&path);
    assert_eq!(
        (broken.status, broken.header("anyhook-exit")),
        (403, Some("2")),
        "{broken:?}"
    );
    // Standard error is in the body for clients that want it there.
    let whole = post(&format!("{path}&reply=json"));
    let said: Value = serde_json::from_str(&whole.body).unwrap();
    assert_eq!((whole.status, said["exit"].as_u64()), (403, Some(2)));
    assert!(
        said["stderr"]
            .as_str()
            .unwrap()
            .contains("could not read this event"),
        "{said}"
    );
}

#[test]
fn without_a_folder_nothing_is_decided() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let mut event = home.bash("git push");
    event.as_object_mut().unwrap().remove("cwd");
    for (body, why) in [
        (event.to_string(), "in which project"),
        ("{".to_owned(), "names no event"),
    ] {
        let answer = served
            .connect()
            .post(CLAUDE, &served.token, body.as_bytes());
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.body.contains(why), "{answer:?}");
    }
}

#[test]
fn a_rule_that_changes_while_the_server_runs_answers_as_it_is_now() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let asked = || decision(&served.posts(&home.bash("git fetch")));
    // The person's own file, which no trust stands in front of.
    let manifest = home.path("config/anyhook/hooks.json");
    std::fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let rule =
        json!([{"type": "rule", "when": "runs('git fetch')", "then": {"deny": "not today"}}]);
    let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": rule}]}});
    let text = hooks.to_string();
    std::fs::write(&manifest, &text).unwrap();
    let asks = text.replace("deny", "ask");
    assert_ne!(text, asks);
    for _ in 0..3 {
        assert_eq!(asked().as_deref(), Some("deny"));
        std::fs::write(&manifest, &asks).unwrap();
        assert_eq!(asked().as_deref(), Some("ask"));
        std::fs::remove_file(&manifest).unwrap();
        assert_eq!(asked(), None);
        std::fs::write(&manifest, &text).unwrap();
    }
}

#[test]
fn the_hooks_of_the_project_that_a_client_names_hold_wherever_the_event_says_it_happened() {
    let home = Home::new(&no_push());
    let served = home.serve(Limits::default());
    let mut event = home.bash("git push");
    event["cwd"] = json!("/");
    let head = [
        format!("Authorization: Bearer {}", served.token),
        format!("Anyhook-Project: {}", home.path("project").display()),
    ];
    let head = head.each_ref().map(String::as_str);
    let answer = served
        .connect()
        .send("POST", CLAUDE, &head, event.to_string().as_bytes());
    assert_eq!(decision(&answer).as_deref(), Some("deny"), "{answer:?}");
}

#[test]
fn an_event_that_finds_no_free_place_in_its_time_is_refused() {
    let slow = json!([{"name": "slow", "type": "command", "guard": true,
        "command": "touch \"$HOME/began\"; sleep 600"}]);
    let home = Home::new(&slow);
    let limits = Limits {
        events: 1,
        ending: Duration::from_millis(200),
        ..Limits::default()
    };
    let served = home.serve(limits);
    let body = home.bash("ls").to_string();
    let length = format!("Content-Length: {}", body.len());
    let mut first = served.begins("?deadline=600", &length);
    first.write(body.as_bytes());
    while !home.path("home/began").exists() {
        std::thread::yield_now();
    }
    let path = format!("{CLAUDE}?deadline=1&event=PreToolUse");
    let body = home.bash("pwd").to_string();
    let answer = served.connect().post(&path, &served.token, body.as_bytes());
    assert_eq!(decision(&answer).as_deref(), Some("deny"), "{answer:?}");
    assert!(answer.body.contains("did not finish in time"), "{answer:?}");
}

#[test]
fn sixty_four_clients_at_once_each_read_their_own_answer() {
    let home = Home::new(
        &json!([{"name": "echo", "type": "rule", "when": "runs('git push')",
        "then": {"deny": "not {{tool_input.command}}"}}]),
    );
    let served = Arc::new(home.serve(Limits::default()));
    let home = Arc::new(home);
    let clients: Vec<_> = (0..64)
        .map(|client| {
            let (served, home) = (Arc::clone(&served), Arc::clone(&home));
            std::thread::spawn(move || {
                let mut kept = served.connect();
                for turn in 0..8 {
                    let name = format!("branch-{client}-{turn}");
                    let event = home.bash(&format!("git push origin {name}")).to_string();
                    let answer = kept.post(CLAUDE, &served.token, event.as_bytes());
                    let own = format!("not git push origin {name}");
                    assert!(answer.body.contains(&own), "{answer:?}");
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}
