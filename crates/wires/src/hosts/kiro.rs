//! Kiro: its payloads, its rows, and its answers. Experimental.
//!
//! A hook answers by its exit code and a text; when the agent wants to stop there is an answer in JSON, and since version 3.4 of
//! the command line before a tool too. What is not settled about this host, and how it is read here:
//!
//! - Its editor ignores a refusal to stop, its command line honours it, and a payload does not tell one from the other.
//!   The refusal is said: where it is ignored nothing opens, because a stop is no gate. For the same reason no question and no
//!   new arguments are said, which 3.4 takes: to the editor and older versions they are a text, and the tool runs.
//! - Its pages disagree about exit codes other than 2. We never leave with one, and a hook written for Kiro that does is
//!   taken to refuse, as in the editor.
//! - On Windows, exit code 2 did not block in version 2.2.2 of the command line.
//! - The editor may send a prompt hook no prompt.
//! - The arguments of its tools are not documented; `path` is what its examples have.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::{End, Transcript};

use super::relative::row::{CALL, Exit2, Form, HostRow, INFORMS, ONLY_REFUSES, Text, UNLESS_REFUSED, natives};
use super::relative::{Contexts, Oddities, Relative, Words, decode, write_named};
use crate::answer::{NO_REASON, Place};
use crate::dialects::SUCCESS;
use crate::payload::{Mcp, Tool, Tools};
use crate::settings::{Constant, Part, Scope, Settings, SettingsFile, Shape, Unit};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "kiro";

const REFUSES: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..ONLY_REFUSES
};

/// A row of an event whose hooks say nothing but text.
const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_mins(1)).text(Text::AsIs)
}

/// A row of an event that is refused by exit code 2.
const fn refused(name: &'static str, event: &'static str, can: Can) -> HostRow {
    row(name, event, can).refused(Form::Exit2, Exit2::Blocks)
}

static EVENTS: [HostRow; 9] = [
    row("SessionStart", "session:start", INFORMS),
    row("SessionEnd", "session:end", Can::NOTHING),
    refused("UserPromptSubmit", "prompt:submit", REFUSES),
    refused("PreToolUse", "tool:pre", REFUSES)
        .subject("tool_name")
        .needs(CALL)
        .text(Text::Context),
    row("PostToolUse", "tool:post", INFORMS).subject("tool_name"),
    row("PermissionRequest", "approval:required", Can::NOTHING).subject("tool_name"),
    refused("PreTaskExec", "kiro:pre-task-exec", ONLY_REFUSES),
    row("PostTaskExec", "kiro:post-task-exec", Can::NOTHING),
    row("Stop", "stop", ONLY_REFUSES)
        .refused(Form::Block, Exit2::Fails)
        .text(Text::Ignored),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools. `fs_write` writes and edits, so it keeps its name.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("execute_bash", "Bash", &[]),
        Tool::new("shell", "Bash", &[]),
        Tool::new("read", "Read", PATH),
        Tool::new("fs_read", "Read", PATH),
        Tool::new("write", "Write", PATH),
        Tool::new(
            "fs_write",
            "fs_write",
            &[
                ("path", "file_path"),
                ("file_text", "content"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
            ],
        ),
    ],
    mcp: Some(Mcp {
        prefix: "@",
        between: "/",
    }),
};

/// Where Kiro keeps its hooks: a file of our own, with one list of entries that each name their event.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.kiro/hooks/anyhook.json"),
        SettingsFile::new(Scope::Project, ".kiro/hooks/anyhook.json"),
    ],
    found_by: &["~/.kiro"],
    shape: Shape::List,
    entry: &[
        ("name", Part::Title),
        ("trigger", Part::Event),
        (
            "action",
            Part::Object(&[("type", Part::Text("command")), ("command", Part::Command)]),
        ),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    top: &[("version", Constant::Text("v1"))],
    without: &[(
        "PermissionRequest",
        "versions before 3.4 do not know it, and what it answers is in no document",
    )],
    ..Settings::BARE
};

/// The agent Kiro.
pub static KIRO: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        maturity: Maturity::Experimental,
        covers: "IDE 1.x and CLI 3, pages of 2026-11-12; changes of CLI 3.4",
        // The agents' own files held hooks in version 2 of the command line.
        files: &["~/.kiro/hooks/", "~/.kiro/agents/", ".kiro/hooks/", ".kiro/agents/"],
        settings: Some(&SETTINGS),
        executables: &["kiro", "kiro-cli"],
        tools: &TOOLS,
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        place: Place::Anywhere,
        contexts: Contexts::Plain,
        ..Words::COMMON
    },
    odd: Oddities {
        decode: read,
        // Its editor tells of files, its command line of a session by another name.
        write_as: write_named,
        ..Oddities::NONE
    },
    ..Relative::BARE
};

/// Reads an answer as the stricter of Kiro's two faces does: before something happens every failure refuses.
fn read(host: &Relative, raw: &Transcript, event: &Event, row: Option<&HostRow>) -> Said {
    let is_gate = row.is_none_or(|row| row.native.is_gate());
    let stderr = raw.stderr.text();
    let why = match (&raw.end, stderr.trim()) {
        (End::NotStarted(why), "") => why,
        (End::Code(_), "") => NO_REASON,
        (End::NotStarted(_) | End::Code(_), text) => text,
        (End::Signal(_) | End::TimedOut, _) => return decode::read(host, raw, event, row),
    };
    if !is_gate || raw.end == End::Code(SUCCESS) {
        return decode::read(host, raw, event, row);
    }
    Ok(HookResult::deny(why))
}
