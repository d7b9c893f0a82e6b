//! The rows of Windsurf: the payload of each event, and the names of its tools.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use crate::payload::{Tool, Tools};
use crate::{NativeEvent, Neutral, tools};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindsurfRow {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// The tool that is called.
    pub(super) tool: Option<Called>,
    /// A field of `tool_info` with which it is this tool instead: a file that is written as a whole.
    pub(super) instead: Option<(&'static str, &'static str)>,
    /// Fields inside `tool_info` that hooks look for at the top: the host's name, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// The texts inside `tool_info` without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [&'static str],
}

/// The tool that an event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// One of the host's own; `tool_info` is its arguments. Then a tool of the global table that stands for the same ones.
    Own(&'static str, &'static str),
    /// A server's; `tool_info` names it.
    Served,
}

impl Called {
    /// Tells whether a tool, by its canonical name, is this one.
    pub(super) fn fits(self, tool: Option<&str>) -> bool {
        let Some(tool) = tool else {
            return false;
        };
        match self {
            Self::Own(name, like) => {
                name == tool || tools::canonical(name) == tool || tools::also(like).contains(&tool)
            }
            Self::Served => tool.starts_with("mcp__"),
        }
    }
}

impl WindsurfRow {
    pub(super) fn is_gate(&self) -> bool {
        self.native.can.says(Kind::Deny)
    }
}

const REFUSES: Can = Can {
    verdicts: &[Kind::Deny],
    ..Can::NOTHING
};

const COMMAND: Duration = Duration::from_secs(30);

const fn row(name: &'static str, event: &'static str, can: Can) -> WindsurfRow {
    WindsurfRow {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: COMMAND,
        },
        tool: None,
        instead: None,
        fields: &[],
        needs: &[],
    }
}

pub(super) const COMMANDS: Option<Called> = Some(Called::Own("run_command", "run_command"));
const READS: Option<Called> = Some(Called::Own("Read", "Read"));
pub(super) const EDITS: Option<Called> = Some(Called::Own("Edit", "fs_write"));
const WHOLE: Option<(&str, &str)> = Some(("content", "Write"));

const SERVED: &[(&str, &str)] = &[
    ("mcp_tool_arguments", "tool_input"),
    ("mcp_result", "tool_result"),
];

/// Every event; the first of several for one canonical event stands for all of them where no tool tells them apart.
pub(super) static EVENTS: [WindsurfRow; 12] = [
    WindsurfRow {
        tool: COMMANDS,
        needs: &["command_line"],
        ..row("pre_run_command", "tool:pre", REFUSES)
    },
    WindsurfRow {
        tool: READS,
        needs: &["file_path"],
        ..row("pre_read_code", "tool:pre", REFUSES)
    },
    WindsurfRow {
        tool: EDITS,
        instead: WHOLE,
        needs: &["file_path"],
        ..row("pre_write_code", "tool:pre", REFUSES)
    },
    WindsurfRow {
        tool: Some(Called::Served),
        fields: SERVED,
        needs: &["mcp_tool_name"],
        ..row("pre_mcp_tool_use", "tool:pre", REFUSES)
    },
    WindsurfRow {
        tool: COMMANDS,
        ..row("post_run_command", "tool:post", Can::NOTHING)
    },
    WindsurfRow {
        tool: READS,
        ..row("post_read_code", "tool:post", Can::NOTHING)
    },
    WindsurfRow {
        tool: EDITS,
        instead: WHOLE,
        ..row("post_write_code", "tool:post", Can::NOTHING)
    },
    WindsurfRow {
        tool: Some(Called::Served),
        fields: SERVED,
        ..row("post_mcp_tool_use", "tool:post", Can::NOTHING)
    },
    WindsurfRow {
        fields: &[("user_prompt", "prompt")],
        needs: &["user_prompt"],
        ..row("pre_user_prompt", "prompt:submit", REFUSES)
    },
    WindsurfRow {
        fields: &[("response", "last_assistant_message")],
        ..row("post_cascade_response", "stop", Can::NOTHING)
    },
    WindsurfRow {
        fields: &[("transcript_path", "transcript_path")],
        ..row(
            "post_cascade_response_with_transcript",
            "stop",
            Can::NOTHING,
        )
    },
    row(
        "post_setup_worktree",
        "windsurf:post-setup-worktree",
        Can::NOTHING,
    ),
];

/// The rows as every host has them.
pub(super) static ROWS: [NativeEvent; EVENTS.len()] = natives();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error"
)]
const fn natives() -> [NativeEvent; EVENTS.len()] {
    let mut rows = [EVENTS[0].native; EVENTS.len()];
    let mut at = 0;
    while at < EVENTS.len() {
        rows[at] = EVENTS[at].native;
        at += 1;
    }
    rows
}

/// The host names no tools: its events do.
pub(super) static TOOLS: Tools = Tools {
    rows: &[Tool {
        name: "run_command",
        is: "Bash",
        arguments: &[("command_line", "command")],
    }],
    mcp: None,
};
