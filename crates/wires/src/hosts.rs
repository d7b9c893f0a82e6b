//! The agents that call us: one file and one row each.

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod codex_cli;
mod relative;
pub mod universal;

/// Every host. Claude Code's payloads look like those of its relatives, so it stands behind them.
pub static HOSTS: &[&dyn Host] = &[
    &codex_cli::CODEX_CLI,
    &claude_code::ClaudeCode,
    &universal::Universal,
    &amplifier::Amplifier,
];
