//! Tools of servers that are reached over the network, against a server of the test on loopback.

use serde_json::{Value, json};

use super::{called, hook};
use crate::env::{TestEnv, with};
use crate::server::{Reply, Request, Server};

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

/// A server whose tool does this when it is called.
fn remote(how: How) -> Server {
    Server::answers(move |request| answer(how, request))
}

/// The method of a request with that of its message.
fn what(request: &Request) -> String {
    let verb = request.line().split(' ').next().unwrap();
    format!(
        "{verb} {}",
        request.body["method"].as_str().unwrap_or_default()
    )
}

fn http(status: &str, kind: &str, body: &str) -> Reply {
    // Some answers break off before the end that their length would tell.
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nmcp-session-id: s-7\r\nconnection: close\r\n\r\n"
    );
    Reply::Bytes((head + body).into_bytes())
}

fn answer(how: How, request: &Request) -> Reply {
    let message = &request.body;
    let method = message["method"].as_str().unwrap_or_default();
    let said =
        |more: Value| with(json!({"jsonrpc": "2.0", "id": message["id"]}), &more).to_string();
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
        How::Stream => stream(&format!(
            "{ping}event: message\r\ndata: {}\r\n\r\n",
            said(told)
        )),
        How::Breaks => stream(&format!("data: {}", said(told))),
        How::Errs => ok(json!({"error": {"code": -32602, "message": "no such tool"}})),
        How::Fails => ok(
            json!({"result": {"isError": true, "content": [{"type": "text", "text": "the scan broke"}]}}),
        ),
        How::Floods => http("200 OK", "application/json", &"x".repeat(5 << 20)),
        How::FloodsStream => stream(&": x\n".repeat(2 << 20)),
        How::Forgets => http("404 Not Found", "text/plain", "no session s-7"),
        How::Hangs => Reply::Forever(Vec::new()),
        How::HangsInStream => match stream(": wait\n") {
            Reply::Bytes(bytes) | Reply::Forever(bytes) => Reply::Forever(bytes),
        },
        How::NoJson => http("200 OK", "text/html", "<p>It works</p>"),
        How::Redirects => Reply::http(
            "307 Temporary Redirect",
            &["location: http://127.0.0.1:9/"],
            "",
        ),
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

fn described(server: &Server) -> Value {
    json!({"type": "http", "url": server.base() + "/mcp"})
}

fn file(described: &Value) -> String {
    json!({"mcpServers": {"scanner": described}}).to_string()
}

#[test]
fn a_tool_over_the_network_answers_as_json_or_as_a_stream_and_its_session_ends() {
    for (how, asks) in [
        (How::Json, &["POST tools/call", "DELETE "][..]),
        // The ping that comes before the answer is answered.
        (How::Stream, &["POST tools/call", "POST ", "DELETE "]),
    ] {
        let server = remote(how);
        let env = project(&described(&server), 60);
        called(&env, "npm publish");
        assert!(server.asked().is_empty(), "an untrusted server was asked");
        env.trust_file(".claude/settings.json");
        let left = called(&env, "npm publish");
        assert_eq!(left.json()["decision"], "deny", "{left:?}");
        let reason = left.json()["reason"].to_string();
        let refuses = r#"it refuses {\"line\":\"npm publish\"}"#;
        assert!(reason.contains(refuses), "{how:?}: {left:?}");
        let asked = server.asked_times(2 + asks.len());
        let all: Vec<String> = asked.iter().map(what).collect();
        let first = ["POST initialize", "POST notifications/initialized"];
        assert_eq!(all, [&first[..], asks].concat(), "{how:?}");
        let accepts = asked[0].header("accept").unwrap();
        assert_eq!(accepts, "application/json, text/event-stream");
        assert_eq!(asked[0].header("mcp-session-id"), None);
        for later in &asked[1..] {
            for (name, told) in [
                ("mcp-session-id", "s-7"),
                ("mcp-protocol-version", "2025-03-26"),
            ] {
                assert_eq!(later.header(name).as_deref(), Some(told), "{later:?}");
            }
        }
    }
}

#[test]
fn a_server_that_moved_after_the_trust_is_not_asked() {
    let (first, second) = (remote(How::Json), remote(How::Json));
    let env = project(&described(&first), 60);
    env.trust_file(".claude/settings.json");
    env.write("project/.mcp.json", &file(&described(&second)));
    called(&env, "npm publish");
    assert!(second.asked().is_empty());
}

#[test]
fn a_server_over_the_network_is_sent_the_variables_that_the_person_lists() {
    let server = remote(How::Json);
    let mut described = described(&server);
    described["headers"] = json!({"Authorization": "Bearer ${SCAN_TOKEN}"});
    let env = project(&described, 60);
    env.trust_file(".claude/settings.json");
    let left = called(&env, "first");
    left.says("a header names `$SCAN_TOKEN`, which `http.env` of your settings does not list");
    assert_eq!(left.json()["decision"], "deny");
    assert!(server.asked().is_empty());
    env.config("[http]\nenv = ['SCAN_TOKEN']\n");
    called(&env, "second").says("it refuses");
    let asked = server.asked_times(4);
    let sent =
        |request: &Request| request.header("authorization").as_deref() == Some("Bearer t0k3n");
    assert!(asked.len() == 4 && asked.iter().all(sent), "{asked:?}");
}

#[test]
fn a_server_over_the_network_that_no_rule_lets_be_asked_is_a_failure_that_says_so() {
    let kind = |kind: &str, url: &str| json!({"type": kind, "url": url});
    let sse = "is of type `sse`, which is not asked here: give it a `command`, or its address of type `http`";
    let variable = "its `url` names a variable: write the address itself";
    let unlisted = "`127.0.0.1` is not in `http.hosts` of the settings, so it was not asked";
    for (described, why) in [
        (kind("sse", "https://mcp.example.com/sse"), sse),
        (
            json!({"url": "https://mcp.example.com"}),
            "has no `command`",
        ),
        (json!({"type": "http"}), "it has no `url`"),
        (kind("http", "https://${MCP_HOST}/mcp"), variable),
        (
            kind("http", "http://mcp.example.com/mcp"),
            "would send the event in clear text",
        ),
        (kind("http", "http://127.0.0.1:9/mcp"), unlisted),
    ] {
        let env = project(&described, 60);
        let settings = "[http]\nhosts = ['mcp.example.com']\n";
        env.config(settings);
        env.trust_file(".claude/settings.json");
        let left = called(&env, "npm publish");
        assert_eq!(left.json()["decision"], "deny", "{described}: {left:?}");
        assert!(left.stdout.contains(why), "{described}: {left:?}");
    }
}

#[test]
fn a_hook_that_is_confined_as_in_a_replay_asks_no_server_over_the_network() {
    let server = remote(How::Json);
    let env = project(&described(&server), 60);
    env.trust_file(".claude/settings.json");
    called(&env, "npm publish");
    let asked = server.asked_times(4).len();
    let left = env.anyhook("backtest --before record --json");
    let events = left.json()["events"].as_u64();
    assert_eq!((events, left.code), (Some(1), 0), "{left:?}");
    assert_eq!(server.asked().len(), asked);
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
                "the server `127.0.0.1` answered 404: no session s-7",
            ),
            (How::Hangs, "after 2.0 s"),
            (How::HangsInStream, "after 2.0 s"),
            (How::NoJson, "its answer to `tools/call` is no JSON"),
            (
                How::Redirects,
                "307: it redirects to another address, which was not asked",
            ),
        ] {
            let server = remote(how);
            let hangs = matches!(how, How::Hangs | How::HangsInStream);
            let env = project(&described(&server), if hangs { 2 } else { 60 });
            env.trust_file(".claude/settings.json");
            let left = called(&env, "npm publish");
            assert_eq!(left.json()["decision"], "deny", "{how:?}: {left:?}");
            assert!(left.stdout.contains(why), "{how:?}: {left:?}");
        }
    }
}
