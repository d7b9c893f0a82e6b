//! What the table of `OpenCode` does not say.

use anyhook_core::result::{HookResult, Kind};

use super::relative::Oddities;

include!(concat!(env!("OUT_DIR"), "/opencode.rs"));

pub(super) const ODD: Oddities = Oddities {
    after: |answer, _| {
        // No plugin can put a question: ours refuses.
        if answer.result.verdict.kind() == Kind::Ask {
            let reason = answer.result.verdict.text();
            answer.say(HookResult::deny(reason));
        }
    },
    ..Oddities::BARE
};
