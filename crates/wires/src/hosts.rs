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
pub mod athena;
pub mod claude_code;
pub mod cline;
pub mod codex_cli;
pub mod command_code;
pub mod copilot_cli;
pub mod copilot_cloud;
pub mod cursor;
pub mod devin_cli;
pub mod factory_droid;
pub mod gemini_cli;
pub mod goose;
pub mod kimi_code;
pub mod kiro;
pub mod mistral_vibe;
pub mod opencode;
pub mod qwen_code;
mod relative;
pub mod universal;
pub mod vscode_local;
pub mod windsurf;

/// Every host. Claude Code's payloads look like those of its relatives, so it stands behind them.
pub static HOSTS: &[&dyn Host] = &[
    &codex_cli::CODEX_CLI,
    &qwen_code::QWEN_CODE,
    &factory_droid::FACTORY_DROID,
    &devin_cli::DEVIN_CLI,
    &copilot_cli::COPILOT_CLI,
    &copilot_cloud::COPILOT_CLOUD,
    &vscode_local::VSCODE_LOCAL,
    &gemini_cli::GEMINI_CLI,
    &athena::Athena,
    &goose::Goose,
    &kiro::Kiro,
    &cursor::Cursor,
    &windsurf::Windsurf,
    &cline::Cline,
    &opencode::OPENCODE,
    &command_code::COMMAND_CODE,
    &kimi_code::KIMI_CODE,
    &mistral_vibe::MISTRAL_VIBE,
    &claude_code::CLAUDE_CODE,
    &universal::Universal,
    &amplifier::Amplifier,
];
