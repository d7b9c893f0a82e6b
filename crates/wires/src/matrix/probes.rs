//! The probes of the matrix: one answer at a time, and the call that it is about.

use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::EventSpec;
use serde_json::Value;

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

/// Lists probes: the name of each, what it is, and how it is said.
macro_rules! probes {
    ($($name:literal, $what:literal, $says:expr;)*) => {
        /// Everything that a hook can say: each verdict and each effect.
        pub static PROBES: &[Probe] = &[$(Probe { name: $name, what: $what, says: $says }),*];
    };
}

probes! {
    "allow", "Approve: the host's own question is skipped.", |_| Some(HookResult::allow_because(TEXT));
    "ask", "Let a person decide.", |_| Some(HookResult::ask(TEXT));
    "deny", "Refuse.", |_| Some(HookResult::deny(TEXT));
    "halt", "Stop the agent.", |_| Some(HookResult::halt(TEXT));
    "rewrite", "Replace the arguments, the result, the prompt or the task.", |spec| {
        let field = *spec.mutable.first()?;
        Some(HookResult::proceed().modify(field, changed(field)))
    };
    "inject", "Tell the model something.", |_| Some(HookResult::proceed().inject(TEXT));
    "notify", "Tell the person something.", |_| Some(HookResult::proceed().notify(TEXT));
}

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

/// One shell call, with every field that an event may have.
fn call() -> Map {
    serde_json::from_str(include_str!("call.json")).unwrap_or_default()
}
