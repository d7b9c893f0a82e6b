//! The files in which hosts keep hooks for themselves, read as what they mean there (D27).
//!
//! One row per host says where its files are and how an entry of them reads; [`NativeFormat::read`] makes of a text the
//! same [`Manifest`](anyhook_core::manifest::Manifest) that a universal file becomes, whose hooks speak that host's
//! words. Nothing here opens a file. An entry is never judged softer than by its own host (D13), and one that cannot run
//! here is a fault, never silence.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::event::Event;
//! use anyhook_wires::native_files::{
//!     Always, EventForm, FORMATS, Failure, List, Matching, Writes, NativeFormat, Prompts, Refuses, Syntax, Timeout,
//!     Variable, claude_code, is_claude_plugin,
//! };
//! use serde_json::json;
//!
//! let claude = NativeFormat::of_host("claude-code").unwrap();
//! assert_eq!((claude.host, FORMATS.len() > 1), (claude_code().host, true));
//!
//! // A row says how an entry reads, and what its hooks take for granted.
//! assert!(matches!(claude.matching, Matching::Names(_)));
//! assert_eq!((claude.prompts, claude.failure), (
//!     Prompts::Judge,
//!     Failure::Where("onFailure", Refuses::Word("block")),
//! ));
//! let Timeout { unit, .. } = claude.timeout;
//! assert_eq!(unit, Duration::from_secs(1));
//! assert_eq!(claude.timeout.of("UserPromptSubmit"), Duration::from_secs(30));
//! let Writes { list, .. } = claude.writes;
//! assert_eq!(list, List::Groups);
//! let EventForm { at, .. } = claude.events.iter().find(|form| form.native == "Stop").unwrap();
//! assert_eq!(*at, None, "it looks at no matcher there");
//! assert!(claude.always.contains(&("cwd", Always::Cwd)));
//! assert!(claude.variables.contains(&("CLAUDE_PROJECT_DIR", Variable::Project)));
//! assert!(claude.is_read_by("cursor") && !claude.is_read_by("codex"));
//!
//! // A file of that host becomes the manifest that a universal one becomes.
//! let text = r#"{"hooks": {"PreToolUse": [
//!     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}
//! ]}}"#;
//! let parsed = claude.read(text, Syntax::Json)?;
//! assert_eq!(parsed.manifest.groups[0].spec.map(|row| row.name), Some("tool:pre"));
//! assert!(Syntax::Json.as_json(text).is_some() && !is_claude_plugin(text));
//! assert_eq!(claude.unread(text, Syntax::Json), []);
//!
//! // What another host's event lacks is added for its scripts.
//! let event = Event::new("tool:pre", json!({"cwd": "/p"}));
//! let mut payload = json!({"tool_name": "Bash"});
//! claude.complete(&mut payload, &event);
//! assert_eq!((&payload["cwd"], &payload["permission_mode"]), (&json!("/p"), &json!("default")));
//! # Ok::<(), anyhook_core::manifest::Finding>(())
//! ```

mod claude_code;
mod codex_cli;
mod conditions;
mod copilot_cli;
mod cursor;
mod devin_cli;
mod entry;
mod factory_droid;
mod gemini_cli;
mod goose;
mod kiro;
mod node;
mod qwen_code;
mod read;
#[cfg(test)]
mod tests;
mod windsurf;

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::hook::At;
use anyhook_core::manifest::{Finding, Parsed, Place};

use serde_json::Value;

pub use crate::settings::command::is_ours;
pub(crate) use read::unread;

/// Every host whose files are read.
pub static FORMATS: &[&NativeFormat] = &[
    &claude_code::ROW,
    &codex_cli::ROW,
    &copilot_cli::ROW,
    &cursor::ROW,
    &devin_cli::ROW,
    &factory_droid::ROW,
    &gemini_cli::ROW,
    &goose::ROW,
    &kiro::ROW,
    &qwen_code::ROW,
    &windsurf::ROW,
];

