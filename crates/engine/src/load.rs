//! From files to hooks: which manifests apply to this event, whether they are trusted, and what each entry becomes.
//!
//! A file that cannot be used is never off in silence: it becomes a remark, a question, or a refusal.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::core::event::EventName;
//! use anyhook_engine::core::handler::Handler;
//! use anyhook_engine::load::{
//!     ManifestFile, Layer, LoadedHooks, LoadOptions, Remark, Strictness, TrustScope, guards, kind, load,
//! };
//! use anyhook_engine::trust::Trust;
//!
//! let place = tempfile::tempdir()?;
//! let file = place.path().join("hooks.json");
//! fs::write(
//!     &file,
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
//!     {"type": "command", "command": "./check.sh", "guard": true}
//! ]}]}}"#,
//! )?;
//!
//! // A project's file does not run before a person trusts it, and the person is told.
//! let pins = Trust::new(place.path().join("pins"));
//! let stranger = [ManifestFile { file: file.clone(), layer: Layer::Project }];
//! let LoadedHooks { hooks, remarks, .. } = load(&stranger, Some(&pins), LoadOptions::default());
//! assert!(hooks.is_empty());
//! let Remark { text, .. } = &remarks[0];
//! assert!(text.contains("anyhook trust"), "{text}");
//!
//! // The person's own does, and so does every file where the caller says so.
//! let ci = LoadOptions { trust: TrustScope::All, strict: Strictness::Strict };
//! let loaded = load(&stranger, Some(&pins), ci);
//! let own = load(&[ManifestFile { file, layer: Layer::User }], Some(&pins), LoadOptions::default());
//! assert_eq!((loaded.hooks.len(), own.hooks.len()), (1, 1));
//! assert!(guards(&own.hooks, &EventName::new("tool:pre")));
//! let Handler::Declared(action) = &own.hooks[0].handler else { panic!() };
//! assert_eq!(kind(action), "command");
//! # Ok::<(), std::io::Error>(())
//! ```

mod absent;
mod find;
mod form;
mod known;
mod off;
mod policed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::event::{Event, EventName};
use anyhook_core::handler::Handler;
use anyhook_core::hook::{
    AskFrequency, Concurrency, Hook, HookInfo, HookRole, Mode, OnFault, Recheck, SourceLocation,
    WaitMode,
};
use anyhook_core::manifest::{Action, Entry, Group, Manifest};
use anyhook_core::matcher::Hit;
use serde::{Deserialize, Serialize};

pub use crate::layers::Layer;
use crate::modules;
use crate::rules;
use crate::sandbox;
use crate::text::{plain, word};
use crate::trust::{Admission, Trust, TrustedCopy};
pub use anyhook_core::dispatch::Strictness;
#[doc(hidden)]
pub use find::upwards;
pub use find::{ManifestFiles, ManifestSearch, find, locals_of, manifests_of, natives_of};
pub(crate) use find::{is_inside, repository_of};
pub use form::{ManifestFormat, parse};
#[doc(hidden)]
pub use known::{open, usable};
use off::FileHooks as HookStanding;
pub use off::{DisableSource, DisabledHook, may_switch_off};

/// One manifest file, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    /// The file.
    pub file: PathBuf,
    /// Where it came from.
    pub layer: Layer,
}

/// What came out of the files.
#[derive(Debug, Default)]
pub struct LoadedHooks {
    /// The hooks, in the order of the files and of the entries in them.
    pub hooks: Vec<Hook>,
    /// What the person should know, each with a mark under which it is said once per session.
    pub remarks: Vec<Remark>,
    /// The hooks that are switched off, and by what.
    pub off: Vec<DisabledHook>,
    /// The files that were looked at, those included that are not trusted.
    pub files: Vec<PathBuf>,
    /// How they were loaded.
    how: LoadOptions,
    /// The name of the revision of the policy that holds.
    pub(crate) revision: Option<Box<str>>,
    /// What was read, each text with the folder that its names count from.
    texts: Vec<(Option<PathBuf>, Arc<[u8]>)>,
    /// The files of trusted projects.
    listed: Vec<PathBuf>,
    /// How much was read of files that were never trusted.
    glimpsed: u64,
}

impl LoadedHooks {
    /// Returns a digest of the texts that the hooks are from: another one is another policy.
    pub(crate) fn digest(&self) -> String {
        let texts: Vec<&[u8]> = self.texts.iter().map(|(_, text)| &**text).collect();
        let mut name = crate::files::name_of(&texts);
        name.truncate(16);
        name
    }

