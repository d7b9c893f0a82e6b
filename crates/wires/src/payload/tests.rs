use serde_json::{Value, json};

use super::*;

const TOOLS: Tools = Tools {
    rows: &[
        HostTool {
            name: "shell",
            is: "Bash",
            arguments: &[("cmd", "command")],
        },
        HostTool {
            name: "edit",
            is: "Edit",
            arguments: &[
                ("path", "file_path"),
                ("filePath", "file_path"),
                ("old_str", "old_string"),
            ],
        },
        HostTool {
            name: "apply_patch",
            is: "apply_patch",
            arguments: &[("", "patch"), ("input", "patch")],
        },
    ],
    mcp: Some(Mcp {
        prefix: "mcp_",
        between: "_",
        cuts_once: false,
    }),
};

fn heard(payload: &Value) -> Result<Event, DecodeError> {
    let bytes = payload.to_string();
    let incoming = IncomingEvent {
        host: "some-agent",
        native: "before".to_owned(),
        event: Some("tool:pre"),
        subject: Some("tool_name"),
        tools: &TOOLS,
        bytes: bytes.as_bytes(),
    };
    event(incoming, payload.as_object().unwrap().clone())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better where it is called"
)]
fn call(tool: &str, input: Value) -> Value {
    json!({"session_id": "s", "tool_name": tool, "tool_input": input})
}

#[test]
fn a_tool_and_its_arguments_are_canonical_and_are_written_back_as_they_came() {
    for row in include_str!("calls.txt").lines().skip(1) {
        let [native, canonical] = crate::tests::both(row);
        let event = heard(&native).unwrap();
        assert_eq!(Value::Object(event.data.json().into_owned()), canonical);
        assert_eq!(event.subject.as_deref(), native["tool_name"].as_str());
        let back = fields(&event, "some-agent", &TOOLS);
        assert_eq!(Value::Object(back).to_string(), native.to_string());
    }
}

#[test]
fn an_event_of_another_host_is_written_with_the_tools_of_this_one() {
    let event = Event::new(
        "tool:pre",
        call("Edit", json!({"file_path": "x", "old_string": "o"})),
    );
    let written = fields(&event, "some-agent", &TOOLS);
    assert_eq!(
        Value::Object(written),
        call("edit", json!({"path": "x", "old_str": "o"}))
    );
    let event = Event::new("tool:pre", call("mcp__git__push", json!({})));
    let written = fields(&event, "some-agent", &TOOLS);
    assert_eq!(Value::Object(written), call("mcp_git_push", json!({})));
}

#[test]
fn an_event_that_only_the_command_line_names_has_its_name_beside_a_field_of_a_similar_one() {
    let claude = crate::host("claude-code").unwrap();
    let sent = br#"{"hookEventName": "other"}"#;
    let event = claude.read_event(sent, Some("Fresh")).unwrap();
    let written = json!({"hookEventName": "other", "hook_event_name": "Fresh"});
    assert_eq!(claude.write_event(&event), written);
}

#[test]
fn two_arguments_for_one_thing_that_differ_are_refused() {
    let error = heard(&call(
        "edit",
        json!({"path": "safe", "file_path": "/etc/passwd"}),
    ));
    assert!(error.unwrap_err().what.contains("`path`"));
    let same = heard(&call("edit", json!({"path": "x", "filePath": "x"}))).unwrap();
    let back = fields(&same, "some-agent", &TOOLS);
    assert_eq!(back["tool_input"], json!({"path": "x", "filePath": "x"}));
}

#[test]
fn a_rewrite_is_said_in_the_arguments_of_the_host() {
    let event = heard(&call("edit", json!({"filePath": "x"}))).unwrap();
    let said = native_input(&event, "some-agent", &TOOLS, json!({"file_path": "y"}));
    assert_eq!(said, json!({"filePath": "y"}));
    let heard_back =
        canonical_input(&event, "some-agent", &TOOLS, json!({"filePath": "z"})).unwrap();
    assert_eq!(heard_back, json!({"file_path": "z"}));
    let event = heard(&call("apply_patch", json!("*** Add File: a"))).unwrap();
    let said = native_input(
        &event,
        "some-agent",
        &TOOLS,
        json!({"patch": "*** Add File: b", "files": []}),
    );
    assert_eq!(said, json!("*** Add File: b"));
}

#[test]
fn a_renamed_field_changes_places_with_one_that_has_its_name() {
    let mut data = json!({"a": 1, "b": 2, "c": 3}).as_object().unwrap().clone();
    rename(&mut data, "a", "b");
    assert_eq!(
        Value::Object(data.clone()).to_string(),
        r#"{"b":1,"a":2,"c":3}"#
    );
    rename(&mut data, "b", "a");
    assert_eq!(Value::Object(data).to_string(), r#"{"a":1,"b":2,"c":3}"#);
}

#[test]
fn every_head_of_a_patch_counts_whatever_stands_around_it() {
    let patch = "noise\n*** Begin Patch\n  *** Update File: src/a.rs \n@@\n-x\n+*** Add File: no\n*** Move to: src/b.rs\n\
                 *** Add File: .env\n*** Update File: src/a.rs\n";
    assert_eq!(
        patch::files(patch),
        json!([
            {"path": "src/a.rs", "change": "move"},
            {"path": "src/b.rs", "change": "move"},
            {"path": ".env", "change": "add"},
        ])
    );
    let diff = "diff --git a/x b/y\n--- a/x\t2026\n+++ b/y\n@@ -1 +1 @@\n-- a\n++ b\n--- /dev/null\n+++ b/new\n";
    assert_eq!(
        patch::files(diff),
        json!([
            {"path": "x", "change": "update"},
            {"path": "y", "change": "update"},
            {"path": "new", "change": "update"},
        ])
    );
}

#[test]
fn a_patch_is_taken_apart_by_its_files() {
    let patch = "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: b\n*** Move to: c\n@@\n kept\n-old\n+new\n\
                 *** Delete File: d\n";
    let section = |path: &str, is_new, before: &str, after: &str| patch::FilePatch {
        path: path.to_owned(),
        is_new,
        before: before.to_owned(),
        after: after.to_owned(),
    };
    assert_eq!(
        patch::sections(patch),
        [
            section("a", true, "", "one\ntwo\n"),
            section("b", false, "kept\nold\n", "kept\nnew\n"),
            section("c", false, "kept\nold\n", "kept\nnew\n"),
            section("d", false, "", ""),
        ]
    );
}

#[test]
fn a_host_without_a_tool_for_patches_hears_of_each_file() {
    let claude = &crate::hosts::claude_code::CLAUDE_CODE;
    let call = json!({"cwd": "/p/", "tool_name": "apply_patch", "tool_input": {
        "patch": "*** Add File: a\n+x\n*** Update File: /etc/b\n-y\n+z", "files": [],
    }});
    let told: Vec<Value> = parts(&Event::new("tool:pre", call.clone()), claude)
        .iter()
        .map(|part| Value::Object(part.data.json().into_owned()))
        .collect();
    assert_eq!(
        told,
        [
            json!({"cwd": "/p/", "tool_name": "Write", "tool_input": {"file_path": "/p/a", "content": "x\n"}}),
            json!({"cwd": "/p/", "tool_name": "Edit", "tool_input": {
                "file_path": "/etc/b", "old_string": "y\n", "new_string": "z\n"}}),
        ]
    );
    // Anything that is no patch is told as it is.
    let shell = json!({"tool_name": "Bash", "tool_input": {"command": "*** Add File: a"}});
    assert!(parts(&Event::new("tool:pre", shell), claude).is_empty());
}
