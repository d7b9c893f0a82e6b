//! The rows of Gemini CLI: the payload of each event, the answers that it understands, and the names of its tools.

use std::time::Duration;

use anyhook_core::can::{Can, Manner};
use anyhook_core::effects::Placing;
use anyhook_core::result::Kind;

use super::ID;
use crate::hosts::relative::row::{
    CALL, CONTEXT, Exit2, Form, Halt, HostRow, PROMPT, TELLS, UNLESS_REFUSED,
};
use crate::payload::{Mcp, Need, Tool, Tools};

/// Context is put behind the result of the tool.
const WITH_RESULT: Manner = Manner {
    places: &[Placing::LastToolResult, Placing::Message],
    ..CONTEXT
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..TELLS
};

const STOPS: &[Kind] = &[Kind::Deny, Kind::Halt];

const BEFORE_AGENT: Can = Can {
    verdicts: STOPS,
    inject: Some(UNLESS_REFUSED),
    ..TELLS
};

const AFTER_AGENT: Can = Can {
    verdicts: STOPS,
    native: &[ID],
    ..TELLS
};

/// New arguments need no permission, and give none: the host puts its own question all the same. Of a question of ours
/// without a person no text is shown, and the run ends as if all was well, so a question is a refusal.
const BEFORE_TOOL: Can = Can {
    verdicts: STOPS,
    rewrite: &["tool_input"],
    ..TELLS
};

/// A refusal would replace the result, so what a hook has against it is context.
const AFTER_TOOL: Can = Can {
    verdicts: &[Kind::Halt],
    rewrite: &["tool_result"],
    inject: Some(WITH_RESULT),
    native: &[ID],
    ..TELLS
};

/// The documents disagree on whether `continue: false` counts here, so a halt is a refusal: that aborts the turn.
const BEFORE_MODEL: Can = Can {
    verdicts: &[Kind::Deny],
    rewrite: &["llm_request"],
    native: &[ID],
    ..TELLS
};

const AFTER_MODEL: Can = Can {
    verdicts: STOPS,
    native: &[ID],
    ..TELLS
};

/// `hookSpecificOutput.toolConfig` and nothing else.
const CHOOSES: Can = Can {
    native: &[ID],
    ..Can::NOTHING
};

/// Sixty seconds; the host's settings count in milliseconds.
const COMMAND: Duration = Duration::from_mins(1);

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, COMMAND)
}

/// A row of an event that is refused in JSON.
const fn refused(name: &'static str, event: &'static str, can: Can) -> HostRow {
    row(name, event, can).refused(Form::Block, Exit2::Blocks)
}

/// Every event, in the order of Gemini CLI's own reference.
pub(super) static EVENTS: [HostRow; 11] = [
    refused("BeforeTool", "tool:pre", BEFORE_TOOL)
        .subject("tool_name")
        .needs(CALL),
    HostRow {
        failed: Some("tool:error"),
        fields: &[("tool_response", "tool_result")],
        ..row("AfterTool", "tool:post", AFTER_TOOL)
            .subject("tool_name")
            .needs(&[Need::Text("tool_name")])
            .refused(Form::Result, Exit2::Blocks)
            .natives(&["tailToolCallRequest"])
    },
    refused("BeforeAgent", "prompt:submit", BEFORE_AGENT).needs(PROMPT),
    HostRow {
        fields: &[("prompt_response", "last_assistant_message")],
        ..refused("AfterAgent", "stop", AFTER_AGENT).natives(&["clearContext"])
    },
    // Its stop is not leant on, and is heard all the same.
    refused("BeforeModel", "gemini-cli:before-model", BEFORE_MODEL)
        .needs(&[Need::Object("llm_request")])
        .halt(Halt::Agent)
        .natives(&["llm_response"]),
    row(
        "BeforeToolSelection",
        "gemini-cli:before-tool-selection",
        CHOOSES,
    )
    .natives(&["toolConfig"]),
    refused("AfterModel", "gemini-cli:after-model", AFTER_MODEL).natives(&["llm_response"]),
    row("SessionStart", "session:start", INFORMS).subject("source"),
    row("SessionEnd", "session:end", TELLS).subject("reason"),
    row("Notification", "user:notification", TELLS).subject("notification_type"),
    row("PreCompress", "context:pre_compact", TELLS).subject("trigger"),
];

/// Its tools. `read_many_files` has arguments of another kind than any tool of that name's family, so it keeps its own
/// name, and goes by the others as an alias only.
pub(super) static TOOLS: Tools = Tools {
    rows: &[
        Tool::new(
            "run_shell_command",
            "Bash",
            &[("is_background", "run_in_background")],
        ),
        Tool::new("write_file", "Write", &[]),
        Tool::new("replace", "Edit", &[("allow_multiple", "replace_all")]),
        Tool::new("read_file", "Read", &[]),
        Tool::new("glob", "Glob", &[("dir_path", "path")]),
        Tool::new(
            "grep_search",
            "Grep",
            &[("dir_path", "path"), ("include_pattern", "glob")],
        ),
        Tool::new("list_directory", "LS", &[("dir_path", "path")]),
        Tool::new("google_web_search", "WebSearch", &[]),
        Tool::new("web_fetch", "WebFetch", &[]),
        Tool::new("write_todos", "TodoWrite", &[]),
        Tool::new("ask_user", "AskUserQuestion", &[]),
        Tool::new("invoke_agent", "Agent", &[]),
        Tool::new("activate_skill", "Skill", &[]),
        Tool::new("enter_plan_mode", "EnterPlanMode", &[]),
        Tool::new("exit_plan_mode", "ExitPlanMode", &[]),
    ],
    mcp: Some(Mcp {
        prefix: "mcp_",
        between: "_",
    }),
};
