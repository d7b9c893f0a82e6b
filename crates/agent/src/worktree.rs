//! A git worktree: a folder in which a sub-agent works without touching the files of others.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::fields::with;

/// Where a sub-agent works, and why there (ATH-31).
///
/// ```
/// use anyhook_agent::worktree::Isolation;
/// let place = tempfile::tempdir()?;
/// let told = Isolation::resolve(place.path(), "s1.1").json();
/// assert_eq!(told["kind"], "in_process");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub enum Isolation {
    /// In its parent's folder, for this reason: `requested`, `no_git`, `not_a_repo`, `dirty_tree`, `status_failed` or
    /// `create_failed`.
    InProcess(&'static str),
    /// In a worktree of its own.
    Worktree(Worktree),
}

/// A worktree, with a branch of its own.
///
/// ```
/// use anyhook_agent::worktree::{WorktreeOutcome, Worktree};
/// // One that was removed meanwhile.
/// let gone = std::path::PathBuf::from("/no/such/folder");
/// let branch = "agent/s1.1".to_owned();
/// let tree = Worktree { root: gone.clone(), path: gone.clone(), branch, parent: gone };
/// assert!(matches!(tree.look(), WorktreeOutcome::Error(_)));
/// assert_eq!(tree.finalized_json(&tree.finalize())["kind"], "worktree_error");
/// assert!(tree.remove().is_err());
/// ```
#[derive(Debug)]
pub struct Worktree {
    /// Its folder.
    pub path: PathBuf,
    /// Where in it its maker's own folder is: an agent in a part of a repository starts one in the same part.
    pub root: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The folder of its maker.
    pub parent: PathBuf,
}

/// What becomes of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorktreeOutcome {
    /// Something was done in it, so it is still there.
    Kept,
    /// Nothing was done in it, so it is gone.
    Removed,
    /// It could not be told, or not be removed; it is still there.
    Error(String),
}

impl Isolation {
    /// Makes a worktree for an agent, or tells why there is none.
    pub fn resolve(parent: &Path, agent: &str) -> Self {
        let prefix = match prefix(GIT, parent) {
            Ok(prefix) => prefix,
            Err(why) => return Self::InProcess(why),
        };
        match git(parent, STATUS) {
            Err(_) => return Self::InProcess("status_failed"),
            Ok(changes) if !changes.is_empty() => return Self::InProcess("dirty_tree"),
            Ok(_) => {}
        }
        let branch = format!("agent/{agent}");
        let made = tempfile::Builder::new()
            .prefix("anyhook-worktree-")
            .tempdir()
            .ok()
            .map(|place| place.keep().join("tree"));
        let Some(path) = made else {
            return Self::InProcess("create_failed");
        };
        if git(parent, &[&"worktree", &"add", &"-b", &branch, &path]).is_err() {
            let _ = path.parent().map(std::fs::remove_dir);
            return Self::InProcess("create_failed");
        }
        let tree = Worktree {
            root: path.join(prefix),
            path,
            branch,
            parent: parent.to_path_buf(),
        };
        if !tree.root.is_dir() {
            let _ = tree.remove();
            return Self::InProcess("create_failed");
        }
        Self::Worktree(tree)
    }

    /// Returns it as hooks read it.
    pub fn json(&self) -> Value {
        match self {
            Self::InProcess(why) => json!({"kind": "in_process", "reason": why}),
            Self::Worktree(tree) => tree.json("worktree"),
        }
    }
}

impl Worktree {
    fn json(&self, kind: &str) -> Value {
        json!({
            "kind": kind, "path": self.path.to_string_lossy(),
            "branch": self.branch, "parent_cwd": self.parent.to_string_lossy(),
        })
    }

    /// Removes it if nothing was done in it. What the project ignores, such as what a build leaves, is nothing.
    pub fn finalize(&self) -> WorktreeOutcome {
        match self.look() {
            WorktreeOutcome::Removed => match self.remove() {
                Ok(()) => WorktreeOutcome::Removed,
                Err(error) => WorktreeOutcome::Error(error),
            },
            other => other,
        }
    }

