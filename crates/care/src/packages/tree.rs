//! The files of a package, read once: the same bytes are compared, counted and written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use anyhook_engine::files;
use serde::Serialize;
use serde_json::Value;

use super::PackageError;

/// A package is some pages of hooks: a folder of more than this is none.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// So deep are its folders.
const DEEPEST: usize = 32;

/// Where a manifest of a package stands.
const USUAL: &str = "hooks/hooks.json";
/// Where it may stand in what is added; it is written to the usual place.
const ON_TOP: &str = "hooks.json";
/// Where a plugin of Claude Code describes itself.
const DESCRIPTION: &str = ".claude-plugin/plugin.json";

/// The files of a package, by their paths below its folder.
///
/// ```
/// use anyhook_care::packages::PackageContents;
///
/// let place = tempfile::tempdir()?;
/// std::fs::create_dir(place.path().join("hooks"))?;
/// std::fs::write(place.path().join("hooks/hooks.json"), r#"{"version": 1, "hooks": {}}"#)?;
/// let tree = PackageContents::read(place.path())?;
/// assert_eq!(tree.manifests(), ["hooks/hooks.json"]);
/// assert_eq!(tree.digest(), PackageContents::read(place.path())?.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageContents {
    files: BTreeMap<String, PackageFile>,
    bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PackageFile {
    bytes: Vec<u8>,
    /// Whether it may be run.
    runs: bool,
}

/// How a file of a package changed.
///
/// ```
/// use anyhook_care::packages::FileChange;
/// assert_ne!(FileChange::Added, FileChange::Removed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has other bytes, or another right to be run: so many lines came, and so many went.
    Changed {
        /// The lines that came.
        added: usize,
        /// The lines that went.
        removed: usize,
    },
}

impl PackageContents {
    /// Reads a folder. Nothing of it runs. A link is read as the file that it leads to inside of the folder; one that leads
    /// elsewhere, a special file, and more than a package can hold are refused. Folders `.git` are passed over.
    pub fn read(folder: &Path) -> Result<Self, PackageError> {
        let root = folder.canonicalize().map_err(|error| {
            PackageError::new(format!("`{}` cannot be read: {error}", folder.display()))
        })?;
        let mut tree = Self::default();
        tree.walk(&root, &root, 0)?;
        Ok(tree)
    }

