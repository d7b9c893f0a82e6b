//! The names that one step can write.

use std::collections::BTreeSet;

use super::git::{Git, is_revision};
use super::steps::Step;

/// Names that git told, and whether one of them became another.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) all: BTreeSet<String>,
    is_moved: bool,
}

/// Asks git for the names that a step can write; nothing if they cannot be told.
pub(super) fn of(git: &Git, step: &Step) -> Option<BTreeSet<String>> {
    let mut names = Names::default();
    let head = git.commit("HEAD")?;
    // The index is read in any case: what it says of other repositories in this one is not foreseen.
    let changed = git.changed()?;
    for name in &step.commits {
        let commits = git.commits(name);
        if commits.is_empty() {
            return None;
        }
        for commit in commits {
            git.differing(&head, &commit, &mut names)?;
            if step.joins() {
                git.history(&head, &commit, &mut names)?;
            }
        }
    }
    let mut is_dirty = step.dirty;
    for name in &step.operands {
        let commits = Some(name).filter(|name| is_revision(name));
        let commits = commits.map(|name| git.commits(name)).unwrap_or_default();
        is_dirty |= commits.is_empty();
        for commit in commits {
            git.differing(&head, &commit, &mut names)?;
        }
    }
    // Files move along with a folder that another side moved: which ones is not foreseen.
    if step.joins() && names.is_moved {
        return None;
    }
    if is_dirty {
        names.all.extend(changed);
        git.staged(&head, &mut names)?;
    }
    if step.untracked {
        names.all.extend(git.untracked()?);
    }
    Some(names.all)
}

impl Names {
    /// Adds what `--raw -z` printed: modes, digests and a status, then one name or two. Nothing if a link or another
    /// repository is there, which may lead elsewhere.
    pub(super) fn add(&mut self, raw: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(raw).ok()?;
        let mut parts = text.split_terminator('\0');
        while let Some(head) = parts.next() {
            let mut fields = head.strip_prefix(':')?.split(' ');
            let (old, new, status) = (fields.next()?, fields.next()?, fields.nth(2)?);
            (is_file(old) && is_file(new)).then_some(())?;
            self.all.insert(parts.next()?.to_owned());
            if status.starts_with('R') {
                self.is_moved = true;
                self.all.insert(parts.next()?.to_owned());
            }
        }
        Some(())
    }
}

/// Tells whether a mode is that of a plain file, or of none.
fn is_file(mode: &str) -> bool {
    matches!(mode, "000000" | "100644" | "100755")
}