    /// Tells what [`Worktree::finalize`] would do now: whether a file is other than its parent's, or a commit is its own.
    pub fn look(&self) -> WorktreeOutcome {
        let changes = git(&self.path, STATUS);
        let own = git(&self.path, HEAD);
        let parents = git(&self.parent, HEAD);
        match (changes, own, parents) {
            (Ok(changes), Ok(own), Ok(parents)) if changes.is_empty() && own == parents => {
                WorktreeOutcome::Removed
            }
            (Ok(_), Ok(_), Ok(_)) => WorktreeOutcome::Kept,
            (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => {
                WorktreeOutcome::Error(error.told())
            }
        }
    }

    /// Returns what became of it as hooks read it.
    pub fn finalized_json(&self, finalized: &WorktreeOutcome) -> Value {
        match finalized {
            WorktreeOutcome::Kept => self.json("worktree_kept"),
            WorktreeOutcome::Removed => self.json("worktree_removed"),
            WorktreeOutcome::Error(why) => {
                with(self.json("worktree_error"), json!({"reason": why}))
            }
        }
    }

    /// Removes it with its branch, whatever was done in it.
    pub fn remove(&self) -> Result<(), String> {
        let words: CommandWords<'_> = &[&"worktree", &"remove", &"--force", &self.path];
        git(&self.parent, words).map_err(GitError::told)?;
        git(&self.parent, &[&"branch", &"-D", &self.branch]).map_err(GitError::told)?;
        let _ = self.path.parent().map(std::fs::remove_dir);
        Ok(())
    }
}

/// The program.
const GIT: &str = "git";

/// Tells what is other than committed, whatever a person's settings leave out.
const STATUS: CommandWords<'_> = &[&"status", &"--porcelain", &"--untracked-files=all"];
const HEAD: CommandWords<'_> = &[&"rev-parse", &"HEAD"];

/// The words of a command line.
type CommandWords<'w> = &'w [&'w dyn AsRef<OsStr>];

/// The variables by which the program that started this one, such as a hook of git, means another repository.
const ELSEWHERE: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// What a repository says to run is not run, and a folder that only looks like one, because a tool wrote it so, is none.
const SAFELY: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "safe.bareRepository=explicit",
];

enum GitError {
    NoGit,
    Said(String),
}

impl GitError {
    fn told(self) -> String {
        match self {
            Self::NoGit => "there is no git".into(),
            Self::Said(text) => text,
        }
    }
}

/// Tells which part of its repository a folder is: nothing at the top.
fn prefix(program: &str, folder: &Path) -> Result<String, &'static str> {
    match run(program, folder, &[&"rev-parse", &"--show-prefix"]) {
        Err(GitError::NoGit) => Err("no_git"),
        Err(GitError::Said(_)) => Err("not_a_repo"),
        Ok(said) => Ok(String::from_utf8_lossy(&said)
            .trim_end_matches('\n')
            .to_owned()),
    }
}

/// Runs git in a folder. What a repository says to run there is not run: it may be a stranger's.
fn git(folder: &Path, words: CommandWords<'_>) -> Result<Vec<u8>, GitError> {
    run(GIT, folder, words)
}

fn run(program: &str, folder: &Path, words: CommandWords<'_>) -> Result<Vec<u8>, GitError> {
    let mut git = Command::new(program);
    for name in ELSEWHERE {
        git.env_remove(name);
    }
    git.arg("-C").arg(folder);
    for setting in SAFELY {
        git.args(["-c", setting]);
    }
    git.args(words);
    let ran = git.stdin(Stdio::null()).output();
    let ran = ran.map_err(|_| GitError::NoGit)?;
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Err(GitError::Said(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_no_git_there_is_no_worktree() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        assert_eq!(prefix("no-such-git", place.path()), Err("no_git"));
        assert_eq!(prefix(GIT, place.path()), Err("not_a_repo"));
        Ok(())
    }
}
