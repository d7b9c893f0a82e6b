//! `bytes -> Event`, `HookResult -> Reply`: how agents and hooks write events and answers, both directions.
//!
//! Translation only: no I/O, no decision. A [`Host`] is an agent that calls us, as data: how it writes, what it calls its
//! events, and what it can be told about each. What a hook may answer with stands in [`dialects`]; every name that some host
//! has for a tool, in [`tools`].
//!
//! ```
//! use anyhook_core::result::HookResult;
//! use anyhook_wires::host;
//!
//! // What Claude Code sends before it runs a tool, and what it reads if a hook refuses.
//! let claude = host("claude-code").unwrap();
//! let payload = br#"{
//!     "hook_event_name": "PreToolUse",
//!     "tool_name": "Bash",
//!     "tool_input": {"command": "make deploy"}
//! }"#;
//! let event = claude.read_event(payload, None)?;
//! assert_eq!((event.name.as_str(), event.subject.as_deref()), ("tool:pre", Some("Bash")));
//!
//! let asked = HookResult::deny("deploys are frozen");
//! let (said, losses) = asked.fit(event.name.class(), event.name.mutable(), &claude.can(&event));
//! assert!(losses.is_empty());
//! let reply = claude.write_result(&event, &said);
//! assert!(reply.stdout.contains(r#""permissionDecision":"deny""#) && reply.exit == 0);
//! # Ok::<(), anyhook_wires::DecodeError>(())
//! ```

mod answer;
mod bare;
mod behaviour;
pub mod convert;
pub mod dialects;
mod fitted;
pub mod health;
pub mod hosts;
pub mod json;
pub mod matrix;
pub mod native_files;
pub mod payload;
mod prompts;
pub mod settings;
pub mod tools;
mod version;

#[cfg(test)]
mod tests;

use serde_json::Value;

use bare::bare;
pub use behaviour::{Behaviour, behaviour};
pub use fitted::{IgnoredRewrite, fitted};
pub use hosts::{Host, HostRow};
use payload::Tools;
pub use prompts::Prompts;
pub use version::VersionSource;

bare! {
    /// What is known of a host as data.
    ///
    /// ```
    /// use anyhook_wires::{HostFacts, Maturity, host};
    ///
    /// let HostFacts { maturity, executables, .. } = host("claude-code").unwrap().facts();
    /// assert_eq!((*maturity, executables.contains(&"claude")), (Maturity::Proved, true));
    /// // A row names what the host has; the rest is as in `BARE`.
    /// static ACME: HostFacts = HostFacts { executables: &["acme"], ..HostFacts::BARE };
    /// assert!(ACME.settings.is_none() && ACME.covers.is_empty());
    /// ```
    #[derive(Debug, Clone, Copy)]
    pub struct HostFacts {
        /// Short names by which people call this host, besides its id.
        pub aliases: &'static [&'static str] = &[],
        /// How well what is written here is known to be true.
        pub maturity: Maturity = Maturity::Experimental,
        /// What these facts cover: a version of the host, or the day on which they were read.
        pub covers: &'static str = "",
        /// More files that hold this host's hook settings, beside those that `install` writes: see [`HostFacts::guarded`]. `~/` stands for the
        /// home directory, a path without a leading `/` or drive is below the project, and one that ends in `/` is a directory with
        /// everything below it.
        pub files: &'static [&'static str] = &[],
        /// Where and in which form the host keeps its hooks; nothing if it has no such files.
        pub settings: Option<&'static settings::Settings> = None,
        /// What a person does instead of installing; empty if the host keeps its hooks in files.
        pub instead: &'static str = "",
        /// How an entry posts its event to a server; nothing if the host starts a program for every event.
        pub posts: Option<&'static settings::posted::Posts> = None,
        /// What can be known of the agent besides its hooks; nothing if it is unknown.
        pub health: Option<&'static health::Health> = None,
        /// The hosts whose hook files this one reads and runs too: what is installed for both fires twice.
        pub also_reads: &'static [&'static str] = &[],
        /// The names of the agent's own process.
        pub executables: &'static [&'static str] = &[],
        /// The environment variable in which the host names the project's folder.
        pub project_variable: Option<&'static str> = None,
        /// The host's own names for tools and their arguments.
        pub tools: &'static Tools = &Tools::CANONICAL,
        /// Where the host tells its hooks which version it is; nothing if it does not.
        pub version_at: Option<VersionSource> = None,
        /// Which of its prompts are new ones that a person gave.
        pub prompts: Prompts = Prompts::BARE,
    }
}

