//! What the table of Crush does not say.

use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::relative::Oddities;

include!(concat!(env!("OUT_DIR"), "/crush.rs"));

const ODD: Oddities = Oddities {
    before: |_, _, _, answer, _| halted(answer),
    ..Oddities::NONE
};

/// Its word for the end of the agent.
fn halted(answer: &mut Map) -> HookResult {
    let halts = answer.shift_remove("halt") == Some(Value::Bool(true));
    let reason = answer
        .get("reason")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if halts {
        HookResult::halt(reason)
    } else {
        HookResult::proceed()
    }
}
