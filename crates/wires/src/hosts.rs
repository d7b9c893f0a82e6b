//! The agents that call us: one file and one row each.

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod cline;
pub mod cursor;
pub mod universal;
pub mod windsurf;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &cursor::Cursor,
    &windsurf::Windsurf,
    &cline::Cline,
    &universal::Universal,
    &amplifier::Amplifier,
];
