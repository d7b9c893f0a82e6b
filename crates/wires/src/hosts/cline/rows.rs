//! The rows of Cline: the payload of each event, the answers that it understands, and the names of its tools.

use std::time::Duration;

use anyhook_core::can::{Can, Manner, Shown, Texts};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use crate::payload::{Tool, Tools};
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClineRow {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// What the kit lets a hook say about it.
    pub(super) kit: Can,
    /// What the kit calls it in a payload.
    pub(super) kit_names: &'static [&'static str],
    /// The event that it is instead where the payload tells of a failure.
    pub(super) failed: Option<&'static str>,
    /// The object of the payload that belongs to this event.
    pub(super) section: &'static str,
    /// The fields in it that hooks look for at the top: the host's name, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// A text that hooks look at, and this host does not say because it is always the same.
    pub(super) adds: Option<(&'static str, &'static str)>,
}

impl ClineRow {
    /// Tells whether it is about a tool.
    pub(super) fn calls(&self) -> bool {
        self.fields.iter().any(|(_, outer)| *outer == "tool_name")
    }

    pub(super) fn is_gate(&self) -> bool {
        self.native.can.says(Kind::Deny)
    }
}

/// What is told with a refusal is told to a run that has ended.
const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::No,
};

/// `cancel` ends the run, where that is what a refusal can do.
pub(super) const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

/// `cancel` ends the run: more than feedback about what has happened.
const STOPS: Can = Can {
    verdicts: &[Kind::Halt],
    ..REFUSES
};

/// The kit takes new arguments, and asks its own questions about them.
const KIT_CALL: Can = Can {
    rewrite: &["tool_input"],
    ..REFUSES
};

/// A run of the kit that is cancelled takes no text.
const KIT_RESULT: Can = Can {
    texts: Texts::Alone,
    ..STOPS
};

const COMMAND: Duration = Duration::from_secs(30);

const fn row(name: &'static str, event: &'static str, section: &'static str, can: Can) -> ClineRow {
    ClineRow {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: COMMAND,
        },
        kit: Can::NOTHING,
        kit_names: &[],
        failed: None,
        section,
        fields: &[],
        adds: None,
    }
}

/// Every event.
pub(super) static EVENTS: [ClineRow; 9] = [
    ClineRow {
        kit_names: &["agent_start"],
        adds: Some(("source", "startup")),
        ..row("TaskStart", "session:start", "taskStart", STOPS)
    },
    ClineRow {
        kit_names: &["agent_resume"],
        adds: Some(("source", "resume")),
        ..row("TaskResume", "session:start", "taskResume", STOPS)
    },
    ClineRow {
        kit_names: &["agent_abort", "agent_error"],
        ..row("TaskCancel", "session:end", "taskCancel", Can::NOTHING)
    },
    ClineRow {
        kit_names: &["agent_end"],
        ..row("TaskComplete", "stop", "taskComplete", Can::NOTHING)
    },
    ClineRow {
        kit_names: &["prompt_submit"],
        fields: &[("prompt", "prompt")],
        ..row(
            "UserPromptSubmit",
            "prompt:submit",
            "userPromptSubmit",
            REFUSES,
        )
    },
    ClineRow {
        kit: KIT_CALL,
        kit_names: &["tool_call"],
        fields: &[("toolName", "tool_name"), ("parameters", "tool_input")],
        ..row("PreToolUse", "tool:pre", "preToolUse", REFUSES)
    },
    ClineRow {
        kit: KIT_RESULT,
        kit_names: &["tool_result"],
        failed: Some("tool:error"),
        fields: &[
            ("toolName", "tool_name"),
            ("parameters", "tool_input"),
            ("result", "tool_result"),
            ("executionTimeMs", "duration_ms"),
        ],
        ..row("PostToolUse", "tool:post", "postToolUse", STOPS)
    },
    row(
        "PreCompact",
        "context:pre_compact",
        "preCompact",
        Can::NOTHING,
    ),
    row(
        "Notification",
        "user:notification",
        "notification",
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

const PATH: &[(&str, &str)] = &[("path", "file_path")];

const fn tool(
    name: &'static str,
    is: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> Tool {
    Tool {
        name,
        is,
        arguments,
    }
}

/// The tools, as far as anybody has said what they are.
pub(super) static TOOLS: Tools = Tools {
    rows: &[
        tool("execute_command", "Bash", &[]),
        tool("run_commands", "Bash", &[]),
        tool("write_to_file", "Write", PATH),
        tool("replace_in_file", "Edit", PATH),
        tool(
            "editor",
            "editor",
            &[
                ("path", "file_path"),
                ("old_text", "old_string"),
                ("new_text", "new_string"),
            ],
        ),
        tool(
            "apply_patch",
            "apply_patch",
            &[("patch", "patch"), ("", "patch")],
        ),
        tool("read_file", "Read", PATH),
        tool("search_files", "Grep", &[]),
        tool("list_files", "LS", &[]),
    ],
    mcp: None,
};
