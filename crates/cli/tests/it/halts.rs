//! A halt that an agent does not keep, over processes of the real program: the session keeps it.

use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, with};

/// Tells one event as a relative of Claude Code does.
fn tell(env: &TestEnv, host: &str, event: &str, more: &Value) -> Left {
    let payload = json!({
        "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
        "permission_mode": "yolo", "hook_event_name": event, "turn_id": "t-1",
    });
    env.told_at(host, event, &with(payload, more))
}

fn rule(when: &str, then: &Value) -> Value {
    json!({"hooks": [{"type": "rule", "name": "budget", "when": when, "then": then}]})
}

fn project(hooks: &Value) -> TestEnv {
    TestEnv::with(&json!({"version": 1, "hooks": hooks}))
}

#[test]
fn a_prompt_of_a_sub_agent_or_of_the_agent_itself_lifts_no_halt() {
    let halts = rule(
        "data.tool_input.command == 'make'",
        &json!({"halt": "stop here"}),
    );
    let env = project(&json!({"pre-tool-use": [halts]}));
    let ask = |more: Value| {
        let payload = json!({"sessionId": "s-1", "timestamp": 1, "cwd": env.path("project")});
        let event = if more.get("prompt").is_some() {
            "userPromptSubmitted"
        } else {
            "preToolUse"
        };
        env.told_at("copilot-cli", event, &with(payload, &more))
    };
    let call = |line: &str| ask(json!({"toolName": "bash", "toolArgs": {"command": line}}));
    ask(json!({"prompt": "build it"}));
    assert_eq!(call("make").json()["permissionDecision"], "deny");
    // As Copilot 1.0.102 tells of the task of a sub-agent.
    ask(
        json!({"prompt": "look around", "agentId": "a-1", "agentType": "general-purpose", "parentAgentId": "s-1"}),
    );
    assert_eq!(call("ls").json()["permissionDecision"], "deny");
    // A sub-agent has a session of its own, and is stopped all the same.
    let inner = || {
        ask(json!({"toolName": "bash", "toolArgs": {"command": "ls"},
            "sessionId": "a-1", "agentId": "a-1", "parentAgentId": "s-1"}))
    };
    assert_eq!(inner().json()["permissionDecision"], "deny");
    ask(json!({"prompt": "now test it"}));
    assert_eq!(inner().stdout, "");
    assert_eq!(call("ls").stdout, "");
}

#[test]
fn the_log_says_of_each_text_and_refusal_whether_its_reader_heard_it() {
    let halts = rule("true", &json!({"halt": "no VPN", "notify": "it is down"}));
    let says = json!({"type": "rule", "name": "tests", "when": "true", "then": {"inject": "look at the tests"}});
    let env = project(&json!({"session-start": [halts], "stop": [{"hooks": [says]}]}));
    tell(
        &env,
        "qwen-code",
        "SessionStart",
        &json!({"source": "startup"}),
    );
    tell(
        &env,
        "qwen-code",
        "Stop",
        &json!({"stop_hook_active": false}),
    );
    let log = env.anyhook("log").stdout;
    assert!(!log.contains('■'), "{log}");
    log.shows("budget: halt kept: no VPN");
    log.shows("not yet told the model: look");
    let page = env.anyhook("why").stdout;
    assert!(!page.contains("told the model\n"), "{page}");
    let waits =
        "a text for the model: it waits for the session's next event that can: look at the tests";
    assert!(page.replace("\n    ", " ").contains(waits), "{page}");
}
