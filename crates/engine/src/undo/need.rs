//! What an action may destroy, by its effects.

use std::path::{Path, PathBuf};

use anyhook_effects::effect::{Effect, EffectKind, Target};
use anyhook_effects::shell::LineAnalysis;

use crate::files::links::real;
use crate::rules::fixed;

/// Commands of git that remove objects of the repository.
const DROPS_OBJECTS: &[&str] = &["git gc", "git prune", "git repack", "git reflog"];
/// Commands of git that remove files which git ignores.
const DROPS_IGNORED: &[&str] = &["git clean", "git worktree"];

/// What a snapshot has to hold.
#[derive(Debug, Default, Clone)]
pub(crate) struct SnapshotScope {
    /// The repositories around these places.
    pub(super) places: Vec<PathBuf>,
    /// Files and folders that go away or are overwritten as a whole, also where git ignores them.
    pub(super) files: Vec<PathBuf>,
    /// Folders in which some files may be overwritten or removed: others in them are not of this action.
    pub(super) around: Vec<PathBuf>,
    /// Whether anything may be removed.
    anything: bool,
    /// Whether objects of the repository may be.
    objects: bool,
}

impl SnapshotScope {
    /// What is to be kept of these repositories and files, which are known.
    pub(super) fn of_places(places: Vec<PathBuf>, files: Vec<PathBuf>) -> Self {
        Self {
            places,
            files,
            ..Self::default()
        }
    }

    /// Tells whether the repository itself may go away, whose own folder this is.
    pub(super) fn drops(&self, folder: &Path) -> bool {
        let is_in = |path: &PathBuf| folder.starts_with(path) || path.starts_with(folder);
        self.anything || self.objects || self.files.iter().chain(&self.around).any(is_in)
    }
}

/// Tells what a call may destroy; nothing if it surely destroys nothing. `around` are the folders that it is about where it
/// does not say which.
pub(crate) fn need(done: &LineAnalysis, around: &[&Path]) -> Option<SnapshotScope> {
    let mut need = SnapshotScope {
        anything: !done.readable,
        ..SnapshotScope::default()
    };
    let (mut destroys, mut is_open) = (need.anything, need.anything);
    for effect in done.effects.iter().filter(|effect| destroys_by(effect)) {
        destroys = true;
        need.objects |= starts_with(&effect.through, DROPS_OBJECTS);
        let Some(path) = path_of(&effect.object) else {
            is_open = true;
            need.anything |= !matches!(effect.object, Target::Name(_));
            continue;
        };
        let path = real(&path);
        let by_git = effect.through.starts_with("git ");
        let is_whole = match effect.kind {
            EffectKind::Delete => !by_git || starts_with(&effect.through, DROPS_IGNORED),
            kind => kind == EffectKind::Write && !by_git,
        };
        if is_whole {
            let is_folder_of = matches!(effect.object, Target::Pattern(_));
            let into = if is_folder_of {
                &mut need.around
            } else {
                &mut need.files
            };
            into.push(path.clone());
        }
        need.places.push(path);
    }
    if is_open {
        need.places.extend(around.iter().map(|folder| real(folder)));
    }
    destroys.then_some(need)
}

fn starts_with(through: &str, commands: &[&str]) -> bool {
    commands.iter().any(|command| through.starts_with(command))
}

fn destroys_by(effect: &Effect) -> bool {
    match (effect.kind, &effect.object) {
        (EffectKind::Write, Target::Path(path)) => is_kept_file(path),
        (EffectKind::Delete | EffectKind::Discard | EffectKind::Write, _) => true,
        (EffectKind::Exec, Target::Program { opaque, .. }) => *opaque,
        (EffectKind::Exec, object) => *object == Target::Unknown,
        _ => false,
    }
}

/// A device is written and stays what it is.
fn is_kept_file(path: &Path) -> bool {
    let is_kept = |meta: std::fs::Metadata| meta.is_file() || meta.is_dir();
    path.metadata().is_ok_and(is_kept) || path.is_symlink()
}

/// The path of an object; of a pattern, the folders before its first wildcard.
fn path_of(object: &Target) -> Option<PathBuf> {
    match object {
        Target::Path(path) | Target::Tree(path) => Some(path.clone()),
        Target::Pattern(pattern) => Some(fixed(pattern)),
        _ => None,
    }
}
