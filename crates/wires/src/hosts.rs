//! The agents that call us: one file and one row each.

use crate::Host;

pub mod amplifier;
pub mod claude_code;
pub mod copilot_cli;
pub mod copilot_cloud;
pub mod universal;
pub mod vscode_local;

/// Every host.
pub static HOSTS: &[&dyn Host] = &[
    &claude_code::ClaudeCode,
    &copilot_cli::CopilotCli,
    &copilot_cloud::CopilotCloud,
    &vscode_local::VscodeLocal,
    &universal::Universal,
    &amplifier::Amplifier,
];
