//! The probes of the matrix: one answer at a time, and the call that it is about.

use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::EventSpec;
use serde_json::{Value, json};

/// The text that every probe says: where it turns up, the probe has been heard.
pub const TEXT: &str = "said by a hook";

/// One thing that a hook can say.
#[derive(Debug)]
pub struct Probe {
    /// What it is called.
    pub name: &'static str,
    /// What it is, as a sentence.
    pub what: &'static str,
    /// Says it about an event; nothing where it would mean nothing.
    pub says: fn(&EventSpec) -> Option<HookResult>,
}

/// Everything that a hook can say: each verdict and each effect.
pub static PROBES: &[Probe] = &[
    Probe {
        name: "allow",
        what: "Approve: the host's own question is skipped.",
        says: |_| Some(HookResult::allow_because(TEXT)),
    },
    Probe {
        name: "ask",
        what: "Let a person decide.",
        says: |_| Some(HookResult::ask(TEXT)),
    },
    Probe {
        name: "deny",
        what: "Refuse.",
        says: |_| Some(HookResult::deny(TEXT)),
    },
    Probe {
        name: "halt",
        what: "Stop the agent.",
        says: |_| Some(HookResult::halt(TEXT)),
    },
    Probe {
        name: "rewrite",
        what: "Replace the arguments, the result, the prompt or the task.",
        says: |spec| {
            let field = *spec.mutable.first()?;
            Some(HookResult::proceed().modify(field, changed(field)))
        },
    },
    Probe {
        name: "inject",
        what: "Tell the model something.",
        says: |_| Some(HookResult::proceed().inject(TEXT)),
    },
    Probe {
        name: "notify",
        what: "Tell the person something.",
        says: |_| Some(HookResult::proceed().notify(TEXT)),
    },
];

/// Returns another value of a field, in the shape that the field has in [`data`].
fn changed(field: &str) -> Value {
    let mut value = call().shift_remove(field).unwrap_or_default();
    let inner = value
        .as_object_mut()
        .and_then(|fields| fields.values_mut().next());
    if let Some(text) = inner {
        *text = TEXT.into();
        return value;
    }
    TEXT.into()
}

/// Returns the data of an event: those fields of one shell call that the event has.
pub(crate) fn data(spec: &EventSpec) -> Map {
    let mut call = call();
    call.retain(|name, _| {
        let is_its = spec.fields.iter().any(|field| field.name == name);
        is_its || matches!(&**name, "session_id" | "cwd")
    });
    call
}

fn call() -> Map {
    let all = json!({
        "session_id": "s1",
        "cwd": "/project",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "tool_result": {"stdout": "12 passed", "stderr": "", "interrupted": false},
        "tool_use_id": "call_1",
        "error": "exit code 1",
        "prompt": "Fix the build",
        "source": "startup",
        "reason": "other",
        "trigger": "auto",
        "message": "The agent waits.",
        "notification_type": "permission_prompt",
        "agent_id": "a1",
        "agent_type": "reviewer",
        "task": "Review the diff",
        "stop_hook_active": false,
        "last_assistant_message": "Done.",
    });
    match all {
        Value::Object(all) => all,
        _ => Map::new(),
    }
}
