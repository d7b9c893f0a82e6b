//! Tools of servers that are reached over the network, against a server of the test on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::hook;
use crate::env::{Left, TestEnv, finish, start};

/// What the server does when its tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Json,
    Stream,
    Breaks,
    Errs,
    Fails,
    Floods,
    FloodsStream,
    Forgets,
    Hangs,
    HangsInStream,
    NoJson,
    Redirects,
}

/// A request: its method with that of its message, and its head.
type Asked = (String, String);

/// What the server was asked, and a bell for each request.
type Noted = Arc<(Mutex<Vec<Asked>>, Condvar)>;

/// A server of the test, as long as its process.
struct Remote {
    url: String,
    noted: Noted,
}

impl Remote {
    fn start(how: How) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let noted = Noted::default();
        let all = Arc::clone(&noted);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let noted = Arc::clone(&all);
                std::thread::spawn(move || serve(how, stream.unwrap(), &noted));
            }
        });
        Self { url, noted }
    }

    fn asked(&self) -> Vec<Asked> {
        self.noted.0.lock().unwrap().clone()
    }

    /// Returns what was asked as soon as it is this much: no program waits for the end of a session.
    fn asked_times(&self, count: usize) -> Vec<Asked> {
        let (all, bell) = &*self.noted;
        let bound = Duration::from_secs(30);
        let is_less = |asked: &mut Vec<Asked>| asked.len() < count;
        let all = bell.wait_timeout_while(all.lock().unwrap(), bound, is_less);
        all.unwrap().0.clone()
    }
}

/// Answers the one request of a connection. Who it is about goes by the session.
fn serve(how: How, mut stream: TcpStream, noted: &Noted) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).unwrap() > 2 {
        head.push_str(&line.to_ascii_lowercase());
        line.clear();
    }
    let length = head.split("content-length: ").nth(1);
    let length = length.map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    let verb = head.split(' ').next().unwrap();
    let (all, bell) = &**noted;
    let asked = (format!("{verb} {method}"), head.clone());
    all.lock().unwrap().push(asked);
    bell.notify_all();
    let _ = stream.write_all(answer(how, &method, &message).as_bytes());
    if matches!(
        (how, &*method),
        (How::Hangs | How::HangsInStream, "tools/call")
    ) {
        // It stays open until the client leaves.
        let _ = stream.read(&mut [0]);
    }
}

fn http(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nmcp-session-id: s-7\r\nconnection: close\r\n\r\n{body}"
    )
}

fn answer(how: How, method: &str, message: &Value) -> String {
    let said = |more: Value| {
        let mut whole = json!({"jsonrpc": "2.0", "id": message["id"]});
        whole
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        whole.to_string()
    };
    let ok = |more: Value| http("200 OK", "application/json", &said(more));
    if method == "initialize" {
        let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}});
        return ok(json!({ "result": hello }));
    }
    if method != "tools/call" {
        return http("202 Accepted", "text/plain", "");
    }
    let reason = format!("it refuses {}", message["params"]["arguments"]);
    let refusal = json!({"decision": "block", "reason": reason}).to_string();
    let told = json!({"result": {"content": [{"type": "text", "text": refusal}]}});
    let stream = |body: &str| http("200 OK", "text/event-stream; charset=utf-8", body);
    let ping = "id: 1\ndata:\n\n: a comment\ndata: {\"jsonrpc\": \"2.0\", \"id\": \"p\",\ndata: \"method\": \"ping\"}\n\n";
    match how {
        How::Json => ok(told),
        How::Stream => stream(&format!("{ping}event: message\r\ndata: {}\r\n\r\n", said(told))),
        How::Breaks => stream(&format!("data: {}", said(told))),
        How::Errs => ok(json!({"error": {"code": -32602, "message": "no such tool"}})),
        How::Fails => ok(json!({"result": {"isError": true,
            "content": [{"type": "text", "text": "the scan broke"}]}})),
        How::Floods => http("200 OK", "application/json", &"x".repeat(5 << 20)),
        How::FloodsStream => stream(&": x\n".repeat(2 << 20)),
        How::Forgets => http("404 Not Found", "text/plain", "no session s-7"),
        How::Hangs => String::new(),
        How::HangsInStream => stream(": wait\n"),
        How::NoJson => http("200 OK", "text/html", "<p>It works</p>"),
        How::Redirects => "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/\r\nconnection: close\r\n\r\n".to_owned(),
    }
}

