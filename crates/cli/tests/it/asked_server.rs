//! Hooks of type `http`, against a server of the test.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, on};
use crate::server::{Reply, Server};

/// A server that refuses.
fn refusing() -> Server {
    let answer = json!({"decision": "block", "reason": "the policy server says no"});
    Server::says(vec![Reply::json(&answer)])
}

/// What comes of a call whose only hook, one of the person's own, is this.
fn asked(env: &TestEnv, hook: &Value) -> Left {
    let hooks = on("pre-tool-use", &json!([{"hooks": [hook]}]));
    env.write("home/.config/anyhook/hooks.json", &hooks.to_string());
    let call = env.pre("Bash", &json!({"command": "npm publish"}));
    env.told_in("claude-code", &call, |run| run.env("HOOK_TOKEN", "t0k3n"))
}

#[test]
fn a_server_gets_the_event_and_its_refusal_counts() {
    let env = TestEnv::new();
    let server = refusing();
    let hook = json!({"type": "http", "url": server.base() + "/hook", "headers": {"Authorization": "Bearer $HOOK_TOKEN"},
        "allowedEnvVars": ["HOOK_TOKEN"]});
    asked(&env, &hook).says("the policy server says no");
    let sent = &server.asked()[0];
    assert_eq!(sent.line(), "POST /hook HTTP/1.1");
    assert_eq!(sent.header("authorization").unwrap(), "Bearer t0k3n");
    assert_eq!(sent.body["tool_input"]["command"], "npm publish");
}

#[test]
fn a_guard_whose_server_gives_no_answer_refuses_and_says_why() {
    let redirects = Reply::http("302 Found", &["location: http://127.0.0.1:9/"], "");
    let breaks = Reply::http("503 Busy", &[], "try later");
    for (answer, why) in [(redirects, "it redirects"), (breaks, "503: try later")] {
        let server = Server::says(vec![answer]);
        let hook = json!({"type": "http", "url": server.base(), "guard": true});
        let left = asked(&TestEnv::new(), &hook);
        left.decides("deny");
        left.says(why);
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_variable_without_a_value_sends_nothing() {
    let hook = json!({"type": "http", "url": "http://127.0.0.1:9/", "guard": true,
        "headers": {"x-token": "$NO_SUCH_TOKEN"}, "allowedEnvVars": ["NO_SUCH_TOKEN"]});
    asked(&TestEnv::new(), &hook).says("the variable `NO_SUCH_TOKEN` is not set");
}

#[test]
fn a_hook_of_claude_codes_own_file_asks_its_server_under_every_agent() {
    let env = TestEnv::new();
    let server = refusing();
    let own = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": server.base()}]}]}});
    env.write("project/.claude/settings.json", &own.to_string());
    env.trust_file(".claude/settings.json");
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": env.path("project"),
        "tool_name": "run_shell_command", "tool_input": {"command": "npm publish"}});
    env.told_by("gemini-cli", &call)
        .says("the policy server says no");
    let body = &server.asked()[0].body;
    assert_eq!(
        (&body["hook_event_name"], &body["tool_name"]),
        (&json!("PreToolUse"), &json!("Bash"))
    );
}
