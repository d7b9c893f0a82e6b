//! The agents that call us: one table each, in the folder `hosts` of this crate, and one row here.
//!
//! ```
//! use anyhook_wires::hosts::HOSTS;
//!
//! let ids: Vec<&str> = HOSTS.iter().map(|host| host.id()).collect();
//! assert!(ids.contains(&"claude-code") && ids.contains(&"universal"));
//! ```

mod relative;

pub use relative::Host;
pub use relative::row::HostRow;

/// Declares the modules of hosts that are tables and nothing else.
macro_rules! tables {
    ($($module:ident)*) => {
        $(
            #[doc = concat!("The host of the table `", stringify!($module), "`.")]
            pub mod $module {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($module), ".rs"));
            }
        )*
    };
}

tables! { amp auggie command_code copilot_cloud devin_cli factory_droid kilo kiro mistral_vibe oh_my_pi pi qoder qwen_code }

pub mod amplifier;
pub mod antigravity;
pub mod athena;
pub mod claude_code;
pub mod cline;
pub mod codex_cli;
pub mod copilot_cli;
pub mod crush;
pub mod cursor;
pub mod gemini_cli;
pub mod goose;
pub mod kimi_code;
pub mod opencode;
pub mod universal;
pub mod vscode_local;
pub mod windsurf;

/// Lists the hosts of these modules.
macro_rules! all {
    ($($module:ident)*) => {
        /// Every host. Claude Code's payloads look like those of its relatives, so it stands behind them.
        pub static HOSTS: &[&Host] = &[$(&$module::table::HOST),*];
    };
}

all! {
    codex_cli qwen_code factory_droid devin_cli copilot_cli copilot_cloud vscode_local
    gemini_cli athena goose kiro crush cursor windsurf cline opencode kilo pi oh_my_pi amp
    antigravity auggie qoder command_code kimi_code mistral_vibe claude_code universal amplifier
}
