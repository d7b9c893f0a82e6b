//! Copies of what was trusted, in the private state: an event runs these bytes and no others.
//!
//! A copy has the layout of its package, so that a script finds its neighbours. Where only a part of a folder was trusted,
//! every other name in it is a link to the live one: such a file is as untrusted as it was before, and is still found. A copy
//! is read-only, and the digests of its files are compared before an event asks a hook of it that runs one, if a time that the
//! kernel keeps says that anything in the copy changed since.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::TrustPin;
use super::place::PinnedFile;
use super::tree::{PackageTree, TreeStamps};
use crate::files::{self, FileError, LONGEST_SCRIPT, read_unlinked};

/// The folder of copies, below that of the pins.
const FOLDER: &str = "copies";
/// The most names of a live folder that a copy leads to.
const MOST_LINKS: usize = 2000;

/// The copies of one user.
pub(super) struct CopyStore {
    folder: PathBuf,
}

impl CopyStore {
    pub(super) fn below(pins: &Path) -> Self {
        Self {
            folder: pins.join(FOLDER),
        }
    }

    /// Returns the folder of a copy.
    pub(super) fn of(&self, pin: &TrustPin) -> PathBuf {
        self.folder.join(&pin.copy)
    }

    /// Returns the file that keeps what the last look at the live package depended on.
    pub(super) fn seen(&self, pin: &TrustPin) -> PathBuf {
        self.of(pin).with_extension("json")
    }

    /// Returns the file that keeps what the last comparison of the copy depended on.
    fn compared(&self, pin: &TrustPin) -> PathBuf {
        self.of(pin).with_extension("compared")
    }

    /// Makes a copy, unless it is there.
    pub(super) fn make(
        &self,
        pin: &TrustPin,
        content: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), FileError> {
        if self.verify(pin).is_ok() {
            return Ok(());
        }
        files::private_dir(&self.folder)?;
        let at = self.of(pin);
        let failed = |doing| FileError::io(doing, &at);
        let mut making = tempfile::Builder::new();
        let making = making.prefix(files::TEMPORARY).tempdir_in(&self.folder);
        let making = making.map_err(failed("make the copy"))?;
        let written = write(making.path(), pin, content);
        if let Err(error) = written {
            open_all(making.path());
            return Err(failed("write the copy")(error));
        }
        remove(&at).map_err(failed("replace the copy"))?;
        let made = making.keep();
        fs::rename(&made, &at).map_err(failed("keep the copy"))?;
        fs::set_permissions(&at, Permissions::from_mode(0o500)).map_err(failed("close"))
    }

    /// Tells whether a copy is what was trusted; what a hook added to it is taken out. An error says what is wrong.
    pub(super) fn verify(&self, pin: &TrustPin) -> Result<(), String> {
        let at = self.of(pin);
        for (name, entry) in &pin.files {
            check(&at.join(name), name, entry, pin)?;
        }
        let own = folders(pin);
        for folder in &own {
            clear(&at, folder, &own, pin)?;
        }
        Ok(())
    }

    /// Tells the same, and reads no file of a copy in which nothing changed since it was compared.
    pub(super) fn verify_changed(&self, pin: &TrustPin, now: SystemTime) -> Result<(), String> {
        let (at, compared) = (self.of(pin), self.compared(pin));
        if TreeStamps::read(&compared).is_some_and(|stamps| stamps.hold(&at)) {
            return Ok(());
        }
        self.verify(pin)?;
        let tree = PackageTree::new(at);
        for name in folders(pin).iter().chain(pin.files.keys()) {
            tree.touch(Path::new(name));
        }
        if let Some(stamps) = tree.stamps(now) {
            stamps.keep(&compared);
        }
        Ok(())
    }

    /// Tells whether the manifest of a copy is what was trusted.
    pub(super) fn has_manifest(&self, pin: &TrustPin) -> bool {
        let own = pin.files.get(&pin.given);
        own.is_some_and(|own| check(&self.of(pin).join(&pin.given), &pin.given, own, pin).is_ok())
    }

    /// Removes the copies that none of these pins refers to.
    pub(super) fn sweep(&self, pins: &[TrustPin]) {
        let kept: BTreeSet<&str> = pins.iter().map(|pin| &*pin.copy).collect();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let name = path.file_stem().and_then(|name| name.to_str());
            if !name.is_some_and(|name| kept.contains(name)) {
                // What cannot be removed now is removed by the next sweep.
                let _ = remove(&path);
            }
        }
    }
}

/// The folders of a copy: its own, named by nothing, and those on the way to its files.
fn folders(pin: &TrustPin) -> BTreeSet<String> {
    let mut all = BTreeSet::from([String::new()]);
    for (name, entry) in &pin.files {
        let mut path = Path::new(name);
        if entry.is_folder() {
            all.insert(name.to_owned());
        }
        while let Some(parent) = path.parent() {
            all.insert(parent.to_string_lossy().into_owned());
            path = parent;
        }
    }
    all
}

