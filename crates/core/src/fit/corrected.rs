//! A rewrite that the host cannot carry out, as the reason of a refusal.

use serde_json::Value;

use crate::effects::Rewrite;
use crate::event::Datum;
use crate::result::Reason;

/// A corrected value longer than this does not go into a reason, but into its detail.
const INLINE_VALUE: usize = 2 * 1024;

/// Makes the reason of a refusal out of a rewrite that cannot be said: it holds the corrected value, so that the agent can
/// try again with it.
///
/// ```
/// use anyhook_core::fit::corrected;
/// use anyhook_core::result::HookResult;
/// use serde_json::json;
/// let said = HookResult::proceed().modify("tool_input", json!({"command": "pnpm test"}));
/// let reason = corrected(&said.effects.patch()[0]);
/// assert!(reason.text.contains("pnpm test"));
/// ```
pub fn corrected(rewrite: &Rewrite) -> Reason {
    let field = &rewrite.field;
    let value = rewrite.value.as_ref().map(Datum::json);
    let what = format!("A hook corrected `{field}`, which cannot be changed from here.");
    let text = match value.as_ref().map(Value::to_string) {
        None => format!("A hook answered without `{field}`, and from here no field can go away."),
        Some(value) if value.len() <= INLINE_VALUE => format!("{what} Try again with: {value}"),
        Some(value) => format!("{what} The corrected value is {} bytes long.", value.len()),
    };
    Reason {
        detail: value,
        by: rewrite.by,
        ..Reason::new(text)
    }
}