    /// Makes one of files that the program brings.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (name, text) in files {
            let bytes = text.as_bytes().to_vec();
            let runs = bytes.starts_with(b"#!");
            tree.files
                .insert((*name).to_owned(), PackageFile { bytes, runs });
        }
        tree
    }

    fn walk(&mut self, root: &Path, folder: &Path, depth: usize) -> Result<(), PackageError> {
        let unread =
            |error| PackageError::new(format!("`{}` cannot be read: {error}", folder.display()));
        for entry in fs::read_dir(folder).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            if entry.file_name() == ".git" {
                continue;
            }
            let (path, kind) = (entry.path(), entry.file_type().map_err(unread)?);
            if !kind.is_dir() {
                self.take(root, &path)?;
            } else if depth < DEEPEST {
                self.walk(root, &path, depth + 1)?;
            } else {
                return Err(too_much(&format!(
                    "`{}` is more than {DEEPEST} folders deep",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    fn take(&mut self, root: &Path, path: &Path) -> Result<(), PackageError> {
        let wrong = |why: &str| {
            let what = format!("`{}` {why}, so the package is not added", path.display());
            PackageError::new(what)
                .help("a package is regular files, and links to files inside of it")
        };
        let real = path
            .canonicalize()
            .map_err(|_| wrong("is a link to nothing"))?;
        let meta = real
            .symlink_metadata()
            .map_err(|_| wrong("cannot be read"))?;
        let inside = real.strip_prefix(root).ok();
        let of_git = |below: &Path| below.components().any(|part| part.as_os_str() == ".git");
        if inside.is_none_or(of_git) {
            return Err(wrong("is a link to what is not in the package"));
        }
        if !meta.is_file() {
            return Err(wrong("is no regular file"));
        }
        let name = path.strip_prefix(root).ok().and_then(Path::to_str);
        let plain = |name: &&str| !name.chars().any(char::is_control);
        let name = name
            .filter(plain)
            .ok_or_else(|| wrong("has a name that is no plain text"))?;
        self.bytes += meta.len();
        if self.files.len() >= MOST_FILES || self.bytes > MOST_BYTES {
            let (files, size) = (MOST_FILES, MOST_BYTES >> 20);
            return Err(too_much(&format!(
                "it has more than {files} files or {size} MiB"
            )));
        }
        let mut bytes = Vec::new();
        // No more than was announced: a file that grows meanwhile is another one.
        let filled =
            fs::File::open(&real).and_then(|file| file.take(meta.len()).read_to_end(&mut bytes));
        filled.map_err(|_| wrong("cannot be read"))?;
        let runs = meta.permissions().mode() & 0o100 != 0;
        self.files
            .insert(name.to_owned(), PackageFile { bytes, runs });
        Ok(())
    }

    /// Puts a manifest that stands on top to the place where manifests of packages are looked for.
    pub(super) fn settle(&mut self) {
        if self.manifests().is_empty()
            && let Some(kept) = self.files.remove(ON_TOP)
        {
            self.files.insert(USUAL.to_owned(), kept);
        }
    }

    /// Returns the manifests: that of the usual place, else those that a plugin of Claude Code names, or its description where
    /// hooks stand in that.
    pub fn manifests(&self) -> Vec<String> {
        if self.files.contains_key(USUAL) {
            return vec![USUAL.to_owned()];
        }
        let description = self.description();
        let hooks = description.as_ref().and_then(|all| all.get("hooks"));
        let list = hooks.and_then(Value::as_array).into_iter().flatten();
        let said: Vec<&Value> = hooks.into_iter().chain(list).collect();
        let names = said.iter().filter_map(|said| said.as_str());
        let names = names.filter_map(|name| {
            let parts = Path::new(name).components();
            let parts: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
            parts.to_str().map(str::to_owned)
        });
        let names = names.filter(|name| self.files.contains_key(name));
        let holds_hooks = said.iter().any(|said| said.is_object());
        let own = holds_hooks.then(|| DESCRIPTION.to_owned());
        names.chain(own).collect()
    }

    /// Returns the folders in it that are packages themselves.
    pub(super) fn inner(&self) -> Vec<&str> {
        let names = self.files.keys();
        names
            .filter_map(|name| name.strip_suffix(USUAL)?.strip_suffix('/'))
            .collect()
    }

    /// Returns how it calls itself, if it is a plugin of Claude Code and the name can be that of a package.
    pub fn own_name(&self) -> Option<String> {
        let description = self.description()?;
        let name = description.get("name")?.as_str()?;
        super::is_name(name).then(|| name.to_owned())
    }

    fn description(&self) -> Option<Value> {
        serde_json::from_slice(&self.files.get(DESCRIPTION)?.bytes).ok()
    }

    /// Returns the SHA-256 of its names, rights and bytes, in hexadecimal.
    pub fn digest(&self) -> String {
        let lines = self.files.iter().map(|(name, kept)| {
            let runs = if kept.runs { 'x' } else { '-' };
            format!("{} {runs} {name}\n", files::digest(&kept.bytes))
        });
        files::digest(lines.collect::<String>().as_bytes())
    }

    /// Returns the files with their contents.
    pub(super) fn contents(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter();
        files.map(|(name, kept)| (&**name, &*kept.bytes))
    }

    /// Returns the number of its files.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Writes it into a folder that is not there yet.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (name, kept) in &self.files {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            let mode = if kept.runs { 0o755 } else { 0o644 };
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(mode).open(file)?;
            file.write_all(&kept.bytes)?;
        }
        Ok(())
    }

    /// Returns how the files of a later one differ from these, by name.
    pub fn changes(&self, later: &Self) -> Vec<(String, FileChange)> {
        let names = self.files.keys().chain(later.files.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        let change = |name: &String| match (self.files.get(name), later.files.get(name)) {
            (None, Some(_)) => Some(FileChange::Added),
            (Some(_), None) => Some(FileChange::Removed),
            (Some(old), Some(new)) if old != new => Some(changed(old, new)),
            (Some(_), Some(_)) | (None, None) => None,
        };
        let changes = names
            .into_iter()
            .filter_map(|name| Some((name.clone(), change(name)?)));
        changes.collect()
    }
}

fn changed(old: &PackageFile, new: &PackageFile) -> FileChange {
    let [old, new] = [old, new].map(|kept| String::from_utf8_lossy(&kept.bytes));
    let diff = similar::TextDiff::from_lines(&*old, &*new);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    FileChange::Changed {
        added: count(similar::ChangeTag::Insert),
        removed: count(similar::ChangeTag::Delete),
    }
}

fn too_much(what: &str) -> PackageError {
    PackageError::new(format!("{what}, which is no package of hooks"))
        .help("name the folder of the package itself; for a repository: #subdirectory=FOLDER")
}
