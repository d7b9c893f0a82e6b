//! From files to hooks: which manifests hold for this event, whether they are trusted, and what each entry becomes.
//!
//! A file that cannot be used is never off in silence (D16, D23): it becomes a remark, a question, or a refusal.

use std::path::{Path, PathBuf};

use anyhook_core::event::{Event, EventName};
use anyhook_core::handler::Handler;
use anyhook_core::hook::{Hook, HookInfo, Mode, OnFault, Recheck, Source, Times, Turn};
use anyhook_core::manifest::{Action, Entry, Group, Manifest};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;

use crate::trust::{Standing, Trust, package_root};
use crate::world::{Places, World};

/// Where a manifest came from: what decides whether it has to be trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The person's own file, or a file that the person named on a terminal.
    Own,
    /// A file that came with a project, or was named by a host's command line.
    Project,
}

/// One manifest file, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub file: PathBuf,
    /// Where it came from.
    pub layer: Layer,
}

/// What came out of the files.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The hooks, in the order of the files and of the entries in them.
    pub hooks: Vec<Hook>,
    /// What the person should know, each with a mark under which it is said once per session.
    pub remarks: Vec<Remark>,
    /// Every file that the hooks depend on: the guarded may not write them (D28).
    pub files: Vec<PathBuf>,
}

/// Something that the person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it is about, for saying it once.
    pub mark: String,
    /// The text.
    pub text: String,
}

/// How files are loaded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Loading {
    /// Whether every file counts as trusted (`--trust-all`, for CI).
    pub trust: Trusting,
    /// Whether what is not trusted refuses (`--strict`).
    pub strict: Strictness,
}

/// Whose files are trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trusting {
    /// Those that were pinned.
    #[default]
    Pinned,
    /// All.
    All,
}

/// What an unusable file means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is told.
    #[default]
    Lenient,
    /// On the gate events that it names, a refusal.
    Strict,
}

/// The names under which a project keeps its manifest, the first one wins.
const PROJECT_MANIFESTS: &[&str] = &[".anyhook/hooks.json", "hooks/hooks.json"];

/// Returns the files that would be a project's manifest.
pub fn manifests_of(project: &Path) -> impl Iterator<Item = PathBuf> {
    PROJECT_MANIFESTS.iter().map(|name| project.join(name))
}

/// Finds the manifests that hold for these folders: the person's own, then one for each folder, its own or that of the
/// nearest folder above it, up to the root of the repository.
pub fn find(world: &World, projects: &[PathBuf]) -> Vec<Found> {
    let own = world
        .places
        .iter()
        .map(Places::user_manifest)
        .filter(|file| file.is_file());
    let mut found: Vec<Found> = own
        .map(|file| Found {
            file,
            layer: Layer::Own,
        })
        .collect();
    for file in projects.iter().filter_map(|project| nearest(project)) {
        if !found.iter().any(|found| found.file == file) {
            found.push(Found {
                file,
                layer: Layer::Project,
            });
        }
    }
    found
}

fn nearest(project: &Path) -> Option<PathBuf> {
    for folder in project.ancestors() {
        let file = manifests_of(folder).find(|file| file.is_file());
        if file.is_some() || folder.join(".git").exists() {
            return file;
        }
    }
    None
}

/// Reads the manifests. Never fails: what is wrong with a file is in the result.
pub fn load(found: &[Found], trust: Option<&Trust>, how: Loading) -> Loaded {
    let mut loaded = Loaded::default();
    for found in found {
        load_one(found, trust, how, &mut loaded);
    }
    loaded
}

/// Finds the manifests of these folders that were trusted and are gone: a guard must not end by being deleted.
pub fn gone(trust: &Trust, projects: &[PathBuf], found: &[Found]) -> Vec<Found> {
    let holds = |file: &PathBuf| {
        let root = package_root(file);
        projects.iter().any(|project| project.starts_with(&root))
    };
    let is_found = |file: &PathBuf| {
        found
            .iter()
            .any(|found| found.file.canonicalize().is_ok_and(|found| found == *file))
    };
    let pinned = trust
        .pinned()
        .into_iter()
        .filter(|file| !is_found(file) && holds(file) && !file.exists());
    pinned
        .map(|file| Found {
            file,
            layer: Layer::Project,
        })
        .collect()
}

