//! Writing a result as the seed's blocking response.

use anyhook_core::can::Can;
use anyhook_core::event::EventName;
use anyhook_core::result::{HookResult, Verdict};
use anyhook_core::taxonomy::Class;

use crate::Reply;
use crate::answer::{Written, context, notices};

/// Writes the seed's blocking response, or nothing where nothing is to be said.
pub(super) fn reply(name: &EventName, can: &Can, result: &HookResult) -> Reply {
    let mut says = Written::default();
    verdict(name, &result.verdict, &mut says);
    effects(can, result, &mut says);
    says.reply(name.universal())
}

fn verdict(name: &EventName, verdict: &Verdict, says: &mut Written) {
    let text = verdict.text();
    let gate = name.class() == Class::Gate;
    let decision = match verdict {
        Verdict::Continue => None,
        Verdict::Allow { .. } => Some("allow").filter(|_| gate),
        Verdict::Ask { .. } => Some("ask"),
        Verdict::Deny { .. } => Some("deny"),
        Verdict::Halt { .. } => {
            says.say("continue", false);
            says.say("stopReason", text.as_str());
            Some("deny").filter(|_| gate)
        }
    };
    match decision {
        Some(decision) if gate => {
            says.within("permissionDecision", decision);
            says.within("permissionDecisionReason", text);
        }
        Some(_) => says.decide("block", &text),
        None => {}
    }
}

fn effects(can: &Can, result: &HookResult, says: &mut Written) {
    let effects = &result.effects;
    for (field, key) in [
        ("tool_input", "updatedInput"),
        ("tool_result", "updatedToolOutput"),
    ] {
        let value = effects
            .rewrite(field)
            .and_then(|rewrite| rewrite.value.as_ref());
        if let Some(value) = value.filter(|_| can.rewrite.contains(&field)) {
            says.within(key, value.json());
        }
    }
    if let Some(text) = context(can, result) {
        says.within("additionalContext", text);
    }
    if let Some(text) = notices(can, result) {
        says.say("systemMessage", text);
    }
    if !says.is_empty() && effects.get().is_some_and(|given| given.suppress_output) {
        says.say("suppressOutput", true);
    }
}
