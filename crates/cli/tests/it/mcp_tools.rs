//! Hooks of type `mcp_tool` of Claude Code's own files, under another agent, against a server of the test.

mod network;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

/// A server whose tool `scan` refuses, or that does what its first argument says. The second one is a file that tells of
/// its start.
const SERVER: &str = r#"
import json, sys
how, marker = sys.argv[1], sys.argv[2]
open(marker, "a").write("started\n")
def say(id, **more):
    print(json.dumps({"jsonrpc": "2.0", "id": id, **more}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if how == "hangs":
        continue
    if how == "dies":
        sys.exit(0)
    while how == "floods":
        print("x" * 65536)
    if asked.get("method") == "initialize":
        print("a line that is no message")
        say("of-the-server", method="ping")
        say(asked["id"], result={"protocolVersion": "2025-06-18", "capabilities": {}})
    elif asked.get("method") == "tools/call":
        call = asked["params"]
        said = "the tool %s refuses %s" % (call["name"], json.dumps(call["arguments"], sort_keys=True))
        answer = {"decision": "block", "reason": said}
        if how == "errs":
            say(asked["id"], error={"code": -32602, "message": "no such tool"})
        elif how == "fails":
            say(asked["id"], result={"isError": True, "content": [{"type": "text", "text": "the scan broke"}]})
        else:
            say(asked["id"], result={"content": [{"type": "text", "text": json.dumps(answer)}]})
"#;

/// Describes the server `scanner`, which does this.
fn servers(env: &TestEnv, script: &str, how: &str) -> Value {
    let marker = env.path("started");
    json!({"mcpServers": {"scanner": {"command": "python3", "args": [script, how, marker]}}})
}

/// A file of hooks that calls the tool; only a server that hangs needs the end of its time.
fn hook(input: &Value, timeout: u64) -> Value {
    let hook = json!({"type": "mcp_tool", "server": "scanner", "tool": "scan", "input": input,
        "timeout": timeout, "onFailure": "block"});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})
}

/// A project whose only hook calls the tool of a server that its `.mcp.json` describes.
fn project(how: &str) -> TestEnv {
    let env = TestEnv::new();
    let input =
        json!({"line": "${tool_input.command}", "deep": ["${session_id}/${no.such}"], "n": 1});
    let timeout = if how == "hangs" { 2 } else { 60 };
    env.write(
        "project/.claude/settings.json",
        &hook(&input, timeout).to_string(),
    );
    let described = servers(&env, "${CLAUDE_PROJECT_DIR}/tools/scan.py", how);
    env.write("project/.mcp.json", &described.to_string());
    env.write("project/tools/scan.py", SERVER);
    env
}

/// What comes of a shell command of Gemini CLI.
fn called(env: &TestEnv, line: &str) -> Left {
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": env.path("project"),
        "tool_name": "run_shell_command", "tool_input": {"command": line}});
    env.told_in("gemini-cli", &call, |run| run.env("SCAN_TOKEN", "t0k3n"))
}

#[test]
fn a_tool_of_a_server_of_a_trusted_project_answers_as_a_command_does_under_every_agent() {
    let env = project("answers");
    called(&env, "npm publish");
    assert!(!env.path("started").exists(), "an untrusted server started");
    env.trust_file(".claude/settings.json");
    let left = called(&env, "echo ${HOME} \"$(id)\"");
    let said =
        r#"the tool scan refuses {"deep": ["s/"], "line": "echo ${HOME} \"$(id)\"", "n": 1}"#;
    let told = left.json();
    let reason = told["reason"].as_str().unwrap_or_default();
    assert!(reason.contains(said), "{left:?}");
}

#[test]
fn a_server_that_was_changed_after_the_trust_is_not_started() {
    let changed = "open(__import__('sys').argv[2], 'a').write('changed')";
    for (file, text) in [
        ("project/tools/scan.py", changed.to_owned()),
        (
            "project/.mcp.json",
            r#"{"mcpServers": {"scanner": {"command": "sh", "args": ["-c", "echo changed >> ../started"]}}}"#.to_owned(),
        ),
    ] {
        let env = project("answers");
        env.trust_file(".claude/settings.json");
        env.write(file, &text);
        called(&env, "npm publish");
        let started = std::fs::read_to_string(env.path("started")).unwrap_or_default();
        assert!(!started.contains("changed"), "{file}: {started}");
    }
}

#[test]
fn a_tool_that_gives_no_answer_fails_closed_and_says_why() {
    for (how, why) in [
        (
            "dies",
            "server `scanner`: it ended before it answered `initialize`",
        ),
        ("floods", "server `scanner`: it said more than 4 MiB"),
        (
            "errs",
            "server `scanner`: it refuses `tools/call`: no such tool",
        ),
        (
            "fails",
            "server `scanner`: the tool `scan` failed: the scan broke",
        ),
        ("hangs", "was stopped after 2.0 s"),
    ] {
        let env = project(how);
        env.trust_file(".claude/settings.json");
        let left = called(&env, "npm publish");
        assert_eq!(left.json()["decision"], "deny", "{how}: {left:?}");
        let told = left.stdout.contains(why) || left.stderr.contains(why);
        assert!(told, "{how}: {left:?}");
    }
}

#[test]
fn a_server_of_the_person_is_called_and_a_new_one_of_the_project_does_not_take_its_place() {
    let env = project("answers");
    let described = std::fs::read_to_string(env.path("project/.mcp.json")).unwrap();
    std::fs::remove_file(env.path("project/.mcp.json")).unwrap();
    env.trust_file(".claude/settings.json");
    // Each call is another one: the same call, told again, has the same answer.
    let left = called(&env, "first");
    let nowhere = "no server `scanner` is described";
    left.says(nowhere);
    let script = env.write("home/scan.py", SERVER);
    let own = servers(&env, script.to_str().unwrap(), "answers");
    env.write("home/.claude.json", &own.to_string());
    called(&env, "second").says("the tool scan refuses");
    // One of the same name that stands there after the trust is a stranger's.
    let marker = env.path("started").display().to_string();
    env.write(
        "project/.mcp.json",
        &described.replace(&marker, &format!("{marker}-by-stranger")),
    );
    called(&env, "third");
    assert!(!env.path("started-by-stranger").exists());
}
