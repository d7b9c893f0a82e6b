//! Names of files that the line finds on the disk: whether each of them is only a name.

use std::path::PathBuf;

use super::lists;
use super::state::State;
use super::tree::Raw;
use super::walk::Walk;
use crate::command::{Command, Lists, Shape};
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::programs;
use crate::word::Word;

/// Whether the names that are on the disk now are those that the line finds.
#[derive(Debug)]
pub(super) struct Names {
    /// No: something of the line may make others before.
    pub(super) doubted: bool,
    /// Whether it was taken for granted.
    pub(super) believed: bool,
    /// Whether names that git tells were among them.
    pub(super) tracked: bool,
    /// Whether words were filled in by names that a program found: there may be none.
    pub(super) filled: bool,
    /// Whether parts of the line run at the same time, more than once, or in another order than they stand.
    pub(super) unordered: bool,
}

impl Walk<'_> {
    /// Tells whether the names in these folders are plain, and nothing that ran so far may have made another one.
    pub(super) fn has_plain_names(&mut self, folders: &[PathBuf], deep: bool) -> bool {
        let plain = !folders.is_empty()
            && !self.names.doubted
            && !self.changes()
            && folders
                .iter()
                .all(|folder| self.files.plain_names(folder, deep));
        self.names.believed |= plain;
        // What programs run in turn, they may run again.
        self.names.unordered |= self.calls > 0;
        plain
    }

    /// The names that a program prints for what runs in these folders, if it prints nothing else and each is only a name.
    pub(super) fn found(&mut self, shape: Option<Shape>, folders: &[PathBuf]) -> Vec<Word> {
        let Some(Shape::Names(lists)) = shape else {
            return Vec::new();
        };
        let is_seen = !self.mixed && lists.from == folders;
        self.names.tracked |= lists.tracked;
        let is_plain = |lists: &Lists| {
            let mut below = lists.below.iter();
            !lists.tracked || below.all(|folder| self.files.plain_names_of_git(folder))
        };
        // What stands nowhere on the disk, such as the name of a commit, is whole as it is.
        let is_whole =
            lists.below.is_empty() || is_plain(&lists) && self.has_plain_names(&lists.below, true);
        if is_seen && is_whole {
            lists.names
        } else {
            Vec::new()
        }
    }

    /// Tells whether something of the line may make a file whose name is several words where it is not quoted.
    pub(super) fn makes_odd_names(&self) -> bool {
        self.effects.iter().any(makes_odd_name)
    }

    /// The words of a command, and those of them that are there even if a program finds no name.
    pub(super) fn words_of(&mut self, raws: &[Raw], state: &mut State) -> (Vec<Word>, Vec<Word>) {
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
            Object::Program { opaque, .. } => effect.kind == Kind::Exec && !opaque,
            _ => matches!(effect.kind, Kind::Read | Kind::Delete),
        };
        !self.effects.iter().all(makes_nothing)
    }
}

/// Tells whether an effect may make a file whose name the shell takes apart.
fn makes_odd_name(effect: &Effect) -> bool {
    let is_odd = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.contains(|letter: char| letter.is_whitespace())
    };
    match &effect.object {
        Object::Program { opaque, .. } => *opaque,
        _ if effect.kind != Kind::Write => false,
        Object::Path(path) => path.to_str().is_none_or(is_odd),
        Object::Pattern(pattern) => effect.certainty == Certainty::Unknown || is_odd(pattern),
        _ => true,
    }
}

/// Verbs of git that leave its index as it is.
const KEEPING: &str = "branch diff grep log ls-files rev-list rev-parse show status";

/// Whether a command of git may put a name into its index.
fn may_change_index(command: &Command) -> bool {
    let name = command.words.first().map(programs::program_name);
    let verb = command.words.get(1).and_then(Word::known);
    name.is_some_and(|name| name.starts_with("git"))
        && verb.is_none_or(|verb| !lists(KEEPING, &verb))
}
