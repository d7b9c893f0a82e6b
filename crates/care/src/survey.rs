//! A survey of the layers: which files there are, what of them runs, and which file set what.

mod words;

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::hook::Hook;
use anyhook_engine::config::{self, SettingSource};
use anyhook_engine::layers::{LAYERS, Layer};
use anyhook_engine::load::{self, DisableSource, DisabledHook, LoadOptions, ManifestFile};
use anyhook_engine::models::{ConfiguredModel, SettingsSource};
use anyhook_engine::policy;
use anyhook_engine::trust::{PinStatus, Trust};
use anyhook_engine::world::World;
use serde::Serialize;

/// What the files of all layers come to.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::layers::Layer;
/// use anyhook_care::survey::{HookStatus, Survey, LayerFile};
/// use anyhook_engine::world::World;
///
/// let place = tempfile::tempdir()?;
/// fs::create_dir(place.path().join("hooks"))?;
/// fs::write(
///     place.path().join("hooks/hooks.json"),
///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///         {"type": "command", "command": "./done.sh", "name": "done"}
///     ]}]}}"#,
/// )?;
/// let managed = place.path().join("managed");
/// let world = World { cwd: place.path().into(), places: None, managed, ..World::real() };
/// let Survey { files, .. } = Survey::of(&world, "");
///
/// let LayerFile { layer, standing, hooks, .. } = files.iter().find(|file| file.is_there()).unwrap();
/// assert_eq!(*layer, Layer::Project);
/// assert!(standing.is_some());
/// assert_eq!(hooks[0].runs, HookStatus::Untrusted, "a stranger's");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Survey {
    /// The files, from the outermost layer; also those that would be looked for and are not there.
    pub files: Vec<LayerFile>,
    /// What is set besides hooks, and by what.
    pub settings: Vec<SurveySetting>,
}

/// One file of a layer.
///
/// ```
/// use anyhook_engine::layers::Layer;
/// use anyhook_care::survey::LayerFile;
///
/// let file = "/etc/anyhook/hooks.json".into();
/// let absent = LayerFile::absent(Layer::Managed, file);
/// assert!(!absent.is_there() && absent.hooks.is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct LayerFile {
    /// Its layer.
    pub layer: Layer,
    /// The file.
    pub file: PathBuf,
    /// How it stands with the person; nothing where it is not there and never was trusted.
    pub standing: Option<PinStatus>,
    /// What else is wrong with it, such as that others may change it.
    pub trouble: Option<String>,
    /// Every hook in it, in the order of the text.
    pub hooks: Vec<LayerHook>,
}

impl LayerFile {
    /// A file that is not there.
    pub fn absent(layer: Layer, file: PathBuf) -> Self {
        Self {
            layer,
            file,
            standing: None,
            trouble: None,
            hooks: Vec::new(),
        }
    }

    /// Tells whether something stands at its place, or once did and was trusted.
    pub fn is_there(&self) -> bool {
        self.standing.is_some()
    }

    /// Tells whether a person has to look at it before it runs as it stands there.
    pub fn waits(&self) -> bool {
        let standing = self.standing.as_ref().filter(|_| self.layer.needs_trust());
        standing.is_some_and(|standing| *standing != PinStatus::Trusted)
    }
}

/// One hook of a survey.
///
/// ```
/// use std::sync::Arc;
///
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::Hook;
/// use anyhook_care::survey::{LayerHook, HookStatus};
///
/// let hook = Arc::new(Hook::on("stop", |_: &Event| ()));
/// let listed = LayerHook { hook, runs: HookStatus::Yes };
/// assert_eq!(listed.runs, HookStatus::Yes);
/// ```
#[derive(Debug, Clone)]
pub struct LayerHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Whether it runs.
    pub runs: HookStatus,
}

/// Whether a hook runs under an agent.
///
/// ```
/// use anyhook_care::survey::HookStatus;
/// use anyhook_engine::load::DisableSource;
/// assert_ne!(HookStatus::Yes, HookStatus::Off(DisableSource::Itself));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookStatus {
    /// It does.
    Yes,
    /// It is switched off.
    Off(DisableSource),
    /// Its file is not trusted, or changed since it was.
    Untrusted,
}

/// Something that is set besides hooks.
///
/// ```
/// use anyhook_care::survey::{SurveySetting, Survey};
/// use anyhook_engine::world::World;
///
/// let world = World { env: [].into(), places: None, managed: "/nowhere".into(), ..World::real() };
/// let settings = Survey::of(&world, "").settings;
/// let SurveySetting { value, set_by, .. } =
///     settings.iter().find(|set| set.name == "session.injection_size_limit").unwrap();
/// assert_eq!((value.as_str(), set_by.as_str()), ("10240", "built in"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SurveySetting {
    /// Its name.
    pub name: String,
    /// Its value; of a key only the name of its variable.
    pub value: String,
    /// The file that set it, or `environment`, `built in`, `its table has a mistake`, or `nothing`.
    pub set_by: String,
}

