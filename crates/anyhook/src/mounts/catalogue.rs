//! The modules that a program knows, and where it finds the others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::taxonomy::nearest;
use anyhook_engine::Session;
use anyhook_engine::modules::MODULES;
use anyhook_engine::trust::Trust;
use anyhook_engine::world::World;
use serde_json::Value;

use super::lock::LockFile;
use super::module::{Mount, MountError, MountErrorKind};
use super::package::HookPackage;
use super::plan::{ModuleEntry, Plan};
use super::source::ModuleSource;

/// A module that was found.
///
/// ```
/// use anyhook::Session;
/// use anyhook::mounts::{Catalogue, ModuleEntry, FoundModule};
/// use serde_json::{Value, json};
///
/// let catalogue = Catalogue::default().with("audit", |_: &Session, _: &Value| ());
/// let FoundModule { kind, folder, commit, .. } = catalogue.find(&ModuleEntry::new("audit", json!({})), "".as_ref())?;
/// assert_eq!((kind, folder, commit), ("function", None, None));
/// # Ok::<(), anyhook::mounts::MountError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FoundModule {
    /// The module.
    pub module: Arc<dyn Mount>,
    /// What kind of module it is.
    pub kind: &'static str,
    /// Its folder, if it has one.
    pub folder: Option<PathBuf>,
    /// The commit that it is of, if it comes from a repository.
    pub commit: Option<String>,
}

impl FoundModule {
    fn of(module: Arc<dyn Mount>, kind: &'static str, folder: Option<&Path>) -> Self {
        Self {
            module,
            kind,
            folder: folder.map(Path::to_owned),
            commit: None,
        }
    }
}

/// Whose packages of hooks run.
///
/// ```
/// use anyhook::mounts::PackageTrust;
/// assert!(matches!(PackageTrust::default(), PackageTrust::Trusted));
/// ```
#[derive(Debug, Clone, Default)]
pub enum PackageTrust {
    /// Those that the plan names: a person who may write the plan says what runs.
    #[default]
    Trusted,
    /// Those that a person pinned with `anyhook trust`, too.
    Pinned(Trust),
}

/// The modules that a program knows, and how it finds those of a plan.
///
/// A name is looked for among the modules of the program, then among those that are built in. A folder is a package of hooks.
///
/// ```
/// use anyhook::Session;
/// use anyhook::core::event::Event;
/// use anyhook::mounts::{Catalogue, PackageTrust, Plan};
/// use anyhook::session::Setup;
/// use anyhook::world::World;
/// use serde_json::Value;
///
/// let catalogue = Catalogue::new(World::real())
///     .with("audit", |session: &Session, _: &Value| {
///         session.hooks().on("*", |_: &Event| ());
///     })
///     .packages(PackageTrust::Trusted);
/// let plan = Plan::read("plan.json".as_ref(), r#"{"hooks": [{"module": "audit"}, {"module": "audti"}]}"#)?;
///
/// let session = Session::with("s1", Setup { settings: plan.settings.clone(), ..Setup::default() });
/// let outcomes = catalogue.mount_blocking(&session, &plan);
/// assert_eq!(outcomes[0].error(), None);
/// let error = outcomes[1].error().unwrap();
/// assert_eq!(error.help.as_deref(), Some("did you mean `audit`?"));
///
/// // The same plan once more brings nothing, and what is mounted can go.
/// assert_eq!(catalogue.mount_blocking(&session, &plan)[0].error(), None);
/// assert_eq!(session.hooks().list_handlers(Some("stop"))["stop"].len(), 1);
/// assert!(session.unmount_blocking("audit").is_empty());
/// assert!(session.hooks().list_handlers(Some("stop"))["stop"].is_empty());
/// # Ok::<(), anyhook::core::manifest::Finding>(())
/// ```
#[derive(Clone)]
pub struct Catalogue {
    pub(super) world: Arc<World>,
    own: BTreeMap<String, Arc<dyn Mount>>,
    others: Option<&'static str>,
    packages: PackageTrust,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new(World::real())
    }
}

impl Catalogue {
    /// Makes a catalogue of what is built in.
    pub fn new(world: World) -> Self {
        Self {
            world: Arc::new(world),
            own: BTreeMap::new(),
            others: None,
            packages: PackageTrust::default(),
        }
    }

    /// Adds a module of the program, under a name. It is found before a built-in one of that name.
    pub fn with(mut self, name: &str, module: impl Mount + 'static) -> Self {
        self.own.insert(name.to_owned(), Arc::new(module));
        self
    }