/// How one host writes its hooks down.
#[derive(Debug, Clone, Copy)]
pub struct NativeFormat {
    /// The host, by its id.
    pub host: &'static str,
    /// Its files in a project; a name of `*` and an ending stands for all such files of the folder, and a folder `*` for
    /// every package.
    pub files: &'static [&'static str],
    /// Where the events stand in a file.
    pub top: Top,
    /// Events for which the host has no row of ours, because another one tells the same: its name, and what it is here.
    pub more: &'static [(&'static str, &'static str)],
    /// The other hosts that read these files themselves, by id.
    pub also_read_by: &'static [&'static str],
    /// A field of the file that switches all its hooks off.
    pub off: Option<&'static str>,
    /// How a matcher is read.
    pub matching: Matching,
    /// Words of a matcher that stand for several tools: the word, and the pattern that selects those.
    pub kinds: &'static [(&'static str, &'static str)],
    /// What a pattern says where it means a tool of a server, and what the same is in the name that the tool has here.
    pub servers: &'static [(&'static str, &'static str)],
    /// Events whose hooks are asked about less than the matcher's subject, or about something else.
    pub events: &'static [EventForm],
    /// Tools that the host calls by the name of another one: a matcher that selects the first selects the second too.
    pub under: &'static [(&'static str, &'static str)],
    /// How long a hook may take.
    pub timeout: Timeout,
    /// The fields that hold a command line, the first present one wins.
    pub commands: &'static [&'static str],
    /// The field that holds the folder of a command.
    pub cwd: &'static str,
    /// What a hook of type `prompt` does.
    pub prompts: Prompts,
    /// What the failure of a hook means.
    pub failure: Failure,
    /// The program that reads command lines, where they need one.
    pub shell: &'static str,
    /// The folder in which hooks are started.
    pub folder: Folder,
    /// How a file of the host is written.
    pub writes: Writes,
    /// What every payload of the host has: scripts take it for granted.
    pub always: &'static [(&'static str, Always)],
    /// What the host puts into the environment of its hooks.
    pub variables: &'static [(&'static str, Variable)],
}

/// What most rows have in common; each of them says what is its own.
const PLAIN: NativeFormat = NativeFormat {
    host: crate::hosts::universal::ID,
    files: &[],
    top: Top::Hooks,
    more: &[],
    also_read_by: &[],
    off: None,
    matching: Matching::Pattern,
    kinds: &[],
    servers: &[],
    events: &[],
    under: &[],
    timeout: Timeout {
        fields: &["timeout"],
        unit: Duration::from_secs(1),
        zero: None,
        default: Duration::from_secs(30),
        events: &[],
        prompts: None,
    },
    commands: &["command"],
    cwd: "cwd",
    prompts: Prompts::Other,
    failure: Failure::Never,
    shell: "bash",
    folder: Folder::Project,
    writes: Writes {
        list: List::Groups,
        version: None,
        holds: &[],
    },
    always: &[],
    variables: &[],
};

/// Where the events stand in a file of a host.
///
/// ```
/// use anyhook_wires::native_files::{NativeFormat, Syntax, Top};
///
/// // One of Devin's files is the map of events itself.
/// let devin = NativeFormat::of_host("devin-cli").unwrap();
/// assert_eq!(devin.top, Top::HooksOrBare);
/// let text = r#"{"Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]}"#;
/// assert_eq!(devin.read(text, Syntax::Json)?.manifest.groups.len(), 1);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Top {
    /// Below `hooks`.
    Hooks,
    /// Below `hooks`; in a file without it, at its top.
    HooksOrBare,
}

/// How a host reads a matcher (D17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// It has none, and does not look at one.
    Nothing,
    /// Of letters, digits, `_` and these it is a list of exact names, else an unanchored pattern.
    Names(&'static str),
    /// Always an unanchored pattern.
    Pattern,
    /// A pattern that has to match the whole name.
    Whole,
}

/// An event whose hooks look at something of their own.
#[derive(Debug, Clone, Copy)]
pub struct EventForm {
    /// The host's name for it.
    pub native: &'static str,
    /// The tools that it is about, where a name of ours covers more.
    pub tools: Option<&'static str>,
    /// What a matcher looks at; nothing where the host ignores one.
    pub at: Option<At>,
}

impl EventForm {
    /// An event on which the host looks at no matcher.
    const fn ignoring(native: &'static str) -> Self {
        Self {
            native,
            tools: None,
            at: None,
        }
    }

