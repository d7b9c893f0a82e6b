//! What one host honours, and each of its events.

/// One host, as data.
pub(crate) struct Relative {
    pub(crate) rows: &'static [Row],
    pub(crate) input: Input,
}

/// What new arguments do.
pub(crate) enum Input {
    /// They take the place of the old ones.
    Replaces,
    /// They are laid over the old ones.
    Merges,
}

/// What one event honours.
pub(crate) struct Row {
    pub(crate) event: &'static str,
    /// What `decision: block` does.
    pub(crate) decision: Option<Effect>,
    pub(crate) exit_2: Exit2,
    pub(crate) specific: Specific,
    /// Whether `additionalContext` is heard.
    pub(crate) context: Heard,
    /// Whether plain text is heard, by the model.
    pub(crate) text: Heard,
    /// Whether `continue: false` is heard.
    pub(crate) stop: Heard,
    /// Whether `systemMessage` is shown.
    pub(crate) message: Heard,
}

/// Whether something of an answer counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    Yes,
    No,
}

/// What a refusal does.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// The prompt is not taken; the person hears why.
    Prompt,
    /// The action does not happen; the model hears why.
    Action,
    /// The model hears the reason, about something that has happened.
    Feedback,
    /// The agent goes on, and hears why.
    Stop,
}

/// What exit code 2 does.
#[derive(Clone, Copy)]
pub(crate) enum Exit2 {
    Refuses(Effect),
    /// The person sees the standard error.
    Shows,
    Ignored,
}

/// What decides inside `hookSpecificOutput`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Specific {
    Nothing,
    Permission,
    Dialog,
}

/// A row that honours nothing, to be filled with what its event honours.
pub(crate) const fn silent(event: &'static str) -> Row {
    Row {
        event,
        decision: None,
        exit_2: Exit2::Ignored,
        specific: Specific::Nothing,
        context: Heard::No,
        text: Heard::No,
        stop: Heard::No,
        message: Heard::No,
    }
}
