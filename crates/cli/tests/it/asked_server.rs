//! Hooks of type `http`, against a server of the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, finish, on, start};

/// A server that answers one request with these bytes, and returns what it was sent.
fn server(answer: &'static str) -> (String, JoinHandle<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).unwrap() > 2 {
            head.push_str(&line.to_ascii_lowercase());
            line.clear();
        }
        let length = head.split("content-length: ").nth(1).unwrap();
        let length = length.lines().next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        (head, String::from_utf8(body).unwrap())
    });
    (url, asked)
}

const REFUSES: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
    {\"decision\": \"block\", \"reason\": \"the policy server says no\"}";

/// What comes of a call whose only hook, one of the person's own, is this.
fn asked(env: &TestEnv, hook: &Value) -> Left {
    let hooks = on("pre-tool-use", &json!([{"hooks": [hook]}]));
    env.write("home/.config/anyhook/hooks.json", &hooks.to_string());
    let mut line = env.command(&["run", "--host", "claude-code"]);
    line.env("HOOK_TOKEN", "t0k3n");
    let call = env.pre("Bash", &json!({"command": "npm publish"}));
    finish(start(line, call.to_string().as_bytes()))
}

#[test]
fn a_server_gets_the_event_and_its_refusal_counts() {
    let env = TestEnv::new();
    let (url, sent) = server(REFUSES);
    let hook = json!({"type": "http", "url": url, "headers": {"Authorization": "Bearer $HOOK_TOKEN"},
        "allowedEnvVars": ["HOOK_TOKEN"]});
    let left = asked(&env, &hook);
    assert!(
        left.stdout.contains("the policy server says no"),
        "{left:?}"
    );
    let (head, body) = sent.join().unwrap();
    assert!(
        head.starts_with("post /hook ") && head.contains("authorization: bearer t0k3n"),
        "{head}"
    );
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["tool_input"]["command"], "npm publish");
}

#[test]
fn a_guard_whose_server_gives_no_answer_refuses_and_says_why() {
    let redirects =
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\nconnection: close\r\n\r\n";
    let breaks = "HTTP/1.1 503 Busy\r\nconnection: close\r\n\r\ntry later";
    for (answer, why) in [(redirects, "it redirects"), (breaks, "503 try later")] {
        let (url, sent) = server(answer);
        let left = asked(
            &TestEnv::new(),
            &json!({"type": "http", "url": url, "guard": true}),
        );
        assert!(
            left.stdout.contains("deny") && left.stdout.contains(why),
            "{left:?}"
        );
        sent.join().unwrap();
    }
}

#[test]
fn what_the_settings_do_not_list_is_not_asked() {
    let env = TestEnv::new();
    env.write(
        "home/.config/anyhook/config.toml",
        "[http]\nhosts = ['hooks.example.com']\n",
    );
    let hook = json!({"type": "http", "url": "http://127.0.0.1:9/", "guard": true});
    let left = asked(&env, &hook);
    assert!(
        left.stdout.contains("`127.0.0.1` is not in `http.hosts`"),
        "{left:?}"
    );
}

#[test]
fn a_variable_without_a_value_sends_nothing() {
    let hook = json!({"type": "http", "url": "http://127.0.0.1:9/", "guard": true,
        "headers": {"x-token": "$NO_SUCH_TOKEN"}, "allowedEnvVars": ["NO_SUCH_TOKEN"]});
    let left = asked(&TestEnv::new(), &hook);
    assert!(
        left.stdout
            .contains("the variable `NO_SUCH_TOKEN` is not set"),
        "{left:?}"
    );
}

#[test]
fn a_hook_of_claude_codes_own_file_asks_its_server_under_every_agent() {
    let env = TestEnv::new();
    let (url, sent) = server(REFUSES);
    let own = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": url}]}]}});
    env.write("project/.claude/settings.json", &own.to_string());
    env.trust_file(".claude/settings.json");
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": env.path("project"),
        "tool_name": "run_shell_command", "tool_input": {"command": "npm publish"}});
    let left = env.told_by("gemini-cli", &call);
    assert!(
        left.stdout.contains("the policy server says no"),
        "{left:?}"
    );
    let (_, body) = sent.join().unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&body["hook_event_name"], &body["tool_name"]),
        (&json!("PreToolUse"), &json!("Bash"))
    );
}
