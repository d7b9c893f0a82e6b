//! A git worktree: a folder in which a sub-agent works without being in anybody's way.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::fields::set;

/// Where a sub-agent works, and why there (ATH-31).
#[derive(Debug)]
pub enum Isolation {
    /// In its parent's folder, for this reason: `requested`, `no_git`, `not_a_repo`, `dirty_tree`, `status_failed` or
    /// `create_failed`.
    InProcess(&'static str),
    /// In a worktree of its own.
    Worktree(Worktree),
}

/// A worktree, with a branch of its own.
#[derive(Debug)]
pub struct Worktree {
    /// Its folder.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The folder of whoever made it.
    pub parent: PathBuf,
}

/// What became of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finalized {
    /// Something was done in it, so it is still there.
    Kept,
    /// Nothing was done in it, so it is gone.
    Removed,
    /// It could not be told, or not be removed; it is still there.
    Error(String),
}

impl Isolation {
    /// Makes a worktree for an agent if it is wanted and can be had.
    pub fn resolve(wanted: Option<&str>, parent: &Path, agent: &str) -> Self {
        if wanted != Some("worktree") {
            return Self::InProcess("requested");
        }
        match git(parent, ["rev-parse", "--is-inside-work-tree"]) {
            Err(Failed::NoGit) => return Self::InProcess("no_git"),
            Err(Failed::Said(_)) => return Self::InProcess("not_a_repo"),
            Ok(_) => {}
        }
        match git(parent, ["status", "--porcelain"]) {
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
        let words: [&OsStr; 5] = [
            "worktree".as_ref(),
            "add".as_ref(),
            "-b".as_ref(),
            branch.as_ref(),
            path.as_ref(),
        ];
        if git(parent, words).is_err() {
            let _ = path.parent().map(std::fs::remove_dir);
            return Self::InProcess("create_failed");
        }
        Self::Worktree(Worktree {
            path,
            branch,
            parent: parent.to_path_buf(),
        })
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

    /// Removes it if nothing was done in it: no file is other than its parent's, and no commit is its own.
    pub fn finalize(&self) -> Finalized {
        let changes = git(&self.path, ["status", "--porcelain"]);
        let own = git(&self.path, ["rev-parse", "HEAD"]);
        let parents = git(&self.parent, ["rev-parse", "HEAD"]);
        match (changes, own, parents) {
            (Ok(changes), Ok(own), Ok(parents)) if changes.is_empty() && own == parents => {
                match self.remove() {
                    Ok(()) => Finalized::Removed,
                    Err(error) => Finalized::Error(error),
                }
            }
            (Ok(_), Ok(_), Ok(_)) => Finalized::Kept,
            (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => {
                Finalized::Error(error.told())
            }
        }
    }

    /// Returns what became of it as hooks read it.
    pub fn finalized_json(&self, finalized: &Finalized) -> Value {
        match finalized {
            Finalized::Kept => self.json("worktree_kept"),
            Finalized::Removed => self.json("worktree_removed"),
            Finalized::Error(why) => {
                let mut told = self.json("worktree_error");
                set(&mut told, "reason", Value::from(why.as_str()));
                told
            }
        }
    }

    /// Takes everything that was done in it over into its parent's folder, and removes it. If it does not fit there any
    /// more, nothing is changed.
    pub fn keep(&self) -> Result<(), String> {
        let done = |words: &[&str]| git(&self.path, words).map_err(Failed::told);
        let base = git(&self.parent, ["merge-base", "HEAD", &self.branch]).map_err(Failed::told)?;
        done(&["add", "--all"])?;
        let base = String::from_utf8_lossy(&base).trim().to_owned();
        let patch = done(&["diff", "--binary", "--cached", &base])?;
        if !patch.is_empty() {
            apply(&self.parent, &patch)?;
        }
        self.remove()
    }

    /// Removes it with its branch, whatever was done in it.
    pub fn remove(&self) -> Result<(), String> {
        let words: [&OsStr; 4] = [
            "worktree".as_ref(),
            "remove".as_ref(),
            "--force".as_ref(),
            self.path.as_ref(),
        ];
        git(&self.parent, words).map_err(Failed::told)?;
        git(&self.parent, ["branch", "-D", &self.branch]).map_err(Failed::told)?;
        let _ = self.path.parent().map(std::fs::remove_dir);
        Ok(())
    }
}

enum Failed {
    NoGit,
    Said(String),
}

impl Failed {
    fn told(self) -> String {
        match self {
            Self::NoGit => "there is no git".into(),
            Self::Said(text) => text,
        }
    }
}

/// Runs git in a folder. What a repository says to run there is not run: it may be a stranger's.
fn git<S: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = S>,
) -> Result<Vec<u8>, Failed> {
    let ran = command(folder).args(words).output();
    let ran = ran.map_err(|_| Failed::NoGit)?;
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Err(Failed::Said(said))
}

fn command(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(folder)
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ])
        .stdin(Stdio::null());
    git
}

fn apply(folder: &Path, patch: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot run git: {error}");
    let mut git = command(folder)
        .args(["apply", "--binary"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let written = git.stdin.take().map(|mut stdin| stdin.write_all(patch));
    let ended = git.wait_with_output().map_err(failed)?;
    match (ended.status.success(), written) {
        (true, Some(Ok(()))) => Ok(()),
        _ => Err(String::from_utf8_lossy(&ended.stderr).trim().to_owned()),
    }
}
