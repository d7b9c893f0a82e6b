//! What an event says, whichever of the host's names and forms it comes in.

use super::*;

#[test]
fn a_call_is_canonical_whichever_event_tells_of_it() {
    let table = [
        (
            first("beforeShellExecution"),
            json!({"tool_name": "Bash", "tool_input": {"command": "git push origin main"}}),
        ),
        (
            first("beforeMCPExecution"),
            json!({"tool_name": "mcp__linear__create_issue", "tool_input": {"title": "bug", "n": 1.0}}),
        ),
        (
            first("beforeReadFile"),
            json!({"tool_name": "Read", "tool_input": {"file_path": "/home/dev/demo/.env"}}),
        ),
        (
            first("afterShellExecution"),
            json!({
                "tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_result": "clean", "duration_ms": 120,
            }),
        ),
        (
            first("afterMCPExecution"),
            json!({
                "tool_name": "mcp__linear__create_issue", "tool_input": {"title": "bug"},
                "tool_result": {"id": "LIN-1"}, "duration_ms": 800,
            }),
        ),
        (
            first("afterFileEdit"),
            json!({"tool_name": "Write", "tool_input": {
                "file_path": "/home/dev/demo/src/app.ts", "edits": [{"old_string": "a", "new_string": "b"}],
            }}),
        ),
        (
            payload("preToolUse", |payload| {
                payload["tool_name"] == "MCP:create_issue"
            }),
            json!({"tool_name": "mcp____create_issue", "tool_input": {"title": "bug"}}),
        ),
        (
            first("stop"),
            json!({"stop_hook_active": false, "cwd": "/home/dev/demo"}),
        ),
        (first("sessionStart"), json!({"source": "startup"})),
        (
            first("subagentStart"),
            json!({"agent_type": "explore", "agent_id": "sub-1"}),
        ),
        (
            first("postToolUseFailure"),
            json!({"error": "Command timed out after 30s"}),
        ),
    ];
    for (payload, expected) in table {
        let event = read(&payload);
        let data = event.data.json();
        assert_eq!(data["session_id"], payload["conversation_id"]);
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(data.get(field), Some(value), "{payload} {field}");
        }
    }
}

#[test]
fn a_tool_of_a_server_is_never_taken_for_one_of_the_host() {
    for native in ["preToolUse", "beforeMCPExecution"] {
        let posing = payload(native, |payload| {
            payload["tool_name"].as_str().unwrap().ends_with("Bash")
        });
        let event = read(&posing);
        assert_eq!(event.subject.as_deref(), Some("MCP:Bash"), "{native}");
        assert_eq!(event.also, [] as [&str; 0]);
        assert_eq!(event.data.json()["tool_name"], "mcp____Bash");
    }
}

#[test]
fn a_hook_that_guards_edits_is_asked_about_a_write() {
    for native in ["preToolUse", "afterFileEdit"] {
        let write = payload(native, |payload| {
            payload["tool_name"] == "Write" || native == "afterFileEdit"
        });
        let event = read(&write);
        for name in ["Write", "Edit", "MultiEdit"] {
            let named = event.subject.as_deref() == Some(name) || event.also.contains(&name);
            assert!(named, "{native} {name}");
        }
    }
}

