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
mod rows;

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::relative::row::{HostRow, natives};
use super::relative::{Misnamed, NAME, Oddities, Relative, Words, incoming};
use crate::health::{Health, Off, Place, Stops, Switch};
use crate::settings::{Scope, Settings, SettingsFile, Shape, Shell};
use crate::{DecodeError, HostFacts, Maturity, payload};
use call::TOOLS;
use rows::EVENTS;

/// The id of this host.
pub const ID: &str = "vscode-local";

/// The same field in early payloads.
const EARLY_NAME: &str = "hookEventName";

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

/// Where VS Code's own agent keeps its hooks: a file of our own in the folders of hook files that it shares with Copilot CLI.
///
/// No `version` is written: with one, the file would be read in Copilot's dialect.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.copilot/hooks/anyhook-vscode.json"),
        SettingsFile::new(Scope::Project, ".github/hooks/anyhook-vscode.json"),
    ],
    found_by: &[
        "~/.vscode",
        "~/.config/Code",
        "~/Library/Application Support/Code",
    ],
    shape: Shape::Entries,
    commands: &["command", "linux", "osx", "windows", "bash", "powershell"],
    shell: Shell::Posix,
    next: "reload the window; the workspace must be trusted and chat.useHooks on",
    ..Settings::BARE
};

const fn switch(file: &'static str) -> Switch {
    Switch {
        place: Place::Json(file),
        at: &["chat.useHooks"],
        off: Off::False,
        stops: Stops::All,
        pinned_in: None,
    }
}

/// What switches VS Code's hooks off.
static HEALTH: Health = Health {
    switches: &[
        switch("~/.config/Code/User/settings.json"),
        switch("~/Library/Application Support/Code/User/settings.json"),
        switch(".vscode/settings.json"),
    ],
    trust: &[],
};

/// VS Code's own agent.
pub static VSCODE_LOCAL: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["vscode"],
        maturity: Maturity::Proved,
        covers: "preview, 2026-09-16",
        files: &[".github/hooks/", ".github/agents/", ".vscode/settings.json", "~/.copilot/hooks/", "~/.copilot/agents/", "~/.config/Code/User/settings.json", "~/.config/Code/User/prompts/", "~/Library/Application Support/Code/User/settings.json", "~/Library/Application Support/Code/User/prompts/", "~/AppData/Roaming/Code/User/settings.json", "~/AppData/Roaming/Code/User/prompts/", ".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"],
        settings: Some(&SETTINGS),
        // A terminal inside of the editor is below these too: the agent types into the same terminals.
        health: Some(&HEALTH),
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
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        misnamed: Misnamed::Dropped("VS Code"),
        ..Words::COMMON
    },
    odd: Oddities {
        read,
        write,
        before: call::before,
        // What is left means nothing to the host.
        after: |answer, _| answer.rest.clear(),
        value: call::value,
        ..Oddities::NONE
    },
    ..Relative::BARE
};

fn read(host: &Relative, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, &[NAME, EARLY_NAME], hint)?;
    let is_early = is_early(&data);
    let native = payload::native_name(host, &mut data, &[NAME, EARLY_NAME], hint)?;
    let row = host.find(&native);
    let native = row.map_or(native, |row| row.native.name.to_owned());
    if is_early {
        respelled(&mut data);
    }
    payload::rename(&mut data, "tool_response", "tool_result");
    let named = |error| DecodeError {
        event: Some(native.clone()),
        ..error
    };
    payload::check(&data, row.map_or(&[], |row| row.needs)).map_err(named)?;
    let server = call::open(&mut data);
    let incoming = incoming(host, native.clone(), row, bytes);
    let mut event = payload::event(incoming, data).map_err(named)?;
    call::close(&mut event, server);
    Ok(event)
}

fn write(host: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut data = call::written(event);
    payload::rename(&mut data, "tool_result", "tool_response");
    let native = payload::name_of(event, ID, row.map(|row| &row.native));
    let came = host.origin_of(event).and_then(|it| it.raw.as_deref());
    let came = came.and_then(|raw| crate::json::object(raw).ok());
    let mut name = NAME;
    if came.is_some_and(|raw| is_early(&raw)) {
        respelled(&mut data);
        name = EARLY_NAME;
    }
    data.insert(name.to_owned(), native.into());
    Value::Object(data)
}

fn is_early(payload: &Map) -> bool {
    !payload.contains_key(NAME) && payload.contains_key(EARLY_NAME)
}

/// Gives the fields of an early payload their later names, or takes them away again: each pair changes places.
fn respelled(data: &mut Map) {
    for (early, late) in EARLY {
        payload::rename(data, early, late);
    }
}

#[cfg(test)]
mod tests;
