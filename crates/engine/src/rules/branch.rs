//! Which branch a commit lands on: the one that is checked out, read from the repository's own files: no process, and nothing that a hook of git could
//! answer.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhook_effects::command::ShellCommand;
use anyhook_effects::programs::may_be;
use anyhook_effects::word::Word;

use crate::brings::git;
use crate::lists::{MAKE_COMMITS, PLAIN_COMMITS};
use crate::load::repository_of;

/// `HEAD` and the file of a work tree are one short line.
const LONGEST: u64 = 4096;
/// The names of many branches.
const PACKED: u64 = 4 << 20;
/// The settings of a repository are a short file.
pub(super) const SETTINGS: u64 = 256 << 10;

/// Tells whether the repository around a folder has one of these branches checked out. A repository whose branch cannot
/// be read counts as having each of them: who asks wants to refuse.
pub(super) fn is_one_of(folder: &Path, names: &[String]) -> bool {
    match checked_out(folder) {
        CurrentBranch::Nothing => false,
        CurrentBranch::Unknown => true,
        CurrentBranch::Branch(branch) => names.contains(&branch),
    }
}

/// What is checked out around a folder.
pub(crate) enum CurrentBranch {
    /// There is no repository, or a commit without a branch.
    Nothing,
    Branch(String),
    Unknown,
}

/// Reads which branch is checked out around a folder.
pub(crate) fn checked_out(folder: &Path) -> CurrentBranch {
    let Some(git) = git_of(folder) else {
        return CurrentBranch::Nothing;
    };
    let Some(head) = head_of(&git).and_then(|folder| line(&folder.join("HEAD"))) else {
        return CurrentBranch::Unknown;
    };
    // Without a branch there is a commit's name alone.
    let branch = head.strip_prefix("ref: refs/heads/").map(str::trim);
    branch.map_or(CurrentBranch::Nothing, |name| {
        CurrentBranch::Branch(name.to_owned())
    })
}

/// Tells whether the repository around a folder has a branch or a tag of this name, of its own or of a remote.
pub(crate) fn has_ref(folder: &Path, name: &str) -> bool {
    let Some(own) = git_of(folder).and_then(|git| head_of(&git)) else {
        return false;
    };
    let common = common_of(&own);
    let remotes = std::fs::read_dir(common.join("refs/remotes"));
    let remotes = remotes.into_iter().flatten().flatten();
    let mut places = remotes
        .map(|entry| entry.path())
        .chain(["refs/heads", "refs/tags"].map(|kind| common.join(kind)));
    let packed = whole(&common.join("packed-refs"), PACKED).unwrap_or_default();
    let mut packed = packed.lines().filter_map(|line| line.split_once(" refs/"));
    let is_it = |(_, of): (&str, &str)| {
        let name_of = |of: &str| of.split_once('/').is_some_and(|(_, of)| of == name);
        match of.strip_prefix("remotes/") {
            Some(of) => name_of(of),
            None => name_of(of),
        }
    };
    places.any(|place| place.join(name).is_file()) || packed.any(is_it)
}

/// The `.git` of the repository around a folder.
fn git_of(folder: &Path) -> Option<PathBuf> {
    Some(repository_of(folder)?.join(".git"))
}

/// The folder that the work trees of a repository share.
fn common_of(own: &Path) -> PathBuf {
    line(&own.join("commondir")).map_or_else(|| own.to_owned(), |at| own.join(at.trim()))
}

/// The settings of the repository and the work tree around a folder; none if there is none, or they cannot be read.
pub(super) fn settings_of(folder: &Path) -> Option<String> {
    let own = head_of(&git_of(folder)?)?;
    let of_tree = whole(&own.join("config.worktree"), SETTINGS).unwrap_or_default();
    let settings = whole(&common_of(&own).join("config"), SETTINGS)?;
    Some(format!("{settings}\n{of_tree}"))
}

/// Tells whether the settings of the repository around a folder send more than what is asked for, or elsewhere.
pub(super) fn pushes_otherwise(folder: &Path) -> bool {
    let settings = settings_of(folder).unwrap_or_default();
    let mut lines = settings.lines().map(str::trim_start);
    lines.any(|line| line.starts_with("push") || line.starts_with("mirror"))
}

/// The folder that holds `HEAD`: in a work tree `.git` is a file that says where.
fn head_of(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let told = line(git)?;
    let folder = told.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(folder))
}

fn line(file: &Path) -> Option<String> {
    whole(file, LONGEST)?.lines().next().map(str::to_owned)
}

/// The text of a plain file, up to so many bytes.
pub(super) fn whole(file: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    let open = std::fs::File::open(file)
        .ok()
        .filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    open.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Tells whether a command of git may make a commit.
pub(super) fn makes_commits(command: &ShellCommand) -> bool {
    let mut verbs = MAKE_COMMITS.iter();
    verbs.any(|verb| may_be(command, &format!("git {verb}")))
}

/// Tells whether a command is a plain `git pull` that can only move a branch on: it asks for that, or none of these branches has
/// a commit that its remote one lacks.
pub(super) fn follows(command: &ShellCommand, branches: &[String]) -> bool {
    let words = Word::all_known(&command.words).unwrap_or_default();
    let (["git", "pull", rest @ ..], [folder], []) =
        (&*words, &*command.folders, &*command.assigned)
    else {
        return false;
    };
    let (only_forward, rest): (Vec<&str>, Vec<&str>) =
        rest.iter().partition(|word| **word == "--ff-only");
    let is_plain =
        |word: &&str| PLAIN_COMMITS.contains(word) || branches.iter().any(|own| own == word);
    let has_none = || {
        let mut all = branches.iter();
        all.all(|branch| git::has_own_commits(folder, branch) == Some(false))
    };
    rest.iter().all(is_plain) && (!only_forward.is_empty() || has_none())
}
