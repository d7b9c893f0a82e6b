//! How agents and hooks write events and answers as bytes, both directions. Translation only: no I/O, no decision.
//!
//! A [`Wire`] is one way of writing: towards a host that calls us, or towards a hook that we call. A [`Host`] is a wire
//! with rows: what it calls its events, and what it can be told about each.

mod answer;
pub mod dialects;
pub mod health;
pub mod hosts;
pub mod json;
pub mod payload;
pub mod settings;
pub mod tools;

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use payload::Tools;

/// One way of writing events and results as bytes.
///
/// Every method is total: whatever the bytes are, it returns. What cannot be read is an error that says why.
pub trait Wire: Sync + Send {
    /// Returns the name of this wire, as on the command line.
    fn id(&self) -> &'static str;

    /// Reads an event. `hint` is the event's name as the command line has it, in any spelling: it holds where the payload
    /// carries no name, and, where this wire knows it, against a payload that names another event. Whoever wrote the
    /// command line knew which event it is for.
    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError>;

    /// Writes an event as a hook of this wire reads it on its standard input.
    fn write_event(&self, event: &Event) -> Value;

    /// Reads what a hook of this wire answered.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said;

    /// Writes a fitted result as this wire's host reads it.
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply;
}

/// An agent that calls us: a wire with rows.
pub trait Host: Wire {
    /// Returns one row per event that the host has.
    fn rows(&self) -> &'static [NativeEvent];

    /// Returns what this event lets a hook say; the row, narrowed or widened by what the payload tells.
    fn can(&self, event: &Event) -> Can;

    /// Refuses an event whose payload could not be read; `row` is known if the command line named the event.
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply;

    /// Returns short names by which people call this host, besides its id.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Tells how well what stands here is known to hold.
    fn maturity(&self) -> Maturity;

    /// Returns what the facts of this host cover: its version, or the day on which they were read.
    fn covers(&self) -> &'static str;

    /// Returns the files that hold this host's hook settings, for the rule that the guarded may not unguard (D28).
    ///
    /// `~/` stands for the home directory, a path without a leading `/` or drive is below the project, and one that ends
    /// in `/` is a directory with everything below it.
    fn files(&self) -> &'static [&'static str];

    /// Returns where and in which form the host keeps its hooks; nothing where it has no such files.
    fn settings(&self) -> Option<&'static settings::Settings> {
        None
    }

    /// Returns what can be known of the agent besides its hooks; nothing where nobody wrote it down.
    fn health(&self) -> Option<&'static health::Health> {
        None
    }

    /// Returns the hosts whose hook files this one reads and runs too: what is installed for both fires twice.
    fn also_reads(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the names of the agent's own process (D28).
    fn executables(&self) -> &'static [&'static str];

    /// Returns the environment variable in which the host names the project's folder.
    fn project_variable(&self) -> Option<&'static str>;

    /// Returns the host's own names for tools and their arguments.
    fn tools(&self) -> &'static Tools {
        &Tools::CANONICAL
    }

    /// Tells whether a payload is in this host's form.
    fn speaks(&self, payload: &Map) -> bool;

    /// Returns the row of an event, by the host's own name for it, else by any other name.
    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        let rows = self.rows();
        rows.iter().find(|row| row.name == name).or_else(|| {
            let canonical = anyhook_core::event::EventName::new(name);
            rows.iter().find(|row| row.event == canonical.as_str())
        })
    }
}

/// How well a host's rows are known to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maturity {
    /// Every documented event, both directions, judged by an independent reader.
    Proved,
    /// The events that matter most, from documents that leave questions open; what is unclear is read so that no gate opens.
    Experimental,
}

impl Maturity {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Experimental => "experimental",
        }
    }
}

/// One event of a host.
#[derive(Debug, Clone, Copy)]
pub struct NativeEvent {
    /// The host's own name, such as `PreToolUse`.
    pub name: &'static str,
    /// The canonical name, such as `tool:pre`.
    pub event: &'static str,
    /// What the host lets a hook say about it.
    pub can: Can,
    /// What the host does when a hook says nothing.
    pub neutral: Neutral,
    /// How long the host waits for a hook before it goes on without.
    pub timeout: Duration,
}

/// What a host does when a hook has nothing to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neutral {
    /// It decides for itself, as if there were no hook.
    Silent,
    /// It has no such answer: saying nothing approves.
    Allow,
}

/// What a process says to the host that called it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

/// A payload that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct DecodeError {
    /// What is wrong with it: lowercase, no period.
    pub what: String,
    /// Where: line and column, from 1.
    pub at: Option<(usize, usize)>,
    /// The event's name, where that much could be read.
    pub event: Option<String>,
}

impl DecodeError {
    /// Makes an error without a place.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            at: None,
            event: None,
        }
    }
}

/// Finds a host by its id, or by one of its short names.
pub fn host(id: &str) -> Option<&'static dyn Host> {
    let is_it = |host: &&dyn Host| host.id() == id || host.aliases().contains(&id);
    hosts::HOSTS.iter().copied().find(is_it)
}
