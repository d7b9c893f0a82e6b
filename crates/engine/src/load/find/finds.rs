//! The files that were found, each once, and no more of a stranger's than can be looked at.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;

use crate::files::links;
use crate::layers::packages_of;
use crate::load::{Found, Layer, Remark, Trusting, shown};
use crate::trust::Trust;
use crate::world::{Places, World};

/// So many files of one kind in one folder are looked at that were never trusted. Those that were trusted are no part of
/// this number.
const MOST: usize = 64;

/// The files that hold, each once under whatever names it is found.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{Finds, Trusting, find_all};
/// use anyhook_engine::world::World;
///
/// let place = tempfile::tempdir()?;
/// let hooks = place.path().join("p/.github/hooks");
/// fs::create_dir_all(&hooks)?;
/// for at in 0..100 {
///     fs::write(hooks.join(format!("{at}.json")), "{}")?;
/// }
/// let world = World { places: None, managed: "/nowhere".into(), ..World::real() };
/// let project = [place.path().join("p")];
/// let found: Finds = find_all(&world, &project, "claude-code", Trusting::Pinned);
/// assert_eq!((found.files().len(), found.remarks().len()), (64, 1));
/// assert_eq!(find_all(&world, &project, "claude-code", Trusting::All).into_files().len(), 100);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Finds {
    files: Vec<Found>,
    remarks: Vec<Remark>,
    /// The names of the files, as they were found and as they really are.
    names: HashSet<PathBuf, RandomState>,
    trusting: Trusting,
    /// Where the person's pins are, for folders with more files than are looked at.
    places: Option<Places>,
}

impl Finds {
    pub(super) fn new(world: &World, trusting: Trusting) -> Self {
        Self {
            trusting,
            places: world.places.clone(),
            ..Self::default()
        }
    }

    /// Begins with files that were found before.
    pub(super) fn again(files: Vec<Found>) -> Self {
        let mut finds = Self::default();
        for Found { file, layer } in files {
            finds.add(file, layer);
        }
        finds
    }

    /// The files, from the outermost layer.
    pub fn files(&self) -> &[Found] {
        &self.files
    }

    /// Takes the files.
    pub fn into_files(self) -> Vec<Found> {
        self.files
    }

    /// What a person should know: where more files stand than were looked at.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Adds a file, unless it is there under this name or another one.
    ///
    /// One look at the disk for each file: a comparison with every other one would let a stranger's folder of small files
    /// take all the time that there is.
    pub(super) fn add(&mut self, file: PathBuf, layer: Layer) {
        let real = file.canonicalize().ok();
        let is_known = |file: &PathBuf| self.names.contains(file);
        if is_known(&file) || real.as_ref().is_some_and(is_known) {
            return;
        }
        self.names.extend(real);
        self.names.insert(file.clone());
        self.files.push(Found { file, layer });
    }

    /// Returns those of a folder's files that are looked at: every one that was trusted, and the first ones of the others.
    pub(super) fn bounded(&mut self, folder: &Path, files: Vec<PathBuf>) -> Vec<PathBuf> {
        if files.len() <= MOST || self.trusting == Trusting::All {
            return files;
        }
        let trust = self.places.as_ref().map(Trust::of);
        let pins = trust.as_ref().map(Trust::pins).unwrap_or_default();
        let names = links::names(folder);
        let is_pinned = |file: &PathBuf| {
            let below = file.strip_prefix(folder).unwrap_or(file);
            names.iter().any(|name| pins.holds(&name.join(below)))
        };
        let (mut kept, other): (Vec<_>, Vec<_>) = files.into_iter().partition(is_pinned);
        self.cut(folder, other, &mut kept);
        kept.sort();
        kept
    }

    /// Returns those packages of a folder that are looked at. Of the others the manifests that were trusted are added here.
    pub(super) fn bounded_packages(&mut self, folder: &Path, all: Vec<PathBuf>) -> Vec<PathBuf> {
        if all.len() <= MOST || self.trusting == Trusting::All {
            return all;
        }
        let names = links::names(folder).into_iter();
        let trust = self.places.as_ref().map(Trust::of);
        let trusted: Vec<PathBuf> = trust.map_or_else(Vec::new, |trust| {
            names.flat_map(|folder| trust.packages(&folder)).collect()
        });
        // The hundredth package may be the one that was trusted: it is no part of the number.
        let of_trusted: HashSet<_, RandomState> =
            trusted.iter().filter_map(|file| name_in(file)).collect();
        let other = all.into_iter().filter(|package| {
            let name = package.file_name();
            !name.is_some_and(|name| of_trusted.contains(name))
        });
        let mut kept = Vec::new();
        self.cut(folder, other.collect(), &mut kept);
        for file in trusted {
            self.add(file, Layer::Package);
        }
        kept
    }

    fn cut(&mut self, folder: &Path, mut files: Vec<PathBuf>, into: &mut Vec<PathBuf>) {
        let all = files.len();
        if all > MOST {
            files.truncate(MOST);
            let (at, left) = (shown(folder), all - MOST);
            self.remarks.push(Remark {
                mark: format!("many:{}", folder.display()),
                text: format!(
                    "`{at}` holds {all} entries that were never trusted. Anyhook looked at {MOST} of them; the other {left} \
                     did not run, and are named nowhere. So many are unusual: look who put them there. What you trusted runs."
                ),
            });
        }
        into.extend(files);
    }
}

/// The name of the package that a manifest belongs to.
fn name_in(manifest: &Path) -> Option<&OsStr> {
    let below = manifest.strip_prefix(packages_of(manifest)?).ok()?;
    below.iter().next()
}
