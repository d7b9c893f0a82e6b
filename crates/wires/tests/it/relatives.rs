//! What the relatives of Claude Code have of their own and no payload or answer of the corpus shows.

use anyhook_wires::host;
use serde_json::{Value, json};

use crate::case::Case;

/// A call of Factory Droid.
fn call(tool: &str, input: &Value) -> Case {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p",
        "tool_name": tool, "tool_input": input});
    Case::new("factory-droid", "PreToolUse", payload)
}

#[test]
fn a_patch_of_factory_droid_has_files_whatever_its_argument_is_called() {
    let patch = "*** Begin Patch\n*** Delete File: .env\n*** End Patch";
    for argument in ["input", "patch", "command", "diff"] {
        let event = call("ApplyPatch", &json!({ argument: patch })).event;
        let data = event.data.json().into_owned();
        assert_eq!(
            data["tool_input"]["files"],
            json!([{"path": ".env", "change": "delete"}])
        );
        let written = host("factory-droid").unwrap().write_event(&event);
        assert_eq!(written["tool_input"], json!({ argument: patch }));
    }
}
