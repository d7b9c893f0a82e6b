//! The Copilot cloud agent: the protocol of Copilot CLI in a job that nobody watches.
//!
//! Only the repository's `.github/hooks` is read, nobody can be asked, and nobody reads a warning. Its payloads cannot be
//! told from those of Copilot CLI, so that the command line has to say which of the two calls.
//!
//! Unverified: whether `errorOccurred` fires at all. The row claims nothing.

mod settings;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::copilot_cli::{self, Row, Surface, TOOLS, natives, rows};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire};

/// The id of this host.
pub const ID: &str = "copilot-cloud";

/// There is no permission request, no notification and no event before an MCP call.
static EVENTS: [Row; 12] = [
    rows::SESSION_START.unwatched(),
    rows::SESSION_END.unwatched(),
    rows::USER_PROMPT_SUBMITTED.unwatched(),
    rows::USER_PROMPT_TRANSFORMED.unwatched(),
    rows::PRE_TOOL_USE_ROW.unwatched(),
    rows::POST_TOOL_USE_ROW.unwatched(),
    rows::POST_TOOL_USE_FAILURE.unwatched(),
    rows::AGENT_STOP.unwatched(),
    rows::SUBAGENT_START.unwatched(),
    rows::SUBAGENT_STOP_ROW.unwatched(),
    rows::ERROR_OCCURRED.unwatched(),
    rows::PRE_COMPACT.unwatched(),
];

const SURFACE: Surface = Surface {
    id: ID,
    rows: &EVENTS,
};

static ROWS: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

/// The Copilot cloud agent.
#[derive(Debug, Clone, Copy)]
pub struct CopilotCloud;

impl Wire for CopilotCloud {
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
        copilot_cli::heard(&SURFACE, raw, event)
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        copilot_cli::reply(&SURFACE, event, result)
    }
}

static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Experimental,
    covers: "2026-10-21",
    files: &[".github/hooks/"],
    // The agent runs in a job that has no other agent; its own process goes by the name of the terminal's.
    settings: Some(&settings::SETTINGS),
    executables: &["copilot"],
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for CopilotCloud {
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
        copilot_cli::overlooks(&SURFACE, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        copilot_cli::refusal(&SURFACE, row, reason)
    }

    /// The casing of the name is that of the key in the settings, and chooses the form of the payload.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        SURFACE.write_as(event, native)
    }

    /// Its payloads are those of Copilot CLI, which answers for both.
    fn speaks(&self, _payload: &Map) -> bool {
        false
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        SURFACE.find(name).map(|row| &row.native)
    }
}