fn write(to: &Path, pin: &TrustPin, content: impl Fn(&str) -> Option<Vec<u8>>) -> io::Result<()> {
    let folders = folders(pin);
    for folder in &folders {
        fs::create_dir_all(to.join(folder))?;
    }
    for (name, entry) in pin.files.iter().filter(|(_, entry)| !entry.is_folder()) {
        let path = to.join(name);
        if let Some(target) = pin.link_of(name, entry) {
            symlink(target, &path)?;
            continue;
        }
        let bytes = content(name).filter(|bytes| files::digest(bytes) == entry.sha256);
        let bytes =
            bytes.ok_or_else(|| io::Error::other(format!("`{name}` is not what it was")))?;
        let mode = if entry.executable { 0o500 } else { 0o400 };
        let mut file = fs::OpenOptions::new();
        let mut file = file.write(true).create_new(true).mode(mode).open(&path)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
    }
    for folder in &folders {
        for (name, live) in linked(pin, folder, &folders) {
            symlink(live, to.join(folder).join(name))?;
        }
    }
    // The folder itself is closed when it has its name: a folder that may not be written cannot be renamed everywhere.
    for folder in folders.iter().filter(|folder| !folder.is_empty()) {
        fs::set_permissions(to.join(folder), Permissions::from_mode(0o500))?;
    }
    Ok(())
}

/// The names of a folder of a copy that are links to live files, with those.
fn linked(pin: &TrustPin, folder: &str, own: &BTreeSet<String>) -> Vec<(PathBuf, PathBuf)> {
    let live = pin.root.join(folder);
    let below = |name: &Path| Path::new(folder).join(name).to_string_lossy().into_owned();
    if pin.whole {
        return Vec::new();
    }
    let entries = fs::read_dir(&live).into_iter().flatten().flatten();
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    let other = names.filter(|name| {
        let name = below(name);
        !own.contains(&name) && !pin.files.contains_key(&name)
    });
    let other = other.take(MOST_LINKS);
    other.map(|name| (name.clone(), live.join(name))).collect()
}

/// Reads a file of a copy again.
fn check(path: &Path, name: &str, entry: &PinnedFile, pin: &TrustPin) -> Result<(), String> {
    let spoiled = || format!("the copy of `{name}` in Anyhook's state is not what you trusted");
    let same = if entry.is_folder() {
        path.is_dir()
    } else if let Some(target) = pin.link_of(name, entry) {
        fs::read_link(path).is_ok_and(|there| there == target)
    } else {
        let read = read_unlinked(path, LONGEST_SCRIPT);
        read.is_ok_and(|(bytes, executable)| {
            files::digest(&bytes) == entry.sha256 && executable == entry.executable
        })
    };
    if same { Ok(()) } else { Err(spoiled()) }
}

/// Takes out of a folder of a copy what is neither trusted nor a link to the live file of the same name.
fn clear(at: &Path, folder: &str, own: &BTreeSet<String>, pin: &TrustPin) -> Result<(), String> {
    let here = at.join(folder);
    let told = |error: io::Error| format!("`{}`: {error}", here.display());
    let meta = here.symlink_metadata().map_err(told)?;
    if !meta.is_dir() || meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("`{}` is no folder of yours", here.display()));
    }
    let live = pin.root.join(folder);
    for entry in fs::read_dir(&here).map_err(told)? {
        let name = entry.map_err(told)?.file_name();
        let below = Path::new(folder).join(&name).to_string_lossy().into_owned();
        let is_own = own.contains(&below) || pin.files.contains_key(&below);
        let path = here.join(&name);
        let leads = fs::read_link(&path).is_ok_and(|target| target == live.join(&name));
        if is_own || leads {
            continue;
        }
        fs::set_permissions(&here, Permissions::from_mode(0o700)).map_err(told)?;
        remove(&path).map_err(told)?;
    }
    if here.symlink_metadata().map_err(told)?.mode() & 0o777 != 0o500 {
        fs::set_permissions(&here, Permissions::from_mode(0o500)).map_err(told)?;
    }
    Ok(())
}

/// Makes all folders below one writable again.
fn open_all(folder: &Path) {
    // A folder that cannot be opened is told of by what removes it.
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    inner.for_each(|entry| open_all(&entry.path()));
}

/// Removes a file or a folder with all that is in it; nothing where there is none.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => {
            open_all(path);
            fs::remove_dir_all(path)
        }
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trust::Trust;

    #[test]
    fn a_copy_is_compared_again_when_a_file_of_it_changed_or_came_and_not_before() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let manifest = root.join("p/hooks/hooks.json");
        fs::create_dir_all(root.join("p/hooks")).unwrap();
        fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
        let trust = Trust::new(root.join("pins"));
        let pin = trust.pin(&manifest, 0).unwrap();
        let copies = CopyStore::below(&root.join("pins"));
        let verify = |after| copies.verify_changed(&pin, SystemTime::now() + after);
        let (later, at) = (Duration::from_secs(9), copies.of(&pin).join(&pin.given));
        let open = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();

        verify(Duration::ZERO).unwrap();
        assert!(
            !copies.compared(&pin).exists(),
            "what was just made may change unseen"
        );
        verify(later).unwrap();
        assert!(copies.compared(&pin).exists());

        open(at.parent().unwrap());
        let added = at.with_file_name("added.sh");
        fs::write(&added, "").unwrap();
        verify(later).unwrap();
        assert!(!added.exists(), "what came into it was taken out");

        verify(later).unwrap();
        open(&at);
        fs::write(&at, r#"{"version": 1, "hooks": []}"#).unwrap();
        assert!(verify(later).is_err());
    }
}
