use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::{Value, json};

use super::*;

const PATCH: &str = "*** Begin Patch\n*** Add File: a.ts\n+x\n*** Delete File: b.ts\n*** End Patch";

fn read(payload: &Value) -> Event {
    CODEX_CLI
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap()
}

fn call(tool: &str, input: Value, mode: &str) -> Event {
    let mut payload = json!({"hook_event_name": "PreToolUse", "turn_id": "t", "session_id": "s",
        "permission_mode": mode, "tool_name": tool});
    payload["tool_input"] = input;
    read(&payload)
}

fn say(event: &Event, result: HookResult) -> Value {
    let can = CODEX_CLI.can(event);
    let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
    let reply = CODEX_CLI.write_result(event, &fitted);
    assert_eq!((reply.exit, &*reply.stderr), (0, ""));
    serde_json::from_str(&reply.stdout).unwrap_or_default()
}

fn hear(event: &Event, exit: i32, stdout: &str, stderr: &str) -> Said {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end: End::Code(exit),
        took: Duration::from_millis(5),
    };
    CODEX_CLI.read_result(&raw, event)
}

fn hear_json(event: &Event, answer: &Value) -> Said {
    hear(event, 0, &answer.to_string(), "")
}

fn output(event: &str, fields: &Value) -> Value {
    let mut specific = json!({ "hookEventName": event });
    let more = fields.as_object().unwrap().clone();
    specific.as_object_mut().unwrap().extend(more);
    json!({ "hookSpecificOutput": specific })
}

#[test]
fn new_arguments_of_a_hook_are_heard_by_their_canonical_names() {
    let event = call("apply_patch", json!({ "command": PATCH }), "default");
    let new = "*** Begin Patch\n*** Add File: c.ts\n+x\n*** End Patch";
    let allow = json!({"permissionDecision": "allow", "updatedInput": {"command": new}});
    let files = json!([{"path": "c.ts", "change": "add"}]);
    let answer = output("PreToolUse", &allow);
    let heard = hear_json(&event, &answer).unwrap();
    assert_eq!(
        heard,
        HookResult::allow_because("").modify("tool_input", json!({"patch": new, "files": files}))
    );
    assert_eq!(say(&event, heard), answer);
}
