//! Qwen Code: its payloads, its rows, and its answers, as 0.24.4 takes them. Its documents leave much else open.
//!
//! - Before a tool nothing counts but a refusal and a question: its permission was asked for already, so there is no approval,
//!   new arguments are ignored, a text is lost, and `continue: false` refuses the one call. Texts wait for the tool's end.
//! - After a tool a block is not heard: what is wrong with a result is a text beside it.
//! - `continue: false` refuses a prompt, and sends the agent on where it wanted to stop.
//! - A question about a prompt, a text at the start of a sub-agent and whatever may be said about a batch or an expansion
//!   were not seen, and no document is sure of them: they are not said. A text beside a refusal is not said either.
//! - The list of tasks can be guarded, and no document tells how; exit code 2 is the one word that refuses everywhere but in
//!   a dialog. Without a word on the standard error it would be nothing.
//! - It sends the event of a prompt before every request to its model, with an empty prompt where there is none, and with the
//!   same `prompt_id`.
//!
//! The time of its command hooks is in seconds below 1000, and in milliseconds from there on.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later};
use anyhook_core::result::Kind;

use super::relative::row::{CALL, CONTEXT, Exit2, Form, Halt, HostRow, ONLY_REFUSES, PROMPT, Text, UNLESS_REFUSED, natives};
use super::relative::{Counts, Relative, Updates};
use crate::health::{Health, Off, Place, Stops, Switch};
use crate::payload::{Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile, Unit};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "qwen-code";

const COMMAND: Duration = Duration::from_mins(1);

const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Ask, Kind::Deny],
    later: Later::Outbox,
    ..Can::NOTHING
};

const PERMISSION_REQUEST: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    rewrite: &["tool_input"],
    coupling: Coupling::Approval,
    ..ONLY_REFUSES
};

const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..ONLY_REFUSES
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, COMMAND)
}

/// A row of an event that takes no answer.
const fn unanswered(name: &'static str, event: &'static str) -> HostRow {
    row(name, event, Can::NOTHING)
}

static EVENTS: [HostRow; 22] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks)
        .halt(Halt::Action),
    row("PostToolUse", "tool:post", INFORMS)
        .subject("tool_name")
        .refused(Form::None, Exit2::Blocks)
        .halt(Halt::Result),
    row("PostToolUseFailure", "tool:error", INFORMS)
        .subject("tool_name")
        .refused(Form::None, Exit2::Blocks),
    unanswered("PostToolBatch", "qwen-code:post-tool-batch"),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks)
        .text(Text::Context)
        .halt(Halt::Action),
    unanswered("UserPromptExpansion", "qwen-code:user-prompt-expansion"),
    row("SessionStart", "session:start", INFORMS)
        .subject("source")
        .text(Text::Context),
    unanswered("SessionEnd", "session:end").subject("reason"),
    unanswered("SessionDelete", "qwen-code:session-delete"),
    unanswered("MessageDisplay", "qwen-code:message-display"),
    row("Stop", "stop", ONLY_REFUSES)
        .refused(Form::Block, Exit2::Blocks)
        .halt(Halt::Action),
    unanswered("StopFailure", "stop-failure"),
    unanswered("SubagentStart", "agent:spawn").subject("agent_type"),
    row("SubagentStop", "agent:complete", ONLY_REFUSES)
        .subject("agent_type")
        .refused(Form::Block, Exit2::Blocks)
        .halt(Halt::Action),
    unanswered("PreCompact", "context:pre_compact").subject("trigger"),
    unanswered("PostCompact", "context:post_compact"),
    unanswered("Notification", "user:notification").subject("notification_type"),
    row("PermissionRequest", "approval:required", PERMISSION_REQUEST)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Behavior, Exit2::Blocks),
    unanswered("PermissionDenied", "approval:denied").subject("tool_name"),
    unanswered("InstructionsLoaded", "qwen-code:instructions-loaded"),
    row("TodoCreated", "qwen-code:todo-created", ONLY_REFUSES).refused(Form::Exit2, Exit2::Blocks),
    row("TodoCompleted", "qwen-code:todo-completed", ONLY_REFUSES)
        .refused(Form::Exit2, Exit2::Blocks),
];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("run_shell_command", "Bash", &[]),
        Tool::new("read_file", "Read", &[("absolute_path", "file_path")]),
        Tool::new("write_file", "Write", &[]),
        Tool::new("edit", "Edit", &[]),
        Tool::new("glob", "Glob", &[]),
        Tool::new("grep_search", "Grep", &[]),
        Tool::new("list_directory", "LS", &[]),
        Tool::new("web_fetch", "WebFetch", &[]),
        Tool::new("web_search", "WebSearch", &[]),
        Tool::new("todo_write", "TodoWrite", &[]),
        Tool::new("task", "Agent", &[]),
        Tool::new("agent", "Agent", &[]),
    ],
    mcp: None,
};

/// Where Qwen Code keeps its hooks. It counts a command's time in seconds below 1000, in milliseconds from there on.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.qwen/settings.json"),
        SettingsFile::new(Scope::Project, ".qwen/settings.json"),
    ],
    found_by: &["~/.qwen"],
    entry: &[
        ("type", Part::Text("command")),
        ("name", Part::Text("anyhook")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::SecondsBelow(1000))),
    ],
    next: "start a new session to load them, in a trusted folder",
    ..Settings::BARE
};

/// What switches Qwen Code's hooks off.
static HEALTH: Health = Health {
    switches: &[Switch {
        place: Place::Settings,
        at: &["disableAllHooks"],
        off: Off::True,
        stops: Stops::All,
        pinned_in: None,
    }],
    trust: &[],
};

/// The agent Qwen Code.
pub static QWEN_CODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["qwen"],
        maturity: Maturity::Experimental,
        covers: "0.24.4, seen 2026-11-22; documents at 00d06c8",
        tools: &TOOLS,
        files: &["~/.qwen/hooks/", ".qwen/hooks/"],
        settings: Some(&SETTINGS),
        executables: &["qwen"],
        project_variable: Some("QWEN_PROJECT_DIR"),
        health: Some(&HEALTH),
        prompts: crate::Prompts {
            id: Some("prompt_id"),
            ..crate::Prompts::NEW
        },
        version_at: Some(crate::VersionAt::Variable("QWEN_CODE_STARTUP_VERSION")),
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    updates: Updates::Replace(&[("run_shell_command", "command")]),
    json: Counts::OnEitherStream,
    ..Relative::BARE
};
