//! GitHub Copilot CLI: its payloads, its rows, and its answers; and the protocol that the cloud agent shares.
//!
//! The casing of an event in the settings chooses the form of the payload. `preToolUse` brings `sessionId`, `toolName`,
//! `toolArgs` and no name of the event, which therefore comes from the command line; `PreToolUse` brings
//! `hook_event_name`, `session_id`, `tool_name`, `tool_input`, and on the gates Claude Code's names of the tools, with
//! Copilot's own names of the arguments. Answers are the same in both. What came is written back in the casing it had.
//!
//! Where the documents leave a question open:
//! - Whether a prompt may add context is contradictory, and that it can be refused or changed stands nowhere; 1.0.102 does
//!   all three. A warning by exit code 2 was read beside a text for the model, and not tried beside a refused prompt or a
//!   new result, so that a notice waits there.
//! - Exit code 2 refuses a tool, but no one reads its standard error: a refusal is JSON here.
//! - A text for the model on a notification can wake an idle session, so none is said there.
//! - An approval in Claude Code's nested form showed the host's own prompt all the same, so it counts for nothing. A
//!   refusal in that form is a refusal.
//! - The payload of a permission request is undocumented: its arguments are read from `toolInput`, else `toolArgs`. A file
//!   that is created comes as `edit` with `file_path` and `diff` there.
//! - From 1.0.53 to 1.0.56 the terminal answered `ask` by itself. The facts here begin where it asks again.

mod arguments;
mod form;
mod health;
mod heard;
mod known;
mod results;
mod row;
pub(super) mod rows;
mod said;
pub(super) mod settings;
mod tools;

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire};

pub(super) use form::Surface;
pub(super) use heard::read as heard;
pub(super) use row::{Row, natives};
pub(super) use said::{overlooks, refusal, reply};
pub(super) use tools::{TOOLS, server_tool};

/// The id of this host.
pub const ID: &str = "copilot-cli";

/// How long the host waits for a hook; its settings count in seconds (`timeoutSec`).
const TIMEOUT: Duration = Duration::from_secs(30);

const SURFACE: Surface = Surface {
    id: ID,
    rows: &rows::EVENTS,
};

static ROWS: [NativeEvent; rows::EVENTS.len()] = natives(&rows::EVENTS);

/// The agent Copilot CLI.
#[derive(Debug, Clone, Copy)]
pub struct CopilotCli;

impl Wire for CopilotCli {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        SURFACE.read(self, bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        SURFACE.write(event)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard(&SURFACE, raw, event)
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        reply(&SURFACE, event, result)
    }
}

static FACTS: HostFacts = HostFacts {
    aliases: &["copilot"],
    maturity: Maturity::Proved,
    covers: "1.0.102, 2026-11-22",
    files: &[
        "~/.copilot/hooks/",
        "~/.copilot/settings.json",
        "~/.copilot/config.json",
        "~/.copilot/agents/",
        ".github/hooks/",
        ".github/agents/",
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        "/etc/github-copilot/policy.d/",
        "C:\\ProgramData\\GitHub\\Copilot\\policy.d\\",
    ],
    settings: Some(&settings::SETTINGS),
    health: Some(&health::HEALTH),
    // The project's `.claude/settings.json` and `.claude/settings.local.json` are read and run as well.
    also_reads: &["claude-code"],
    executables: &["copilot"],
    project_variable: Some("COPILOT_PROJECT_DIR"),
    tools: &TOOLS,
    version_at: Some(crate::VersionAt::Variable("COPILOT_CLI_BINARY_VERSION")),
    prompts: crate::Prompts {
        of_agents: &["agent_id"],
        parent: Some("parent_agent_id"),
        ..crate::Prompts::NEW
    },
};

impl Host for CopilotCli {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        SURFACE.can(event)
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        said::overlooks(&SURFACE, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        refusal(&SURFACE, row, reason)
    }

    fn since(&self, row: &NativeEvent) -> Option<&'static str> {
        SURFACE.find(row.name).map(|row| row.since)
    }

    /// The casing of the name is that of the key in the settings, and chooses the form of the payload.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        SURFACE.write_as(event, native)
    }

    fn speaks(&self, payload: &Map) -> bool {
        known::speaks(&SURFACE, payload)
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        SURFACE.find(name).map(|row| &row.native)
    }
}

#[cfg(test)]
mod tests;
