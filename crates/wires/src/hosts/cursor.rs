//! Cursor: its payloads, its rows, and its answers.
//!
//! A gate of Cursor has no answer that leaves the decision to the host: what prints nothing is invalid, and reported to
//! block, so every gate is answered with a permission, and a hook that has nothing to say with `allow`
//! ([`crate::Neutral::Allow`]). The other way round, an `allow` that a hook of Cursor prints is what every such hook
//! prints, and approves nothing elsewhere.
//!
//! Unverified facts are read so that no gate opens:
//!
//! - `ask` is put to a person for a command and for a server's tool only. Before any other call it is accepted and not
//!   enforced, so there a question becomes a refusal. One command comes twice, as `preToolUse` and then as
//!   `beforeShellExecution`, but only for entries that are in the settings, which a payload does not tell; so a question at
//!   the first is not left to the second. [`crate::Host::asks_later`] names the second, for a caller that knows the settings.
//! - `/c:/x` is `C:/x` only where the workspace is on Windows: elsewhere it is a path that an agent may have made up.
//! - What a follow-up refuses is refused while the default `loop_limit` lasts, and not where a person ended the turn.
//! - A text for the model beside a call is in no document, and is not said there.
//!
//! It stays code of its own: its answers have no `hookSpecificOutput` and no `decision`, each gate must be answered, and seven
//! columns of its rows belong to no other host.
//!
//! Names of old, `beforeShellCommand` and `beforeMcpCall`, are read and never written.

mod decode;
mod encode;
mod lifted;
mod paths;
mod payloads;
mod row;
mod rows;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::health::{Health, Trust};
use crate::settings::{Constant, Part, Platform, Scope, Settings, SettingsFile, Shape, Unit};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire};
use row::CursorRow;
use rows::{EVENTS, LEGACY, ROWS, TOOLS};

/// The id of this host.
pub const ID: &str = "cursor";

/// Where Cursor keeps its hooks.
///
/// Unverified: that a name which is not documented, or a command with a URL in it, voids the whole file. Nothing of both
/// is written. Which shell runs a command is not documented either: a shared line brings its own.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/cursor/hooks.json").on(Platform::Linux),
        SettingsFile::new(
            Scope::Managed,
            "/Library/Application Support/Cursor/hooks.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(Scope::Managed, r"C:\ProgramData\Cursor\hooks.json")
            .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.cursor/hooks.json"),
        SettingsFile::new(Scope::Project, ".cursor/hooks.json"),
    ],
    found_by: &["~/.cursor"],
    shape: Shape::Entries,
    entry: &[
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        // Without it a crash or a timeout lets the action through.
        ("failClosed", Part::OnGates(&Part::True)),
    ],
    top: &[("version", Constant::Number(1))],
    next: "Cursor reads the file at once; project hooks need a trusted workspace",
    ..Settings::BARE
};

/// Cursor documents no switch, and no file with the workspaces that it trusts.
static HEALTH: Health = Health {
    switches: &[],
    trust: &[Trust::Hidden {
        stops: &[Scope::Project, Scope::Local],
    }],
};

/// The agent Cursor.
#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Wire for Cursor {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        payloads::read(bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        payloads::write(event, row_of(event))
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        decode::read(raw, event, row_of(event))
    }

    /// An event that is not known is answered too: on a gate that prints nothing, everything would be blocked.
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(encode::nothing, |row| encode::reply(row, event, result))
    }
}

static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Proved,
    covers: "desktop 3.18, cursor-agent 2026.09.10, read 2026-11-20",
    // A plugin may bring hooks too.
    files: &["~/.cursor/hooks/", "~/.cursor/plugins/", ".cursor/hooks/", "/etc/cursor/"],
    settings: Some(&SETTINGS),
    health: Some(&HEALTH),
    also_reads: &["claude-code"],
    executables: &["cursor", "Cursor", "cursor-agent"],
    project_variable: Some("CURSOR_PROJECT_DIR"),
    tools: &TOOLS,
    version_at: Some(crate::VersionAt::Field("cursor_version")),
    ..HostFacts::BARE
};

impl Host for Cursor {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.can(event))
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        encode::overlooks(row_of(event)?, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row.and_then(|row| find(row.name)) else {
            return Reply::exit_2(reason);
        };
        encode::refusal(row, reason)
    }

    fn write_as(&self, event: &Event, native: &str) -> Value {
        payloads::write(event, row_as(event, native))
    }

    fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        decode::read(raw, event, row_as(event, native))
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        find(name).map(|row| &row.native)
    }

    fn asks_later(&self, event: &Event) -> Option<&'static NativeEvent> {
        event.origin.as_deref().filter(|origin| origin.host == ID)?;
        let tool = event.subject.as_deref()?;
        let again = row_of(event)?.again.iter();
        let (_, native) = again
            .copied()
            .find(|(prefix, _)| tool.starts_with(prefix))?;
        self.row(native)
    }
}

/// Finds the row of a name as Cursor spells it, or once did, else in any other spelling.
fn find(name: &str) -> Option<&'static CursorRow> {
    let current = LEGACY.iter().find(|(old, _)| *old == name);
    let name = current.map_or(name, |(_, current)| current);
    let exact = EVENTS.iter().find(|row| row.native.name == name);
    exact.or_else(|| by_event(&EventName::new(name)))
}

fn by_event(name: &EventName) -> Option<&'static CursorRow> {
    EVENTS.iter().find(|row| row.native.event == name.as_str())
}

/// Finds the row of a hook, which may be on any of the events that are this one of ours.
fn row_as(event: &Event, native: &str) -> Option<&'static CursorRow> {
    let row = find(native).filter(|row| row.native.event == event.name.as_str());
    row.or_else(|| row_of(event))
}

/// One event of ours is several of Cursor's: one that Cursor sent is the one that it was.
fn row_of(event: &Event) -> Option<&'static CursorRow> {
    let own = event.origin.as_deref().filter(|origin| origin.host == ID);
    let sent = own.and_then(|origin| find(&origin.native));
    sent.filter(|row| row.native.event == event.name.as_str())
        .or_else(|| by_event(&event.name))
}
