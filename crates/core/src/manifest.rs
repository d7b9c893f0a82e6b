//! The universal `hooks.json`: which hooks run at which events, as a person writes it.
//!
//! [`Manifest::parse`] reads text and finds every fault of it at once, each with its place. It refuses to be clever: an
//! entry that has an error does not run half-understood, it becomes [`Action::Broken`] and keeps its event, its matcher
//! and its `guard`, so that the fault of a guard can deny. An entry never takes its siblings with it.
//!
//! ```
//! use anyhook_core::manifest::{
//!     Action, Command, Entry, Finding, Group, Manifest, ParsedManifest, Severity,
//! };
//! use anyhook_core::matcher::Hit;
//!
//! let text = r#"{
//!   "version": 1,
//!   "hooks": {
//!     "pre-tool-use": [{
//!       "matcher": "Bash",
//!       "hooks": [
//!         { "type": "command", "command": "./check.sh", "guard": true, "timeout": 5 },
//!         { "type": "commmand", "command": "./tidy.sh" },
//!       ],
//!     }],
//!   },
//! }"#;
//! let ParsedManifest { manifest, findings } = Manifest::parse(text)?;
//!
//! let Group { spec, entries, .. } = &manifest.groups[0];
//! assert_eq!(spec.unwrap().name, "tool:pre");
//! let Entry { action: Action::Command(Command { command, .. }), guard, .. } = &entries[0] else {
//!     panic!()
//! };
//! assert!(*guard && command == "./check.sh");
//!
//! // What is wrong has a place, and its sibling works.
//! let Finding { severity, at, .. } = &findings[0];
//! assert_eq!((*severity, at.line), (Severity::Error, 8));
//! assert!(matches!(&entries[1].action, Action::Broken(_)));
//! # Ok::<(), Finding>(())
//! ```

#![allow(
    clippy::ref_option_ref,
    reason = "serde refers to what a field holds, also where that is a reference into a table"
)]

mod builtin;
mod command;
mod disable;
mod entry;
mod fields;
mod group;
mod http;
mod names;
mod notes;
mod place;
mod read;
mod requires;
mod rule;
mod sandbox;
mod say;
mod schema;
mod table;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::builtin::BuiltinAction;
pub use self::disable::DisableEntry;
pub use self::http::TransportSecurity;
pub use self::notes::FindingCollector;
pub use self::place::{LineIndex, Place};
#[doc(hidden)]
pub use self::read::JSON;
#[doc(hidden)]
pub use self::say::{kind, syntax_error};
pub use self::schema::{VERSION, closed_schema, schema};
pub use self::table::{DEADLINE, FIELDS, FieldSpec, ManifestLevel};
use crate::asking::{HookDialect, MatchCondition, Mode, OnFault, WaitMode};
use crate::effects::RewriteFallback;
use crate::matcher::Matcher;
use crate::result::Kind;
use crate::sandbox::Sandbox;
use crate::taxonomy::EventSpec;

/// The effects that a call can have, as a group, a rule and `$ANYHOOK_EFFECTS` name them.
///
/// ```
/// use anyhook_core::manifest::{EFFECTS, Manifest};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"effect": ["fs.write", "fs.delete"], "hooks": [
///         {"type": "command", "command": "./check.sh"}
///     ]}]}}"#,
/// )?;
/// assert_eq!(parsed.manifest.groups[0].effects, ["fs.write", "fs.delete"]);
/// assert!(EFFECTS.contains(&"net"));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
pub const EFFECTS: &[&str] = table::choices::EFFECT;

/// One file of hooks, in the order of the file over all events.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The format version as written; 1 when it is missing or cannot be read.
    pub version: u32,
    /// The mode of everything in the file that does not name its own.
    pub mode: Mode,
    /// The hooks that it switches off, by name.
    pub disable: Vec<DisableEntry>,
    /// Every group of every event, as they stand in the file.
    pub groups: Vec<Group>,
    /// The host whose own file it is; nothing for a universal one.
    pub native: Option<&'static str>,
}

