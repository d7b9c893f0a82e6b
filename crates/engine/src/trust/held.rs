//! The files of a package that an event runs: the trusted copy, or nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::hook::Copied;

use super::copies::Copies;
use super::place::name_of;
use super::{Change, Pinned, Trust, changes, record};
use crate::files;

/// What an event may run of a manifest.
///
/// ```
/// use anyhook_engine::trust::{Held, HeldCopy, Trust};
///
/// let place = tempfile::tempdir()?;
/// let manifest = place.path().canonicalize()?.join("rules.json");
/// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
/// let trust = Trust::new(place.path().join("pins"));
/// assert!(matches!(trust.held(&manifest), Held::Never));
/// trust.pin(&manifest, 0)?;
/// std::fs::write(&manifest, "{}")?;
/// let Held::Copy(copy) = trust.held(&manifest) else { panic!("it was trusted") };
/// let HeldCopy { manifest, waiting, .. } = *copy;
/// assert_eq!((waiting.len(), std::fs::read(manifest)?.len()), (1, 27));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// A person never trusted it: nothing of it runs.
    Never,
    /// It was trusted, and cannot run for this reason: what it guarded is asked about.
    Unclear(String),
    /// The trusted copy runs.
    Copy(Box<HeldCopy>),
}

/// The copy of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldCopy {
    /// The root of the package in the copy.
    pub folder: PathBuf,
    /// The manifest in the copy.
    pub manifest: PathBuf,
    /// The live root of the package.
    pub root: PathBuf,
    /// The files that hooks execute, below the root.
    pub runs: Vec<String>,
    /// The live files that belong to a project, and those that would. A package is a folder, and lists none.
    pub files: Vec<PathBuf>,
    /// What is different in the live package, which waits for a person to look at it.
    pub waiting: Vec<Change>,
}

impl HeldCopy {
    /// Tells a hook of this package what it runs.
    pub fn of_hooks(&self) -> Arc<Copied> {
        let runs = self.runs.iter();
        Arc::new(Copied {
            folder: self.folder.clone().into(),
            root: self.root.clone().into(),
            runs: runs.map(|file| file.as_str().into()).collect(),
        })
    }
}

impl Trust {
    /// Tells what an event may run of a manifest, also of one that is gone.
    ///
    /// A worktree or a clone with the same files as a trusted package is trusted with it.
    pub fn held(&self, manifest: &Path) -> Held {
        match self.pin_at(manifest) {
            Err(why) => Held::Unclear(why),
            // A policy that vouches for it no longer is a person who was never asked.
            Ok(Some(pin)) if pin.vouched && !self.vouches(&pin) => Held::Never,
            Ok(Some(pin)) => self.hold(&pin, manifest),
            Ok(None) => match self.is_pinned(manifest) {
                Ok(true) => Held::Unclear(record::VANISHED.to_owned()),
                Err(error) => Held::Unclear(format!("the pins cannot be read: {error}")),
                Ok(false) => match self.twin(manifest).or_else(|| self.vouched(manifest)) {
                    Some(pin) => self.hold(&pin, manifest),
                    None => Held::Never,
                },
            },
        }
    }

    fn hold(&self, pin: &Pinned, manifest: &Path) -> Held {
        if let Some(why) = &self.unproved {
            return Held::Unclear(why.clone());
        }
        let copies = Copies::below(&self.dir);
        if let Err(why) = copies.verify(pin) {
            // What is still the same on the disk makes the same copy again.
            let root = &pin.root;
            let live = |name: &str| files::read_script(&root.join(name)).ok();
            if copies.make(pin, live).is_err() {
                return Held::Unclear(why);
            }
        }
        let waiting = changes(pin, manifest, Some(&copies.seen(pin)));
        let altered = waiting.iter().find(|change| pin.is_checked(&change.file));
        if let Some(altered) = altered {
            return Held::Unclear(format!(
                "{altered}, and no copy stands in for it: a hook runs it where it stands"
            ));
        }
        let folder = copies.of(pin);
        let root = &pin.root;
        let files = waiting.iter().map(|change| &change.file);
        let files = files.chain(pin.files.keys()).filter(|_| !pin.whole);
        Held::Copy(Box::new(HeldCopy {
            manifest: folder.join(&pin.given),
            root: root.clone(),
            runs: pin.runs.clone(),
            files: files.map(|file| root.join(file)).collect(),
            waiting,
            folder,
        }))
    }

    /// Keeps a pin for another place of the same package, with a copy made of that of the first.
    pub(super) fn adopt(&self, of: &Pinned, manifest: &Path, root: &Path) -> Option<Pinned> {
        let copies = Copies::below(&self.dir);
        copies.verify(of).ok()?;
        let pin = Pinned {
            manifest: name_of(manifest),
            names: [name_of(manifest)].into(),
            root: root.to_owned(),
            ..of.clone()
        };
        let (pin, from) = (pin.named(), copies.of(of));
        let content = |name: &str| files::read_script(&from.join(name)).ok();
        self.keep(&pin, content).ok()?;
        Some(pin)
    }
}
