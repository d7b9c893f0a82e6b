//! Goose: the `hooks/hooks.json` of every package below `.agents/plugins`.
//!
//! Whether an event beside `PreToolUse` and `Stop` can refuse there is not settled; here a refusal counts wherever
//! something can still be prevented. Its events about shells and files tell of a call before or after which `PreToolUse`
//! or `PostToolUse` is told too, so their matchers look at the command or the path. A bare `*` is a mistake there and its
//! hooks never run; here they are asked about everything.

use anyhook_core::hook::At;

use super::{Always, EventForm, Failure, NativeFormat, Refuses, Variable};

const COMMAND: Option<At> = Some(At::Field(&["tool_input", "command"]));
const PATH: Option<At> = Some(At::Field(&["tool_input", "file_path"]));

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::goose::ID,
    files: &[".agents/plugins/*/hooks/hooks.json"],
    more: &[
        ("BeforeReadFile", "tool:pre"),
        ("BeforeShellExecution", "tool:pre"),
        ("AfterFileEdit", "tool:post"),
        ("AfterShellExecution", "tool:post"),
    ],
    servers: &[("^", "^(?:mcp__)?")],
    events: &[
        EventForm::about("BeforeReadFile", "Read", PATH),
        EventForm::about("BeforeShellExecution", "Bash", COMMAND),
        EventForm::about("AfterFileEdit", "Write|Edit", PATH),
        EventForm::about("AfterShellExecution", "Bash", COMMAND),
        EventForm {
            native: "UserPromptSubmit",
            tools: None,
            at: Some(At::Field(&["prompt"])),
        },
        EventForm::ignoring("SessionStart"),
        EventForm::ignoring("SessionEnd"),
        EventForm::ignoring("Stop"),
    ],
    failure: Failure::Where("on_failure", Refuses::Unless("block", "allow")),
    shell: "sh",
    always: &[
        ("session_id", Always::Session),
        ("working_dir", Always::Cwd),
    ],
    variables: &[("PLUGIN_ROOT", Variable::Package)],
    ..super::PLAIN
};
