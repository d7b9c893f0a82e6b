//! What the table of Crush does not say.

use anyhook_core::result::HookResult;
use serde_json::Value;

use super::relative::HostFunctions;
use crate::answer;

include!(concat!(env!("OUT_DIR"), "/crush.rs"));

const ODD: HostFunctions = HostFunctions {
    // Its word for the end of the agent.
    before: |_, top, _| match answer::taken(top, "halt") {
        Some(Value::Bool(true)) => HookResult::halt(answer::reason(top).unwrap_or_default()),
        _ => HookResult::proceed(),
    },
    ..HostFunctions::BARE
};
