//! What the table of `OpenCode` does not say.

use anyhook_core::result::{HookResult, Kind};

use super::relative::HostFunctions;

include!(concat!(env!("OUT_DIR"), "/opencode.rs"));

pub(super) const ODD: HostFunctions = HostFunctions {
    after: |answer, _| {
        // No plugin can put a question: ours refuses.
        if answer.result.verdict.kind() == Kind::Ask {
            let reason = answer.result.verdict.text();
            answer.say(HookResult::deny(reason));
        }
    },
    ..HostFunctions::BARE
};
