//! Amplifier's flat result: one `action`, and fourteen fields of which seed 001 says what they mean.
//!
//! [`Flat`] is that result as it stands on a wire, with the two fields that came later (`user_message_source` and the
//! ordered `context_injections`). It is a projection of the composite
//! [`HookResult`](anyhook_core::result::HookResult), never its form: of several things
//! said, one becomes the action, and what has no place is left out.
//!
//! ```
//! use anyhook_core::effects::{Injection, Role};
//! use anyhook_core::event::Event;
//! use anyhook_core::result::{HookResult, Kind};
//! use anyhook_wires::dialects::amplifier::{
//!     FlatAction, ContextInjection, Flat, ID,
//! };
//! use serde_json::json;
//!
//! let event = Event::new("tool:pre", json!({"tool_name": "Write", "tool_input": {"path": "a"}}));
//!
//! // A composite result becomes one action.
//! let said = HookResult::ask("write `a`?")
//!     .inject("`a` is generated")
//!     .injecting(Injection { role: Role::User, ..Injection::new("edit `a.in`").ephemeral() });
//! let flat = Flat::of(&said, &event, &[]);
//! assert_eq!((flat.action, flat.action.as_str()), (FlatAction::AskUser, "ask_user"));
//! assert_eq!(flat.context_injection.as_deref(), Some("`a` is generated\n\nedit `a.in`"));
//! let ContextInjection { role, ephemeral, .. } = &flat.context_injections[1];
//! assert_eq!((role, ephemeral), (&Role::User, &true));
//! assert_eq!(flat.to_json().len(), 16);
//!
//! // And back: what a registry emitted, and what one hook answered.
//! assert_eq!(flat.clone().emitted(&event).verdict.kind(), Kind::Ask);
//! assert_eq!(flat.answer(&event).effects.inject().len(), 2);
//!
//! // One hook's change is a `modify`, so that a registry takes it up.
//! let change = HookResult::proceed().modify("tool_input", json!({"path": "b"}));
//! assert_eq!(Flat::of(&change, &event, &[]).action, FlatAction::Continue);
//! assert_eq!(Flat::answering(&change, &event, &[]).action, FlatAction::Modify);
//!
//! // What cannot be a result says why, field by field.
//! let wrong = json!({"action": "deny", "approval_default": "maybe"});
//! let wrong = Flat::from_json(wrong.as_object().unwrap().clone()).unwrap_err();
//! assert_eq!(wrong.what, "`approval_default` must be allow or deny, and is `\"maybe\"`");
//! assert_eq!(ID, "amplifier");
//! ```

mod composite;
mod flat;
mod projected;
mod read;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;

use super::{hooks_json, stands};
use crate::answer::invalid;

pub use flat::{ContextInjection, Flat, FlatAction};

/// The id of the wire whose native answers are a flat result's further fields.
pub const ID: &str = "amplifier";

/// What `action` says in an answer to an elicitation, which is not ours.
const ELICITED: &[&str] = &["accept", "decline", "cancel"];

/// The seed requires `action`. Its other fields tell nothing: other forms have a `user_message` too.
pub(super) fn owns(object: &Map) -> bool {
    object.get("action").is_some_and(|action| {
        let word = action.as_str();
        word.is_none_or(|word| !ELICITED.contains(&word))
    })
}

/// Takes all but the fields of `hooks.json`: further ones are kept as they are.
pub(super) fn read(object: &mut Map, event: &Event) -> HandlerResult {
    let (mut flat, wrong) = Flat::lenient(std::mem::take(object));
    *object = hooks_json::taken(&mut flat.extensions);
    let wrong = wrong.map(|wrong| invalid(wrong.to_string()).into());
    stands(flat.answer(event), wrong)
}

#[cfg(test)]
mod tests;
