//! VS Code's own agent ("Local"): its payloads, its rows, and its answers.
//!
//! Its other session targets run other engines: the Copilot target is `copilot-cli`, the Claude target `claude-code`, the
//! Codex target `codex-cli`. The host reads no `matcher`, so that every hook is called for every tool and has to match by
//! itself. An empty object has made it fail, so where there is nothing to say nothing is printed.
//!
//! Where the documents leave a question open:
//! - Early payloads were in camelCase (`sessionId`, `hookEventName`). They are read, and written back as they came.
//! - On a prompt only exit code 2 is documented; `decision` and `additionalContext` stand in the sources alone. A refusal
//!   is said by exit code; no context is claimed.
//! - That exit code 2 aborts a compaction is unverified. It is said all the same: the worst is a compaction.
//! - When the agent stops, documents and sources put the decision in two places. Both are written.
//! - New arguments that do not fit the tool's schema are dropped, and the old ones run. Those that have other fields than
//!   the call, or fields of another kind, are refused instead.
//! - `mcp_<server>_<tool>` is unverified, and ambiguous where a name has the separator; such a tool keeps its own name.

mod call;
mod health;
mod heard;
mod rows;
mod said;
mod settings;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::relative::keeps_transcript_in;
use crate::payload::{self, Heard};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire};
use call::TOOLS;
use rows::{EVENTS, ROWS, Row};

/// The id of this host.
pub const ID: &str = "vscode-local";

const NAME: &str = "hook_event_name";

/// The same field in early payloads.
const EARLY_NAME: &str = "hookEventName";

/// The folder in which the host keeps its transcripts.
const TRANSCRIPTS: &str = "GitHub.copilot-chat";

/// Fields of early payloads, and their canonical names.
const EARLY: &[(&str, &str)] = &[
    ("sessionId", "session_id"),
    ("transcriptPath", "transcript_path"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolResponse", "tool_response"),
    ("toolUseId", "tool_use_id"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("stopHookActive", "stop_hook_active"),
    ("customInstructions", "custom_instructions"),
];

/// VS Code's own agent.
#[derive(Debug, Clone, Copy)]
pub struct VscodeLocal;

impl Wire for VscodeLocal {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut data = payload::object(self, bytes, &[NAME, EARLY_NAME], hint)?;
        let is_early = is_early(&data);
        let native = payload::native_name(self, &mut data, &[NAME, EARLY_NAME], hint)?;
        let row = find(&native);
        let native = row.map_or(native, |row| row.native.name.to_owned());
        if is_early {
            respelled(&mut data);
        }
        payload::rename(&mut data, "tool_response", "tool_result");
        read(row, &native, data, bytes).map_err(|error| DecodeError {
            event: Some(native),
            ..error
        })
    }

    fn write_event(&self, event: &Event) -> Value {
        let mut data = call::written(event);
        payload::rename(&mut data, "tool_result", "tool_response");
        let native = payload::name_of(event, ID, row_of(event).map(|row| &row.native));
        let native = native.to_owned();
        if came_early(event) {
            respelled(&mut data);
            data.insert(EARLY_NAME.to_owned(), native.into());
        } else {
            data.insert(NAME.to_owned(), native.into());
        }
        Value::Object(data)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard::read(raw, event, row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(Reply::default, |row| said::reply(row, Some(event), result))
    }
}

static FACTS: HostFacts = HostFacts {
    aliases: &["vscode"],
    maturity: Maturity::Proved,
    covers: "preview, 2026-09-16",
    files: &[
        ".github/hooks/",
        ".github/agents/",
        ".vscode/settings.json",
        "~/.copilot/hooks/",
        "~/.copilot/agents/",
        "~/.config/Code/User/settings.json",
        "~/.config/Code/User/prompts/",
        "~/Library/Application Support/Code/User/settings.json",
        "~/Library/Application Support/Code/User/prompts/",
        "~/AppData/Roaming/Code/User/settings.json",
        "~/AppData/Roaming/Code/User/prompts/",
        ".claude/settings.json",
        ".claude/settings.local.json",
        "~/.claude/settings.json",
    ],
    settings: Some(&settings::SETTINGS),
    // A terminal inside of the editor is below these too: the agent types into the same terminals.
    health: Some(&health::HEALTH),
    // The files of Copilot CLI are its own files too; those of Claude Code are read with `chat.useClaudeHooks`.
    also_reads: &["copilot-cli", "claude-code"],
    executables: &[
        "code",
        "code-insiders",
        "Code Helper (Plugin)",
        ".vscode-server",
        ".vscode-server-insiders",
    ],
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for VscodeLocal {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.native.can)
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        said::overlooks(row_of(event)?, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(native) = row else {
            return Reply::exit_2(reason);
        };
        let is_gate = native.is_gate();
        let row = find(native.name).filter(|row| is_gate && row.is_refusable());
        row.map_or_else(Reply::default, |row| {
            said::reply(row, None, &HookResult::deny(reason))
        })
    }

    /// Its payloads have Claude Code's names and a time, and no mode of permission; a tool's call has an id, and every
    /// other event a transcript in a folder of its own. Early payloads could be anybody's.
    fn speaks(&self, payload: &Map) -> bool {
        let text = |field: &str| payload.get(field).and_then(Value::as_str);
        let name = text(NAME);
        let is_ours = name.is_some_and(|name| ROWS.iter().any(|row| row.name == name));
        let has = |field: &str| payload.contains_key(field);
        let foreign = [
            "permission_mode",
            "cursor_version",
            "turn_id",
            "stop_reason",
            "custom_instructions",
        ];
        let is_known = has("tool_use_id") || keeps_transcript_in(payload, TRANSCRIPTS);
        is_ours
            && is_known
            && text("timestamp").is_some()
            && !foreign.iter().any(|field| has(field))
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        find(name).map(|row| &row.native)
    }
}

fn read(
    row: Option<&'static Row>,
    native: &str,
    mut data: Map,
    bytes: &[u8],
) -> Result<Event, DecodeError> {
    if let Some(row) = row {
        payload::check(&data, row.needs)?;
    }
    let server = call::open(&mut data);
    let heard = Heard {
        host: ID,
        native: native.to_owned(),
        event: row.map(|row| row.native.event),
        subject: row.and_then(|row| row.subject),
        tools: &TOOLS,
        bytes,
    };
    let mut event = payload::event(heard, data)?;
    call::close(&mut event, server);
    Ok(event)
}

/// Finds the row of a name as the host spells it, or as Copilot's files do, else in any other spelling.
fn find(name: &str) -> Option<&'static Row> {
    let exact = EVENTS
        .iter()
        .find(|row| row.native.name == name || row.copilot == Some(name));
    exact.or_else(|| {
        let event = EventName::new(name);
        EVENTS.iter().find(|row| row.native.event == event.as_str())
    })
}

fn row_of(event: &Event) -> Option<&'static Row> {
    let name = event.name.as_str();
    EVENTS.iter().find(|row| row.native.event == name)
}

fn is_early(payload: &Map) -> bool {
    !payload.contains_key(NAME) && payload.contains_key(EARLY_NAME)
}

fn came_early(event: &Event) -> bool {
    let own = event.origin.as_deref().filter(|origin| origin.host == ID);
    let raw = own.and_then(|origin| crate::json::object(origin.raw.as_deref()?).ok());
    raw.is_some_and(|raw| is_early(&raw))
}

/// Gives the fields of an early payload their later names, or takes them away again: each pair changes places.
fn respelled(data: &mut Map) {
    for (early, late) in EARLY {
        payload::rename(data, early, late);
    }
}

#[cfg(test)]
mod tests;