impl HostFacts {
    /// Returns the files that hold this host's hook settings, for the rule that the guarded may not unguard.
    pub fn guarded(&self) -> impl Iterator<Item = &'static str> {
        let written = self.settings.map_or(&[][..], |settings| settings.files);
        let more = self.files.iter().copied();
        written.iter().map(|file| file.path).chain(more)
    }
}

/// How well a host's rows are known to hold.
///
/// ```
/// use anyhook_wires::Maturity;
///
/// assert_eq!(Maturity::Proved.as_str(), "proved");
/// assert_eq!(Maturity::Experimental.as_str(), "experimental");
/// ```
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

/// What a host does when a hook has nothing to say.
///
/// ```
/// use anyhook_wires::{Neutral, host};
///
/// // Claude Code asks the person as it always does where no hook says anything.
/// let row = host("claude-code").unwrap().row("PreToolUse").unwrap();
/// assert_eq!(row.neutral(), Neutral::Silent);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neutral {
    /// It decides for itself, as if there were no hook.
    Silent,
    /// It has no such answer: saying nothing approves.
    Allow,
}

/// What a process says to the host that called it.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::result::HookResult;
/// use anyhook_wires::{Reply, host};
///
/// // Nothing to say: no output, exit code 0.
/// let event = Event::new("stop", serde_json::json!({}));
/// let reply = host("claude-code").unwrap().write_result(&event, &HookResult::proceed());
/// assert_eq!(reply, Reply { stdout: String::new(), stderr: String::new(), exit: 0 });
/// ```
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
///
/// ```
/// use anyhook_wires::{DecodeError, json};
///
/// let error = json::object(b"{\n  \"tool_name\": }").unwrap_err();
/// assert_eq!(error.at.map(|(line, _)| line), Some(2));
///
/// let plain = DecodeError::new("the payload has no `data`");
/// assert_eq!(
///     (plain.to_string(), plain.at, plain.event),
///     ("the payload has no `data`".into(), None, None)
/// );
/// ```
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

    /// Says what a field must be, and what it is.
    pub(crate) fn wrong(field: &str, wanted: &str, found: Option<&Value>) -> Self {
        let found = found.map_or("missing", json::kind);
        Self::new(format!("`{field}` must be {wanted}, and is {found}"))
    }

    /// Says that none of these fields names the event.
    pub(crate) fn nameless(fields: &[&str]) -> Self {
        Self::new(match fields.first() {
            None => "the payload names no event, and nothing else does".to_owned(),
            Some(name) => {
                format!("the payload has no `{name}`, and nothing else names the event")
            }
        })
    }

    /// Says which event it is about.
    pub(crate) fn about(self, native: &str) -> Self {
        Self {
            event: Some(native.to_owned()),
            ..self
        }
    }
}

/// Finds a host by its id, or by one of its short names.
///
/// ```
/// use anyhook_wires::{host, hosts::HOSTS};
///
/// assert!(host("claude-code").is_some() && host("no-such-agent").is_none());
/// for row in HOSTS {
///     let names = [row.id()].into_iter().chain(row.facts().aliases.iter().copied());
///     assert!(
///         names.into_iter().all(|name| host(name).is_some_and(|found| found.id() == row.id()))
///     );
/// }
/// ```
pub fn host(id: &str) -> Option<&'static Host> {
    let is_it = |host: &&Host| host.id() == id || host.facts().aliases.contains(&id);
    hosts::HOSTS.iter().copied().find(is_it)
}
