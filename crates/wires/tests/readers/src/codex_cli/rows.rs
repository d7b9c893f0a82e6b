//! The table: one row for each event of the protocol page, in its order.

/// Tells whether a text is the name of an event.
pub(super) fn is_event(name: &str) -> bool {
    row(name).is_some()
}

/// Finds the row of a native event; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event)
}

/// What one event honours.
pub(super) struct Row {
    pub(super) event: &'static str,
    /// What `decision: block` does; `None` where the schema has no such key.
    pub(super) decision: Option<Effect>,
    /// What exit code 2 with a reason does; `None` where it only counts as a failure.
    pub(super) exit_2: Option<Effect>,
    pub(super) stop: Stop,
    pub(super) text: Text,
    pub(super) specific: Specific,
    /// `suppressOutput: true` fails the run; elsewhere it has no effect.
    pub(super) rejects_hiding: bool,
}

/// What a refusal does, and who hears its reason.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// The prompt is not taken; the person hears why.
    Prompt,
    /// The call is not made; the model hears why.
    Call,
    /// The reason takes the place of the result that the model sees.
    Result,
    /// The agent goes on, with the reason as its prompt.
    Stop,
}

/// What `continue: false` does.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// The agent stops.
    Agent,
    /// What was announced does not happen.
    Action,
    /// The agent goes on, and its reason takes the place of the result that the model sees.
    Result,
    Ignored,
    /// It fails the run.
    Rejected,
}

/// What plain text is.
#[derive(Clone, Copy)]
pub(super) enum Text {
    Context,
    Ignored,
    Fails,
}

/// What may stand in `hookSpecificOutput`.
#[derive(Clone, Copy)]
pub(super) enum Specific {
    /// The schema has no such key.
    None,
    Context,
    Permission,
    Dialog,
    /// As `Context`, and a key that is known only to be rejected.
    Result,
}

impl Row {
    /// The keys that its schema has.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        let mut keys = vec!["continue", "stopReason", "suppressOutput", "systemMessage"];
        if self.decision.is_some() {
            keys.extend(["decision", "reason"]);
        }
        if !matches!(self.specific, Specific::None) {
            keys.push("hookSpecificOutput");
        }
        keys
    }
}

/// A row that nothing can be refused on.
const fn row_of(event: &'static str, stop: Stop) -> Row {
    Row {
        event,
        decision: None,
        exit_2: None,
        stop,
        text: Text::Ignored,
        specific: Specific::None,
        rejects_hiding: false,
    }
}

const fn refusable(event: &'static str, stop: Stop, effect: Effect) -> Row {
    Row {
        decision: Some(effect),
        exit_2: Some(effect),
        ..row_of(event, stop)
    }
}

static ROWS: &[Row] = &[
    Row {
        text: Text::Context,
        specific: Specific::Context,
        ..row_of("SessionStart", Stop::Agent)
    },
    row_of("SessionEnd", Stop::Ignored),
    Row {
        text: Text::Context,
        specific: Specific::Context,
        ..refusable("UserPromptSubmit", Stop::Agent, Effect::Prompt)
    },
    Row {
        specific: Specific::Permission,
        rejects_hiding: true,
        ..refusable("PreToolUse", Stop::Rejected, Effect::Call)
    },
    Row {
        decision: None,
        specific: Specific::Dialog,
        rejects_hiding: true,
        ..refusable("PermissionRequest", Stop::Rejected, Effect::Call)
    },
    Row {
        specific: Specific::Result,
        rejects_hiding: true,
        ..refusable("PostToolUse", Stop::Result, Effect::Result)
    },
    row_of("PreCompact", Stop::Action),
    row_of("PostCompact", Stop::Agent),
    Row {
        text: Text::Context,
        specific: Specific::Context,
        ..row_of("SubagentStart", Stop::Ignored)
    },
    Row {
        text: Text::Fails,
        ..refusable("SubagentStop", Stop::Agent, Effect::Stop)
    },
    Row {
        text: Text::Fails,
        ..refusable("Stop", Stop::Agent, Effect::Stop)
    },
    row_of("Interrupt", Stop::Ignored),
    row_of("PreModelRequest", Stop::Ignored),
    row_of("PostModelRequest", Stop::Ignored),
];
