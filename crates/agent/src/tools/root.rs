use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::ToolError;

/// A folder that file tools cannot leave: neither by `..`, nor by a link, nor by one that is changed while they look.
///
/// A shell is not held by it: it begins there, and goes where its user may. That is what permissions and hooks are for.
///
/// ```
/// use anyhook_agent::tools::Root;
/// let place = tempfile::tempdir()?;
/// let root = Root::open(place.path())?;
/// assert_eq!(root.path(), place.path().canonicalize()?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    folder: Dir,
}

/// A file of more bytes is not read.
const LONGEST: u64 = 1 << 20;

impl Root {
    /// Opens a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let folder = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { path, folder })
    }

    /// Returns the folder, with every link resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a text of the project, if it is there and can be read.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.read(path).ok()
    }

    pub(super) fn read(&self, path: &str) -> Result<String, ToolError> {
        let inside = self.inside(path)?;
        let failed = |error: io::Error| told("read", path, &error);
        let size = self.folder.metadata(&inside).map_err(failed)?.len();
        if size > LONGEST {
            let most = LONGEST;
            return Err(ToolError(format!(
                "`{path}` has {size} bytes; {most} are the most that is read at once"
            )));
        }
        self.folder.read_to_string(&inside).map_err(failed)
    }

    /// Writes a file beside the old one, and puts it in its place: nobody reads half of it.
    pub(super) fn write(&self, path: &str, content: &str) -> Result<(), ToolError> {
        let inside = self.inside(path)?;
        let failed = |error: io::Error| told("write", path, &error);
        if let Some(folder) = inside.parent().filter(|folder| *folder != Path::new("")) {
            self.folder.create_dir_all(folder).map_err(failed)?;
        }
        if self.folder.is_dir(&inside) {
            return Err(ToolError(format!("cannot write `{path}`: it is a folder")));
        }
        // A link is followed, to where it leads inside; a new file takes the place of no link.
        let target = match self.folder.canonicalize(&inside) {
            Ok(target) => target,
            Err(_) => inside,
        };
        let mut beside = target.clone().into_os_string();
        beside.push(format!(".{}.new", std::process::id()));
        let beside = PathBuf::from(beside);
        self.folder.write(&beside, content).map_err(failed)?;
        if let Ok(old) = self.folder.metadata(&target) {
            self.folder
                .set_permissions(&beside, old.permissions())
                .map_err(failed)?;
        }
        self.folder
            .rename(&beside, &self.folder, &target)
            .map_err(failed)
    }

    /// Returns a path as it is seen from the root.
    fn inside(&self, path: &str) -> Result<PathBuf, ToolError> {
        let given = Path::new(path);
        let from_root = match given.strip_prefix(&self.path) {
            Ok(inside) => inside,
            Err(_) if given.is_absolute() => return Err(outside(path)),
            Err(_) => given,
        };
        let is_plain = from_root.components().all(|part| {
            matches!(
                part,
                Component::Normal(_) | Component::CurDir | Component::ParentDir
            )
        });
        if path.is_empty() || !is_plain {
            return Err(outside(path));
        }
        Ok(from_root.to_path_buf())
    }
}

fn outside(path: &str) -> ToolError {
    ToolError(format!("`{path}` is outside the project"))
}

fn told(what: &str, path: &str, error: &io::Error) -> ToolError {
    // The library refuses to leave the folder in these words.
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
        return outside(path);
    }
    ToolError(format!("cannot {what} `{path}`: {error}"))
}
