//! `bytes -> Event`, `HookResult -> Reply`: how agents and hooks write events and answers, both directions.
//!
//! Translation only: no I/O, no decision. A [`Wire`] is one way of writing: towards a host that calls us, or towards a hook
//! that we call. A [`Host`] is a wire with rows: what it calls its events, and what it can be told about each. What a hook
//! may answer with stands in [`dialects`]; every name that some host has for a tool, in [`tools`].
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

use std::sync::Arc;
use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName};
use anyhook_core::handler::Said;
use anyhook_core::hook::HookInfo;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

pub use behaviour::{Behaviour, behaviour};
pub use fitted::{Overlooked, fitted};
use payload::Tools;
pub use prompts::Prompts;
pub use version::VersionAt;

/// One way of writing events and results as bytes.
///
/// Every method is total: whatever the bytes are, it returns. What cannot be read is an error that says why.
///
/// The other direction is for hooks of this wire: what they read, and what they answered.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_core::event::Event;
/// use anyhook_core::result::HookResult;
/// use anyhook_core::transcript::{Capture, End, Transcript};
/// use anyhook_wires::{Wire, host};
/// use serde_json::json;
///
/// let wire: &dyn Wire = host("universal").unwrap();
/// assert_eq!(wire.id(), "universal");
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
/// assert_eq!(wire.write_event(&event)["toolName"], "Bash");
///
/// let transcript = Transcript {
///     stdout: Capture::default(),
///     stderr: Capture { kept: b"deploys are frozen".to_vec(), dropped: 0 },
///     end: End::Code(2),
///     took: Duration::from_millis(40),
/// };
/// assert_eq!(wire.read_result(&transcript, &event), Ok(HookResult::deny("deploys are frozen")));
/// ```
pub trait Wire: Sync + Send {
    /// Returns the name of this wire, as on the command line.
    fn id(&self) -> &'static str;

    /// Reads an event. `hint` is the event's name as the command line has it, in any spelling: it holds where the payload
    /// carries no name, and, where this wire knows it, against a payload that names another event. The author of the
    /// command line knew which event it is for.
    ///
    /// The hint is for a payload that does not name its event:
    ///
    /// ```
    /// let claude = anyhook_wires::host("claude-code").unwrap();
    /// let event =
    ///     claude.read_event(br#"{"tool_name": "Bash", "tool_input": {}}"#, Some("pre-tool-use"))?;
    /// assert_eq!(event.name.as_str(), "tool:pre");
    ///
    /// let error = claude.read_event(br#"{"tool_name": "#, None).unwrap_err();
    /// assert_eq!(error.at, Some((1, 14)));
    /// # Ok::<(), anyhook_wires::DecodeError>(())
    /// ```
    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError>;

    /// Writes an event as a hook of this wire reads it on its standard input.
    fn write_event(&self, event: &Event) -> Value;

    /// Reads what a hook of this wire answered.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said;

    /// Writes a fitted result as this wire's host reads it.
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply;

    /// Writes a fitted result of these hooks, which are those of its report: a host that reads who said what finds their
    /// names there. To any other it is [`Wire::write_result`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use anyhook_core::hook::HookInfo;
    /// use anyhook_core::result::{HookId, HookResult};
    /// use anyhook_wires::host;
    /// use serde_json::{Value, json};
    ///
    /// let amplifier = host("amplifier").unwrap();
    /// let payload = json!({"event": "session:start", "data": {}});
    /// let event = amplifier.read_event(payload.to_string().as_bytes(), None)?;
    ///
    /// let calendar = HookInfo { name: "calendar".into(), ..HookInfo::default() };
    /// let mut said = HookResult::proceed().inject("today is Monday");
    /// said.effects.edit().inject[0].by = Some(HookId(0));
    /// let reply = amplifier.write_result_of(&event, &said, &[Arc::new(calendar)]);
    /// let flat: Value = serde_json::from_str(&reply.stdout)?;
    /// assert_eq!(flat["context_injections"][0]["hook_name"], "calendar");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn write_result_of(
        &self,
        event: &Event,
        result: &HookResult,
        hooks: &[Arc<HookInfo>],
    ) -> Reply {
        let _ = hooks;
        self.write_result(event, result)
    }
}