    /// An event about these tools, whose matcher looks at this part of it.
    const fn about(native: &'static str, tools: &'static str, at: Option<At>) -> Self {
        Self {
            native,
            tools: Some(tools),
            at,
        }
    }
}

/// How long hooks of a host may take (D11).
#[derive(Debug, Clone, Copy)]
pub struct Timeout {
    /// The fields that say it, the first present one wins.
    pub fields: &'static [&'static str],
    /// What they count in.
    pub unit: Duration,
    /// What a zero means, where it is no mistake.
    pub zero: Option<Duration>,
    /// Where an entry does not say it.
    pub default: Duration,
    /// The same, for events that have their own.
    pub events: &'static [(&'static str, Duration)],
    /// The time of hooks of type `prompt`, where the host counts it in another way.
    pub prompts: Option<PromptTime>,
}

/// How long a hook of type `prompt` may take, at a host that counts it in its own way.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_wires::native_files::{NativeFormat, PromptTime};
///
/// // Qwen Code counts the time of commands in milliseconds, and that of prompts in seconds.
/// let qwen = NativeFormat::of_host("qwen-code").unwrap();
/// let PromptTime { unit, default } = qwen.timeout.prompts.unwrap();
/// assert_eq!((unit, default), (Duration::from_secs(1), Duration::from_secs(30)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptTime {
    /// What it is counted in.
    pub unit: Duration,
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

/// What the failure of a hook means at its own host (D13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It refuses, where a field of the entry has this value; nothing else does.
    Where(&'static str, Refuses),
    /// It refuses on these events, whatever the entry says.
    On(&'static [&'static str]),
    /// It never refuses.
    Never,
}

/// The folder in which a host starts its hooks.
///
/// ```
/// use anyhook_wires::native_files::{Folder, NativeFormat};
///
/// // A relative path in a file of Claude Code leads elsewhere after a `cd`.
/// assert_eq!(NativeFormat::of_host("claude-code").unwrap().folder, Folder::Session);
/// assert_eq!(NativeFormat::of_host("cursor").unwrap().folder, Folder::Project);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// That of the project.
    Project,
    /// The one that the session is in, which may be any below it.
    Session,
}

/// What a hook of type `prompt` does at its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompts {
    /// It asks a model, whose answer decides.
    Judge,
    /// A hook of this type talks to the host's own agent instead. It decides nothing there, so it is left out here.
    Talk(&'static str),
    /// Something else, which we do not do.
    Other,
}

/// How a file of a host is written.
#[derive(Debug, Clone, Copy)]
pub struct Writes {
    /// What an event's list holds.
    pub list: List,
    /// Whether the file names a version.
    pub version: Option<u32>,
    /// The fields that a hook or its group may have beside command, matcher, timeout and what failures mean.
    pub holds: &'static [&'static str],
}

/// What the list of an event holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
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
        read::parse(text, self).ok().map(|(top, _)| top.to_json())
    }
}

/// The value of a field that says that a failure refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// The value `true`.
    True,
    /// This word, and every other that is not `continue`.
    Word(&'static str),
    /// The first word, and every other that is not the second.
    Unless(&'static str, &'static str),
}

/// What a field holds that every payload of a host has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Always {
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
pub enum Variable {
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

impl NativeFormat {
    /// Finds the format of a host, by its id.
    pub fn of_host(id: &str) -> Option<&'static Self> {
        FORMATS.iter().copied().find(|format| format.host == id)
    }

    /// Finds the format of a file by its path, and the folder of the project that it stands in.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use anyhook_wires::native_files::NativeFormat;
    ///
    /// let (format, project) = NativeFormat::of_file(Path::new("/p/.claude/settings.json")).unwrap();
    /// assert_eq!((format.host, project), ("claude-code", "/p".into()));
    /// assert!(NativeFormat::of_file(Path::new("/p/hooks/hooks.json")).is_none());
    /// ```
    pub fn of_file(file: &Path) -> Option<(&'static Self, PathBuf)> {
        FORMATS.iter().copied().find_map(|format| {
            let mut patterns = format.files.iter();
            let project = patterns.find_map(|pattern| project_of(file, pattern))?;
            Some((format, project))
        })
    }

