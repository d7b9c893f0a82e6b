//! The files in which hosts keep hooks for themselves, read as what they mean there.
//!
//! One row per host says where its files are and how an entry of them reads; [`NativeFormat::read`] makes of a text the
//! same [`Manifest`](anyhook_core::manifest::Manifest) that a universal file becomes, whose hooks speak that host's
//! words. Nothing here opens a file. An entry is never judged softer than by its own host, and one that cannot run
//! here is a fault, never silence.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::event::Event;
//! use anyhook_wires::native_files::{
//!     CommonField, EventForm, FORMATS, FailurePolicy, ListShape, MatcherSyntax, FileLayout, NativeFormat, PromptHook, RefusalValue, Syntax, Timeout,
//!     VariableContent, claude_code, is_claude_plugin, is_in_words_of_claude,
//! };
//! use anyhook_wires::settings::TimeUnit;
//! use serde_json::json;
//!
//! let claude = NativeFormat::of_host("claude-code").unwrap();
//! assert_eq!((claude.host, FORMATS.len() > 1), (claude_code().host, true));
//!
//! // A row says how an entry reads, and what its hooks take for granted.
//! assert!(matches!(claude.matching, MatcherSyntax::Names(_)));
//! assert_eq!((claude.prompts, claude.failure), (
//!     PromptHook::Judge,
//!     FailurePolicy::Where("onFailure", RefusalValue::Word("block")),
//! ));
//! let Timeout { unit, .. } = claude.timeout;
//! assert_eq!(unit, TimeUnit::Seconds);
//! assert_eq!(claude.timeout.of("UserPromptSubmit"), Duration::from_secs(30));
//! let FileLayout { list, .. } = claude.writes;
//! assert_eq!(list, ListShape::Groups);
//! let EventForm { at, .. } = claude.events.iter().find(|form| form.native == "Stop").unwrap();
//! assert_eq!(*at, None, "it looks at no matcher there");
//! assert!(claude.always.contains(&("cwd", CommonField::Cwd)));
//! assert!(claude.variables.contains(&("CLAUDE_PROJECT_DIR", VariableContent::Project)));
//! assert!(claude.is_read_by("cursor") && !claude.is_read_by("codex"));
//!
//! // A file of that host becomes the manifest that a universal one becomes.
//! let text = r#"{"hooks": {"PreToolUse": [
//!     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}
//! ]}}"#;
//! let parsed = claude.read(text, Syntax::Json)?;
//! assert_eq!(parsed.manifest.groups[0].spec.map(|row| row.name), Some("tool:pre"));
//! assert!(Syntax::Json.as_json(text).is_some() && !is_claude_plugin(text));
//! assert!(is_in_words_of_claude(text), "in a folder that says that it is a plugin, it is one");
//! assert_eq!(claude.unread(text, Syntax::Json), []);
//!
//! // What another host's event lacks is added for its scripts.
//! let event = Event::new("tool:pre", json!({"cwd": "/p"}));
//! let mut payload = json!({"tool_name": "Bash"});
//! claude.complete(&mut payload, &event);
//! assert_eq!((&payload["cwd"], &payload["permission_mode"]), (&json!("/p"), &json!("default")));
//! # Ok::<(), anyhook_core::manifest::Finding>(())
//! ```

mod conditions;
mod entry;
mod names;
mod node;
mod read;
pub(crate) mod row;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_core::manifest::Place;

use serde_json::Value;

use crate::bare::bare;
use crate::hosts::claude_code::table::FORMAT as CLAUDE_CODE;
use crate::hosts::universal::table::ONLY_UNIVERSAL;
pub use crate::settings::command::is_ours;
pub(crate) use read::unread;
pub use row::{
    CommonField, EventForm, EventsLocation, FailurePolicy, FileLayout, ListShape, MatcherSyntax,
    PromptHook, PromptTimeout, RefusalValue, Syntax, Timeout, VariableContent, WorkingFolder,
};

/// Every host whose files are read.
pub static FORMATS: &[&NativeFormat] = include!(concat!(env!("OUT_DIR"), "/formats.rs"));

