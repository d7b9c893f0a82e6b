//! What the table of Kiro does not say.

use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::End;

use super::relative::Oddities;
use super::relative::decode::HookRun;
use super::relative::row::HostRow;
use crate::answer::NO_REASON;
use crate::dialects::SUCCESS;

include!(concat!(env!("OUT_DIR"), "/kiro.rs"));

const ODD: Oddities = Oddities {
    decode: read,
    ..Oddities::NONE
};

/// Reads an answer as the stricter of Kiro's two faces does: before something happens every failure refuses.
fn read(run: HookRun<'_>) -> Said {
    let raw = run.raw;
    let is_gate = run.row.is_none_or(HostRow::is_gate);
    let stderr = raw.stderr.text();
    let why = match (&raw.end, stderr.trim()) {
        (End::NotStarted(why), "") => why,
        (End::Code(_), "") => NO_REASON,
        (End::NotStarted(_) | End::Code(_), text) => text,
        (End::Signal(_) | End::TimedOut, _) => return run.read(),
    };
    if !is_gate || raw.end == End::Code(SUCCESS) {
        return run.read();
    }
    Ok(HookResult::deny(why))
}
