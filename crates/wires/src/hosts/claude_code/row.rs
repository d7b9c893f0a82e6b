//! The shape of a row: what every host tells about an event, and what only Claude Code has.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::Event;

use super::says;
use crate::payload::Need;
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// The fields without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [Need],
    /// How a refusal is said.
    pub(super) form: Form,
    /// What exit code 2 of a hook means.
    pub(super) exit_2: Exit2,
    /// What plain text of a hook is.
    pub(super) text: Text,
    /// Where texts for the model stand.
    pub(super) speech: Speech,
    /// A field and its value with which the host cannot be refused.
    pub(super) unless: Option<(&'static str, &'static str)>,
    /// What a stop of the agent means that the host does not heed.
    pub(super) stop: Stop,
}

/// What a stop of the agent means that the host does not heed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Nothing: the event has no such word.
    Nothing,
    /// A stop: the word is documented here, and its hook meant it.
    Meant,
}

/// The form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `hookSpecificOutput.permissionDecision`, with the reason beside `hookSpecificOutput`.
    Switch,
    /// `decision: block`.
    Block,
    /// Exit code 2, with the reason on the standard error.
    Exit2,
    /// As [`Form::Exit2`], and what stands on the standard output is no JSON but the path of a worktree.
    Path,
    /// There is none.
    None,
}

/// What exit code 2 of a hook means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit2 {
    /// A refusal.
    Blocks,
    /// A refusal, unless the shell says that the script is missing: some leave with 2 for that.
    BlocksIfFound,
    /// Its standard error is shown to the person.
    Tells,
    /// Nothing.
    Ignored,
}

/// What plain text of a hook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// A text for the model.
    Context,
    /// A line of the debug log.
    Log,
    /// The path of the worktree that the hook made, in its last line. Without one the host has failed.
    Path,
}

/// Where texts for the model stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// In `hookSpecificOutput.additionalContext`.
    Context,
    /// In `systemMessage`, where a field of the payload has this value; elsewhere it reaches nobody.
    Message(&'static str, &'static str),
    /// In `additionalContext`, and the agent goes on although it wanted to end: a hook that says it refuses the end, and
    /// a text that is only to be told waits.
    SendsOn,
}

const COMMAND: Duration = Duration::from_mins(10);

/// Makes a row of an event that only observers are told about.
pub(super) const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: COMMAND,
        },
        subject: None,
        needs: &[],
        form: Form::None,
        exit_2: Exit2::Ignored,
        text: Text::Log,
        speech: Speech::Context,
        unless: None,
        stop: Stop::Nothing,
    }
}

impl Row {
    /// Returns what this very event lets a hook say: the row, narrowed or widened by what the payload tells.
    pub(super) fn can(&self, event: &Event) -> Can {
        let mut can = self.native.can;
        if let Speech::Message(field, value) = self.speech
            && !says(event, field, value)
        {
            can.inject = None;
        }
        let is_final = |(field, value)| says(event, field, value);
        if self.unless.is_some_and(is_final) {
            can.verdicts = &[];
        }
        can
    }

    pub(super) const fn subject(self, field: &'static str) -> Self {
        Self {
            subject: Some(field),
            ..self
        }
    }

    pub(super) const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// Exit code 2 of its hooks refuses; `form` is how that is said in JSON.
    pub(super) const fn blocks(self, form: Form) -> Self {
        Self {
            form,
            exit_2: Exit2::Blocks,
            ..self
        }
    }

    /// As [`Row::blocks`], but a missing script refuses nothing.
    pub(super) const fn blocks_if_found(self, form: Form) -> Self {
        Self {
            form,
            exit_2: Exit2::BlocksIfFound,
            ..self
        }
    }

    pub(super) const fn unless(self, field: &'static str, value: &'static str) -> Self {
        Self {
            unless: Some((field, value)),
            ..self
        }
    }

    /// Its system message is for the model, where a field has this value.
    pub(super) const fn messages(self, field: &'static str, value: &'static str) -> Self {
        Self {
            speech: Speech::Message(field, value),
            ..self
        }
    }

    /// A text for the model sends the agent on.
    pub(super) const fn sends_on(self) -> Self {
        Self {
            speech: Speech::SendsOn,
            ..self
        }
    }

    /// A hook may say that the agent stops, and the host does not heed it.
    pub(super) const fn means_a_stop(self) -> Self {
        Self {
            stop: Stop::Meant,
            ..self
        }
    }

    /// A hook makes a worktree and says where.
    pub(super) const fn makes_a_path(self) -> Self {
        Self {
            form: Form::Path,
            exit_2: Exit2::Blocks,
            text: Text::Path,
            ..self
        }
    }

    pub(super) const fn tells(self) -> Self {
        Self {
            exit_2: Exit2::Tells,
            ..self
        }
    }

    pub(super) const fn context(self) -> Self {
        Self {
            text: Text::Context,
            ..self
        }
    }

    pub(super) const fn timeout(self, timeout: Duration) -> Self {
        Self {
            native: NativeEvent {
                timeout,
                ..self.native
            },
            ..self
        }
    }
}