/// A project whose hook, a guard, calls the tool of the server that is described so.
fn project(described: &Value, timeout: u64) -> TestEnv {
    let env = TestEnv::new();
    let input = json!({"line": "${tool_input.command}"});
    env.write(
        "project/.claude/settings.json",
        &hook(&input, timeout).to_string(),
    );
    env.write("project/.mcp.json", &file(described));
    env
}

fn file(described: &Value) -> String {
    json!({"mcpServers": {"scanner": described}}).to_string()
}

fn called(env: &TestEnv, line: &str) -> Left {
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": env.path("project"),
        "tool_name": "run_shell_command", "tool_input": {"command": line}});
    let mut command = env.command(&["run", "--host", "gemini-cli"]);
    command.env("SCAN_TOKEN", "t0k3n");
    finish(start(command, call.to_string().as_bytes()))
}

#[test]
fn a_tool_over_the_network_answers_as_json_or_as_a_stream_and_its_session_ends() {
    for (how, asks) in [
        (How::Json, &["post tools/call", "delete "][..]),
        // The ping that comes before the answer is answered.
        (How::Stream, &["post tools/call", "post ", "delete "]),
    ] {
        let remote = Remote::start(how);
        let env = project(&json!({"type": "http", "url": remote.url}), 60);
        called(&env, "npm publish");
        assert_eq!(remote.asked(), [], "an untrusted server was asked");
        env.trust_file(".claude/settings.json");
        let left = called(&env, "npm publish");
        let reason = left.json()["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert_eq!(left.json()["decision"], "deny", "{left:?}");
        let said = r#"it refuses {"line":"npm publish"}"#;
        assert!(reason.contains(said), "{how:?}: {left:?}");
        let asked = remote.asked_times(2 + asks.len());
        let all: Vec<&str> = asked.iter().map(|(what, _)| &**what).collect();
        let first = ["post initialize", "post notifications/initialized"];
        assert_eq!(all, [&first[..], asks].concat(), "{how:?}");
        let (_, hello) = &asked[0];
        assert!(hello.contains("accept: application/json, text/event-stream\r\n"));
        assert!(!hello.contains("mcp-session-id"), "{hello}");
        for (what, head) in &asked[1..] {
            let is_ours = head.contains("mcp-session-id: s-7\r\n")
                && head.contains("mcp-protocol-version: 2025-03-26\r\n");
            assert!(is_ours, "{what}: {head}");
        }
    }
}

#[test]
fn a_server_that_moved_after_the_trust_is_not_asked() {
    let (first, second) = (Remote::start(How::Json), Remote::start(How::Json));
    let env = project(&json!({"type": "http", "url": first.url}), 60);
    env.trust_file(".claude/settings.json");
    env.write(
        "project/.mcp.json",
        &file(&json!({"type": "http", "url": second.url})),
    );
    called(&env, "npm publish");
    assert_eq!(second.asked(), []);
}

#[test]
fn a_server_over_the_network_is_sent_the_variables_that_the_person_lists() {
    let remote = Remote::start(How::Json);
    let token = json!({"Authorization": "Bearer ${SCAN_TOKEN}"});
    let env = project(
        &json!({"type": "http", "url": remote.url, "headers": token}),
        60,
    );
    env.trust_file(".claude/settings.json");
    let left = called(&env, "first");
    let why = "a header names `$SCAN_TOKEN`, which `http.env` of your settings does not list";
    assert!(left.stdout.contains(why), "{left:?}");
    assert_eq!(
        (left.json()["decision"].as_str(), remote.asked()),
        (Some("deny"), vec![])
    );
    let settings = "[http]\nenv = ['SCAN_TOKEN']\n";
    env.write("home/.config/anyhook/config.toml", settings);
    let left = called(&env, "second");
    assert!(left.stdout.contains("it refuses"), "{left:?}");
    let asked = remote.asked_times(4);
    let sent = |(_, head): &Asked| head.contains("authorization: bearer t0k3n\r\n");
    assert!(asked.len() == 4 && asked.iter().all(sent), "{asked:?}");
}

#[test]
fn a_server_over_the_network_that_no_rule_lets_be_asked_is_a_failure_that_says_so() {
    let kind = |kind: &str, url: &str| json!({"type": kind, "url": url});
    for (described, why) in [
        (
            kind("sse", "https://mcp.example.com/sse"),
            "is of type `sse`, which is not asked here: give it a `command`, or its address of type `http`",
        ),
        (
            json!({"url": "https://mcp.example.com"}),
            "has no `command`",
        ),
        (json!({"type": "http"}), "it has no `url`"),
        (
            kind("http", "https://${MCP_HOST}/mcp"),
            "its `url` names a variable: write the address itself",
        ),
        (
            kind("http", "http://mcp.example.com/mcp"),
            "would send the event in clear text",
        ),
        (
            kind("http", "http://127.0.0.1:9/mcp"),
            "`127.0.0.1` is not in `http.hosts` of the settings, so it was not asked",
        ),
    ] {
        let env = project(&described, 60);
        let settings = "[http]\nhosts = ['mcp.example.com']\n";
        env.write("home/.config/anyhook/config.toml", settings);
        env.trust_file(".claude/settings.json");
        let left = called(&env, "npm publish");
        assert_eq!(left.json()["decision"], "deny", "{described}: {left:?}");
        assert!(left.stdout.contains(why), "{described}: {left:?}");
    }
}

#[test]
fn a_hook_that_is_confined_as_in_a_replay_asks_no_server_over_the_network() {
    let remote = Remote::start(How::Json);
    let env = project(&json!({"type": "http", "url": remote.url}), 60);
    env.trust_file(".claude/settings.json");
    called(&env, "npm publish");
    let asked = remote.asked_times(4);
    let left = env.run(&["backtest", "--before", "record", "--json"], b"");
    assert_eq!(
        (left.json()["events"].as_u64(), left.code),
        (Some(1), 0),
        "{left:?}"
    );
    assert_eq!(remote.asked(), asked);
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_tool_over_the_network_that_gives_no_answer_fails_closed_and_says_why() {
        for (how, why) in [
            (How::Breaks, "it ended before it answered `tools/call`"),
            (How::Errs, "it refuses `tools/call`: no such tool"),
            (How::Fails, "the tool `scan` failed: the scan broke"),
            (How::Floods, "it said more than 4 MiB"),
            (How::FloodsStream, "it said more than 4 MiB"),
            (
                How::Forgets,
                "the server `127.0.0.1` answered 404 no session s-7",
            ),
            (How::Hangs, "after 2.0 s"),
            (How::HangsInStream, "after 2.0 s"),
            (How::NoJson, "its answer to `tools/call` is no JSON"),
            (
                How::Redirects,
                "307: it redirects to another address, which was not asked",
            ),
        ] {
            let remote = Remote::start(how);
            let hangs = matches!(how, How::Hangs | How::HangsInStream);
            let described = json!({"type": "http", "url": remote.url});
            let env = project(&described, if hangs { 2 } else { 60 });
            env.trust_file(".claude/settings.json");
            let left = called(&env, "npm publish");
            assert_eq!(left.json()["decision"], "deny", "{how:?}: {left:?}");
            assert!(left.stdout.contains(why), "{how:?}: {left:?}");
        }
    }
}
