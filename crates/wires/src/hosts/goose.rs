//! Goose: its payloads, its rows, and its answers. Experimental.
//!
//! Only two of its events are known to honour a refusal: before a tool, and when the agent wants to stop. Its source also
//! fires events before a file is read, before a shell command, and for a prompt; whether those can be blocked is not
//! settled, so nothing is claimed about the last, and the others, which double `PreToolUse`, have no row: a call is
//! decided about once, where a refusal is sure to count. An answer that is neither empty nor one of its two words would be
//! a failure, and a failure lets the tool run, so nothing else is ever written.
//! What a hook of its own files refuses under another agent counts wherever something can still be prevented.

use std::time::Duration;

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::relative::row::{CALL, Exit2, Form, HostRow, ONLY_REFUSES, TELLS, natives};
use super::relative::{Notices, Oddities, Relative, Words, write_named};
use crate::answer::{NO_REASON, given, invalid, trimmed};
use crate::dialects::{BLOCK, SUCCESS, code, failed};
use crate::payload::{Mcp, Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile, Shell, Unit};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "goose";

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_secs(30))
}

static EVENTS: [HostRow; 8] = [
    row("PreToolUse", "tool:pre", ONLY_REFUSES)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Block, Exit2::Blocks),
    row(
        "PreToolUseResult",
        "goose:pre-tool-use-result",
        Can::NOTHING,
    ),
    row("PostToolUse", "tool:post", Can::NOTHING).subject("tool_name"),
    row("PostToolUseFailure", "tool:error", Can::NOTHING)
        .subject("tool_name")
        // What failed stands in the result.
        .fields(&[("tool_result", "error")]),
    // A banner, which the person sees.
    row("SessionStart", "session:start", TELLS),
    row("SessionEnd", "session:end", Can::NOTHING),
    row("UserPromptSubmit", "prompt:submit", Can::NOTHING),
    row("Stop", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools. `developer__text_editor` reads, writes and edits, so it keeps its name; every other name with two
/// underscores is an extension's, which is an MCP server.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("developer__shell", "Bash", &[]),
        Tool::new("shell", "Bash", &[]),
        Tool::new("write", "Write", PATH),
        Tool::new("edit", "Edit", PATH),
        Tool::new(
            "developer__text_editor",
            "developer__text_editor",
            &[
                ("path", "file_path"),
                ("file_text", "content"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
            ],
        ),
    ],
    mcp: Some(Mcp {
        prefix: "",
        between: "__",
    }),
};

/// Where Goose keeps its hooks: in plugins, of which ours is one.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.agents/plugins/anyhook/hooks/hooks.json"),
        SettingsFile::new(Scope::Project, ".agents/plugins/anyhook/hooks/hooks.json"),
    ],
    found_by: &["~/.config/goose"],
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        // Without it a crash or a timeout lets the call through.
        ("on_failure", Part::OnGates(&Part::Text("block"))),
    ],
    shell: Shell::Posix,
    ..Settings::BARE
};

/// The agent Goose.
pub static GOOSE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        maturity: Maturity::Experimental,
        covers: "crates/goose/src/hooks, source read 2026-11-20",
        files: &["~/.agents/plugins/", ".agents/plugins/"],
        settings: Some(&SETTINGS),
        executables: &["goose", "goosed"],
        tools: &TOOLS,
        ..HostFacts::BARE
    },
    named_by: "event",
    fields: &[
        ("working_dir", "cwd"),
        ("tool_output", "tool_result"),
        ("message", "prompt"),
    ],
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        notices: Notices::Field("banner"),
        ..Words::COMMON
    },
    odd: Oddities {
        write_as,
        decode: read_answer,
        ..Oddities::NONE
    },
    ..Relative::BARE
};

/// Its events about shells and files double a call: a hook on one of those reads that name, and what it is about.
fn write_as(host: &Relative, event: &Event, native: &str) -> Value {
    let mut written = write_named(host, event, native);
    if let (Value::Object(data), None) = (&mut written, host.origin_of(event)) {
        let about = subject(native, data).unwrap_or_default();
        data.entry("matcher_context").or_insert(about);
    }
    written
}

/// Reads an answer: a decision to block counts at every exit code, and 2 blocks without one. Whether its prompts can be refused
/// is not settled: a hook that refuses one is heard.
fn read_answer(_: &Relative, raw: &Transcript, event: &Event, row: Option<&HostRow>) -> Said {
    let can = row.map_or(ONLY_REFUSES, |row| row.native.can);
    let blocks = can.says(Kind::Deny) || event.name.class() == Class::Gate;
    let stdout = raw.stdout.text();
    let (answer, wrong) = match crate::json::almost(trimmed(&stdout)) {
        Ok((answer, wrong)) => (Some(answer), wrong),
        Err(_) => (None, None),
    };
    let said = |field: &str| answer.as_ref()?.get(field)?.as_str().map(str::to_owned);
    let decision = said("decision");
    if blocks && decision.as_deref() == Some("block") {
        return Ok(HookResult::deny(
            said("reason").unwrap_or_else(|| NO_REASON.to_owned()),
        ));
    }
    match (code(raw)?, decision.as_deref()) {
        (BLOCK, _) if blocks => Ok(HookResult::deny(stderr(raw))),
        (SUCCESS, _) if wrong.is_some() => Err(unknown().into()),
        (SUCCESS, Some("allow")) => Ok(HookResult::proceed()),
        (SUCCESS, _) if trimmed(&stdout).is_empty() => Ok(HookResult::proceed()),
        (SUCCESS, _) => match said("banner") {
            Some(banner) if can.notify == Shown::Yes => Ok(HookResult::proceed().notify(banner)),
            _ => Err(unknown().into()),
        },
        (code, _) => Err(failed(code, raw).into()),
    }
}

/// What a matcher of an event looks at.
fn subject(native: &str, data: &Map) -> Option<Value> {
    let input = |name: &str| data.get("tool_input")?.get(name);
    let about = match native {
        "BeforeShellExecution" | "AfterShellExecution" => input("command"),
        "BeforeReadFile" | "AfterFileEdit" => input("path"),
        "UserPromptSubmit" => data.get("message"),
        _ => data.get("tool_name"),
    };
    about.cloned()
}

fn stderr(raw: &Transcript) -> String {
    let stderr = raw.stderr.text();
    given(stderr.trim()).to_owned()
}

fn unknown() -> Fault {
    invalid("it printed something that is neither a decision to allow nor one to block")
}