fn load_one(found: &Found, trust: Option<&Trust>, how: Loading, into: &mut Loaded) {
    into.files.push(found.file.clone());
    // Read once: what is judged is what runs.
    let read = std::fs::read(&found.file);
    let standing = match (found.layer, how.trust, trust, &read) {
        (Layer::Own, ..) | (Layer::Project, Trusting::All, ..) => Standing::Trusted,
        (Layer::Project, Trusting::Pinned, None, _) => Standing::Never(None),
        (Layer::Project, Trusting::Pinned, Some(trust), Ok(bytes)) => {
            trust.standing_of(&found.file, bytes)
        }
        (Layer::Project, Trusting::Pinned, Some(trust), Err(_)) => trust.standing(&found.file),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => {
            let why = format!("`{}` cannot be read: {error}", found.file.display());
            return into.unusable(&found.file, &standing, &why, how);
        }
    };
    let parsed = match Manifest::parse(&String::from_utf8_lossy(&bytes)) {
        Ok(parsed) => parsed,
        Err(finding) => {
            let at = &finding.at;
            let why = format!(
                "`{}:{}:{}`: {}",
                found.file.display(),
                at.line,
                at.column,
                finding.message
            );
            return into.unusable(&found.file, &standing, &why, how);
        }
    };
    let root = package_root(&found.file);
    let scripts = crate::trust::scripts(&bytes, &root).unwrap_or_default();
    into.files
        .extend(scripts.iter().map(|script| root.join(script)));
    match standing {
        Standing::Trusted => into.hooks.extend(hooks(&parsed.manifest, &found.file)),
        Standing::Never(None) => into.untrusted(&parsed.manifest, &found.file, how),
        // A pin that cannot be used any more was one: somebody may have spoiled it.
        Standing::Never(Some(why)) | Standing::Unreadable(why) => {
            into.changed(&parsed.manifest, &found.file, &why);
        }
        Standing::Changed(changes) => {
            let list = changes
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ");
            into.changed(&parsed.manifest, &found.file, &list);
        }
    }
}

impl Loaded {
    fn remark(&mut self, file: &Path, text: String) {
        self.remarks.push(Remark {
            mark: format!("manifest:{}", file.display()),
            text,
        });
    }

    /// A file that was never trusted does not run, and says so with the command to type.
    fn untrusted(&mut self, manifest: &Manifest, file: &Path, how: Loading) {
        let text = format!(
            "the hooks of `{}` are not trusted, so they did not run; look at them, then type: anyhook trust {}",
            file.display(),
            shell_word(file),
        );
        if how.strict == Strictness::Strict {
            let reason = format!("{text} (strict: nothing that they guard runs until then)");
            self.stand_ins(manifest, file, &|| HookResult::deny(reason.clone()));
        }
        self.remark(file, text);
    }

    /// A file that was trusted and has changed since: its guards ask, and nothing of it runs.
    fn changed(&mut self, manifest: &Manifest, file: &Path, changes: &str) {
        let text = format!(
            "the hooks of `{}` changed since they were trusted ({changes}); look at the change with: anyhook trust \
             --diff {}, then type: anyhook trust {}",
            file.display(),
            shell_word(file),
            shell_word(file),
        );
        let question = format!("{text}. Go on without these hooks, this once?");
        self.stand_ins(manifest, file, &|| HookResult::ask(question.clone()));
        self.remark(file, text);
    }

    /// A file that cannot be read any more counts as changed, and nobody knows which events it guarded: all of them.
    fn unusable(&mut self, file: &Path, standing: &Standing, why: &str, how: Loading) {
        let once_trusted = !matches!(standing, Standing::Never(None));
        if once_trusted || how.strict == Strictness::Strict {
            let question = format!(
                "{why}. Nobody knows what its hooks would say. Go on without them, this once?"
            );
            for event in ["tool:pre", "prompt:submit", "approval:required"] {
                let question = question.clone();
                self.hooks.push(stand_in(event, file, 0, move || {
                    HookResult::ask(question.clone())
                }));
            }
        }
        self.remark(file, why.to_owned());
    }