impl Survey {
    /// Surveys what holds for the folder that the world stands in when this host calls; with an empty name whichever.
    pub fn of(world: &World, host: &str) -> Self {
        let projects = std::slice::from_ref(&world.cwd);
        let trust = world.places.as_ref().map(Trust::of);
        let found = load::find(world, projects, host, trust.as_ref());
        Self::of_files(world, &found)
    }

    /// Surveys these files.
    ///
    /// ```
    /// use anyhook_engine::load::{ManifestFile, Layer};
    /// use anyhook_care::survey::Survey;
    /// use anyhook_engine::world::World;
    ///
    /// let named = ManifestFile { file: "/no/such/hooks.json".into(), layer: Layer::Named };
    /// assert_eq!(Survey::of_files(&World::real(), &[named]).hooks().count(), 0);
    /// ```
    pub fn of_files(world: &World, found: &[ManifestFile]) -> Self {
        let trust = world.places.as_ref().map(Trust::of);
        let every = Loaded::of(load::load(found, None, LoadOptions::ALL));
        let trusted = Loaded::of(load::load(found, trust.as_ref(), LoadOptions::default()));
        let there = found.iter().map(|found| LayerFile {
            hooks: listed(&found.file, &trusted, &every),
            ..surveyed(found, trust.as_ref())
        });
        let mut files: Vec<LayerFile> = there.collect();
        let is_named = |found: &ManifestFile| found.layer == Layer::Named;
        if !found.iter().any(is_named) {
            absent(world, &mut files);
        }
        files.sort_by_key(|file| file.layer);
        Self {
            files,
            settings: settings(world),
        }
    }

    /// Returns every hook, in the order of the files and of the entries in them, with its file.
    pub fn hooks(&self) -> impl Iterator<Item = (&LayerFile, &LayerHook)> {
        let files = self.files.iter();
        files.flat_map(|file| file.hooks.iter().map(move |listed| (file, listed)))
    }
}

/// The hooks that run, and those that are switched off.
struct Loaded {
    on: Vec<Arc<Hook>>,
    off: Vec<DisabledHook>,
}

impl Loaded {
    fn of(loaded: load::LoadedHooks) -> Self {
        Self {
            on: loaded.hooks.into_iter().map(Arc::new).collect(),
            off: loaded.off,
        }
    }

    /// Returns what a file declares.
    fn declared(&self, file: &Path) -> impl Iterator<Item = &Arc<Hook>> {
        let all = self.on.iter().chain(self.off.iter().map(|off| &off.hook));
        all.filter(move |hook| hook.is_declared() && is_of(hook, file))
    }
}

/// Says of every hook of a file whether it runs. What a person trusted is listed as that, and every other file as it stands
/// there.
fn listed(file: &Path, trusted: &Loaded, every: &Loaded) -> Vec<LayerHook> {
    let is_copied = trusted.declared(file).any(|hook| hook.copied.is_some());
    let loaded = if is_copied { trusted } else { every };
    let mut listed: Vec<LayerHook> = loaded
        .declared(file)
        .map(|hook| LayerHook {
            hook: Arc::clone(hook),
            runs: runs(hook, trusted),
        })
        .collect();
    listed.sort_by_key(|listed| listed.hook.info.source.as_ref().map(|source| source.line));
    listed
}

fn is_of(hook: &Hook, file: &Path) -> bool {
    let source = hook.info.source.as_ref();
    source.is_some_and(|source| *source.file == *file.to_string_lossy())
}

fn runs(hook: &Hook, Loaded { on, off }: &Loaded) -> HookStatus {
    let is_it = |other: &Hook| other.info == hook.info && other.event == hook.event;
    if on.iter().any(|other| is_it(other)) {
        return HookStatus::Yes;
    }
    let off = off.iter().find(|off| is_it(&off.hook));
    off.map_or(HookStatus::Untrusted, |off| HookStatus::Off(off.by.clone()))
}

/// Tells how a file of a layer stands with the person.
pub(crate) fn standing(file: &Path, layer: Layer, trust: Option<&Trust>) -> PinStatus {
    match trust {
        _ if !layer.needs_trust() => PinStatus::Trusted,
        Some(trust) => trust.standing(file),
        None => PinStatus::Never(None),
    }
}

