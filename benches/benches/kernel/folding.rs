//! Folding and fitting: what the kernel does with answers, beside building one.

use anyhook_benches::{Contender, interleave};
use anyhook_core::can::Can;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use serde_json::json;

use crate::Effort;

pub(crate) fn table(effort: Effort) -> String {
    let can = Can::EVERYTHING;
    let rich = || {
        HookResult::deny("no")
            .inject("a text")
            .notify("a note")
            .modify("tool_input", json!({"a": 1}))
    };
    let plain = HookResult::proceed();
    let measured = interleave(
        effort.rounds,
        effort.times,
        vec![
            Contender::new("build one rich result (floor)", rich),
            Contender::new("then: two that say nothing", || {
                plain.clone().then(plain.clone())
            }),
            Contender::new("then: two rich ones, built too", || rich().then(rich())),
            Contender::new("fit: one that says nothing", || {
                plain.clone().fit(Class::Gate, &["tool_input"], &can)
            }),
            Contender::new("fit: one rich one, built too", || {
                rich().fit(Class::Gate, &["tool_input"], &can)
            }),
        ],
    );
    anyhook_benches::table("folding and fitting", &measured)
}
