//! The shape of a row: the columns that every host has for an event, and those that only Cursor has.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use serde_json::Value;

use crate::hosts::Row;
use crate::payload::Need;
use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct CursorRow {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// Names that older versions and the seed have for it: read, and never written.
    pub(super) also: &'static [&'static str],
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// The fields without which a hook would decide about something that it cannot see, as they come.
    pub(super) needs: &'static [Need],
    /// Fields with a name of their own: the host's, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// Texts that hooks look at, and this host does not say because they are always the same.
    pub(super) adds: &'static [(&'static str, &'static str)],
    /// Whether the payload names the session once more, by its canonical name.
    pub(super) names_twice: bool,
    /// Where the call of a tool stands.
    pub(super) call: Call,
    /// How a decision is said.
    pub(super) form: Form,
    /// Who reads the messages of an answer.
    pub(super) messages: Messages,
    /// The answers that only this event has, and what they must be: of another kind they spoil the whole answer.
    pub(super) natives: &'static [(&'static str, Fits)],
    /// What the payload must tell for all of it to hold.
    pub(super) only: Only,
    /// The later events of the same call that can put a question: what the tool's name begins with, and the event.
    pub(super) again: &'static [(&'static str, &'static str)],
}

/// Tells whether a value is one that the host takes.
pub(super) type Fits = fn(&Value) -> bool;

/// Where the call of a tool stands in a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// There is none, or it stands where every event has it.
    Given,
    /// The call of this tool; these fields of the payload are its arguments.
    Lifted(&'static str, &'static [&'static str]),
    /// A server's tool: its name without the mark, its arguments as a text, the server beside them.
    Served,
}

/// How a decision is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `permission`; there is always one.
    Permission,
    /// `continue`; there is always one.
    Continue,
    /// `followup_message`.
    FollowUp,
    /// There is none.
    None,
}

/// Who reads the messages of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Messages {
    /// The person and the model.
    Both,
    /// The person.
    Person,
    /// The person, of a refusal only.
    PersonIfRefused,
    /// No reader.
    None,
}

/// What the payload must tell for all that the row says to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Only {
    /// Nothing.
    Always,
    /// Results are replaced for tools of servers.
    Served,
    /// Context is read by versions after this one. The command line's versions are dates, and greater.
    After(u64, u64),
    /// A follow-up is sent so often at most, and not where the status is this one.
    LoopsUnless(u64, &'static str),
    /// A follow-up is sent so often at most, and only where the status is this one.
    LoopsIf(u64, &'static str),
}

/// How long the host waits. The documents speak of a platform default; a log of the desktop shows this one. The host's
/// settings count in seconds.
const COMMAND: Duration = Duration::from_mins(1);

impl Row for CursorRow {
    fn native(&self) -> &NativeEvent {
        &self.native
    }

    fn also(&self) -> &[&'static str] {
        self.also
    }
}

impl CursorRow {
    /// Makes a row. An event that is answered with a permission has no neutral answer.
    pub(super) const fn new(
        name: &'static str,
        event: &'static str,
        can: Can,
        form: Form,
        messages: Messages,
    ) -> Self {
        let native = NativeEvent::new(name, event, can, COMMAND);
        let neutral = match form {
            Form::Permission => Neutral::Allow,
            Form::Continue | Form::FollowUp | Form::None => Neutral::Silent,
        };
        Self {
            native: NativeEvent { neutral, ..native },
            also: &[],
            subject: None,
            needs: &[],
            fields: &[],
            adds: &[],
            names_twice: false,
            call: Call::Given,
            form,
            messages,
            natives: &[],
            only: Only::Always,
            again: &[],
        }
    }

    /// Tells whether exit code 2 refuses.
    pub(super) fn is_gate(&self) -> bool {
        matches!(self.form, Form::Permission | Form::Continue)
    }

    /// Returns what this very event lets a hook say: the row, narrowed by what the payload tells.
    pub(super) fn can(&self, event: &Event) -> Can {
        let mut can = self.native.can;
        match self.only {
            Only::Always => {}
            Only::Served => {
                if !is_served(event) {
                    can.rewrite = &[];
                }
            }
            Only::After(major, minor) => {
                if version(event).is_some_and(|version| version <= (major, minor)) {
                    can.inject = None;
                }
            }
            Only::LoopsUnless(limit, status) => {
                if loops(event) >= limit || event.text("status").as_deref() == Some(status) {
                    can.verdicts = &[];
                }
            }
            Only::LoopsIf(limit, status) => {
                if loops(event) >= limit || event.text("status").as_deref() != Some(status) {
                    can.verdicts = &[];
                }
            }
        }
        can
    }
}

/// Tells whether the tool is a server's.
pub(super) fn is_served(event: &Event) -> bool {
    let tool = event.text("tool_name");
    tool.is_some_and(|tool| tool.starts_with("mcp__"))
}

/// How often a hook has made the agent go on.
fn loops(event: &Event) -> u64 {
    let count = event.get("loop_count");
    count.and_then(|count| count.as_u64()).unwrap_or_default()
}

/// The host's version, if it tells one.
fn version(event: &Event) -> Option<(u64, u64)> {
    let version = event.get("cursor_version")?;
    let mut parts = version.as_ref().as_str()?.split('.');
    let mut next = || parts.next()?.parse::<u64>().ok();
    Some((next()?, next()?))
}

/// What every payload has under a name of its own.
pub(super) const SESSION: (&str, &str) = ("conversation_id", "session_id");

/// Results that come as a text which holds JSON.
pub(super) const TEXTS: &[&str] = &["tool_output", "result_json"];

/// Tools that stand for several, with a tool of the global table that stands for the same ones. Every edit of a file goes
/// by `Write` in Cursor's matchers, so a hook that guards edits is asked about it.
pub(super) const SETS: &[(&str, &str)] = &[("Write", "fs_write")];
