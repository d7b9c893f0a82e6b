//! The agents that call us: one file and one row each.
//!
//! ```
//! use anyhook_wires::hosts::HOSTS;
//!
//! let ids: Vec<&str> = HOSTS.iter().map(|host| host.id()).collect();
//! assert!(ids.contains(&"claude-code") && ids.contains(&"universal"));
//! ```

use crate::Host;

mod relative;

/// Declares the module of each host and the list of them: one line a host.
macro_rules! hosts {
    ($($module:ident :: $host:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// Every host. Claude Code's payloads look like those of its relatives, so it stands behind them.
        pub static HOSTS: &[&dyn Host] = &[$(&$module::$host),*];
    };
}

hosts! {
    codex_cli::CODEX_CLI,
    qwen_code::QWEN_CODE,
    factory_droid::FACTORY_DROID,
    devin_cli::DEVIN_CLI,
    copilot_cli::COPILOT_CLI,
    copilot_cloud::COPILOT_CLOUD,
    vscode_local::VSCODE_LOCAL,
    gemini_cli::GEMINI_CLI,
    athena::Athena,
    goose::GOOSE,
    kiro::KIRO,
    crush::CRUSH,
    cursor::Cursor,
    windsurf::Windsurf,
    cline::Cline,
    opencode::OPENCODE,
    antigravity::ANTIGRAVITY,
    auggie::AUGGIE,
    qoder::QODER,
    command_code::COMMAND_CODE,
    kimi_code::KIMI_CODE,
    mistral_vibe::MISTRAL_VIBE,
    claude_code::CLAUDE_CODE,
    universal::Universal,
    amplifier::Amplifier,
}