    /// Returns what the hooks are from.
    pub(crate) fn sources(&self) -> HookSources {
        HookSources {
            files: [&*self.files, &*self.listed].concat(),
            texts: self.texts.clone(),
        }
    }
}

/// What hooks are from: files, and texts with the folder that their names count from, where these have to be followed.
#[derive(Debug)]
pub(crate) struct HookSources {
    pub(crate) files: Vec<PathBuf>,
    texts: Vec<(Option<PathBuf>, Arc<[u8]>)>,
}

impl HookSources {
    /// Finds every file that the hooks depend on, their scripts included: the guarded may not write them. Each name
    /// that may be a file is looked for on the disk.
    pub(crate) fn depends_on(&self) -> Vec<PathBuf> {
        let texts = self.texts.iter();
        let texts = texts.filter_map(|(root, text)| Some((root.as_ref()?, text)));
        let scripts = texts.flat_map(|(root, text)| {
            let scripts = crate::trust::scripts(text, root).unwrap_or_default();
            scripts.into_iter().map(|script| root.join(script))
        });
        self.files.iter().cloned().chain(scripts).collect()
    }
}

/// Something that the person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it is about, for saying it once.
    pub mark: String,
    /// The text.
    pub text: String,
}

impl Remark {
    pub(crate) fn new(mark: impl Into<String>, text: String) -> Self {
        Self {
            mark: mark.into(),
            text,
        }
    }
}

/// How files are loaded.
#[derive(Debug, Clone, Copy, Default, Hash, Serialize, Deserialize)]
pub struct LoadOptions {
    /// Whether every file counts as trusted (`--trust-all`, for CI).
    pub trust: TrustScope,
    /// Whether what is not trusted refuses (`--strict`).
    pub strict: Strictness,
}

impl LoadOptions {
    /// Every file counts as trusted, because a person looks at it, or a test does.
    pub const ALL: Self = Self {
        trust: TrustScope::All,
        strict: Strictness::Lenient,
    };
}

/// Whose files are trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TrustScope {
    /// Those that were pinned.
    #[default]
    Pinned,
    /// All.
    All,
}

/// Reads the manifests. Never fails: what is wrong with a file is in the result.
pub fn load(found: &[ManifestFile], trust: Option<&Trust>, how: LoadOptions) -> LoadedHooks {
    load_about(found, trust, how, None)
}

/// Reads the manifests, for one event or for every one. The files of a trusted copy are compared where a hook of it may be
/// asked that runs one: a rule runs nothing.
pub(crate) fn load_about(
    found: &[ManifestFile],
    trust: Option<&Trust>,
    how: LoadOptions,
    about: Option<&Event>,
) -> LoadedHooks {
    let mut loaded = LoadedHooks {
        how,
        ..LoadedHooks::default()
    };
    let mut files = Vec::with_capacity(found.len());
    for found in found {
        let first = loaded.hooks.len();
        loaded.files.push(found.file.clone());
        let manifest = loaded.load(found, trust, about).unwrap_or_else(|why| {
            let text = trust.and_then(|trust| trust.pinned_text(&found.file));
            loaded.unclear(text.as_deref(), &found.file, &why);
            None
        });
        files.push(HookStanding {
            found,
            manifest,
            hooks: first..loaded.hooks.len(),
        });
    }
    off::apply(&files, &mut loaded);
    loaded
}

impl LoadedHooks {
    /// Loads what may run of a file. An error says why it is not known what may.
    fn load(
        &mut self,
        found: &ManifestFile,
        trust: Option<&Trust>,
        about: Option<&Event>,
    ) -> Result<Option<Manifest>, String> {
        let file = &found.file;
        if !found.layer.needs_trust() || self.how.trust == TrustScope::All {
            return Ok(self.load_trusted(file, None));
        }
        let trust = trust.ok_or(
            "there is no home folder outside of the project, so it is not known whether you trusted them; set HOME",
        )?;
        let copy = match trust.admitted(file) {
            Admission::Unclear(why) => return Err(why),
            Admission::Never => {
                self.load_stranger(file);
                return Ok(None);
            }
            Admission::Copy(copy) => copy,
        };
        let (first, told) = (self.hooks.len(), self.remarks.len());
        let manifest = self.load_trusted(file, Some(&copy));
        let may_run = |hook: &Hook| {
            !hook.is_rule() && about.is_none_or(|event| hook.may_select(event) != Hit::No)
        };
        if self.hooks.iter().skip(first).any(may_run) {
            trust.mended(&copy.pin).inspect_err(|_| {
                self.hooks.truncate(first);
                self.remarks.truncate(told);
            })?;
        }
        Ok(manifest)
    }

