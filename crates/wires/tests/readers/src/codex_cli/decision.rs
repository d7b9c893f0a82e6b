//! The fields that decide about a call and about a permission dialog.

use serde_json::Value;

use super::rows::Effect;
use super::{closed, refuse, tell};
use crate::output::{Kind, Object, field, text_field, word};
use crate::{Behaviour, Gate};

const CALL: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
];

const DIALOG: &[&str] = &[
    "behavior",
    "message",
    "updatedInput",
    "updatedPermissions",
    "interrupt",
];

/// Reads the answer to a call: a refusal with a reason, or an approval with new arguments. There is nothing else.
pub(super) fn permission(
    done: &mut Behaviour,
    payload: &Value,
    specific: &Object,
) -> Result<(), String> {
    closed(specific, CALL)?;
    let said = word(specific, "permissionDecision", &["allow", "deny", "ask"])?;
    let reason = text_field(specific, "permissionDecisionReason")?;
    let input = field(specific, "updatedInput", Kind::Any)?.cloned();
    let given = reason.as_deref().unwrap_or_default().trim();
    match (said, input) {
        (Some("allow"), Some(input)) if lacks_command(payload, &input) => {
            // The call fails with these arguments, and the tool does not run.
            done.gate = Gate::Refused { erased: false };
            done.errors
                .push("`updatedInput` must hold `command`".to_owned());
        }
        (Some("allow"), Some(input)) => {
            if !input.is_object() {
                return Err("`updatedInput` must be an object".to_owned());
            }
            // In this mode the host puts no prompt that could be skipped.
            let is_free = payload.get("permission_mode") == Some(&"bypassPermissions".into());
            done.gate = if is_free {
                Gate::Runs
            } else {
                Gate::RunsWithoutPrompt
            };
            done.input = Some(input);
        }
        (_, Some(_)) => return Err("`updatedInput` without `allow`".to_owned()),
        (Some("deny"), None) if given.is_empty() => {
            return Err("`deny` without `permissionDecisionReason`".to_owned());
        }
        (Some("deny"), None) => refuse(done, Effect::Call, given),
        (Some(word), None) => return Err(format!("`{word}` is not supported here")),
        (None, None) if reason.is_some() => {
            return Err("`permissionDecisionReason` without a decision".to_owned());
        }
        (None, None) => {}
    }
    tell(done, specific)
}

/// Tells whether the tool cannot be called with these arguments.
fn lacks_command(payload: &Value, input: &Value) -> bool {
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let is_command = input.get("command").is_some_and(Value::is_string);
    matches!(tool, Some("Bash" | "apply_patch")) && input.is_object() && !is_command
}

/// Reads the answer to a dialog.
pub(super) fn dialog(done: &mut Behaviour, specific: &Object) -> Result<(), String> {
    closed(specific, &["hookEventName", "decision"])?;
    let Some(decision) = field(specific, "decision", Kind::Object)?.and_then(Value::as_object)
    else {
        return Ok(());
    };
    closed(decision, DIALOG)?;
    for name in ["updatedInput", "updatedPermissions"] {
        if field(decision, name, Kind::Any)?.is_some() {
            return Err(format!("`{name}` is not supported"));
        }
    }
    if field(decision, "interrupt", Kind::Flag)? == Some(&Value::Bool(true)) {
        return Err("`interrupt` is not supported".to_owned());
    }
    let message = text_field(decision, "message")?;
    match word(decision, "behavior", &["allow", "deny"])? {
        Some("allow") => {
            done.gate = Gate::RunsWithoutPrompt;
            done.ignored.extend(message.map(|_| "message".to_owned()));
        }
        Some(_) => refuse(done, Effect::Call, message.as_deref().unwrap_or_default()),
        None => return Err("`decision` without `behavior`".to_owned()),
    }
    Ok(())
}
