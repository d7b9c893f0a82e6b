//! What the table of Kiro does not say.

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{End, Transcript};

use super::relative::row::HostRow;
use super::relative::{Host, Oddities, decode};
use crate::answer::NO_REASON;
use crate::dialects::SUCCESS;

include!(concat!(env!("OUT_DIR"), "/kiro.rs"));

const ODD: Oddities = Oddities {
    decode: read,
    ..Oddities::NONE
};

/// Reads an answer as the stricter of Kiro's two faces does: before something happens every failure refuses.
fn read(host: &Host, raw: &Transcript, event: &Event, row: Option<&HostRow>) -> Said {
    let is_gate = row.is_none_or(HostRow::is_gate);
    let stderr = raw.stderr.text();
    let why = match (&raw.end, stderr.trim()) {
        (End::NotStarted(why), "") => why,
        (End::Code(_), "") => NO_REASON,
        (End::NotStarted(_) | End::Code(_), text) => text,
        (End::Signal(_) | End::TimedOut, _) => return decode::read(host, raw, event, row),
    };
    if !is_gate || raw.end == End::Code(SUCCESS) {
        return decode::read(host, raw, event, row);
    }
    Ok(HookResult::deny(why))
}