    /// Tells of a file that was never trusted: nothing of it runs. One of a host's own may hold anything but hooks, and ours may
    /// hold none: a person is told of what would run.
    fn load_stranger(&mut self, file: &Path) {
        // A file that was found is there; one that the command line names may not be, and its caller counts on it.
        if crate::files::is_nowhere(file)
            && let Err(unusable) = known::read(file)
        {
            return self.unusable(file, &unusable, self.how.strict);
        }
        if self.how.strict == Strictness::Lenient {
            if self.asks_for_something(file) {
                self.untrusted(None, file);
            }
            return;
        }
        match known::read(file) {
            Ok(read) => {
                self.texts.push((Some(read.root), read.bytes));
                self.untrusted(Some(&read.manifest), file);
            }
            Err(unusable) => self.unusable(file, &unusable, self.how.strict),
        }
    }

    /// Loads a manifest that is trusted: its copy, or the file itself where that needs no pin.
    fn load_trusted(&mut self, file: &Path, copy: Option<&TrustedCopy>) -> Option<Manifest> {
        let read = match copy {
            Some(copy) => known::read_as(&copy.manifest, &copy.folder, file),
            None => known::read(file),
        };
        let read = match read {
            Ok(read) => read,
            Err(unusable) => {
                let strict = copy.map_or(self.how.strict, |_| Strictness::Lenient);
                self.unusable(file, &unusable, strict);
                return None;
            }
        };
        // Of a trusted project it is known which files belong to it: its text is not followed a second time.
        let root = if let Some(copy) = copy.filter(|copy| !copy.files.is_empty()) {
            self.listed.extend(copy.files.iter().cloned());
            None
        } else {
            // Rules run nothing: in a file of rules alone there is no line that would have to be followed.
            let root = copy.map_or(read.root, |copy| copy.pin.root.clone());
            Some(root).filter(|_| runs_something(&read.manifest))
        };
        self.texts.push((root, read.bytes));
        let first = self.hooks.len();
        self.trusted(&read.manifest, file);
        if let Some(copy) = copy {
            let copied = copy.of_hooks();
            for hook in self.hooks.iter_mut().skip(first) {
                hook.copied = Some(Arc::clone(&copied));
            }
            self.waiting(&copy.waiting, file);
        }
        Some(read.manifest)
    }
}

fn runs_something(manifest: &Manifest) -> bool {
    let mut entries = manifest.groups.iter().flat_map(|group| &group.entries);
    entries.any(|entry| !matches!(entry.action, Action::Rule(_)))
}

/// So much of files that were never trusted is read for one event, to tell a person whether there is anything in them.
const GLIMPSED: u64 = 1024 * 1024;

impl LoadedHooks {
    /// Tells whether a person misses something when a file that was never trusted does not run: one of a host's own may hold
    /// anything but hooks, and ours may hold none. What would be too much to read counts as something.
    fn asks_for_something(&mut self, file: &Path) -> bool {
        let size = file.metadata().map_or(0, |meta| meta.len());
        let Some(left) = GLIMPSED.checked_sub(self.glimpsed + size) else {
            return true;
        };
        self.glimpsed = GLIMPSED - left;
        let read = known::read(file);
        match (ManifestFormat::of(file), read) {
            (ManifestFormat::Native(..), Ok(read)) => !read.manifest.groups.is_empty(),
            // One of a host that cannot be read has none that anybody could miss.
            (ManifestFormat::Native(..), Err(_)) => false,
            (ManifestFormat::Universal, Ok(read)) => !is_empty(&read.manifest),
            (ManifestFormat::Universal, Err(_)) => true,
        }
    }
}

/// Tells whether a manifest asks for nothing at all.
fn is_empty(manifest: &Manifest) -> bool {
    manifest.groups.is_empty() && manifest.disable.is_empty()
}

fn source(file: &Path, line: u32) -> SourceLocation {
    SourceLocation {
        file: file.to_string_lossy().into(),
        line,
    }
}

/// Makes a hook of every entry of a manifest that takes part: one with `"enabled": false` does not.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_engine::core::manifest::Manifest;
/// use anyhook_engine::load::hooks;
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///         {"type": "command", "command": "./done.sh"}
///     ]}]}}"#,
/// )?;
/// let hooks = hooks(&parsed.manifest, Path::new("hooks.json"));
/// assert_eq!(&*hooks[0].info.name, "stop[0][0]", "named by its place");
/// assert_eq!(hooks[0].info.source.as_ref().unwrap().line, 2);
/// # Ok::<(), anyhook_engine::core::manifest::Finding>(())
/// ```
pub fn hooks(manifest: &Manifest, file: &Path) -> Vec<Hook> {
    let groups = manifest.groups.iter();
    groups
        .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)))
        .filter(|(_, entry)| entry.enabled)
        .map(|(group, entry)| hook(group, entry, file))
        .collect()
}

