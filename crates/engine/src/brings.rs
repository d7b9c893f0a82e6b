//! Which files git brings back: a line such as `git switch main` names none, and may write any file of the project.
//!
//! Git itself is asked, before the line runs, for the names that differ between the commits that the line is about. Where it
//! cannot be asked, or the line changes before what it would be asked about, the effect stays what the reader of lines
//! says: the whole project.
//!
//! The answer is a superset. A path that is the same in all commits of a line, and not changed on the disk, stays as it
//! is whatever the line does with these commits; each other one counts as written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::shell::LineAnalysis;

use crate::actions::{CallFolders, DiskCache};
use crate::files::links::{is_plain, real};
use crate::lists::GIT_IN_PROGRESS;
use crate::rules::has_ref;
pub(crate) use archives::CommandOrder;
use line::GitLine;
pub(crate) use line::is_straight;

mod archives;
pub(crate) mod git;
mod line;
mod names;
mod patches;
mod steps;

/// The most files that are told one by one.
const MOST: usize = 1_000;

/// Returns the names of the files of commits, such as `HEAD~1` and `main...HEAD`; none if one of them cannot be asked for.
pub(crate) fn names_in(folder: &Path, commits: &[String]) -> Option<BTreeSet<String>> {
    let mut names = names::GitNames::default();
    if commits.is_empty() {
        return Some(names.all);
    }
    let git = git::GitRepository::at(folder)?;
    let or_head = |name: &str| git.commit(if name.is_empty() { "HEAD" } else { name });
    for text in commits {
        let ends = match (text.split_once("..."), text.split_once("..")) {
            (Some((one, other)), _) => {
                let (one, other) = (or_head(one)?, or_head(other)?);
                let mut ends = git.bases(&one, &other)?;
                ends.push(other);
                ends
            }
            (None, Some((one, other))) => vec![or_head(one)?, or_head(other)?],
            (None, None) => vec![git.commit(text)?],
        };
        for commit in &ends {
            git.files(commit, &mut names)?;
        }
    }
    Some(names.all)
}

/// Puts the files that an archive, a patch or git can bring in the place of the whole project, where they can be told. `text` is
/// the line as it was written.
pub(crate) fn settle(
    done: &mut LineAnalysis,
    text: &str,
    order: CommandOrder,
    around: CallFolders<'_>,
    seen: &DiskCache,
) {
    archives::settle(done, text);
    if order == CommandOrder::Other {
        return;
    }
    done.effects
        .retain(|effect| !is_of_branch(effect) && !aborts_nothing(effect));
    if !done.readable || !done.effects.iter().any(is_open) {
        return;
    }
    let Some(files) = GitLine::of(done, text).and_then(|line| files(&line, seen)) else {
        return;
    };
    let files = files.seen_from(around.project);
    let mut effects = Vec::with_capacity(done.effects.len() + files.len());
    let mut told = BTreeSet::new();
    for effect in done.effects.drain(..) {
        if !is_open(&effect) {
            effects.push(effect);
            continue;
        }
        let below = limit(&effect, around.project);
        for file in files.iter().filter(|file| {
            let is_below = below.is_none_or(|folder| file.path.starts_with(folder));
            is_below && (effect.kind == EffectKind::Write || file.is_there)
        }) {
            if told.insert((effect.kind, file.path.clone())) {
                effects.push(Effect {
                    object: Target::Path(file.path.clone()),
                    certainty: effect.certainty.min(Certainty::Likely),
                    ..effect.clone()
                });
            }
        }
    }
    done.effects = effects;
}

/// Tells whether `git checkout X` may only seem to throw a file away: there is none, and the repository has a branch or a tag of
/// this name.
fn is_of_branch(effect: &Effect) -> bool {
    let (EffectKind::Discard, Target::Tree(path)) = (effect.kind, &effect.object) else {
        return false;
    };
    let is_ref = |folder: &Path| {
        let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
        name.is_some_and(|name| has_ref(folder, name))
    };
    effect.certainty == Certainty::Likely
        && effect.through == "git checkout"
        && path.symlink_metadata().is_err()
        && path.ancestors().skip(1).any(is_ref)
}

/// Tells whether `git rebase --abort` and the like find nothing that was begun, so that nothing is thrown away.
fn aborts_nothing(effect: &Effect) -> bool {
    let Target::Tree(folder) = &effect.object else {
        return false;
    };
    let mut above = folder.ancestors().map(|folder| folder.join(".git"));
    let is_idle =
        |git: PathBuf| git.is_dir() && !GIT_IN_PROGRESS.iter().any(|file| git.join(file).exists());
    effect.kind == EffectKind::Discard
        && effect.through.ends_with(" --abort")
        && above.find(|git| git.exists()).is_some_and(is_idle)
}

/// Tells whether an effect is one of git on a folder as a whole, of which the line does not name the files.
fn is_open(effect: &Effect) -> bool {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    matches!(effect.kind, EffectKind::Write | EffectKind::Delete)
        && matches!(&effect.object, Target::Tree(path) if is_folder(path))
        && steps::verb_of(&effect.through).is_some()
}

/// The folder to which `git restore FOLDER` and `git checkout -- FOLDER` keep, where its name is as git gives it.
fn limit<'e>(effect: &'e Effect, project: &Path) -> Option<&'e Path> {
    let takes_paths = matches!(
        steps::verb_of(&effect.through),
        Some("checkout" | "restore")
    );
    match &effect.object {
        Target::Tree(folder) if takes_paths && folder != project && is_plain(folder) => {
            folder.starts_with(project).then_some(folder)
        }
        _ => None,
    }
}

/// A file that can be written, and whether it is there now, so that it can be removed too.
#[derive(Debug)]
struct WritableFile {
    path: PathBuf,
    is_there: bool,
}

/// The files of one repository.
#[derive(Debug)]
struct RepositoryFiles {
    top: PathBuf,
    names: BTreeSet<String>,
}

impl RepositoryFiles {
    /// Writes the files as a line in the project would name them.
    fn seen_from(self, project: &Path) -> Vec<WritableFile> {
        let below = real(project);
        let files = self.names.into_iter().map(|name| {
            let path = self.top.join(name);
            let own = path.strip_prefix(&below).map(|rest| project.join(rest));
            let path = own.unwrap_or(path);
            let is_there = path.symlink_metadata().is_ok();
            WritableFile { path, is_there }
        });
        files.collect()
    }
}

/// Asks git for the files of all steps; nothing if they cannot be told.
fn files(line: &GitLine, seen: &DiskCache) -> Option<RepositoryFiles> {
    let mut brought: Option<RepositoryFiles> = None;
    for step in &line.steps {
        for folder in &step.folders {
            let git = git::GitRepository::at(folder)?;
            let mut names = names::of(&git, step, seen)?;
            if line.adds && step.dirty {
                names.extend(git.untracked()?);
            }
            let top = git.top.clone();
            match &mut brought {
                None => brought = Some(RepositoryFiles { top, names }),
                Some(all) if all.top == top => all.names.extend(names),
                Some(_) => return None,
            }
        }
    }
    brought.filter(|all| all.names.len() <= MOST)
}

#[cfg(test)]
mod tests;
