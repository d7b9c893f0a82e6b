//! A new result of a tool, in the form that the tool's own results have: Claude Code drops any other without a word.

use anyhook_core::event::Event;
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use crate::Overlooked;

/// The field by which the result of a shell is known.
const SHELL: &str = "stdout";

/// Puts a text into the form of a shell's result, where the event tells of a shell.
pub(super) fn shaped(event: Option<&Event>, value: Value) -> Value {
    let was = event.and_then(|event| event.get("tool_result"));
    match (value, was.as_deref()) {
        (Value::String(text), Some(was)) if was.get(SHELL).is_some() => {
            json!({SHELL: text, "stderr": "", "interrupted": false})
        }
        (value, _) => value,
    }
}

/// Finds a new result of another kind than the tool's own. The tool of a server takes any.
pub(super) fn overlooked(event: &Event, result: &HookResult) -> Option<Overlooked> {
    let value = result.effects.rewrite("tool_result")?.value.as_ref()?;
    let value = shaped(Some(event), value.json());
    let was = event.get("tool_result")?;
    let is_served = event.text("tool_name")?.starts_with("mcp__");
    let is_kind = std::mem::discriminant(&value) == std::mem::discriminant(&*was);
    let is_shell = was.get(SHELL).is_some() && value.get(SHELL).is_none();
    (!is_served && (!is_kind || is_shell)).then(|| Overlooked {
        field: "tool_result".to_owned(),
        why: "a hook changed the result of the tool to a form that Claude Code drops".to_owned(),
    })
}
