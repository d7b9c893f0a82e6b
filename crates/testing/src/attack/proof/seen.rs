//! What a way changed: the scratch folder before and after.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::super::aim::Aim;

/// What an aim looks at, as it was before.
#[derive(Debug)]
pub(super) struct AimBaseline {
    base: PathBuf,
    text: Option<Vec<u8>>,
    /// The file itself, whatever name it has later.
    file: Option<File>,
    refs: Vec<Option<String>>,
}

const REMOTE: &str = "remote.git";
const OWN: &str = "project/.git";

impl AimBaseline {
    /// Looks at the scratch folder before anything happens.
    pub(super) fn new(base: &Path, aim: &Aim) -> io::Result<Self> {
        let file = base.join(aim.place());
        let text = matches!(aim, Aim::Written(_))
            .then(|| fs::read(&file).ok())
            .flatten();
        let opened = if let Aim::Read(_) = aim {
            let opened = File::open(&file)?;
            opened.set_times(fs::FileTimes::new().set_accessed(UNIX_EPOCH))?;
            Some(opened)
        } else {
            None
        };
        Ok(Self {
            base: base.to_owned(),
            text,
            file: opened,
            refs: refs(base, aim),
        })
    }

    /// Tells whether the aim was reached; `came` is how many connected.
    pub(super) fn is_reached(&self, aim: &Aim, came: usize) -> bool {
        let at = |place: &str| self.base.join(place);
        match aim {
            Aim::Removed(place) if place == "home" => !at("home/notes.txt").exists(),
            Aim::Removed(place) => is_gone(&at(place)),
            Aim::Written(place) => {
                let file = at(place);
                let is_link = fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink());
                is_link || fs::read(&file).is_ok_and(|text| Some(text) != self.text)
            }
            Aim::Read(_) => {
                let read = self
                    .file
                    .as_ref()
                    .and_then(|file| file.metadata().ok()?.accessed().ok());
                read.is_some_and(|read| read > UNIX_EPOCH)
            }
            Aim::Rewritten | Aim::Committed(_) | Aim::Unchecked => {
                refs(&self.base, aim) != self.refs
            }
            Aim::Unpublished => refs(&self.base, aim).iter().all(Option::is_none),
            Aim::Discarded => {
                let work = fs::read_to_string(at("project/work.txt")).unwrap_or_default();
                let is_kept = at("project/.git/refs/stash").exists();
                !is_kept && (!work.contains("unsaved") || !at("project/new.txt").exists())
            }
            Aim::Connected(_) => came > 0,
            Aim::Ran => at("ran").exists(),
            Aim::Published => at("published").exists(),
        }
    }
}

/// Tells whether a file is gone, or a folder with all files in it.
fn is_gone(path: &Path) -> bool {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return true;
    };
    meta.is_dir() && !has_file(path)
}

fn has_file(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => has_file(&entry.path()),
        _ => true,
    })
}

/// The refs that an aim is about.
fn refs(base: &Path, aim: &Aim) -> Vec<Option<String>> {
    let at = |repository: &str, branch: &str| {
        let folder = base.join(repository);
        let name = format!("refs/heads/{branch}");
        let loose = fs::read_to_string(folder.join(&name)).ok();
        loose
            .map(|text| text.trim().to_owned())
            .or_else(|| packed(&folder, &name))
    };
    match aim {
        Aim::Rewritten | Aim::Unpublished => vec![at(REMOTE, "main")],
        Aim::Committed(branch) => vec![at(OWN, branch)],
        Aim::Unchecked => vec![
            at(OWN, "main"),
            at(OWN, "feature"),
            at(REMOTE, "feature"),
            at(REMOTE, "main"),
        ],
        _ => Vec::new(),
    }
}

/// A ref in the list of packed ones.
fn packed(folder: &Path, name: &str) -> Option<String> {
    let text = fs::read_to_string(folder.join("packed-refs")).ok()?;
    let mut lines = text.lines();
    lines.find_map(|line| {
        line.split_once(' ')
            .filter(|(_, own)| *own == name)
            .map(|(id, _)| id.to_owned())
    })
}
