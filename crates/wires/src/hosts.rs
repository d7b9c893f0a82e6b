//! The agents that call us: one table each, in the folder `hosts` of this crate, and one row here.
//!
//! ```
//! use anyhook_wires::hosts::HOSTS;
//!
//! let ids: Vec<&str> = HOSTS.iter().map(|host| host.id()).collect();
//! assert!(ids.contains(&"claude-code") && ids.contains(&"universal"));
//! ```

use anyhook_core::event::{Event, EventName};

use crate::{Host, NativeEvent};

mod relative;

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

tables! { auggie command_code copilot_cloud devin_cli factory_droid mistral_vibe qoder qwen_code }

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
pub mod kiro;
pub mod opencode;
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
    &goose::GOOSE,
    &kiro::KIRO,
    &crush::CRUSH,
    &cursor::Cursor,
    &windsurf::WINDSURF,
    &cline::CLINE,
    &opencode::OPENCODE,
    &antigravity::ANTIGRAVITY,
    &auggie::AUGGIE,
    &qoder::QODER,
    &command_code::COMMAND_CODE,
    &kimi_code::KIMI_CODE,
    &mistral_vibe::MISTRAL_VIBE,
    &claude_code::CLAUDE_CODE,
    &universal::Universal,
    &amplifier::Amplifier,
];

/// A row of an event, whatever else it tells.
trait Row: 'static {
    /// What every host tells.
    fn native(&self) -> &NativeEvent;

    /// Other names that the host has for the event, or had.
    fn also(&self) -> &[&'static str] {
        &[]
    }

    /// The event that it is instead where the payload tells of a failure.
    fn failed(&self) -> Option<&'static str> {
        None
    }

    /// Tells whether it can be about a tool of this canonical name.
    fn fits(&self, tool: Option<&str>) -> bool {
        let _ = tool;
        true
    }

    fn is(&self, event: &EventName) -> bool {
        let name = event.as_str();
        self.native().event == name || self.failed() == Some(name)
    }
}

/// Finds the row of a name as the host spells it, or once did, else in any other spelling.
fn find<R: Row>(rows: &'static [R], name: &str) -> Option<&'static R> {
    let is_it = |row: &&R| row.native().name == name || row.also().contains(&name);
    let exact = rows.iter().find(is_it);
    exact.or_else(|| by_event(rows, &EventName::new(name)))
}

fn by_event<R: Row>(rows: &'static [R], name: &EventName) -> Option<&'static R> {
    rows.iter().find(|row| row.is(name))
}

/// Returns the row of an event for a hook on this event of the host: one event of ours may be several of a host's.
fn row_as<R: Row>(rows: &'static [R], event: &Event, native: &str) -> Option<&'static R> {
    let named = find(rows, native).filter(|row| row.is(&event.name));
    named.or_else(|| by_call(rows, event))
}

/// Returns the row of an event: the one under whose name it came, if this host sent it.
fn row_of<R: Row>(rows: &'static [R], event: &Event, host: &str) -> Option<&'static R> {
    match event.origin.as_deref().filter(|origin| origin.host == host) {
        Some(origin) => row_as(rows, event, &origin.native),
        None => by_call(rows, event),
    }
}

fn by_call<R: Row>(rows: &'static [R], event: &Event) -> Option<&'static R> {
    let tool = event.text("tool_name");
    let mut rows = rows.iter();
    rows.find(|row| row.is(&event.name) && row.fits(tool.as_deref()))
}
