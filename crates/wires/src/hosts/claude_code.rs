//! What the table of Claude Code does not say.

mod natives;
mod odd;

use anyhook_core::event::EventName;

use super::relative::HostFunctions;
use table::EVENTS;

include!(concat!(env!("OUT_DIR"), "/claude_code.rs"));

const ODD: HostFunctions = HostFunctions {
    write_as: odd::write_as,
    approves: odd::approves,
    before: odd::before,
    after: odd::after,
    leaves: odd::leaves,
    value: odd::value,
    overlooks: odd::overlooks,
    ask: odd::ask,
    hides: odd::hides,
    natives: natives::write,
    ..HostFunctions::BARE
};

/// The one of the fields of its own that stands beside `hookSpecificOutput`; all others belong into it.
const BESIDE: &str = "terminalSequence";

/// Returns Claude Code's own name for an event, such as `PreToolUse`.
pub(crate) fn name_of(name: &EventName) -> Option<&'static str> {
    let row = EVENTS.iter().find(|row| row.event == name.as_str())?;
    Some(row.name)
}

#[cfg(test)]
mod tests;
