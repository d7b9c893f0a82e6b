//! Windsurf's own traps: the exit code is the whole answer, and strings hold raw control characters.

use anyhook_core::event::Event;
use anyhook_wires::{Host, host, payload};
use serde_json::{Value, json};

use crate::case::Case;

const ID: &str = "windsurf";

fn windsurf() -> &'static Host {
    host(ID).unwrap()
}

fn first(name: &str) -> Value {
    Case::first(ID, name).payload
}

fn read(payload: &Value) -> Event {
    let native = payload["agent_action_name"].as_str().unwrap();
    Case::new(ID, native, payload.clone()).event
}

#[test]
fn a_call_of_another_host_is_the_event_of_its_tool() {
    for (tool, input, native) in [
        ("Bash", json!({"command": "ls"}), "pre_run_command"),
        ("Read", json!({"file_path": "/p/a"}), "pre_read_code"),
        ("MultiEdit", json!({"file_path": "/p/a"}), "pre_write_code"),
        ("mcp__linear__get", json!({}), "pre_mcp_tool_use"),
    ] {
        let event = Event::new("tool:pre", json!({"tool_name": tool, "tool_input": input}));
        let written = windsurf().write_event(&event);
        assert_eq!(written["agent_action_name"], native);
    }
    let event = Event::new(
        "tool:pre",
        json!({"tool_name": "mcp__linear__get", "tool_input": {"id": 1}}),
    );
    assert_eq!(
        windsurf().write_event(&event)["tool_info"],
        json!({"mcp_server_name": "linear", "mcp_tool_name": "get", "mcp_tool_arguments": {"id": 1}})
    );
}

#[test]
fn every_new_text_of_an_edit_is_where_a_guard_of_claude_code_looks() {
    let claude = host("claude-code").unwrap();
    let told = |edits: Value| {
        let mut payload = first("pre_write_code");
        payload["tool_info"] = json!({"file_path": "/p/a.ts", "edits": edits});
        let event = read(&payload);
        assert_eq!(windsurf().write_event(&event), payload);
        let parts = payload::parts(&event, claude);
        let all = if parts.is_empty() { vec![event] } else { parts };
        let input = |event: &Event| claude.write_as(event, "PreToolUse")["tool_input"].clone();
        let told: Vec<Value> = all.iter().map(input).collect();
        let texts = |input: &Value| {
            let text = |field: &str| input[field].as_str().unwrap().to_owned();
            [text("file_path"), text("old_string"), text("new_string")]
        };
        told.iter().map(texts).collect::<Vec<_>>()
    };
    let edit = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    let of = |old: &str, new: &str| ["/p/a.ts", old, new].map(str::to_owned);
    assert_eq!(
        told(json!([edit("it(", "it.skip(")])),
        [of("it(", "it.skip(")]
    );
    assert_eq!(
        told(json!([edit("a", "b"), edit("it(", "it.skip(")])),
        [of("a", "b"), of("it(", "it.skip(")]
    );
    // A rule looks at the whole call, once.
    let mut payload = first("pre_write_code");
    payload["tool_info"]["edits"] = json!([edit("a", "b"), edit("c", "d")]);
    let event = read(&payload);
    let input = event.data.json()["tool_input"].clone();
    assert_eq!(
        (&input["old_string"], &input["new_string"]),
        (&json!("a\nc"), &json!("b\nd"))
    );
}
