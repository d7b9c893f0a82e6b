//! The files that were found, each once, and no more of a stranger's than can be looked at.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;

use crate::files::links::LinkResolver;
use crate::load::{Layer, ManifestFile, Remark, TrustScope, shown};

/// So many files of one kind in one folder are looked at.
const MOST: usize = 64;

/// The files that hold, each once under whatever names it is found.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{ManifestFiles, ManifestSearch, TrustScope};
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
/// let search = ManifestSearch::new(&world, &project, "claude-code");
/// let found: ManifestFiles = search.files();
/// assert_eq!((found.files.len(), found.remarks.len()), (64, 1));
/// assert_eq!(ManifestSearch { trusting: TrustScope::All, ..search }.files().files.len(), 100);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ManifestFiles {
    /// The files, from the outermost layer.
    pub files: Vec<ManifestFile>,
    /// What a person should know: where more files stand than were looked at.
    pub remarks: Vec<Remark>,
    /// The names of the files, as they were found and as they really are.
    names: HashSet<PathBuf, RandomState>,
    links: LinkResolver,
    trusting: TrustScope,
}

impl ManifestFiles {
    pub(super) fn new(trusting: TrustScope) -> Self {
        Self {
            trusting,
            ..Self::default()
        }
    }

    /// Adds a file, unless it is there under this name or another one.
    ///
    /// One look at the disk for each file: a comparison with every other one would let a stranger's folder of small files
    /// take all the time that there is.
    pub(super) fn add(&mut self, file: PathBuf, layer: Layer) {
        let real = self.links.real(&file);
        if self.names.contains(&file) || self.names.contains(&real) {
            return;
        }
        self.names.insert(real);
        self.names.insert(file.clone());
        self.files.push(ManifestFile { file, layer });
    }

    /// Returns those entries of a folder that are looked at. What was trusted is found by its pin, whatever stands here.
    pub(super) fn bounded(&mut self, folder: &Path, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
        let all = files.len();
        if all > MOST && self.trusting == TrustScope::Pinned {
            files.truncate(MOST);
            let (at, left) = (shown(folder), all - MOST);
            let text = format!(
                "`{at}` holds {all} entries. Anyhook looked at {MOST} of them; of the other {left} only what you trusted runs, and \
                 they are named nowhere. So many are unusual: look who put them there."
            );
            let mark = format!("many:{}", folder.display());
            self.remarks.push(Remark::new(mark, text));
        }
        files
    }
}
