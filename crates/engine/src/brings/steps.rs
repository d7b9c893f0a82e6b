//! The commands of git that bring files, read as far as they are common: any other option means that it cannot be told.

use std::path::PathBuf;

use anyhook_effects::command::ShellCommand;
use anyhook_effects::word::Word;

use super::git::is_revision;
use crate::lists::GIT_BRINGS;

/// A verb that brings files, and its options: those without a value, and those whose value is no commit.
struct GitVerb {
    verb: &'static str,
    plain: &'static str,
    valued: &'static str,
    /// Options whose value is a commit.
    commits: &'static str,
}

impl GitVerb {
    fn of(row: &'static str) -> Self {
        let mut columns = row.split(" | ");
        let mut next = || columns.next().unwrap_or_default();
        Self {
            verb: next(),
            plain: next(),
            valued: next(),
            commits: next(),
        }
    }
}

fn row_of(verb: &str) -> Option<GitVerb> {
    let mut rows = GIT_BRINGS.iter().map(|row| GitVerb::of(row));
    rows.find(|row| row.verb == verb)
}

/// One command that brings files.
#[derive(Debug, Clone, Default)]
pub(super) struct GitStep {
    pub(super) verb: &'static str,
    /// The folders in which it may run.
    pub(super) folders: Vec<PathBuf>,
    /// The commits that it names.
    pub(super) commits: Vec<String>,
    /// What may be a commit or a path.
    pub(super) operands: Vec<String>,
    /// Whether it ends what another step began.
    pub(super) aborts: bool,
    /// Whether files that are changed on the disk can be written.
    pub(super) dirty: bool,
    /// Whether new files can be taken away too.
    pub(super) untracked: bool,
    /// Whether it may take back what an earlier step of the line puts aside.
    pub(super) is_own_stash: bool,
}

/// What a command is.
#[derive(Debug)]
pub(super) enum CommandKind {
    Brings(GitStep),
    /// Another verb of git.
    Git(String),
    /// Another program.
    Other(String),
}

/// Returns the verb that brings files of what an effect came through.
pub(super) fn verb_of(through: &str) -> Option<&'static str> {
    let verb = through.strip_prefix("git ")?.split(' ').next()?;
    row_of(verb).map(|row| row.verb)
}

/// Reads a command; nothing if it cannot be read.
pub(super) fn read(command: &ShellCommand) -> Option<CommandKind> {
    let Some((first, rest)) = command.words.split_first() else {
        return Some(CommandKind::Other(String::new()));
    };
    let program = first.known()?;
    let name = program.rsplit('/').next().unwrap_or_default();
    let name = name.to_lowercase();
    if name != "git" {
        return Some(CommandKind::Other(name));
    }
    // A word that is not known may be an option.
    let words = rest.iter().map(|word| word.known().map(str::to_owned));
    let words: Option<Vec<String>> = words.collect();
    let mut folders = command.folders.clone();
    let mut words = words?.into_iter();
    let verb = verb(&mut words, &mut folders)?;
    let Some(row) = row_of(&verb) else {
        return Some(CommandKind::Git(verb));
    };
    let words: Vec<String> = words.collect();
    if row.verb == "stash" && matches!(words.first().map(String::as_str), Some("list" | "show")) {
        return Some(CommandKind::Git("log".to_owned()));
    }
    let is_editor = |(name, value): &(String, Word)| name == "GIT_EDITOR" && value.says(&["true"]);
    let is_plain = command.assigned.iter().all(is_editor) && program == "git";
    let is_somewhere =
        (1..=3).contains(&folders.len()) && folders.iter().all(|folder| folder.is_absolute());
    if !is_plain || !is_somewhere {
        return None;
    }
    step(&row, words, folders).map(CommandKind::Brings)
}

/// Reads up to the verb of a command of git, and goes where the options before it say.
fn verb(words: &mut impl Iterator<Item = String>, folders: &mut [PathBuf]) -> Option<String> {
    loop {
        let word = words.next()?;
        match &*word {
            "-C" => {
                let to = words.next()?;
                for folder in &mut *folders {
                    *folder = folder.join(&to);
                }
            }
            "--no-pager" | "-P" => {}
            _ if word.starts_with('-') => return None,
            _ => return Some(word),
        }
    }
}

