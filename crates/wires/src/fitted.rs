//! Fitting a result to one event of one host, including rules that depend on what was rewritten.

use anyhook_core::can::Capabilities;
use anyhook_core::event::Event;
use anyhook_core::fit::Loss;
use anyhook_core::result::HookResult;

use crate::Host;

/// A rewrite in a form that a host would overlook, and then go on with what was there before.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::result::HookResult;
/// use anyhook_wires::{IgnoredRewrite, host};
/// use serde_json::json;
///
/// let claude = host("claude-code").unwrap();
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
/// let odd = HookResult::allow().modify("tool_input", json!("ls"));
/// let IgnoredRewrite { field, why } = claude.overlooks(&event, &odd).unwrap();
/// assert_eq!((&*field, &*why), ("tool_input", "a hook changed the arguments to something that is no object"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredRewrite {
    /// The field.
    pub field: String,
    /// Why, to the model.
    pub why: String,
}

/// Fits a result to what a host can be told about an event ([`HookResult::fit`]), and refuses where the host would overlook
/// a rewrite because of its form. Nothing is left to the writing: what is said is what a report shows.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::result::{HookResult, Kind};
/// use anyhook_wires::{fitted, host};
/// use serde_json::json;
///
/// let claude = host("claude-code").unwrap();
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
/// let odd = HookResult::allow().modify("tool_input", json!("ls"));
/// let (said, losses) = fitted(claude, &event, odd, &claude.can(&event));
/// assert_eq!((said.verdict.kind(), losses.len()), (Kind::Deny, 1));
/// ```
pub fn fitted(
    host: &Host,
    event: &Event,
    mut result: HookResult,
    can: &Capabilities,
) -> (HookResult, Vec<Loss>) {
    let fit = |result: HookResult| result.fit(event.name.class(), event.name.mutable(), can);
    let mut overlooked = Vec::new();
    // Each turn takes a field out of what was rewritten, so there is a last one.
    while !result.effects.patch().is_empty() {
        let (said, losses) = fit(result.clone());
        let Some(IgnoredRewrite { field, why }) = host.overlooks(event, &said) else {
            overlooked.extend(losses);
            return (said, overlooked);
        };
        let (without, lost) = result.overlooked(&field, &why);
        result = without;
        if lost.is_empty() {
            break;
        }
        overlooked.extend(lost);
    }
    let (said, losses) = fit(result);
    overlooked.extend(losses);
    (said, overlooked)
}

/// Why arguments that are no object are refused.
pub(crate) const NO_OBJECT: &str = "a hook changed the arguments to something that is no object";
