//! The agents that call us: one file and one row each.

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod cursor;
pub mod universal;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &cursor::Cursor,
    &universal::Universal,
    &amplifier::Amplifier,
];
