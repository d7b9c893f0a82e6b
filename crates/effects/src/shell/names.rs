//! Names of files that the line finds on the disk: whether each of them is only a name.

use std::path::PathBuf;

use super::state::ShellState;
use super::tree::RawWord;
use super::walk::Walk;
use crate::command::{OutputShape, ShellCommand};
use crate::effect::{Certainty, Effect, EffectKind, Target};
use crate::places::TrackedNames;
use crate::programs::{self, words};
use crate::word::{Part, Word};

/// Whether the names that are on the disk now are those that the line finds.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct NameCertainty {
    /// No: something of the line may make others before.
    pub(super) doubted: bool,
    /// Whether it was taken for granted.
    pub(super) believed: bool,
    /// Whether names that git tells were among them.
    pub(super) tracked: bool,
    /// Whether names that only the disk tells were among them.
    pub(super) on_disk: bool,
    /// Whether a script was run by a pattern: one of the files that stand there.
    pub(super) scripts: bool,
    /// Whether words were filled in by names that a program found: there may be none.
    pub(super) filled: bool,
    /// Whether parts of the line run at the same time, more than once, or in another order than they stand.
    pub(super) unordered: bool,
}

impl Walk<'_> {
    /// Tells whether the names in these folders are plain, and nothing that ran so far may have made another one.
    pub(super) fn has_plain_names(&mut self, folders: &[PathBuf], deep: bool) -> bool {
        let plain = !folders.is_empty()
            && folders
                .iter()
                .all(|folder| self.files.plain_names(folder, deep));
        let believed = plain && self.finds_what_stands_there();
        self.names.on_disk |= believed;
        believed
    }

    /// Tells whether names that were believed may be others where the line runs: something makes them at the same time.
    pub(super) fn may_find_others(&self) -> bool {
        let NameCertainty {
            believed,
            unordered,
            on_disk,
            scripts,
            ..
        } = self.names;
        scripts && unordered && self.makes_files()
            || believed && unordered && (self.may_change_index() || on_disk && self.changes())
    }

    /// Tells whether a script that a pattern names is one that stood there before the line.
    pub(super) fn runs_what_stands_there(&mut self) -> bool {
        self.names.scripts = true;
        !self.names.doubted && !self.makes_files()
    }

    fn makes_files(&self) -> bool {
        let makes =
            |effect: &Effect| effect.kind == EffectKind::Write || effect.object == Target::Unknown;
        self.effects.iter().any(makes)
    }

    /// Tells whether anything of the line may put a name into the index of git.
    fn may_change_index(&self) -> bool {
        let is_git =
            |path: &std::path::Path| path.components().any(|part| part.as_os_str() == ".git");
        let reaches = |effect: &Effect| match &effect.object {
            Target::Unknown => matches!(
                effect.kind,
                EffectKind::Write | EffectKind::Exec | EffectKind::Commit
            ),
            _ if effect.kind != EffectKind::Write => false,
            Target::Path(path) => is_git(path),
            Target::Tree(_) => !effect.is_edit(),
            Target::Pattern(pattern) => {
                effect.certainty == Certainty::Unknown || pattern.contains(".git")
            }
            _ => false,
        };
        self.commands.iter().any(may_change_index) || self.effects.iter().any(reaches)
    }

    /// Tells whether nothing that ran so far may have made another name.
    fn finds_what_stands_there(&mut self) -> bool {
        let plain = !self.names.doubted && !self.changes() && !self.is_away;
        self.names.believed |= plain;
        // What programs run in turn, they may run again.
        self.names.unordered |= self.calls > 0;
        plain
    }

    /// Notes that the names in the words of a command or a loop were found before it runs: nothing that stands behind can have
    /// made them.
    pub(super) fn settle(&mut self, before: NameCertainty) {
        if self.names.believed && !before.unordered && self.calls == 0 && !self.changes() {
            self.names.believed = before.believed;
            self.names.unordered = before.unordered;
        }
    }

    /// The names that a program prints for what runs in these folders, if it prints nothing else and each is only a name.
    pub(super) fn found(&mut self, shape: Option<OutputShape>, folders: &[PathBuf]) -> Vec<Word> {
        let Some(OutputShape::Names(lists)) = shape else {
            return Vec::new();
        };
        // Without a folder in front of it a name may be an option.
        let is_bare = lists.names.iter().any(|word| word.head().is_empty());
        let is_seen = !self.mixed && lists.from == folders;
        self.names.tracked |= lists.tracked;
        let told = match &*lists.below {
            _ if !lists.tracked => TrackedNames::Plain,
            [folder] => self.files.names_of_git(folder, &lists.commits),
            _ => TrackedNames::Unknown,
        };
        // What stands nowhere on the disk, such as the name of a commit, is whole as it is.
        let is_whole = lists.below.is_empty()
            || lists.indexed && told != TrackedNames::Unknown && self.finds_what_stands_there()
            || told != TrackedNames::Unknown
                && self.has_plain_names(&lists.below, true)
                && (!is_bare || self.has_plain_names(&lists.below, false));
        match told {
            _ if !is_seen || !is_whole => Vec::new(),
            TrackedNames::All(names) if lists.indexed => {
                let is_named = |name: &&String| lists.names.iter().any(|word| may_be(word, name));
                let names: Vec<Word> = names.iter().filter(is_named).map(Word::text).collect();
                // Where none is told, the words stand for what was put into the index since.
                if names.is_empty() { lists.names } else { names }
            }
            _ => lists.names,
        }
    }

    /// Tells whether something of the line may make a file whose name is several words where it is not quoted.
    pub(super) fn makes_odd_names(&self) -> bool {
        self.effects.iter().any(makes_odd_name)
    }

    /// The words of a command, and those of them that are there even if a program finds no name.
    pub(super) fn words_of(
        &mut self,
        raws: &[RawWord],
        state: &mut ShellState,
    ) -> (Vec<Word>, Vec<Word>) {
        let (mut words, mut sure) = (Vec::new(), Vec::new());
        for raw in raws {
            self.names.filled = false;
            let own = self.fields(raw, state);
            if !self.names.filled {
                sure.extend(own.iter().cloned());
            }
            words.extend(own);
        }
        (words, sure)
    }

    /// Tells whether anything of the line does more than read and remove: it may make a file of any name, or, where names of git
    /// are believed, put one into its index.
    pub(super) fn changes(&self) -> bool {
        if self.names.tracked && self.commands.iter().any(may_change_index) {
            return true;
        }
        let makes_nothing = |effect: &Effect| match &effect.object {
            Target::Program { opaque, .. } => {
                effect.kind == EffectKind::Exec && (!opaque || effect.is_edit())
            }
            _ => {
                matches!(effect.kind, EffectKind::Read | EffectKind::Delete)
                    || effect.is_edit()
                        && (matches!(effect.object, Target::Tree(_)) || !makes_odd_name(effect))
            }
        };
        !self.effects.iter().all(makes_nothing)
    }

    /// Tells whether the branch that is checked out now is the one of which the line asks: nothing before may have changed it.
    pub(super) fn keeps_branch(&self) -> bool {
        let is_git = |text: &str| text.contains(".git");
        let keeps = |effect: &Effect| match &effect.object {
            Target::Program { opaque, .. } => !opaque,
            _ if matches!(effect.kind, EffectKind::Read | EffectKind::Net) => true,
            Target::Path(path) => path.to_str().is_some_and(|path| !is_git(path)),
            Target::Pattern(pattern) => effect.certainty != Certainty::Unknown && !is_git(pattern),
            Target::Name(_) => true,
            _ => false,
        };
        !self.is_away
            && self.effects.iter().all(keeps)
            && !self.commands.iter().any(programs::may_switch_branch)
    }
}

/// Tells whether a name may be one of those that a word of `git ls-files` stands for: a name, a folder, an ending.
fn may_be(word: &Word, name: &str) -> bool {
    let begins = name.starts_with(word.head());
    match word.parts.last() {
        Some(Part::Glob(pattern)) => {
            begins && name.ends_with(pattern.rsplit('*').next().unwrap_or_default())
        }
        _ => begins && name.len() == word.head().len(),
    }
}

/// Tells whether an effect may make a file whose name the shell takes apart.
fn makes_odd_name(effect: &Effect) -> bool {
    let is_odd = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.contains(|letter: char| letter.is_whitespace())
    };
    match &effect.object {
        Target::Program { opaque, .. } => *opaque,
        _ if effect.kind != EffectKind::Write => false,
        Target::Path(path) => path.to_str().is_none_or(is_odd),
        Target::Pattern(pattern) => effect.certainty == Certainty::Unknown || is_odd(pattern),
        _ => true,
    }
}

/// Whether a command of git may put a name into its index.
fn may_change_index(command: &ShellCommand) -> bool {
    let verb = command.words.get(1).and_then(Word::known);
    command.program().starts_with("git")
        && verb.is_none_or(|verb| !words::KEEPING_INDEX.contains(&verb))
}