    /// One guard for each gate event that a manifest names, in the place of its hooks.
    fn stand_ins(&mut self, manifest: &Manifest, file: &Path, says: &dyn Fn() -> HookResult) {
        for group in &manifest.groups {
            if EventName::new(&group.event).class() == Class::Gate {
                let said = says();
                let hook = stand_in(&group.event, file, group.at.line, move || said.clone());
                self.hooks.push(match &group.matcher_text {
                    Some(_) => hook.when(group.matcher.clone()),
                    None => hook,
                });
            }
        }
    }
}

fn stand_in(
    event: &str,
    file: &Path,
    line: u32,
    says: impl Fn() -> HookResult + Send + Sync + 'static,
) -> Hook {
    let mut hook = Hook::in_process(event, "anyhook:trust", move |_: &Event| says()).guard();
    std::sync::Arc::make_mut(&mut hook.info).source = Some(source(file, line));
    hook
}

fn source(file: &Path, line: u32) -> Source {
    Source {
        file: file.to_string_lossy().into(),
        line,
    }
}

/// Makes a hook of every entry of a manifest.
pub fn hooks(manifest: &Manifest, file: &Path) -> Vec<Hook> {
    let groups = manifest.groups.iter();
    groups
        .flat_map(|group| group.entries.iter().map(|entry| hook(group, entry, file)))
        .collect()
}

fn hook(group: &Group, entry: &Entry, file: &Path) -> Hook {
    let event = EventName::new(&group.event);
    let shadow = entry.mode == Mode::Shadow;
    let info = HookInfo {
        name: name(group, entry).into(),
        source: Some(source(file, entry.at.line)),
        matcher: group.matcher_text.as_deref().map(Box::from),
        priority: group.priority,
        guard: entry.guard,
        shadow,
    };
    Hook {
        info: std::sync::Arc::new(info),
        when: group.matcher.clone(),
        on_fault: on_fault(entry),
        mode: entry.mode,
        recheck: if entry.recheck {
            Recheck::Yes
        } else {
            Recheck::No
        },
        turn: if group.sequential {
            Turn::Alone
        } else {
            Turn::Together
        },
        if_unsayable: entry.if_unsayable.unwrap_or_default(),
        deadline: entry.timeout,
        times: if entry.once {
            Times::Once
        } else {
            Times::Always
        },
        ..Hook::new(
            event.as_str(),
            "",
            Handler::Declared(Box::new(entry.action.clone())),
        )
    }
}

fn on_fault(entry: &Entry) -> OnFault {
    let default = if entry.guard {
        OnFault::Deny
    } else {
        OnFault::Continue
    };
    entry.on_failure.unwrap_or(default)
}

/// Names a hook as its author did, else by its place in the file.
fn name(group: &Group, entry: &Entry) -> String {
    match (&entry.name, &group.name) {
        (Some(name), _) => name.clone(),
        (None, Some(name)) if group.entries.len() == 1 => name.clone(),
        (None, Some(name)) => format!("{name}[{}]", entry.index),
        (None, None) => format!("{}[{}][{}]", group.event, group.index, entry.index),
    }
}

/// Tells whether any entry of an event is a guard: then a payload that cannot be read is refused (D26).
pub fn guards(hooks: &[Hook], event: &EventName) -> bool {
    hooks
        .iter()
        .any(|hook| hook.info.guard && hook.event == *event && hook.mode == Mode::Enforce)
}

/// Writes a path as one word that can be pasted into a shell.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,%".contains(c);
    if text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Tells what kind of hook an action is, as its `type` says.
pub fn kind(action: &Action) -> &'static str {
    match action {
        Action::Command(_) => "command",
        Action::Prompt(_) => "prompt",
        Action::Broken(_) => "broken",
    }
}
