//! The two protocols, spoken to a server of the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use anyhook::config::{Config, ConfigFiles};
use anyhook::models::Configured;
use anyhook::world::World;
use anyhook_agent::agent::{Agent, Setup};
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permissions, Phase};
use anyhook_agent::provider::http::Http;
use serde_json::{Value, json};

/// Serves these answers, one a connection, and hands over what it was asked.
fn serve(answers: Vec<(u16, Value)>) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (say, said) = channel();
    std::thread::spawn(move || {
        for (status, answer) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            say.send(serde_json::from_slice(&body).unwrap()).unwrap();
            let text = answer.to_string();
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nretry-after: 0\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                text.len()
            );
            let mut stream = reader.into_inner();
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
        }
    });
    (base, said)
}

fn run(provider: &str, answers: Vec<(u16, Value)>) -> (Finish, String, Vec<Value>) {
    let (base, said) = serve(answers);
    let env = [
        ("ANYHOOK_MODEL_PROVIDER".into(), provider.into()),
        ("ANYHOOK_MODEL".into(), "m".into()),
        ("ANYHOOK_MODEL_BASE_URL".into(), base.into()),
        ("ANYHOOK_MODEL_KEY".into(), "k".into()),
    ];
    let world = World {
        env: env.into(),
        places: None,
        ..World::real()
    };
    let nothing = Config::read(ConfigFiles::default());
    let settings = Configured::read(&nothing, &world).settings.unwrap();
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.txt"), "one line").unwrap();
    let http = Http::new(settings).unwrap();
    let setup = Setup {
        model: http.model().to_owned(),
        system: "Be short.".into(),
        permissions: Permissions {
            phase: Phase::Plan,
            ..Permissions::default()
        },
        ..Setup::new("s1", Arc::new(http), place.path())
    };
    let outcome = Agent::new(setup).unwrap().run("what is in a.txt?");
    (outcome.finish, outcome.text, said.try_iter().collect())
}

#[test]
fn anthropics_protocol_carries_calls_and_their_answers() {
    let (finish, text, asked) = run(
        "anthropic",
        vec![
            (
                200,
                json!({
                    "content": [
                        {"type": "text", "text": "I look."},
                        {"type": "tool_use", "id": "t1", "name": "read", "input": {"file_path": "a.txt"}},
                    ],
                    "usage": {"input_tokens": 10, "output_tokens": 5},
                }),
            ),
            (
                200,
                json!({"content": [{"type": "text", "text": "One line."}], "usage": {}}),
            ),
        ],
    );
    assert_eq!((finish, &*text), (Finish::Stop, "One line."));
    assert_eq!(asked[0]["system"], "Be short.");
    assert_eq!(asked[0]["tools"][0]["name"], "read");
    assert_eq!(
        asked[1]["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "what is in a.txt?"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "read", "input": {"file_path": "a.txt"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "one line", "is_error": false},
            ]},
        ])
    );
}

#[test]
fn openais_protocol_carries_calls_and_their_answers() {
    let call = json!({"id": "t1", "type": "function", "function": {"name": "read", "arguments": "{\"file_path\":\"a.txt\"}"}});
    let (finish, text, asked) = run(
        "openai",
        vec![
            (
                200,
                json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [call]}}]}),
            ),
            (
                200,
                json!({"choices": [{"message": {"role": "assistant", "content": "One line."}}]}),
            ),
        ],
    );
    assert_eq!((finish, &*text), (Finish::Stop, "One line."));
    assert_eq!(
        asked[1]["messages"],
        json!([
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "what is in a.txt?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "t1", "content": "one line"},
        ])
    );
}

#[test]
fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let good = json!({"content": [{"type": "text", "text": "hello"}]});
    let (finish, _, asked) = run(
        "anthropic",
        vec![(529, json!({})), (429, json!({})), (200, good)],
    );
    assert_eq!((finish, asked.len()), (Finish::Stop, 3));
    let (finish, _, asked) = run(
        "anthropic",
        vec![(401, json!({"error": {"message": "bad key k"}}))],
    );
    let Finish::Provider(told) = finish else {
        panic!("{finish:?}")
    };
    assert!(
        told.contains("does not accept the key") && !told.contains("bad key k"),
        "{told}"
    );
    assert_eq!(asked.len(), 1);
}

#[test]
fn a_conversation_that_does_not_fit_is_made_shorter_and_sent_again() {
    let long = json!({"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}});
    let good = json!({"content": [{"type": "text", "text": "hello"}]});
    let (finish, _, asked) = run("anthropic", vec![(400, long), (200, good)]);
    assert_eq!((finish, asked.len()), (Finish::Stop, 2));
}

#[test]
fn a_call_in_which_the_answer_was_cut_off_does_not_run() {
    let half = json!({"file_path": "a.txt"});
    let (finish, _, asked) = run(
        "anthropic",
        vec![
            (
                200,
                json!({
                    "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": half}],
                    "stop_reason": "max_tokens",
                }),
            ),
            (
                200,
                json!({"content": [{"type": "text", "text": "So long."}]}),
            ),
        ],
    );
    assert_eq!(finish, Finish::Stop);
    let told = &asked[1]["messages"][2]["content"][0];
    assert_eq!(
        (&told["is_error"], &told["content"]),
        (
            &json!(true),
            &json!("the argument `file_path` has to be a text")
        )
    );
}