    /// Takes every folder that is no package of hooks for a module of this kind, which the program mounts itself.
    ///
    /// ```
    /// use anyhook::mounts::{Catalogue, ModuleEntry, ModuleSource};
    ///
    /// let place = tempfile::tempdir()?;
    /// let mut entry = ModuleEntry::new("lint", serde_json::json!({}));
    /// entry.source = Some(ModuleSource::Folder(place.path().into()));
    /// let found = Catalogue::default().others("script").find(&entry, place.path())?;
    /// assert_eq!(found.kind, "script");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn others(mut self, kind: &'static str) -> Self {
        self.others = Some(kind);
        self
    }

    /// Says whose packages run.
    pub fn packages(mut self, packages: PackageTrust) -> Self {
        self.packages = packages;
        self
    }

    /// Finds a module, without mounting it. What a repository has is fetched, and pinned in the lock file of `folder`.
    pub fn find(&self, entry: &ModuleEntry, folder: &Path) -> Result<FoundModule, MountError> {
        let mut lock = LockFile::of(self.world.absolute(folder));
        let found = self.find_with(entry, &mut lock);
        lock.save()?;
        found
    }

    /// Finds every module of a plan, in its order.
    ///
    /// ```
    /// use anyhook::mounts::{Catalogue, Plan};
    ///
    /// let plan = Plan::read("plan.json".as_ref(), r#"{"hooks": [{"module": "x", "source": "./nowhere"}]}"#)?;
    /// let found = Catalogue::default().find_all(&plan);
    /// assert!(found[0].as_ref().is_err_and(|error| error.text.ends_with("nowhere` is no folder")));
    /// # Ok::<(), anyhook::core::manifest::Finding>(())
    /// ```
    pub fn find_all(&self, plan: &Plan) -> Vec<Result<FoundModule, MountError>> {
        let mut lock = LockFile::of(self.world.absolute(&plan.folder));
        let entries = plan.entries.iter();
        let mut all: Vec<_> = entries
            .map(|entry| self.find_with(entry, &mut lock))
            .collect();
        if let Err(error) = lock.save() {
            // What could not be pinned would be something else tomorrow.
            for (found, entry) in all.iter_mut().zip(&plan.entries) {
                if matches!(entry.source, Some(ModuleSource::Git(_))) && found.is_ok() {
                    *found = Err(error.clone());
                }
            }
        }
        all
    }

    fn find_with(
        &self,
        entry: &ModuleEntry,
        lock: &mut LockFile,
    ) -> Result<FoundModule, MountError> {
        if let Some(problem) = &entry.problem {
            return Err(MountError::new(MountErrorKind::BadEntry, problem));
        }
        match &entry.source {
            None => self.by_name(&entry.module),
            Some(ModuleSource::Named(name)) => {
                let folder = lock.folder.join(name);
                if self.own.contains_key(name) || !folder.is_dir() {
                    return self.by_name(name);
                }
                self.by_name(name).or_else(|_| self.in_folder(&folder))
            }
            Some(ModuleSource::Folder(folder)) => self.in_folder(&self.world.absolute(folder)),
            Some(ModuleSource::Git(git)) => {
                let fetched = lock.fetch(git, &self.world)?;
                let found = self.in_folder(&fetched.meant_by(git))?;
                Ok(FoundModule {
                    commit: Some(fetched.pinned.commit),
                    ..found
                })
            }
        }
    }

    fn by_name(&self, name: &str) -> Result<FoundModule, MountError> {
        if let Some(own) = self.own.get(name) {
            return Ok(FoundModule::of(Arc::clone(own), "function", None));
        }
        if let Some(built_in) = super::built_in::find(name, &self.world) {
            return Ok(FoundModule::of(built_in, "built-in", None));
        }
        let own = self.own.keys().map(String::as_str);
        let known = own.chain(MODULES.iter().map(|module| module.name));
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "say with `source` where it comes from".to_owned(),
        };
        let text = format!("no module is called `{name}`");
        Err(MountError::new(MountErrorKind::NotFound, text).help(help))
    }

    /// Finds the module in a folder.
    pub(super) fn in_folder(&self, folder: &Path) -> Result<FoundModule, MountError> {
        let shown = folder.display();
        if !folder.is_dir() {
            let text = format!("`{shown}` is no folder");
            return Err(MountError::new(MountErrorKind::NotFound, text));
        }
        if let Some(package) = HookPackage::of(folder, &self.world, &self.packages) {
            return Ok(FoundModule::of(Arc::new(package?), "package", Some(folder)));
        }
        if let Some(kind) = self.others {
            let module = Arc::new(|_: &Session, _: &Value| ());
            return Ok(FoundModule::of(module, kind, Some(folder)));
        }
        let text = format!("`{shown}` holds no module");
        let help = if folder.join("pyproject.toml").is_file() {
            "a module in Python is mounted by a program in Python"
        } else {
            "a package of hooks has a `hooks/hooks.json`"
        };
        Err(MountError::new(MountErrorKind::NotAModule, text).help(help))
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue")
            .field("own", &self.own.keys())
            .finish_non_exhaustive()
    }
}