/// Some hooks of one event that share a matcher.
#[derive(Debug, Clone)]
pub struct Group {
    /// The event's name as written.
    pub event: String,
    /// The event's row, if the catalogue knows the name.
    pub spec: Option<&'static EventSpec>,
    /// Which subjects it selects; everything, when the matcher as written is broken.
    pub matcher: Matcher,
    /// The matcher as written, also when it is broken.
    pub matcher_text: Option<String>,
    /// The effects that its hooks are for, of [`EFFECTS`]; empty for every call.
    pub effects: Vec<&'static str>,
    /// Its place among all groups of the event; lower comes first, 0 by default.
    pub priority: i32,
    /// Whether its entries run one after the other.
    pub sequential: bool,
    /// A name for reports.
    pub name: Option<String>,
    /// Its own mode, else the file's.
    pub mode: Mode,
    /// What its commands may touch: its own, within the file's.
    pub sandbox: Option<Sandbox>,
    /// The hooks, as they stand in the file.
    pub entries: Vec<Entry>,
    /// Where it stands.
    pub at: Place,
    /// Its position among the groups of the same event, whichever of its names they are written under.
    pub index: usize,
    /// Whose form its hooks read and answer in; nothing for the universal form.
    pub speaks: Option<HookDialect>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What is to be done.
    pub action: Action,
    /// A name for reports and for switching it off.
    pub name: Option<String>,
    /// What a hook of a host's own file is called, where such files give hooks no name: its id, its script, its description.
    /// No two hooks of a file are called the same.
    pub called: Option<String>,
    /// Whether its fault denies; `true` also when the field is there and cannot be read.
    pub guard: bool,
    /// Whether it is asked again about an input that was rewritten after its answer; `true` by default.
    pub recheck: bool,
    /// What its own failure means, if it says so; deny when the field is there and cannot be read.
    pub on_failure: Option<OnFault>,
    /// Its deadline, if it has one of its own.
    pub timeout: Option<Duration>,
    /// How long an event waits for the answer to its questions, if it says so.
    pub wait: Option<Duration>,
    /// Its own mode, else its group's, else the file's.
    pub mode: Mode,
    /// What its command may touch, where it, its group or the file says so: of each part the narrowest.
    pub sandbox: Option<Sandbox>,
    /// The condition under which it is asked, besides its group's matcher.
    pub when: Option<Condition>,
    /// Whether it runs once per session.
    pub once: bool,
    /// Whether the agent waits for it.
    pub pace: WaitMode,
    /// Whether it takes part at all; `true` also when the field is there and cannot be read.
    pub enabled: bool,
    /// What becomes of a rewrite of it that the host cannot say; `None` is the default of the class.
    pub if_unsayable: Option<RewriteFallback>,
    /// A condition of its own, beside the matcher of its group; only hosts' own files have one.
    pub only: Option<MatchCondition>,
    /// Where it stands.
    pub at: Place,
    /// Its position in its group.
    pub index: usize,
}

/// What a hook does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub enum Action {
    /// Runs a command.
    Command(Command),
    /// Asks a model.
    Prompt(Prompt),
    /// Asks a server.
    Http(HttpAction),
    /// Says what the file itself says.
    Rule(RuleAnswer),
    /// Asks a module that is built in.
    Builtin(BuiltinAction),
    /// Cannot be run: a fault at run time, whose text is the first error of the entry or of its group.
    Broken(String),
}

/// A command to run.
///
/// ```
/// use anyhook_core::manifest::Command;
///
/// let lint = Command { command: "npm run lint".into(), ..Command::default() };
/// assert_eq!((lint.shell, lint.args), (None, None));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Command {
    /// The command line, or the executable alone when there are `args`.
    pub command: String,
    /// The arguments of the form that needs no shell.
    pub args: Option<Vec<String>>,
    /// Variables beside the inherited ones, in file order.
    pub env: Vec<(String, String)>,
    /// The directory to run in.
    pub cwd: Option<String>,
    /// The shell that reads the command line, where it names one.
    pub shell: Option<&'static str>,
    /// The MCP server of an agent whose tool is called: the command is then the call by our own program, and the server is
    /// what the agent's configuration describes.
    pub server: Option<String>,
}

/// A condition, as written. What it means is known where it is answered.
///
/// ```
/// use anyhook_core::manifest::{Manifest, Condition};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
///         {"type": "command", "command": "./check.sh", "when": "runs('git push')"}
///     ]}]}}"#,
/// )?;
/// let Condition { text, at } = parsed.manifest.groups[0].entries[0].when.as_ref().unwrap();
/// assert_eq!((text.as_str(), at.line), ("runs('git push')", 2));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The expression.
    pub text: String,
    /// Where it stands, its quotes included.
    pub at: Place,
}

