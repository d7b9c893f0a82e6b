//! `anyhook get` and `anyhook say`: hooks without jq.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv};

fn get(payload: &str, args: &[&str]) -> Left {
    let args: Vec<&str> = std::iter::once("get").chain(args.iter().copied()).collect();
    TestEnv::new().run(&args, payload.as_bytes())
}

fn left(stdout: &str, code: i32) -> Left {
    Left {
        stdout: stdout.to_owned(),
        stderr: String::new(),
        code,
    }
}

#[test]
fn get_prints_text_bare_and_everything_else_as_json() {
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": "a \"b\" $c", "timeout": 5, "list": [1, 2]}});
    let payload = payload.to_string();
    assert_eq!(
        get(&payload, &["tool_input.command"]),
        left("a \"b\" $c\n", 0)
    );
    assert_eq!(get(&payload, &["tool_input.timeout"]), left("5\n", 0));
    assert_eq!(get(&payload, &["tool_input.list.1"]), left("2\n", 0));
    assert_eq!(get(&payload, &["toolName"]), left("Bash\n", 0));
}

#[test]
fn get_says_nothing_of_a_missing_field_and_ends_with_1() {
    assert_eq!(get("{}", &["tool_input.command"]), left("", 1));
    assert_eq!(get("{}", &["x", "--default", "none"]), left("none\n", 0));
}

#[test]
fn get_tells_of_an_unreadable_event() {
    let left = get("{\"a\": ", &["a"]);
    assert_eq!((left.code, left.stdout.as_str()), (65, ""));
    assert!(
        left.stderr.starts_with("error: the event is not readable"),
        "{left:?}"
    );
}

#[test]
fn get_reads_the_standard_input_of_a_hook_once_and_keeps_it_for_the_next_call() {
    let env = TestEnv::new();
    let program = env!("CARGO_BIN_EXE_anyhook");
    let script =
        format!(r#"{program} get a; {program} get b; {program} say deny "$({program} get a)""#);
    let shell = env.other("/bin/sh", &["-c", &script]);
    let payload =
        json!({"hookEventName": "pre-tool-use", "toolName": "Bash", "a": "one", "b": "two"});
    let left = crate::env::finish(crate::env::start(shell, payload.to_string().as_bytes()));
    let mut lines = left.stdout.splitn(3, '\n');
    assert_eq!(
        (lines.next(), lines.next()),
        (Some("one"), Some("two")),
        "{left:?}"
    );
    let said: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(
        said["hookSpecificOutput"]["permissionDecisionReason"],
        "one"
    );
}

fn say(payload: &Value, args: &[&str]) -> Left {
    let host: &[&str] = match payload.get("hookEventName") {
        Some(_) => &["say"],
        None => &["say", "--host", "claude"],
    };
    let args = [host, args].concat();
    TestEnv::new().run(&args, payload.to_string().as_bytes())
}

fn universal(event: &str) -> Value {
    json!({"hookEventName": event, "toolName": "Bash", "toolInput": {"command": "npm i", "timeout": 5}})
}

fn claude(event: &str) -> Value {
    json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/", "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "npm i"}})
}

#[test]
fn say_answers_in_the_form_of_the_agent_that_asked() {
    let said = say(&universal("pre-tool-use"), &["deny", "no"]).json();
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "pre-tool-use");
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    let said = say(&claude("PreToolUse"), &["deny", "no"]).json();
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!(
        say(&claude("Stop"), &["deny", "go on"]).json(),
        json!({"decision": "block", "reason": "go on"})
    );
    assert_eq!(
        say(&universal("stop"), &["deny", "go on"]).json(),
        json!({"decision": "block", "reason": "go on"})
    );
}

#[test]
fn say_rewrite_replaces_one_value_and_says_the_whole_field() {
    let said = say(
        &universal("pre-tool-use"),
        &["rewrite", "tool_input.command", "pnpm i"],
    )
    .json();
    assert_eq!(
        said["hookSpecificOutput"]["updatedInput"],
        json!({"command": "pnpm i", "timeout": 5})
    );
}

#[test]
fn say_can_say_several_things() {
    let said = say(
        &universal("pre-tool-use"),
        &[
            "ask", "sure?", "--and", "notify", "hm", "--and", "inject", "main",
        ],
    )
    .json();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "ask");
    assert_eq!(said["hookSpecificOutput"]["additionalContext"], "main");
    assert_eq!(said["systemMessage"], "hm");
}

#[test]
fn a_refusal_that_cannot_be_said_still_refuses_by_its_exit_code() {
    let left = TestEnv::new().run(&["say", "deny", "not here"], b"not json");
    assert_eq!((left.code, left.stdout.as_str()), (2, ""));
    assert!(left.stderr.starts_with("not here\n"), "{left:?}");
    let left = TestEnv::new().run(&["say", "inject", "x"], b"not json");
    assert_eq!(left.code, 1);
}

#[test]
fn say_asks_for_the_agent_where_a_payload_could_be_of_several_and_refuses_all_the_same() {
    let payload = claude("PreToolUse").to_string();
    let left = TestEnv::new().run(&["say", "deny", "not here"], payload.as_bytes());
    assert_eq!((left.code, left.stdout.as_str()), (2, ""));
    left.warns("nothing tells which agent asks");
    let env = TestEnv::new();
    let mut command = env.command(&["say", "deny", "no"]);
    command.env("ANYHOOK_HOST", "gemini-cli");
    let payload = json!({"hook_event_name": "BeforeTool", "tool_name": "read_file", "tool_input": {"file_path": "a"}});
    let left = crate::env::finish(crate::env::start(command, payload.to_string().as_bytes()));
    assert_eq!(left.json(), json!({"decision": "deny", "reason": "no"}));
}

#[test]
fn a_parent_that_outlives_one_hook_does_not_hand_its_event_to_the_next() {
    let env = TestEnv::new();
    let first = universal("pre-tool-use").to_string();
    let second = claude("Stop").to_string();
    assert_eq!(
        env.run(&["get", "tool_name"], first.as_bytes()),
        left("Bash\n", 0)
    );
    let said = env.run(
        &["say", "--host", "claude", "deny", "go on"],
        second.as_bytes(),
    );
    assert_eq!(said.json(), json!({"decision": "block", "reason": "go on"}));
}
