//! The agents that call us: one file and one row each.

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod gemini_cli;
pub mod goose;
pub mod kiro;
pub mod universal;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &universal::Universal,
    &amplifier::Amplifier,
    &gemini_cli::GeminiCli,
    &goose::Goose,
    &kiro::Kiro,
];