/// An agent that calls us: a wire with rows.
///
/// The implementer keeps all that it knows of the agent in rows and constants; no other code matches on its id.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_core::event::Event;
/// use anyhook_core::result::{HookResult, Kind};
/// use anyhook_core::transcript::{Capture, End, Transcript};
/// use anyhook_wires::{Host, Maturity, Neutral};
/// use serde_json::json;
///
/// let claude: &dyn Host = anyhook_wires::host("claude-code").unwrap();
/// let row = claude.row("PreToolUse").unwrap();
/// assert_eq!((row.event, row.neutral), ("tool:pre", Neutral::Silent));
/// assert!(row.can.says(Kind::Ask));
/// assert_eq!(claude.row("tool:pre").map(|row| row.name), Some("PreToolUse"));
/// assert!(claude.rows().iter().any(|row| row.event == "session:start"));
///
/// // What cannot be read is refused in the host's own words.
/// let refused = claude.refuse_unread(Some(row), "the payload is no JSON");
/// assert!(refused.stdout.contains("the payload is no JSON"));
///
/// // Which files are its hook settings, and which processes are it.
/// assert!(claude.facts().guarded().any(|file| file == "~/.claude/settings.json"));
/// assert!(claude.facts().executables.contains(&"claude"));
/// assert!(claude.facts().settings.is_some_and(|settings| settings.has("PreToolUse")));
/// assert_eq!(claude.facts().project_variable, Some("CLAUDE_PROJECT_DIR"));
///
/// // How well it is known, whose hook files it reads too, and what it calls its tools.
/// assert_eq!(claude.facts().maturity, Maturity::Proved);
/// assert_eq!(claude.facts().aliases, ["claude"]);
/// assert!(!claude.facts().covers.is_empty() && claude.facts().also_reads.is_empty());
/// assert!(claude.facts().tools.rows.is_empty(), "the canonical names are its own");
///
/// // What a hook of its own files reads and answers, event by event; and since when it has an event.
/// let stop = Event::new("stop", json!({"session_id": "s"}));
/// assert_eq!(claude.write_as(&stop, "Stop")["hook_event_name"], "Stop");
/// let refused = Transcript {
///     stdout: Capture::default(),
///     stderr: Capture { kept: b"the tests are red".to_vec(), dropped: 0 },
///     end: End::Code(2),
///     took: Duration::ZERO,
/// };
/// assert_eq!(claude.read_as(&refused, &stop, "Stop").unwrap().verdict.kind(), Kind::Deny);
/// assert_eq!(claude.since(row), None, "every version that is covered has it");
/// assert!(claude.asks_later(&stop).is_none(), "it asks at once, or not at all");
/// assert_eq!(claude.overlooks(&stop, &HookResult::proceed()), None, "it changes nothing");
/// assert_eq!(claude.facts().prompts.id, None, "it tells of a prompt once");
/// assert!(claude.facts().version_at.is_some(), "its hooks hear its version");
///
/// // What it can be told may depend on the payload: nothing refuses a change of an organisation's policy.
/// let change = claude.row("ConfigChange").unwrap();
/// let payload = json!({"hook_event_name": "ConfigChange", "source": "policy_settings"});
/// let event = claude.read_event(payload.to_string().as_bytes(), None).unwrap();
/// assert!(change.can.says(Kind::Deny) && !claude.can(&event).says(Kind::Deny));
/// ```
pub trait Host: Wire {
    /// Returns what is known of the host as data.
    fn facts(&self) -> &'static HostFacts;

    /// Returns one row per event that the host has.
    fn rows(&self) -> &'static [NativeEvent];

    /// Returns what this event lets a hook say; the row, narrowed or widened by what the payload tells.
    fn can(&self, event: &Event) -> Can;

    /// Returns a rewrite of a result that the host would overlook in the form that it has; [`fitted`] makes a refusal of it.
    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        let _ = (event, result);
        None
    }

    /// Tells whether a host does not wait for a hook that prints this as its first line.
    ///
    /// ```
    /// let [claude, cursor] = ["claude-code", "cursor"].map(|id| anyhook_wires::host(id).unwrap());
    /// let line = br#"{"async": true, "asyncTimeout": 180000}"#;
    /// assert!(claude.leaves(line) && !claude.leaves(b"{}") && !cursor.leaves(line));
    /// ```
    fn leaves(&self, line: &[u8]) -> bool {
        let _ = line;
        false
    }

    /// Refuses an event whose payload could not be read; `row` is known if the command line named the event.
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply;

    /// Returns the error for a name that is no event of this host; nothing where a later version may have it, so that an
    /// event that cannot be refused goes on.
    ///
    /// ```
    /// use anyhook_wires::host;
    /// let [athena, claude] = ["athena", "claude-code"].map(|id| host(id).unwrap());
    /// let error = athena.misnamed("PreToolUze").unwrap();
    /// assert_eq!(error.exit, 64);
    /// assert_eq!(error.stderr, "error: ex_athena has no event `PreToolUze`\nhelp: did you mean `PreToolUse`?\n");
    /// assert!(claude.misnamed("PreToolUze").is_none());
    /// ```
    fn misnamed(&self, name: &str) -> Option<Reply> {
        let _ = name;
        None
    }

    /// Returns the first version of the host that has an event, where not every version that is covered has it.
    fn since(&self, row: &NativeEvent) -> Option<&'static str> {
        let _ = row;
        None
    }

    /// Writes an event as a hook on this event of the host reads it. `native` is the host's own name for it: one event of
    /// ours may be several of a host's, each with a form of its own.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        let _ = native;
        self.write_event(event)
    }

    /// Reads what a hook on this event of the host answered.
    fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        let _ = native;
        self.read_result(raw, event)
    }

    /// Reads an answer that was written for this host as the host itself does, where a hook of it is read otherwise.
    fn read_back(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        self.read_as(raw, event, native)
    }

    /// Returns the later event of the very same call at which the host asks a person, where this one cannot. A question
    /// may be left to it by a caller that knows that our entry for it stands in the host's settings; else it is a refusal here.
    fn asks_later(&self, event: &Event) -> Option<&'static NativeEvent> {
        let _ = event;
        None
    }

    /// Returns the row of an event, by the host's own name for it, else by any other name.
    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        let rows = self.rows();
        rows.iter().find(|row| row.name == name).or_else(|| {
            let canonical = anyhook_core::event::EventName::new(name);
            rows.iter().find(|row| row.event == canonical.as_str())
        })
    }
}