/// What a rule says where its condition holds. Texts may hold placeholders, `{{tool_input.file_path}}`.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, RuleAnswer};
/// use anyhook_core::result::Kind;
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{
///         "type": "rule",
///         "when": "touches('**/.env*')",
///         "then": {"deny": "{{tool_input.file_path}} holds secrets"}
///     }]}]}}"#,
/// )?;
/// let Action::Rule(RuleAnswer { verdict, modify, .. }) = &parsed.manifest.groups[0].entries[0].action else {
///     panic!("{:?}", parsed.findings)
/// };
/// let reason = "{{tool_input.file_path}} holds secrets";
/// assert_eq!((verdict, modify.len()), (&Some((Kind::Deny, reason.to_owned())), 0));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct RuleAnswer {
    /// Its verdict and the reason, the question for an Ask.
    pub verdict: Option<(Kind, String)>,
    /// New values of fields.
    pub modify: Vec<(String, Value)>,
    /// What the shell command of the call may touch: it is rewritten so that it runs confined.
    pub confine: Option<Sandbox>,
    /// Texts for the model.
    pub inject: Vec<String>,
    /// Texts for the person.
    pub notify: Vec<String>,
    /// What the session remembers from now on, or forgets.
    pub marks: Vec<MarkChange>,
    /// Whether what the action may destroy is kept before it happens.
    pub snapshot: SnapshotMode,
    /// What it says instead where its condition holds only because of what is not known.
    pub unknown: Option<UnknownPolicy>,
}

impl RuleAnswer {
    /// Returns whether something is to be kept where this rule has answered: also in the place of an answer.
    pub fn keeps(&self) -> SnapshotMode {
        match self.unknown {
            Some(UnknownPolicy::Snapshot) => SnapshotMode::OrAsk,
            _ => self.snapshot,
        }
    }
}

/// What a rule says where its condition holds only because of what is not known of the call: code that is not read, a name that
/// cannot be told.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, UnknownPolicy};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{
///         "type": "rule", "when": "deletes('src/**')", "then": {"deny": "keep it"}, "when unknown": "snapshot"
///     }]}]}}"#,
/// )?;
/// let Action::Rule(then) = &parsed.manifest.groups[0].entries[0].action else {
///     panic!("{:?}", parsed.findings)
/// };
/// assert_eq!(then.unknown, Some(UnknownPolicy::Snapshot));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownPolicy {
    /// A person is asked.
    Ask,
    /// The shell command runs confined to the project and without network.
    Confine,
    /// What it may destroy is kept, and it goes on; a person is asked where not all could be kept.
    Snapshot,
}

/// A change of the marks of a session.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, MarkChange, MarkLifetime};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"post-tool-use": [{"hooks": [{
///         "type": "rule", "when": "connects()", "then": {"mark": "read-web", "for": "turn"}
///     }]}]}}"#,
/// )?;
/// let Action::Rule(then) = &parsed.manifest.groups[0].entries[0].action else {
///     panic!("{:?}", parsed.findings)
/// };
/// let set = MarkChange { name: "read-web".into(), lasts: Some(MarkLifetime::Turn) };
/// assert_eq!(then.marks, [set]);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct MarkChange {
    /// The name of the mark.
    pub name: String,
    /// How long it lasts; nothing where it is taken away.
    pub lasts: Option<MarkLifetime>,
}

/// How long a mark lasts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkLifetime {
    /// Until the next prompt of a person.
    Turn,
    /// As long as the session.
    #[default]
    Session,
}

/// Whether what an action may destroy is kept before it happens.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, SnapshotMode};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{
///         "type": "rule", "when": "deletes()", "then": {"snapshot": true, "or": "ask"}
///     }]}]}}"#,
/// )?;
/// let Action::Rule(then) = &parsed.manifest.groups[0].entries[0].action else {
///     panic!("{:?}", parsed.findings)
/// };
/// assert_eq!(then.snapshot, SnapshotMode::OrAsk);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotMode {
    /// Nothing is kept.
    #[default]
    No,
    /// It is kept as far as it fits; the record names what did not.
    Kept,
    /// The same, and a person is asked where something did not fit.
    OrAsk,
}

