//! What Gemini CLI says about each of its events, and what it lets a hook say; and what it calls its tools.

use std::time::Duration;

use anyhook_core::can::{Can, Manner, Shown};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use super::ID;
use crate::payload::{Mcp, Need, Tool, Tools};
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// The event that it is instead where the payload tells of a failure.
    pub(super) failed: Option<&'static str>,
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// The fields without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [Need],
    /// Fields with a name of their own: the host's, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// What `decision: deny` does.
    pub(super) deny: Deny,
    /// The answers that only this event has.
    pub(super) natives: &'static [&'static str],
}

impl Row {
    /// Tells whether the person sees nothing of what a hook says.
    pub(super) fn is_mute(&self) -> bool {
        self.native.can.notify == Shown::No
    }
}

/// What `decision: deny` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deny {
    /// It refuses.
    Refuses,
    /// Its reason takes the place of the tool's result: no refusal, but a rewrite.
    Replaces,
    /// Nothing, and neither does `continue: false`.
    Nothing,
}

const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::Yes,
};

/// A refused prompt is thrown away, and what was to be told with it goes the same way.
const WITH_PROMPT: Manner = Manner {
    when_refused: Shown::No,
    ..CONTEXT
};

/// Context is put behind the result of the tool.
const WITH_RESULT: Manner = Manner {
    places: &[Placing::LastToolResult, Placing::Message],
    ..CONTEXT
};

/// `systemMessage`.
const TELLS: Can = Can {
    notify: Shown::Yes,
    ..Can::NOTHING
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..TELLS
};

const STOPS: &[Kind] = &[Kind::Deny, Kind::Halt];

const BEFORE_AGENT: Can = Can {
    verdicts: STOPS,
    inject: Some(WITH_PROMPT),
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

const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: COMMAND,
        },
        failed: None,
        subject: None,
        needs: &[],
        fields: &[],
        deny: Deny::Nothing,
        natives: &[],
    }
}

const TOOL: &[Need] = &[Need::Text("tool_name"), Need::Object("tool_input")];

/// Every event, in the order of Gemini CLI's own reference.
pub(super) static EVENTS: [Row; 11] = [
    Row {
        subject: Some("tool_name"),
        needs: TOOL,
        deny: Deny::Refuses,
        ..row("BeforeTool", "tool:pre", BEFORE_TOOL)
    },
    Row {
        failed: Some("tool:error"),
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        fields: &[("tool_response", "tool_result")],
        deny: Deny::Replaces,
        natives: &["tailToolCallRequest"],
        ..row("AfterTool", "tool:post", AFTER_TOOL)
    },
    Row {
        needs: &[Need::Text("prompt")],
        deny: Deny::Refuses,
        ..row("BeforeAgent", "prompt:submit", BEFORE_AGENT)
    },
    Row {
        fields: &[("prompt_response", "last_assistant_message")],
        deny: Deny::Refuses,
        natives: &["clearContext"],
        ..row("AfterAgent", "stop", AFTER_AGENT)
    },
    Row {
        needs: &[Need::Object("llm_request")],
        deny: Deny::Refuses,
        natives: &["llm_response"],
        ..row("BeforeModel", "gemini-cli:before-model", BEFORE_MODEL)
    },
    Row {
        natives: &["toolConfig"],
        ..row(
            "BeforeToolSelection",
            "gemini-cli:before-tool-selection",
            CHOOSES,
        )
    },
    Row {
        deny: Deny::Refuses,
        natives: &["llm_response"],
        ..row("AfterModel", "gemini-cli:after-model", AFTER_MODEL)
    },
    Row {
        subject: Some("source"),
        ..row("SessionStart", "session:start", INFORMS)
    },
    Row {
        subject: Some("reason"),
        ..row("SessionEnd", "session:end", TELLS)
    },
    Row {
        subject: Some("notification_type"),
        ..row("Notification", "user:notification", TELLS)
    },
    Row {
        subject: Some("trigger"),
        ..row("PreCompress", "context:pre_compact", TELLS)
    },
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
