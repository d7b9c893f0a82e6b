//! The files of a package that an event runs: the trusted copy, or nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhook_core::hook::PinnedCopy;

use super::copies::CopyStore;
use super::place::name_of;
use super::point::pointed;
use super::scripts::followed;
use super::tree::PackageTree;
use super::unit::is_in_environment;
use super::{DifferenceKind, PinDifference, Trust, TrustPin, changes, record};
use crate::files;

/// What an event may run of a manifest.
///
/// ```
/// use anyhook_engine::trust::{Admission, TrustedCopy, Trust};
///
/// let place = tempfile::tempdir()?;
/// let manifest = place.path().canonicalize()?.join("rules.json");
/// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
/// let trust = Trust::new(place.path().join("pins"));
/// assert!(matches!(trust.admission(&manifest), Admission::Never));
/// trust.pin(&manifest, 0)?;
/// std::fs::write(&manifest, "{}")?;
/// let Admission::Copy(copy) = trust.admission(&manifest) else { panic!("it was trusted") };
/// let TrustedCopy { manifest, waiting, .. } = *copy;
/// assert_eq!((waiting.len(), std::fs::read(manifest)?.len()), (1, 27));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// A person never trusted it: nothing of it runs.
    Never,
    /// It was trusted, and cannot run for this reason: what it guarded is asked about.
    Unclear(String),
    /// The trusted copy runs.
    Copy(Box<TrustedCopy>),
}

/// The copy of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedCopy {
    /// The root of the package in the copy.
    pub folder: PathBuf,
    /// The manifest in the copy.
    pub manifest: PathBuf,
    /// What was trusted.
    pub pin: TrustPin,
    /// The live files that belong to a project, and those that would. A package is a folder, and lists none.
    pub files: Vec<PathBuf>,
    /// What is different in the live package, which waits for a person to look at it.
    pub waiting: Vec<PinDifference>,
}

impl TrustedCopy {
    /// Tells a hook of this package what it runs.
    pub fn of_hooks(&self) -> Arc<PinnedCopy> {
        let runs = self.pin.runs.iter();
        Arc::new(PinnedCopy {
            folder: self.folder.clone().into(),
            root: self.pin.root.clone().into(),
            runs: runs.map(|file| file.as_str().into()).collect(),
        })
    }
}

impl Trust {
    /// Tells what an event may run of a manifest, also of one that is gone.
    ///
    /// A worktree or a clone with the same files as a trusted package is trusted with it.
    pub fn admission(&self, manifest: &Path) -> Admission {
        match self.admitted(manifest) {
            Admission::Copy(copy) => match self.mended(&copy.pin) {
                Ok(()) => Admission::Copy(copy),
                Err(why) => Admission::Unclear(why),
            },
            other => other,
        }
    }

    /// Tells what may run, of whose copy nothing but the manifest was compared: [`Trust::mended`] does that for the rest,
    /// before a hook of it is asked.
    pub(crate) fn admitted(&self, manifest: &Path) -> Admission {
        match self.pin_at(manifest) {
            Err(why) => Admission::Unclear(why),
            // A policy that vouches for it no longer is a person who was never asked.
            Ok(Some(pin)) if pin.vouched && !self.vouches(&pin) => Admission::Never,
            Ok(Some(pin)) => self.hold(pin, manifest),
            Ok(None) => match self.is_pinned(manifest) {
                Ok(true) => Admission::Unclear(record::VANISHED.to_owned()),
                Err(error) => Admission::Unclear(format!("the pins cannot be read: {error}")),
                Ok(false) => match self.twin(manifest).or_else(|| self.vouched(manifest)) {
                    Some(pin) => self.hold(pin, manifest),
                    None => Admission::Never,
                },
            },
        }
    }

    /// Compares the copy of a package with what was trusted; what is still the same on the disk makes a spoiled one again.
    pub(crate) fn mended(&self, pin: &TrustPin) -> Result<(), String> {
        let copies = CopyStore::below(&self.dir);
        let now = SystemTime::now();
        copies.verify_changed(pin, now).or_else(|why| {
            let live = |name: &str| files::read_script(&pin.root.join(name)).ok();
            copies.make(pin, live).map_err(|_| why)
        })
    }

    /// Looks at the copy of a package, and at what changed in it since a person looked at it.
    fn hold(&self, pin: TrustPin, manifest: &Path) -> Admission {
        if let Some(why) = &self.unproved {
            return Admission::Unclear(why.clone());
        }
        let copies = CopyStore::below(&self.dir);
        if !copies.has_manifest(&pin)
            && let Err(why) = self.mended(&pin)
        {
            return Admission::Unclear(why);
        }
        let waiting = changes(&pin, manifest, Some(&copies.seen(&pin)));
        let folder = copies.of(&pin);
        let edited = waiting.iter().find(|change| pin.is_checked(&change.file));
        let altered = match edited.cloned() {
            None if !waiting.is_empty() => appeared(&pin, &folder),
            edited => Ok(edited),
        };
        let altered = match altered {
            Ok(altered) => altered,
            Err(why) => return Admission::Unclear(why),
        };
        if let Some(altered) = altered {
            return Admission::Unclear(format!(
                "{altered}, and no copy stands in for it: a hook runs it where it stands"
            ));
        }
        let files = waiting.iter().map(|change| &change.file);
        let files = files.chain(pin.files.keys()).filter(|_| !pin.whole);
        Admission::Copy(Box::new(TrustedCopy {
            manifest: folder.join(&pin.given),
            files: files.map(|file| pin.root.join(file)).collect(),
            waiting,
            folder,
            pin,
        }))
    }

    /// Keeps a pin for another place of the same package, with a copy made of that of the first.
    pub(super) fn adopt(&self, of: &TrustPin, manifest: &Path, root: &Path) -> Option<TrustPin> {
        let copies = CopyStore::below(&self.dir);
        copies.verify(of).ok()?;
        let pin = TrustPin {
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

/// Finds a file that was not trusted and that what was trusted runs where it stands: reached by the project's folder, or by a
/// link of the copy.
fn appeared(pin: &TrustPin, copy: &Path) -> Result<Option<PinDifference>, String> {
    let bytes = files::read_document(&copy.join(&pin.given))?;
    let names = pin.files.keys().map(PathBuf::from);
    let mut tree = PackageTree::new(pin.root.clone());
    tree.copy = Some((copy.to_owned(), names.collect()));
    let found = followed(&bytes, &tree, |line| pointed(line, &pin.root, &pin.runs))?;
    let mut files = found.files.iter().filter(|path| {
        let is_run = found.live.contains(*path) || copy.join(path).exists();
        is_run && !tree.is_copied(path) && !is_in_environment(path)
    });
    let file = files.next().map(|path| name_of(path));
    let what = DifferenceKind::Added;
    Ok(file.map(|file| PinDifference { file, what }))
}