#[test]
fn a_gate_whose_call_cannot_be_seen_is_no_event() {
    let mut shell = first("beforeShellExecution");
    shell["command"] = json!(["rm"]);
    let mut mcp = first("beforeMCPExecution");
    mcp["tool_input"] = json!("{\"a\": 1, \"a\": 2}");
    let mut list = first("beforeMCPExecution");
    list["tool_input"] = json!("[1]");
    let mut bare = first("preToolUse");
    bare["tool_input"] = json!("rm -rf /");
    let mut two = payload("preToolUse", |payload| payload["tool_name"] == "Write");
    two["tool_input"] = json!({"path": "safe", "file_path": "/etc/passwd"});
    for hidden in [shell, mcp, list, bare, two] {
        let native = hidden["hook_event_name"].as_str().unwrap();
        let bytes = hidden.to_string();
        let error = cursor().read_event(bytes.as_bytes(), None).unwrap_err();
        assert_eq!(error.event.as_deref(), Some(native), "{error}");
        let reply = cursor().refuse_unread(cursor().row(native), &error.to_string());
        assert_eq!(does(&hidden, &reply).gravity(), Gravity::Refuse, "{native}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_where_anything_can_be() {
    for row in cursor().rows() {
        let reply = cursor().refuse_unread(Some(row), "broken");
        let done = does(&first(row.name), &reply);
        let is_gate = row.neutral == Neutral::Allow || row.name == "beforeSubmitPrompt";
        let expected = if is_gate {
            Gravity::Refuse
        } else {
            Gravity::Nothing
        };
        assert_eq!(done.gravity(), expected, "{}", row.name);
        assert_eq!(done.errors, Vec::<String>::new(), "{}", row.name);
    }
    assert_eq!(cursor().refuse_unread(None, "broken").exit, 2);
}

/// The seed's names for two events are read and never written.
#[test]
fn names_of_old_are_read_and_never_written() {
    for (old, now) in [
        ("beforeShellCommand", "beforeShellExecution"),
        ("beforeMcpCall", "beforeMCPExecution"),
    ] {
        assert_eq!(cursor().row(old).unwrap().name, now);
        let mut payload = first(now);
        payload["hook_event_name"] = json!(old);
        let event = read(&payload);
        assert_eq!(event.name.as_str(), "tool:pre");
        assert_eq!(cursor().write_event(&event), first(now));
        let told = cursor().read_event(first(now).to_string().as_bytes(), Some(old));
        assert_eq!(told.unwrap().origin.unwrap().native.as_ref(), now);
        let names: Vec<&str> = cursor().rows().iter().map(|row| row.name).collect();
        assert!(!names.contains(&old));
    }
}

#[test]
fn a_command_line_that_names_our_event_leaves_it_to_the_payload_which_of_the_host_s_it_is() {
    let payload = first("beforeShellExecution");
    let bytes = payload.to_string();
    for hint in ["tool:pre", "pre-tool-use", "PreToolUse"] {
        let event = cursor().read_event(bytes.as_bytes(), Some(hint)).unwrap();
        assert_eq!(
            &*event.origin.unwrap().native,
            "beforeShellExecution",
            "{hint}"
        );
    }
    for other in ["preToolUse", "beforeReadFile"] {
        assert!(
            cursor().read_event(bytes.as_bytes(), Some(other)).is_err(),
            "{other}"
        );
    }
    let event = cursor().read_event(bytes.as_bytes(), Some("stop")).unwrap();
    assert_eq!(event.name, EventName::new("stop"));
}

#[test]
fn a_drive_of_windows_is_canonical_and_goes_back_as_it_came() {
    let write = payload("preToolUse", |payload| {
        payload["tool_input"]["file_path"] == "/c:/Users/dev/demo/a.ts"
    });
    let event = read(&write);
    let data = event.data.json();
    assert_eq!(data["tool_input"]["file_path"], "C:/Users/dev/demo/a.ts");
    assert_eq!(data["cwd"], "C:/Users/dev/demo");
    assert_eq!(data["workspace_roots"], json!(["C:/Users/dev/demo"]));
    assert_eq!(cursor().write_event(&event), write);
    let input = json!({"file_path": "C:/Users/dev/demo/b.ts", "content": "y"});
    let (answer, _) = said(&write, HookResult::proceed().modify("tool_input", input));
    assert_eq!(
        answer["updated_input"],
        json!({"file_path": "/c:/Users/dev/demo/b.ts", "content": "y"})
    );
    let edited = payload("beforeReadFile", |payload| {
        payload["workspace_roots"][0] == "/c:/Users/dev/demo"
    });
    let data = read(&edited).data.json().into_owned();
    assert_eq!(data["tool_input"]["file_path"], "C:/Users/dev/demo/.env");
    assert_eq!(
        data["attachments"][0]["file_path"],
        "C:/Users/dev/demo/RULE.md"
    );
}

/// A guard would take it for a relative path, and the host for `/etc/passwd`.
#[test]
fn what_looks_like_a_drive_elsewhere_stays_as_it_is() {
    let call = payload("preToolUse", |payload| {
        payload["tool_input"]["file_path"] == "/c:/etc/../../etc/passwd"
    });
    let data = read(&call).data.json().into_owned();
    assert_eq!(data["tool_input"]["file_path"], "/c:/etc/../../etc/passwd");
}