impl std::fmt::Debug for dyn Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

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
    pub aliases: &'static [&'static str],
    /// How well what is written here is known to be true.
    pub maturity: Maturity,
    /// What these facts cover: a version of the host, or the day on which they were read.
    pub covers: &'static str,
    /// More files that hold this host's hook settings, beside those that `install` writes: see [`HostFacts::guarded`]. `~/` stands for the
    /// home directory, a path without a leading `/` or drive is below the project, and one that ends in `/` is a directory with
    /// everything below it.
    pub files: &'static [&'static str],
    /// Where and in which form the host keeps its hooks; nothing if it has no such files.
    pub settings: Option<&'static settings::Settings>,
    /// What a person does instead of installing; empty if the host keeps its hooks in files.
    pub instead: &'static str,
    /// How an entry posts its event to a server; nothing if the host starts a program for every event.
    pub posts: Option<&'static settings::posted::Posts>,
    /// What can be known of the agent besides its hooks; nothing if it is unknown.
    pub health: Option<&'static health::Health>,
    /// The hosts whose hook files this one reads and runs too: what is installed for both fires twice.
    pub also_reads: &'static [&'static str],
    /// The names of the agent's own process.
    pub executables: &'static [&'static str],
    /// The environment variable in which the host names the project's folder.
    pub project_variable: Option<&'static str>,
    /// The host's own names for tools and their arguments.
    pub tools: &'static Tools,
    /// Where the host tells its hooks which version it is; nothing if it does not.
    pub version_at: Option<VersionAt>,
    /// Which of its prompts are new ones that a person gave.
    pub prompts: Prompts,
}

impl HostFacts {
    /// Returns the files that hold this host's hook settings, for the rule that the guarded may not unguard.
    pub fn guarded(&self) -> impl Iterator<Item = &'static str> {
        let written = self.settings.map_or(&[][..], |settings| settings.files);
        let more = self.files.iter().copied();
        written.iter().map(|file| file.path).chain(more)
    }

    /// A host of which nothing is known.
    pub const BARE: Self = Self {
        aliases: &[],
        maturity: Maturity::Experimental,
        covers: "",
        files: &[],
        settings: None,
        instead: "",
        posts: None,
        health: None,
        also_reads: &[],
        executables: &[],
        project_variable: None,
        tools: &Tools::CANONICAL,
        version_at: None,
        prompts: Prompts::BARE,
    };
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

/// One event of a host.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_wires::{NativeEvent, host};
///
/// let NativeEvent { event, timeout, .. } = host("claude-code").unwrap().row("Stop").unwrap();
/// assert_eq!(*event, "stop");
/// assert!(*timeout >= Duration::from_secs(30));
/// ```
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

impl NativeEvent {
    /// Makes the row of an event on which silence leaves everything to the host.
    pub(crate) const fn new(
        name: &'static str,
        event: &'static str,
        can: Can,
        timeout: Duration,
    ) -> Self {
        Self {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout,
        }
    }

    /// Tells whether the agent waits at this event to hear whether it may go on.
    pub(crate) fn is_gate(&self) -> bool {
        EventName::new(self.event).class() == Class::Gate
    }
}

/// What a host does when a hook has nothing to say.
///
/// ```
/// use anyhook_wires::{Neutral, host};
///
/// // Claude Code asks the person as it always does where no hook says anything.
/// let row = host("claude-code").unwrap().row("PreToolUse").unwrap();
/// assert_eq!(row.neutral, Neutral::Silent);
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
pub fn host(id: &str) -> Option<&'static dyn Host> {
    let is_it = |host: &&dyn Host| host.id() == id || host.facts().aliases.contains(&id);
    hosts::HOSTS.iter().copied().find(is_it)
}