/// A question for a model.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, Prompt};
///
/// let parsed = Manifest::parse(
///     r#"{"hooks": {"stop": [{"hooks": [
///         {"type": "prompt", "prompt": "Is it done? $ARGUMENTS"}
///     ]}]}}"#,
/// )?;
/// let asked = Prompt { prompt: "Is it done? $ARGUMENTS".into() };
/// assert_eq!(parsed.manifest.groups[0].entries[0].action, Action::Prompt(asked));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Prompt {
    /// The text, with `$ARGUMENTS` where the event goes.
    pub prompt: String,
}

/// A server to ask: it gets the event as the body of a request, and its answer is read as that of a command.
///
/// ```
/// use anyhook_core::manifest::{Action, HttpAction, Manifest};
///
/// let parsed = Manifest::parse(
///     r#"{"hooks": {"stop": [{"hooks": [
///         {"type": "http", "url": "https://hooks.example.com/stop"}
///     ]}]}}"#,
/// )?;
/// let asked = HttpAction::new("https://hooks.example.com/stop".into(), vec![], vec![]).unwrap();
/// assert_eq!(parsed.manifest.groups[0].entries[0].action, Action::Http(asked));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HttpAction {
    /// The address that the event is posted to.
    pub url: String,
    /// More headers, whose values may name variables: `$NAME` or `${NAME}`.
    pub headers: Vec<(String, String)>,
    /// The variables that headers may name.
    pub variables: Vec<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The manifest is wrong: `check`, `trust` and `install` refuse it.
    Error,
    /// The manifest works, though maybe not as meant.
    Warning,
}

/// A kind of mistake in a manifest: what a program looks at, where a person reads the message.
///
/// ```
/// use anyhook_core::manifest::{Code, Manifest};
///
/// let parsed = Manifest::parse(r#"{"version": 1, "hooks": {}, "gaurd": true}"#)?;
/// assert_eq!(parsed.findings[0].code, Code::UnknownField);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Code {
    /// A value is missing, or is not what it must be.
    #[default]
    BadValue,
    /// The event is unknown.
    UnknownEvent,
    /// The event is unknown, and nearly one that is known: its hooks are never asked.
    MisspelledEvent,
    /// The field is unknown.
    UnknownField,
    /// The field is unknown, and nearly one that is known: an author relies on it.
    MisspelledField,
    /// The type of the hook is unknown, or cannot run here.
    UnknownType,
    /// The matcher cannot be compiled.
    BadPattern,
    /// A condition, or what a rule says, cannot be carried out.
    BadCondition,
    /// The matcher stands on an event that has no subject.
    UselessMatcher,
    /// A part of the file does nothing.
    NoEffect,
    /// The file does not say its version.
    NoVersion,
    /// A hook of a host's own file does something else here.
    ReadOtherwise,
    /// A timeout looks like it counts in another unit.
    UnitOfTime,
    /// A hook is for another system than this one.
    OtherSystem,
}

/// Something wrong in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Finding {
    /// What kind of mistake it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a fragment; what the file says is quoted and without control characters.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it is.
    pub at: Place,
}

/// A manifest, and everything that is wrong with it.
///
/// ```
/// use anyhook_core::manifest::Manifest;
///
/// // A name that the catalogue does not know is legal, and probably a slip.
/// let parsed = Manifest::parse(r#"{"version": 1, "hooks": {"pre-tool-ues": []}}"#)?;
/// assert!(!parsed.has_errors());
/// assert_eq!(parsed.findings.len(), 1);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone)]
pub struct ParsedManifest {
    /// What could be read; each part that could not is [`Action::Broken`].
    pub manifest: Manifest,
    /// All findings, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Manifest {
    /// Reads a manifest: JSON with comments and trailing commas, with or without a byte order mark.
    ///
    /// Text that is no JSON, or no object, is the one finding that leaves nothing to run.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    ///
    /// let parsed = Manifest::parse(
    ///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
    ///         {"type": "command", "command": "./done.sh"}
    ///     ]}]}}"#,
    /// )?;
    /// assert_eq!(parsed.findings, []);
    /// assert_eq!(parsed.manifest.groups[0].event, "stop");
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn parse(text: &str) -> Result<ParsedManifest, Finding> {
        read::manifest(text)
    }
}

impl ParsedManifest {
    /// Tells whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.severity == Severity::Error)
    }
}