fn step(row: &GitVerb, words: Vec<String>, folders: Vec<PathBuf>) -> Option<GitStep> {
    let mut step = GitStep {
        verb: row.verb,
        folders,
        dirty: !matches!(row.verb, "switch" | "checkout" | "cherry-pick" | "revert"),
        ..GitStep::default()
    };
    // With this strategy files come to another folder than the one that they have in a commit.
    let moves = |word: &String| {
        word.starts_with("subtree") || word.starts_with('-') && word.contains("subtree")
    };
    if words.iter().any(moves) {
        return None;
    }
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let split = word.split_once('=');
        let option = split.map_or(&*word, |(option, _)| option);
        if word == "--" {
            // Paths keep to less than all files that are changed.
            step.dirty |= words.next().is_some();
            break;
        } else if !word.starts_with('-') || word == "-" {
            step.operands.push(word);
        } else if has(row.plain, &word) {
            step.note(&word);
        } else if word
            .get(..2)
            .is_some_and(|short| word.len() > 2 && has(row.valued, short))
        {
            // Its value is joined to it.
        } else if has(row.valued, option) || has(row.commits, option) {
            let value = split.map(|(_, value)| value.to_owned());
            let value = value.or_else(|| words.next())?;
            if has(row.commits, option) {
                step.commits.push(value);
            }
        } else {
            return None;
        }
    }
    step.settled()
}

fn has(options: &str, option: &str) -> bool {
    options.split(' ').any(|one| one == option)
}

impl GitStep {
    fn note(&mut self, option: &str) {
        match option {
            "-f" | "--force" | "--discard-changes" | "--ours" | "--theirs" => self.dirty = true,
            "--abort" => (self.aborts, self.dirty) = (true, true),
            "-u" | "--include-untracked" => self.untracked = true,
            _ => {}
        }
    }

    /// Finds the commits among the operands.
    fn settled(mut self) -> Option<Self> {
        let operands = std::mem::take(&mut self.operands);
        match self.verb {
            "stash" => self.stash(&operands)?,
            // Its operands are paths.
            "restore" => self.dirty = true,
            "checkout" | "reset" => self.operands = operands,
            "merge" | "rebase" if operands.is_empty() && !self.aborts => {
                self.commits.push("@{upstream}".to_owned());
            }
            _ => self.commits.extend(operands),
        }
        for commit in self.commits.iter_mut().chain(&mut self.operands) {
            if commit == "-" {
                "@{-1}".clone_into(commit);
            }
        }
        self.commits
            .iter()
            .all(|commit| is_revision(commit))
            .then_some(self)
    }

    fn stash(&mut self, operands: &[String]) -> Option<()> {
        let words: Vec<&str> = operands.iter().map(String::as_str).collect();
        match *words {
            [] | ["push" | "save", ..] => {}
            ["pop" | "apply"] => self.commits.push("stash@{0}".to_owned()),
            ["pop" | "apply", entry] if entry.starts_with("stash@{") => {
                self.commits.push(entry.to_owned());
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether it merges what other commits changed into files here, under the names that these have here.
    pub(super) fn joins(&self) -> bool {
        match self.verb {
            "merge" | "rebase" | "cherry-pick" | "revert" => !self.commits.is_empty(),
            "stash" => self.takes_stash(),
            _ => self.aborts,
        }
    }

    /// Whether it brings back what was put aside.
    pub(super) fn takes_stash(&self) -> bool {
        self.verb == "stash" && !self.commits.is_empty()
    }

    /// Whether a name of it counts from what is checked out, or from the stack of what was put aside.
    pub(super) fn is_relative(&self) -> bool {
        let is_one = |name: &String| {
            name.contains(['@', '~', '^'])
                || name.to_uppercase().contains("HEAD")
                || name == "stash"
        };
        self.commits.iter().chain(&self.operands).any(is_one)
    }
}
