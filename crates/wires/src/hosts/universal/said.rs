//! Writing a result as the seed's blocking response.

use anyhook_core::can::Can;
use anyhook_core::event::{EventName, Map};
use anyhook_core::result::{HookResult, Verdict};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use crate::Reply;
use crate::answer::{NO_REASON, SPECIFIC};

/// Writes the seed's blocking response, or nothing where nothing is to be said.
pub(super) fn reply(name: &EventName, can: &Can, result: &HookResult) -> Reply {
    let mut top = Map::new();
    let mut specific = Map::new();
    verdict(name, &result.verdict, &mut top, &mut specific);
    effects(can, result, &mut top, &mut specific);
    if !specific.is_empty() {
        let mut named = Map::new();
        named.insert("hookEventName".to_owned(), name.universal().into());
        named.append(&mut specific);
        top.insert(SPECIFIC.to_owned(), Value::Object(named));
    }
    if top.is_empty() {
        return Reply::default();
    }
    Reply {
        stdout: format!("{}\n", Value::Object(top)),
        ..Reply::default()
    }
}

fn verdict(name: &EventName, verdict: &Verdict, top: &mut Map, specific: &mut Map) {
    let text = verdict.text();
    let gate = name.class() == Class::Gate;
    let decision = match verdict {
        Verdict::Continue => None,
        Verdict::Allow { .. } => Some("allow").filter(|_| gate),
        Verdict::Ask { .. } => Some("ask"),
        Verdict::Deny { .. } => Some("deny"),
        Verdict::Halt { .. } => {
            top.insert("continue".to_owned(), false.into());
            top.insert("stopReason".to_owned(), text.as_str().into());
            Some("deny").filter(|_| gate)
        }
    };
    match decision {
        Some(decision) if gate => {
            specific.insert("permissionDecision".to_owned(), decision.into());
            specific.insert("permissionDecisionReason".to_owned(), text.into());
        }
        Some(_) => {
            let reason = if text.is_empty() { NO_REASON } else { &text };
            top.insert("decision".to_owned(), "block".into());
            top.insert("reason".to_owned(), reason.into());
        }
        None => {}
    }
}

fn effects(can: &Can, result: &HookResult, top: &mut Map, specific: &mut Map) {
    let effects = &result.effects;
    for (field, key) in [
        ("tool_input", "updatedInput"),
        ("tool_result", "updatedToolOutput"),
    ] {
        let value = effects
            .rewrite(field)
            .and_then(|rewrite| rewrite.value.as_ref());
        if let Some(value) = value.filter(|_| can.rewrite.contains(&field)) {
            specific.insert(key.to_owned(), value.json());
        }
    }
    let texts: Vec<&str> = effects.inject().iter().map(|said| &*said.text).collect();
    if can.inject.is_some() && !texts.is_empty() {
        specific.insert("additionalContext".to_owned(), texts.join("\n\n").into());
    }
    let texts: Vec<&str> = effects.notify().iter().map(|said| &*said.text).collect();
    if !texts.is_empty() {
        top.insert("systemMessage".to_owned(), texts.join("\n").into());
    }
    let says_more = !top.is_empty() || !specific.is_empty();
    if says_more && effects.get().is_some_and(|given| given.suppress_output) {
        top.insert("suppressOutput".to_owned(), true.into());
    }
}