    /// Finds the folder of the package that a file belongs to: that of the `*` in its path, else that of the project.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use anyhook_wires::native_files::NativeFormat;
    ///
    /// let plugin = Path::new("/p/.agents/plugins/style/hooks/hooks.json");
    /// assert_eq!(NativeFormat::package_of(plugin), Some("/p/.agents/plugins/style".into()));
    /// assert_eq!(NativeFormat::of_file(plugin).unwrap().1, Path::new("/p"));
    /// assert_eq!(NativeFormat::package_of(Path::new("/p/.claude/settings.json")), Some("/p".into()));
    /// assert_eq!(NativeFormat::package_of(Path::new("/p/hooks/hooks.json")), None);
    /// ```
    pub fn package_of(file: &Path) -> Option<PathBuf> {
        let mut names = FORMATS.iter().flat_map(|format| format.files);
        names.find_map(|pattern| {
            let project = project_of(file, pattern)?;
            let Some((_, below)) = pattern.split_once("/*/") else {
                return Some(project);
            };
            let depth = below.split('/').count();
            file.ancestors().nth(depth).map(Path::to_owned)
        })
    }

    /// Tells whether the host itself calls an event so.
    ///
    /// ```
    /// use anyhook_wires::native_files::NativeFormat;
    ///
    /// let kiro = NativeFormat::of_host("kiro").unwrap();
    /// assert!(kiro.calls("PreToolUse") && kiro.calls("PostFileSave") && !kiro.calls("pre-tool-use"));
    /// ```
    pub fn calls(&self, native: &str) -> bool {
        let rows = crate::host(self.host).map_or(&[][..], |host| host.rows());
        let mut more = self.more.iter();
        rows.iter().any(|row| row.name == native) || more.any(|(name, _)| *name == native)
    }

    /// Tells whether a host runs the hooks of these files itself.
    pub fn is_read_by(&self, host: &str) -> bool {
        self.host == host || self.also_read_by.contains(&host)
    }

    /// Gives a payload that was made of another host's event what every payload of this host has, so that a script which
    /// takes it for granted does not fall over: a guard that fails is a guard that does not look.
    pub fn complete(&self, payload: &mut Value, event: &Event) {
        let Value::Object(fields) = payload else {
            return;
        };
        let cwd = event.text("cwd").unwrap_or_default();
        for (name, always) in self.always {
            let value: Value = match always {
                Always::Cwd => (&*cwd).into(),
                Always::Folders => [&*cwd].into_iter().collect(),
                Always::Session => event.session().unwrap_or_default().into(),
                Always::Text(text) => (*text).into(),
            };
            fields.entry(*name).or_insert(value);
        }
    }

    /// Reads a file of this host. Text that cannot be parsed is the one finding that leaves nothing.
    pub fn read(&'static self, text: &str, syntax: Syntax) -> Result<Parsed, Finding> {
        read::file(self, text, syntax)
    }
}

impl NativeFormat {
    /// Returns the fields of hooks and groups that [`NativeFormat::read`] takes no notice of, with their places.
    pub fn unread(&self, text: &str, syntax: Syntax) -> Vec<(Place, String)> {
        read::unread_by(self, text, syntax)
    }
}

/// Tells whether a text at the place of a universal manifest is a plugin of Claude Code: it names no version, its events
/// are all spelled as there, and its commands start from the plugin's root. Only what the text says counts: a file that
/// somebody puts beside a trusted one must not change what it means.
pub fn is_claude_plugin(text: &str) -> bool {
    text.contains("CLAUDE_PLUGIN_ROOT") && read::is_all_of(&claude_code::ROW, text)
}

/// Returns the format of Claude Code's own files, which its plugins share.
pub fn claude_code() -> &'static NativeFormat {
    &claude_code::ROW
}

/// Returns the folder below which a file has this path.
fn project_of(file: &Path, pattern: &str) -> Option<PathBuf> {
    let mut parts = file.components().rev();
    for wanted in pattern.rsplit('/') {
        let Component::Normal(name) = parts.next()? else {
            return None;
        };
        let name = name.to_str()?;
        let is_it = match wanted.strip_prefix('*') {
            Some(ending) => name.len() > ending.len() && name.ends_with(ending),
            None => name == wanted,
        };
        if !is_it {
            return None;
        }
    }
    let project: PathBuf = parts.rev().collect();
    Some(if project.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        project
    })
}
