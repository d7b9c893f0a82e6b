//! The agents that call us: one file and one row each.
//!
//! ```
//! use anyhook_wires::hosts::HOSTS;
//!
//! let ids: Vec<&str> = HOSTS.iter().map(|host| host.id()).collect();
//! assert!(ids.contains(&"claude-code") && ids.contains(&"universal"));
//! ```

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod universal;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &universal::Universal,
    &amplifier::Amplifier,
];
