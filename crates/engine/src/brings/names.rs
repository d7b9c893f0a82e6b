//! The names that one step can write.

use std::collections::BTreeSet;
use std::path::Path;

use super::git::{GitRepository, is_revision};
use super::steps::GitStep;
use crate::actions::DiskCache;
use crate::lists::{GIT_ASIDE, GIT_BEGUN};

/// The most names that folders which moved can make of others.
const MOST_MOVED: usize = 2_000;

/// Names that git told, and what moved between them.
#[derive(Debug, Default)]
pub(super) struct GitNames {
    pub(super) all: BTreeSet<String>,
    /// The folders from and to which files moved.
    moved: BTreeSet<String>,
    /// The files that only one side has.
    single: BTreeSet<String>,
}

/// Asks git for the names that a step can write; nothing if they cannot be told.
pub(super) fn of(
    git: &GitRepository,
    step: &GitStep,
    seen: &DiskCache,
) -> Option<BTreeSet<String>> {
    let mut names = GitNames::default();
    let head = "HEAD";
    // The index is read in any case: what it says of other repositories in this one is not foreseen.
    let changed = seen.changed(&git.own.join("index"), &git.top)?;
    for name in &step.commits {
        let commits = git.commits(name);
        if commits.is_empty() && !step.is_own_stash {
            return None;
        }
        for commit in commits {
            names.of_commit(git, step, head, &commit)?;
        }
    }
    let mut is_dirty = step.dirty;
    for name in &step.operands {
        let commits = Some(name).filter(|name| is_revision(name));
        let commits = commits.map(|name| git.commits(name)).unwrap_or_default();
        is_dirty |= commits.is_empty();
        for commit in commits {
            git.differing(head, &commit, &mut names)?;
        }
    }
    if step.aborts {
        names.of_begun(git, head)?;
    }
    if step.joins() {
        names.move_along()?;
    }
    if is_dirty {
        names.all.extend(changed.iter().cloned());
        git.staged(head, &mut names)?;
    }
    if step.untracked {
        names.all.extend(git.untracked()?);
    }
    Some(names.all)
}

impl GitNames {
    /// Adds what a commit brings that a step names.
    fn of_commit(
        &mut self,
        git: &GitRepository,
        step: &GitStep,
        head: &str,
        commit: &str,
    ) -> Option<()> {
        let parents = || git.parents(commit).unwrap_or_default();
        match (step.verb, &*step.commits) {
            ("merge", [_]) => {
                if let [base] = &*git.bases(head, commit)? {
                    return self.of_merge(git, base, head, commit);
                }
            }
            ("cherry-pick", _) => {
                if let [parent] = &*parents() {
                    return self.of_merge(git, parent, head, commit);
                }
            }
            ("revert", _) => {
                if let [parent] = &*parents() {
                    return self.of_merge(git, commit, head, parent);
                }
            }
            _ => {}
        }
        git.differing(head, commit, self)?;
        match step.verb {
            "merge" | "rebase" => git.history(head, commit, self),
            // Of a merge it is one side that is brought.
            "cherry-pick" | "revert" => {
                for parent in git.parents(commit)? {
                    git.differing(head, &parent, self)?;
                    git.differing(&parent, commit, self)?;
                }
                Some(())
            }
            "stash" => self.of_stash(git, head, commit),
            _ => Some(()),
        }
    }

    /// Adds what is brought where the changes from one commit to another are made here. What was changed here alone stays, and
    /// only says which folders moved.
    fn of_merge(
        &mut self,
        git: &GitRepository,
        base: &str,
        head: &str,
        commit: &str,
    ) -> Option<()> {
        let (mut own, mut other) = (Self::default(), Self::default());
        git.differing(base, head, &mut own)?;
        git.differing(base, commit, &mut other)?;
        // A folder of one and a file of the other may have the same name: then the file gets another one.
        let is_below = |name: &str, all: &BTreeSet<String>| {
            let mut above = Path::new(name).ancestors().skip(1);
            above.any(|above| above.to_str().is_some_and(|above| all.contains(above)))
        };
        let clash = other.all.iter().any(|name| is_below(name, &own.all))
            || own.all.iter().any(|name| is_below(name, &other.all));
        self.all.extend(own.all.into_iter().filter(|_| clash));
        self.moved.extend(own.moved.into_iter().chain(other.moved));
        self.single
            .extend(own.single.into_iter().chain(other.single));
        self.all.extend(other.all);
        Some(())
    }

    /// Adds what was put aside: changes to a commit, the index, and new files.
    fn of_stash(&mut self, git: &GitRepository, head: &str, stash: &str) -> Option<()> {
        let parents = git.parents(stash)?;
        for parent in parents.iter().take(2) {
            git.differing(head, parent, self)?;
            git.differing(parent, stash, self)?;
        }
        for new in parents.iter().skip(2) {
            git.files(new, self)?;
        }
        Some(())
    }

    /// Adds what the end of a merge or of a rebase that someone began brings back.
    fn of_begun(&mut self, git: &GitRepository, head: &str) -> Option<()> {
        for file in GIT_BEGUN {
            if let Some(commit) = git.noted(file) {
                git.differing(head, &commit, self)?;
            }
        }
        for file in GIT_ASIDE {
            if let Some(stash) = git.noted(file) {
                self.of_stash(git, head, &stash)?;
            }
        }
        Some(())
    }

    /// Where a folder moved on one side, git moves along the files that the other side has new in it.
    fn move_along(&mut self) -> Option<()> {
        let mut made = BTreeSet::new();
        for folder in self
            .moved
            .iter()
            .flat_map(|folder| Path::new(folder).ancestors())
        {
            for name in &self.single {
                let parts: Vec<&str> = name.split('/').collect();
                for from in 0..parts.len() {
                    let rest = parts.get(from..)?.join("/");
                    made.insert(folder.join(rest).to_str()?.to_owned());
                    if made.len() > MOST_MOVED {
                        return None;
                    }
                }
            }
        }
        self.all.extend(made);
        Some(())
    }

    /// Adds what `--raw -z` printed: modes, digests and a status, then one name or two. Nothing if a link or another
    /// repository is there, which may lead elsewhere.
    pub(super) fn add(&mut self, raw: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(raw).ok()?;
        let mut parts = text.split_terminator('\0');
        while let Some(head) = parts.next() {
            let mut fields = head.strip_prefix(':')?.split(' ');
            let (old, new, status) = (fields.next()?, fields.next()?, fields.nth(2)?);
            (is_file(old) && is_file(new)).then_some(())?;
            let name = parts.next()?;
            if status.starts_with('R') {
                let to = parts.next()?;
                for name in [name, to] {
                    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                    self.moved.insert(folder.to_owned());
                    self.single.insert(name.to_owned());
                    self.all.insert(name.to_owned());
                }
            } else {
                if matches!(status, "A" | "D") {
                    self.single.insert(name.to_owned());
                }
                self.all.insert(name.to_owned());
            }
        }
        Some(())
    }

    /// Adds what `ls-tree -r -z` printed.
    pub(super) fn add_tree(&mut self, listed: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(listed).ok()?;
        for line in text.split_terminator('\0') {
            let (head, name) = line.split_once('\t')?;
            is_file(head.split(' ').next()?).then_some(())?;
            self.all.insert(name.to_owned());
        }
        Some(())
    }
}

/// Tells whether a mode is that of a plain file, or of none.
fn is_file(mode: &str) -> bool {
    matches!(mode, "000000" | "100644" | "100755")
}