bare! {
    /// How one host writes its hooks down.
    #[derive(Debug, Clone, Copy)]
    pub struct NativeFormat {
        /// The host, by its id.
        pub host: &'static str = crate::hosts::universal::ID,
        /// Its files in a project; a name of `*` and an ending stands for all such files of the folder, and a folder `*` for
        /// every package. One that begins with no dot is the folder of a client in an Agent Plugin.
        pub files: &'static [&'static str] = &[],
        /// Where the events stand in a file.
        pub top: EventsLocation = EventsLocation::Hooks,
        /// Events for which the host has no row of ours, because another one tells the same: its name, and what it is here.
        pub more: &'static [(&'static str, &'static str)] = &[],
        /// Events that happen at this host alone, though they are one of ours: their hooks are left to it. Asked about every call
        /// of another host, a hook for the lines of a skill would refuse too much.
        pub own: &'static [&'static str] = &[],
        /// The other hosts that read these files themselves, by id.
        pub also_read_by: &'static [&'static str] = &[],
        /// A field of the file that switches all its hooks off.
        pub off: Option<&'static str> = None,
        /// How a matcher is read.
        pub matching: MatcherSyntax = MatcherSyntax::Pattern,
        /// Words of a matcher that stand for several tools: the word, and the pattern that selects those.
        pub kinds: &'static [(&'static str, &'static str)] = &[],
        /// What a pattern says where it means a tool of a server, and what the same is in the name that the tool has here.
        pub servers: &'static [(&'static str, &'static str)] = &[],
        /// Events whose matcher looks at one of a few words: the event, and those words.
        pub words: &'static [(&'static str, &'static [&'static str])] = &[],
        /// Events whose hooks are asked about less than the matcher's subject, or about something else.
        pub events: &'static [EventForm] = &[],
        /// The names that the host itself has for its tools, where a matcher of its file looks at no others; none where it may
        /// look at every name of a tool.
        pub names: &'static [&'static str] = &[],
        /// Tools that the host calls by the name of another one: a matcher that selects the first selects the second too.
        pub under: &'static [(&'static str, &'static str)] = &[],
        /// How long a hook may take.
        pub timeout: Timeout = Timeout::BARE,
        /// The fields that hold a command line, and on which systems; of those for this one, the first present one wins.
        pub commands: &'static [(&'static str, &'static str)] = &[("command", "any")],
        /// The field that holds the folder of a command.
        pub cwd: &'static str = "cwd",
        /// What a hook of type `prompt` does.
        pub prompts: PromptHook = PromptHook::Other,
        /// What the failure of a hook means.
        pub failure: FailurePolicy = FailurePolicy::Never,
        /// The program that reads command lines, where they need one.
        pub shell: &'static str = "bash",
        /// The folder in which hooks are started.
        pub folder: WorkingFolder = WorkingFolder::Project,
        /// How a file of the host is written.
        pub writes: FileLayout = FileLayout::BARE,
        /// What every payload of the host has: scripts take it for granted.
        pub always: &'static [(&'static str, CommonField)] = &[],
        /// What the host puts into the environment of its hooks.
        pub variables: &'static [(&'static str, VariableContent)] = &[],
    }
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
            let project = patterns.find_map(|pattern| project(file, pattern))?;
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
        let mut patterns = FORMATS.iter().flat_map(|format| format.files);
        patterns.find_map(|pattern| {
            let project = project(file, pattern)?;
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
        self.names().any(|name| name == native)
    }

    /// Returns the names that the host itself has for events, in its rows and beside them.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let rows = crate::host(self.host).map_or(&[][..], |host| host.rows());
        let more = self.more.iter().map(|(name, _)| *name);
        rows.iter().map(|row| row.name).chain(more)
    }

    /// Returns what an event of the host is here.
    pub fn event_of(&self, native: &str) -> Option<&'static str> {
        let mut more = self.more.iter();
        match more.find(|(name, _)| *name == native) {
            Some((_, event)) => Some(event),
            None => crate::host(self.host)?.row(native).map(|row| row.event),
        }
    }

    /// Returns the fields that hold a command line for this system.
    pub fn commands_here(&self) -> impl Iterator<Item = &'static str> {
        let here = |(_, platform): &&(_, &str)| ["any", std::env::consts::OS].contains(platform);
        let fields = self.commands.iter().filter(here);
        fields.map(|(field, _)| *field)
    }

    /// Tells whether one of the files stands in an Agent Plugin. Which agent loads it from where is not known.
    pub fn is_of_plugin(file: &str) -> bool {
        !file.starts_with('.')
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
                CommonField::Cwd => (&*cwd).into(),
                CommonField::Folders => [&*cwd].into_iter().collect(),
                CommonField::Session => event.session().unwrap_or_default().into(),
                CommonField::Text(text) => (*text).into(),
            };
            fields.entry(*name).or_insert(value);
        }
    }
}

/// Tells whether a text at the place of a universal manifest is a plugin of Claude Code: it names no version, its events
/// are all spelled as there, and its commands start from the plugin's root. Only what the text says counts: a file that
/// a stranger puts beside a trusted one must not change what it means.
pub fn is_claude_plugin(text: &str) -> bool {
    text.contains("CLAUDE_PLUGIN_ROOT") && read::is_all_of(&CLAUDE_CODE, text)
}

/// Tells whether a text at the place of a universal manifest may as well be a plugin of Claude Code, so that the place has
/// to tell: it names no version, its events are all spelled as there, and nothing in it means anything in a universal
/// manifest alone.
pub fn is_in_words_of_claude(text: &str) -> bool {
    if !read::is_all_of(&CLAUDE_CODE, text) {
        return false;
    }
    let parsed = CLAUDE_CODE.read(text, Syntax::Json);
    let unread = CLAUDE_CODE.unread(text, Syntax::Json);
    let is_ours = |(_, field): &(Place, String)| ONLY_UNIVERSAL.contains(&&**field);
    parsed.is_ok_and(|parsed| !parsed.has_errors()) && !unread.iter().any(is_ours)
}

/// Returns the format of Claude Code's own files, which its plugins share.
pub fn claude_code() -> &'static NativeFormat {
    &CLAUDE_CODE
}

/// Returns the folder below which a file has this path.
fn project(file: &Path, pattern: &str) -> Option<PathBuf> {
    let mut rest = file;
    for wanted in pattern.rsplit('/') {
        let name = rest.file_name()?.as_encoded_bytes();
        let is_called = match wanted.strip_prefix('*') {
            Some(ending) => name.len() > ending.len() && name.ends_with(ending.as_bytes()),
            None => name == wanted.as_bytes(),
        };
        rest = rest.parent().filter(|_| is_called)?;
    }
    let is_here = rest.as_os_str().is_empty();
    Some(if is_here { Path::new(".") } else { rest }.to_owned())
}
