//! What VS Code says about each of its events, and what it lets a hook say.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown, Texts};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use crate::payload::Need;
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// What Copilot's files call it.
    pub(super) copilot: Option<&'static str>,
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// The fields without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [Need],
    /// How a refusal is said.
    pub(super) form: Form,
}

/// The form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `hookSpecificOutput.permissionDecision`; exit code 2 of a hook refuses too.
    Permission,
    /// `decision: block`; exit code 2 of a hook says the same.
    Block,
    /// `decision: block`, there and in `hookSpecificOutput`; exit code 2 of a hook says the same.
    Twice,
    /// Exit code 2, with the reason on the standard error.
    Exit2,
    /// There is none, and exit code 2 of a hook means nothing.
    None,
}

impl Row {
    /// Tells whether the event can be refused.
    pub(super) fn is_refusable(&self) -> bool {
        self.native.can.says(Kind::Deny)
    }
}

/// A text beside the event. It has no roles and no places.
const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::Yes,
};

/// The common output: `continue`, `stopReason`, `systemMessage`.
const COMMON: Can = Can {
    verdicts: &[Kind::Halt],
    rewrite: &[],
    coupling: Coupling::Free,
    inject: None,
    notify: Shown::Yes,
    native: &[],
    later: Later::Never,
    texts: Texts::Beside,
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..COMMON
};

const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..COMMON
};

/// That new arguments stand alone is not documented: they come with a permission.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Permission,
    ..INFORMS
};

/// The reason is added to the result of the tool; nothing replaces it.
const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..INFORMS
};

const fn row(
    name: &'static str,
    copilot: Option<&'static str>,
    event: &'static str,
    can: Can,
) -> Row {
    Row {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: Duration::from_secs(30),
        },
        copilot,
        subject: None,
        needs: &[],
        form: Form::None,
    }
}

/// Every event, in the order of the host's own page.
pub(super) static EVENTS: [Row; 8] = [
    Row {
        subject: Some("source"),
        ..row(
            "SessionStart",
            Some("sessionStart"),
            "session:start",
            INFORMS,
        )
    },
    Row {
        needs: &[Need::Text("prompt")],
        form: Form::Exit2,
        ..row(
            "UserPromptSubmit",
            Some("userPromptSubmitted"),
            "prompt:submit",
            REFUSES,
        )
    },
    Row {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name"), Need::Object("tool_input")],
        form: Form::Permission,
        ..row("PreToolUse", Some("preToolUse"), "tool:pre", PRE_TOOL_USE)
    },
    Row {
        subject: Some("tool_name"),
        form: Form::Block,
        ..row(
            "PostToolUse",
            Some("postToolUse"),
            "tool:post",
            POST_TOOL_USE,
        )
    },
    Row {
        subject: Some("trigger"),
        form: Form::Exit2,
        ..row("PreCompact", None, "context:pre_compact", REFUSES)
    },
    Row {
        subject: Some("agent_type"),
        ..row("SubagentStart", None, "agent:spawn", INFORMS)
    },
    Row {
        subject: Some("agent_type"),
        form: Form::Twice,
        ..row(
            "SubagentStop",
            Some("subagentStop"),
            "agent:complete",
            REFUSES,
        )
    },
    Row {
        form: Form::Twice,
        ..row("Stop", Some("agentStop"), "stop", REFUSES)
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