fn surveyed(found: &ManifestFile, trust: Option<&Trust>) -> LayerFile {
    let meta = std::fs::metadata(&found.file);
    let others = |meta: &_| match found.layer {
        Layer::Managed => changeable(meta),
        Layer::User | Layer::Project | Layer::Local | Layer::Package | Layer::Named => None,
    };
    LayerFile {
        standing: Some(standing(&found.file, found.layer, trust)),
        trouble: match &meta {
            Ok(meta) => others(meta),
            Err(error) => Some(error.to_string()),
        },
        ..LayerFile::absent(found.layer, found.file.clone())
    }
}

/// Adds, for every layer that has no file here, where one would be.
fn absent(world: &World, files: &mut Vec<LayerFile>) {
    for layer in LAYERS {
        if files.iter().any(|file| file.layer == layer) {
            continue;
        }
        let places = world.places.as_ref();
        let candidates = layer.files().iter().filter_map(|name| {
            let base = match name.split_once('/')? {
                ("$managed", _) => world.managed.clone(),
                ("$config", _) => places?.config.clone(),
                ("~", _) => places?.home.clone(),
                _ => world.cwd.clone(),
            };
            Some(base.join(name.split_once('/')?.1))
        });
        files.extend(candidates.map(|file| LayerFile::absent(layer, file)));
    }
}

fn set(name: &str, value: impl Into<String>, by: &str) -> SurveySetting {
    SurveySetting {
        name: name.to_owned(),
        value: value.into(),
        set_by: by.to_owned(),
    }
}

fn settings(world: &World) -> Vec<SurveySetting> {
    let mut all = model(world);
    all.extend(config::listed(world).into_iter().map(|one| SurveySetting {
        name: one.name,
        value: one.value,
        set_by: match one.source {
            SettingSource::File(file) => file.to_string_lossy().into_owned(),
            SettingSource::Default => "built in".to_owned(),
            SettingSource::Mistake => "its table has a mistake".to_owned(),
        },
    }));
    if let Some(places) = &world.places {
        let folders = [
            ("approvals", places.approvals()),
            ("reports", places.reports()),
            ("sessions", places.sessions()),
            ("trust", places.trust()),
        ];
        let moved = world.var("XDG_STATE_HOME").is_some();
        let by = if moved { "environment" } else { "built in" };
        all.extend(folders.map(|(name, folder)| set(name, folder.to_string_lossy(), by)));
    }
    all
}

/// Which model is asked, and who chose it.
fn model(world: &World) -> Vec<SurveySetting> {
    let configured = ConfiguredModel::of(world);
    let settings = match &configured.settings {
        Ok(settings) => settings,
        Err(error) => return vec![set("model", error.to_string(), "nothing")],
    };
    let whose = match &settings.whose {
        SettingsSource::Managed(file) | SettingsSource::User(file) => {
            file.to_string_lossy().into_owned()
        }
        SettingsSource::Environment => "environment".to_owned(),
    };
    let key = match &settings.key {
        Some(_) => format!("in {}", configured.key_env),
        None => "none".to_owned(),
    };
    vec![
        set("model.provider", settings.provider.id, &whose),
        set("model.base-url", &settings.base, &whose),
        set("model.model", &settings.model, &whose),
        set("model.key", key, &whose),
    ]
}

/// Tells what lets another user than an administrator change a file or folder of the managed layer.
fn changeable(meta: &Metadata) -> Option<String> {
    by_owner(meta.uid(), meta.mode())
}

fn by_owner(owner: u32, mode: u32) -> Option<String> {
    if owner != 0 {
        Some(format!("it belongs to the user {owner} and not to root"))
    } else if mode & 0o002 != 0 {
        Some("everybody may write it".to_owned())
    } else if mode & 0o020 != 0 {
        Some("its group may write it".to_owned())
    } else {
        None
    }
}

/// Looks at the files of the managed layer that are there, and returns those that others may change, with why.
pub(crate) fn managed_trouble(world: &World) -> Vec<(PathBuf, String)> {
    let folder = &world.managed;
    let files = ["hooks.json", "config.toml", "keys", policy::FOLDER].map(|name| folder.join(name));
    let policy = policy::folder(folder).into_iter();
    let policy = policy.flat_map(|at| [at.join("hooks/hooks.json"), at.join(policy::STAMP), at]);
    let there = std::iter::once(folder.clone()).chain(files).chain(policy);
    there
        .filter_map(|path| {
            let why = changeable(&std::fs::metadata(&path).ok()?)?;
            Some((path, why))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_may_be_able_to_change_what_is_managed() {
        let told = [
            (0, 0o644),
            (0, 0o755),
            (1000, 0o644),
            (0, 0o666),
            (0, 0o664),
        ]
        .map(|(owner, mode)| by_owner(owner, mode));
        assert_eq!(
            told,
            [
                None,
                None,
                Some("it belongs to the user 1000 and not to root".into()),
                Some("everybody may write it".into()),
                Some("its group may write it".into()),
            ]
        );
    }
}