fn hook(group: &Group, entry: &Entry, file: &Path) -> Hook {
    let event = EventName::new(&group.event);
    let shadow = entry.mode == Mode::Shadow;
    let info = HookInfo {
        name: group.name_of(entry).into(),
        source: Some(source(file, entry.at.line)),
        matcher: group.matcher_text.as_deref().map(Box::from),
        priority: group.priority,
        guard: entry.guard,
        shadow,
    };
    Hook {
        info: Arc::new(info),
        when: group.matcher.clone(),
        condition: rules::condition(group, entry).map(Into::into),
        on_fault: on_fault(entry),
        mode: entry.mode,
        recheck: if entry.recheck {
            Recheck::Yes
        } else {
            Recheck::No
        },
        turn: if group.sequential {
            Concurrency::Alone
        } else {
            Concurrency::Together
        },
        if_unsayable: entry.if_unsayable.unwrap_or_default(),
        deadline: entry.timeout,
        wait: entry.wait,
        times: if entry.once {
            AskFrequency::Once
        } else {
            AskFrequency::Always
        },
        pace: pace(entry),
        only: entry.only.clone().map(Box::new),
        speaks: group.speaks.clone().map(Box::new),
        // What starts nothing has no sandbox.
        sandbox: matches!(entry.action, Action::Command(_))
            .then(|| sandbox::holding(file, entry.sandbox.as_ref()))
            .flatten()
            .map(Box::new),
        role: role(entry),
        ..Hook::new(
            event.as_str(),
            "",
            Handler::Declared(Box::new(entry.action.clone())),
        )
    }
}

/// A module that only looks is asked when everything is decided.
fn role(entry: &Entry) -> HookRole {
    let module = match &entry.action {
        Action::Builtin(builtin) => modules::find(&builtin.module),
        _ => None,
    };
    module.map_or(HookRole::Decide, |module| module.role)
}

/// What may refuse is waited for, whatever the entry says.
fn pace(entry: &Entry) -> WaitMode {
    let decides = matches!(entry.action, Action::Rule(_) | Action::Broken(_));
    if decides || entry.guard {
        WaitMode::Waited
    } else {
        entry.pace
    }
}

fn on_fault(entry: &Entry) -> OnFault {
    // No event waits for it, so nothing can depend on it.
    if pace(entry) == WaitMode::Background {
        return OnFault::Continue;
    }
    let refuses = match &entry.action {
        // A rule that cannot see must not pass, nor what cannot be read: what it wants is not known.
        Action::Rule(_) | Action::Broken(_) => true,
        // One that is not known may have been meant as a guard.
        Action::Builtin(builtin) => modules::find(&builtin.module).is_none_or(|it| it.guard),
        Action::Command(_) | Action::Prompt(_) | Action::Http(_) => entry.guard,
    };
    let default = if entry.guard || refuses {
        OnFault::Deny
    } else {
        OnFault::Continue
    };
    entry.on_failure.unwrap_or(default)
}

/// Tells whether any entry of an event is a guard, or says that its failure refuses: then a payload that cannot be read
/// is refused, because it could not be asked.
pub fn guards(hooks: &[Hook], event: &EventName) -> bool {
    let refuses = |hook: &Hook| hook.info.guard || hook.on_fault != OnFault::Continue;
    hooks
        .iter()
        .any(|hook| refuses(hook) && hook.event.covers(event) && hook.mode == Mode::Enforce)
}

/// Writes a path without what a terminal would obey: folders of a project have the names that a stranger gave them.
fn shown(path: &Path) -> String {
    plain(&path.to_string_lossy())
}

/// Writes a path as one word that can be pasted into a shell.
fn shell_word(path: &Path) -> String {
    word(&shown(path))
}

/// Tells what kind of hook an action is, as its `type` says.
pub fn kind(action: &Action) -> &'static str {
    match action {
        Action::Command(_) => "command",
        Action::Prompt(_) => "prompt",
        Action::Http(_) => "http",
        Action::Rule(_) => "rule",
        Action::Builtin(_) => "builtin",
        Action::Broken(_) => "broken",
    }
}
