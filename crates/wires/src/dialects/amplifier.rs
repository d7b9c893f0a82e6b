//! Amplifier's flat result: one `action`, and fourteen fields of which seed 001 says what they mean.
//!
//! [`Flat`] is that result as it stands on a wire, with the two fields that came later (`user_message_source` and the
//! ordered `context_injections`). It is a projection of the composite [`HookResult`], never its form: of several things
//! said, one becomes the action, and what has no place is a recorded loss.

mod composite;
mod flat;
mod projected;
mod read;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use serde_json::Value;

use super::{Dialect, hooks_json, invalid};
use crate::answer::warning;

pub use flat::{Action, ContextInjection, Flat};
pub use read::{BadValue, FlatError};

/// The id of the wire whose native answers are a flat result's further fields.
pub const ID: &str = "amplifier";

/// The form of seed 001.
pub(super) struct Amplifier;

/// What `action` says in an answer to an elicitation, which is not ours.
const ELICITED: &[&str] = &["accept", "decline", "cancel"];

impl Dialect for Amplifier {
    fn id(&self) -> &'static str {
        ID
    }

    /// The seed requires `action`. Its other fields tell nothing: other forms have a `user_message` too.
    fn owns(&self, object: &Map) -> bool {
        object.get("action").is_some_and(|action| {
            let word = action.as_str();
            word.is_none_or(|word| !ELICITED.contains(&word))
        })
    }

    fn reason(&self, object: &Map) -> Option<String> {
        let reason = object.get("reason").and_then(Value::as_str);
        reason.filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// An answer that also has fields of `hooks.json` says both: a refusal in either form is one.
    fn read(&self, object: Map, event: &Event) -> Said {
        let reason = object.get("reason").cloned();
        let (mut flat, wrong) = Flat::lenient(object);
        let mut theirs = hooks_json::taken(&mut flat.extensions);
        let ours = settled(flat.answer(event), wrong);
        if theirs.is_empty() {
            return ours;
        }
        if let Some(reason) = reason {
            theirs.insert("reason".to_owned(), reason);
        }
        match (ours, hooks_json::HooksJson.read(theirs, event)) {
            (Ok(ours), Ok(theirs)) => Ok(ours.then(theirs)),
            (Ok(said), Err(fault)) | (Err(fault), Ok(said)) => {
                let is_grave = said.verdict.kind() >= Kind::Ask;
                let text = &*fault.text;
                if is_grave {
                    Ok(said.notifying(warning(text)))
                } else {
                    Err(fault)
                }
            }
            (Err(fault), Err(_)) => Err(fault),
        }
    }
}

/// What is wrong with an answer makes it a fault, unless it refuses or asks all the same: then that stands.
fn settled(said: HookResult, wrong: Option<FlatError>) -> Said {
    match wrong.map(|wrong| wrong.to_string()) {
        None => Ok(said),
        Some(text) if said.verdict.kind() >= Kind::Ask => Ok(said.notifying(warning(text))),
        Some(text) => Err(invalid(text).into()),
    }
}

#[cfg(test)]
mod tests;
