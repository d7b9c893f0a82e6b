use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use anyhook::core::event::Map;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use serde_json::Value;

use super::ToolError;

/// A folder that file tools cannot leave: neither by `..`, nor by a link, nor by one that is changed while they look.
///
/// A shell is not held by it: it begins there, and goes where its user may. That is what permissions and hooks are for.
/// Neither is a second name of a file outside (a hard link), which only a shell could make: it can be read.
///
/// ```
/// use anyhook_agent::tools::RootFolder;
/// let place = tempfile::tempdir()?;
/// let root = RootFolder::open(place.path())?;
/// assert_eq!(root.path(), place.path().canonicalize()?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RootFolder {
    path: PathBuf,
    folder: Dir,
}

/// A file of more bytes is not read.
const LONGEST: u64 = 1 << 20;

impl RootFolder {
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

    /// Gives the file of a call the one name that it has below the root: `./a`, `b/../a`, the whole path and a link to
    /// it are all `a`. A hook that knows a file by its name is asked about that name; what is outside stays as it is.
    pub(crate) fn name_plainly(&self, input: &mut Map) {
        let Some(Value::String(path)) = input.get_mut("file_path") else {
            return;
        };
        let plain = self.inside(path).unwrap_or_default();
        if let Some(plain) = plain.to_str().filter(|plain| !plain.is_empty()) {
            plain.clone_into(path);
        }
    }

    pub(crate) fn read(&self, path: &str) -> Result<String, ToolError> {
        let inside = self.inside(path)?;
        let failed = |error: io::Error| told("read", path, &error);
        // Opening what is no file, such as a pipe, may take for ever.
        let found = self.folder.metadata(&inside).map_err(failed)?;
        if !found.is_file() {
            return Err(ToolError(format!("cannot read `{path}`: it is no file")));
        }
        let size = found.len();
        if size > LONGEST {
            return Err(ToolError(format!(
                "`{path}` has {size} bytes; {LONGEST} are the most that is read at once"
            )));
        }
        let file = self.folder.open(&inside).map_err(failed)?;
        let mut text = String::new();
        // One that grows meanwhile is read as far as it was long.
        file.take(size).read_to_string(&mut text).map_err(failed)?;
        Ok(text)
    }

    /// Writes a file beside the old one, and puts it in its place: no reader sees half of it, and a file outside that has a
    /// second name here stays what it is.
    pub(super) fn write(&self, path: &str, content: &str) -> Result<(), ToolError> {
        let target = self.inside(path)?;
        let failed = |error: io::Error| told("write", path, &error);
        // Its settings and hooks are programs that git runs: to write them is to run a command, and that is asked about.
        if target
            .components()
            .any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
        {
            return Err(ToolError(format!(
                "`{path}` belongs to git; change it with git"
            )));
        }
        if let Some(folder) = target.parent().filter(|folder| *folder != Path::new("")) {
            self.folder.create_dir_all(folder).map_err(failed)?;
        }
        if self.folder.is_dir(&target) {
            return Err(ToolError(format!("cannot write `{path}`: it is a folder")));
        }
        let mut beside = target.clone().into_os_string();
        beside.push(format!(".{}.new", std::process::id()));
        let beside = PathBuf::from(beside);
        let _ = self.folder.remove_file(&beside);
        let mut new = OpenOptions::new();
        // Never through a link that was put there.
        new.write(true).create_new(true);
        let mut file = self.folder.open_with(&beside, &new).map_err(failed)?;
        file.write_all(content.as_bytes()).map_err(failed)?;
        drop(file);
        if let Ok(old) = self.folder.metadata(&target) {
            self.folder
                .set_permissions(&beside, old.permissions())
                .map_err(failed)?;
        }
        self.folder
            .rename(&beside, &self.folder, &target)
            .map_err(failed)
    }

    /// Returns a path as it is seen from the root, without links where it exists.
    fn inside(&self, path: &str) -> Result<PathBuf, ToolError> {
        let given = Path::new(path);
        let from_root = match given.strip_prefix(&self.path) {
            Ok(inside) => inside,
            Err(_) if given.is_absolute() => return Err(outside(path)),
            Err(_) => given,
        };
        let mut plain = PathBuf::new();
        for part in from_root.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => {
                    plain.push(name);
                    // What is not there, and what leads outside, keeps its name: the folder refuses to follow it.
                    if let Ok(real) = self.folder.canonicalize(&plain) {
                        plain = real;
                    }
                }
                Component::ParentDir if plain.pop() => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside(path));
                }
            }
        }
        if path.is_empty() {
            return Err(outside(path));
        }
        Ok(plain)
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
