//! The shape of a row: how the files of hosts differ.

use std::path::Path;
use std::time::Duration;

use anyhook_core::hook::MatchTarget;
use serde_json::Value;

use crate::bare::bare;
use crate::settings::TimeUnit;

/// Where the events stand in a file of a host.
///
/// ```
/// use anyhook_wires::native_files::{NativeFormat, Syntax, EventsLocation};
///
/// // One of Devin's files is the map of events itself.
/// let devin = NativeFormat::of_host("devin-cli").unwrap();
/// assert_eq!(devin.top, EventsLocation::HooksOrBare);
/// let text = r#"{"Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]}"#;
/// assert_eq!(devin.read(text, Syntax::Json)?.manifest.groups.len(), 1);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsLocation {
    /// Below `hooks`.
    Hooks,
    /// Below `hooks`; in a file without it, at its top.
    HooksOrBare,
    /// At its top in one of its files and below `hooks` in the other: what stands at either place counts.
    Both,
}

/// How a host reads a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherSyntax {
    /// It has none, and does not look at one.
    Nothing,
    /// Of letters, digits, `_` and these it is a list of exact names, else an unanchored pattern.
    Names(&'static str),
    /// Always an unanchored pattern.
    Pattern,
    /// A pattern that has to match the whole name.
    Whole,
}

bare! {
    /// An event whose hooks look at something of their own.
    #[derive(Debug, Clone, Copy)]
    pub struct EventForm(native) {
        /// The host's name for it.
        pub native: &'static str = "",
        /// The tools that it is about, where a name of ours covers more.
        pub tools: Option<&'static str> = None,
        /// What a matcher looks at; nothing where the host ignores one.
        pub at: Option<MatchTarget> = None,
    }
}

bare! {
    /// How long hooks of a host may take.
    #[derive(Debug, Clone, Copy)]
    pub struct Timeout {
        /// The fields that say it, the first present one wins.
        pub fields: &'static [&'static str] = &["timeout"],
        /// What they count in.
        pub unit: TimeUnit = TimeUnit::Seconds,
        /// What a zero means, where it is no mistake.
        pub zero: Option<Duration> = None,
        /// Where an entry does not say it.
        pub default: Duration = Duration::from_secs(30),
        /// The same, for events that have their own.
        pub events: &'static [(&'static str, Duration)] = &[],
        /// The time of hooks of type `prompt`, where the host counts it in another way.
        pub prompts: Option<PromptTimeout> = None,
    }
}

/// How long a hook of type `prompt` may take, at a host that counts it in its own way.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_wires::native_files::{NativeFormat, PromptTimeout};
/// use anyhook_wires::settings::TimeUnit;
///
/// // Qwen Code takes a small number for seconds and a large one for milliseconds, but counts prompts in seconds.
/// let qwen = NativeFormat::of_host("qwen-code").unwrap();
/// let PromptTimeout { unit, default } = qwen.timeout.prompts.unwrap();
/// assert_eq!((unit, default), (TimeUnit::Seconds, Duration::from_secs(30)));
/// assert_eq!(qwen.timeout.unit, TimeUnit::SecondsBelow(1000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptTimeout {
    /// What it is counted in.
    pub unit: TimeUnit,
    /// Where an entry does not say it.
    pub default: Duration,
}

impl Timeout {
    /// Returns the time of a hook on an event that does not say one itself.
    pub fn of(&self, native: &str) -> Duration {
        let own = self.events.iter().find(|(event, _)| *event == native);
        own.map_or(self.default, |(_, time)| *time)
    }
}

/// What the failure of a hook means at its own host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailurePolicy {
    /// It refuses, where a field of the entry has this value; nothing else does.
    Where(&'static str, RefusalValue),
    /// It refuses on these events, whatever the entry says.
    On(&'static [&'static str]),
    /// It never refuses.
    Never,
}

/// The folder in which a host starts its hooks.
///
/// ```
/// use anyhook_wires::native_files::{WorkingFolder, NativeFormat};
///
/// // A relative path in a file of Claude Code leads elsewhere after a `cd`.
/// assert_eq!(NativeFormat::of_host("claude-code").unwrap().folder, WorkingFolder::Session);
/// assert_eq!(NativeFormat::of_host("cursor").unwrap().folder, WorkingFolder::Project);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkingFolder {
    /// That of the project.
    Project,
    /// The one that the session is in, which may be any below it.
    Session,
}

/// What a hook of type `prompt` does at its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptHook {
    /// It asks a model, whose answer decides.
    Judge,
    /// A hook of this type talks to the host's own agent instead. It decides nothing there, so it is left out here.
    Talk(&'static str),
    /// Something else, which we do not do.
    Other,
}

bare! {
    /// How a file of a host is written.
    #[derive(Debug, Clone, Copy)]
    pub struct FileLayout {
        /// What an event's list holds.
        pub list: ListShape = ListShape::Groups,
        /// Whether the file names a version.
        pub version: Option<u32> = None,
        /// The fields that a hook or its group may have beside command, matcher, timeout and what failures mean.
        pub holds: &'static [&'static str] = &[],
    }
}

/// What the list of an event holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListShape {
    /// Groups of hooks that share a matcher.
    Groups,
    /// Hooks.
    Hooks,
    /// There is one list for all events: its hooks say themselves when they run (`trigger`) and what (`action`).
    Triggers,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
}

impl Syntax {
    /// Tells what a file is written in, by its ending.
    ///
    /// ```
    /// use anyhook_wires::native_files::Syntax;
    /// assert_eq!(Syntax::of(".codex/config.toml".as_ref()), Syntax::Toml);
    /// assert_eq!(Syntax::of(".codex/hooks.json".as_ref()), Syntax::Json);
    /// ```
    pub fn of(file: &Path) -> Self {
        match file.extension() {
            Some(ending) if ending == "toml" => Self::Toml,
            Some(_) | None => Self::Json,
        }
    }

    /// Reads a text as JSON, whatever it is written in; nothing where it cannot be read.
    pub fn as_json(self, text: &str) -> Option<Value> {
        super::read::parse(text, self)
            .ok()
            .map(|(top, _)| crate::settings::json::value(&top))
    }
}

/// The value of a field that says that a failure refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalValue {
    /// The value `true`.
    True,
    /// This word, and every other that is not `continue`.
    Word(&'static str),
    /// The first word, and every other that is not the second.
    Unless(&'static str, &'static str),
}

/// What a field holds that every payload of a host has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommonField {
    /// The folder in which the event happened.
    Cwd,
    /// A list of that folder alone.
    Folders,
    /// The session's id.
    Session,
    /// This text.
    Text(&'static str),
}

/// What a variable of a hook's environment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableContent {
    /// The project's folder.
    Project,
    /// The folder of the package that the file belongs to.
    Package,
    /// The folder in which the event happened.
    Cwd,
    /// The session's id.
    Session,
    /// This text.
    Text(&'static str),
}
