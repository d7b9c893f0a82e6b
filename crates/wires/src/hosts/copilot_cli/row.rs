//! The shape of a row: what every host tells about an event, and what only Copilot has.

use anyhook_core::can::{Can, Later, Shown};
use anyhook_core::result::Kind;

use super::TIMEOUT;
use crate::payload::Need;
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(in crate::hosts) struct Row {
    /// What every host tells.
    pub(in crate::hosts) native: NativeEvent,
    /// The name in the other casing, where it has one.
    pub(super) pascal: Option<&'static str>,
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// Where the arguments of a tool stand in the camelCase form; the first is the one that is written.
    pub(super) arguments: &'static [&'static str],
    /// The fields without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [Need],
    /// How a decision is said.
    pub(super) form: Form,
    /// What exit code 2 of a hook means.
    pub(super) exit_2: Exit2,
    /// The answers that only this event of this host has.
    pub(super) only: &'static [&'static str],
    /// The version from which the host has the event.
    pub(super) since: &'static str,
}

/// The form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `permissionDecision`.
    Permission,
    /// `behavior`.
    Behavior,
    /// `decision: block`.
    Block,
    /// There is none.
    None,
}

/// What exit code 2 of a hook means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit2 {
    /// A refusal; an object on the standard output counts as well.
    Refuses,
    /// The standard output is a text for the model.
    Tells,
    /// The standard error is shown to the person.
    Warns,
}

/// Makes a row of an event that nobody can answer.
pub(super) const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: TIMEOUT,
        },
        pascal: None,
        subject: None,
        arguments: &["toolArgs"],
        needs: &[],
        form: Form::None,
        exit_2: Exit2::Warns,
        only: &[],
        since: "",
    }
}

impl Row {
    pub(super) const fn can(self, can: Can) -> Self {
        Self {
            native: NativeEvent { can, ..self.native },
            ..self
        }
    }

    pub(super) const fn pascal(self, name: &'static str) -> Self {
        Self {
            pascal: Some(name),
            ..self
        }
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

    pub(super) const fn form(self, form: Form, exit_2: Exit2) -> Self {
        Self {
            form,
            exit_2,
            ..self
        }
    }

    pub(super) const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    pub(super) const fn since(self, since: &'static str) -> Self {
        Self { since, ..self }
    }

    /// The same event where nobody watches: nobody can be asked, and nobody reads a warning.
    pub(in crate::hosts) const fn unwatched(self) -> Self {
        let verdicts: &[Kind] = match self.form {
            Form::Permission => &[Kind::Allow, Kind::Deny],
            Form::Behavior | Form::Block | Form::None => self.native.can.verdicts,
        };
        let can = Can {
            verdicts,
            notify: Shown::No,
            later: Later::Never,
            ..self.native.can
        };
        Self {
            native: NativeEvent { can, ..self.native },
            ..self
        }
    }
}

/// Returns the rows as every host has them.
#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error"
)]
pub(in crate::hosts) const fn natives<const N: usize>(rows: &[Row; N]) -> [NativeEvent; N] {
    let mut all = [rows[0].native; N];
    let mut at = 0;
    while at < N {
        all[at] = rows[at].native;
        at += 1;
    }
    all
}
