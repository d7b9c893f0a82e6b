//! The one reader of shell lines: from a text to commands and effects, in the order in which bash runs them.

mod activate;
mod braces;
mod builtins;
mod content;
mod evaluate;
mod expand;
mod fields;
mod folders;
mod follow;
mod links;
mod loops;
mod made;
mod names;
mod pattern;
mod printed;
mod scripts;
mod simple;
mod state;
mod syntax;
mod tree;
mod variables;
pub mod visit;
mod walk;

use std::collections::HashSet;
use std::hash::Hash;

use foldhash::fast::RandomState;

use crate::command::{NestedCommand, ShellCommand};
use crate::effect::{Effect, EffectKind};
use crate::places::{Files, Places};
use crate::programs::words;
use state::ShellState;
use tree::{List, Node, WordPiece};
use walk::Walk;

/// The longest line that is read, in bytes. A longer one is unknown.
pub const LONGEST: usize = 64 << 10;
/// How deep a line may be nested before it is read on a stack of its own.
const SHALLOW: usize = 8;
/// The size of that stack.
const STACK: usize = 8 << 20;

/// What a line does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineAnalysis {
    /// Every effect, in order.
    pub effects: Vec<Effect>,
    /// Every simple command, in order, those inside wrappers, substitutions and scripts included.
    pub commands: Vec<ShellCommand>,
    /// Whether the line is one plain command: no substitution, pattern, redirection, pipe, list, or assignment.
    pub plain: bool,
    /// Whether the line could be read. If not, it has an unknown effect of every kind, and no command.
    pub readable: bool,
}

/// Reads a line.
pub fn read(line: &str, places: &Places, files: &dyn Files) -> LineAnalysis {
    if line.len() > LONGEST {
        return unreadable(places, files);
    }
    let done = parsed(line, |list| walked(list, places, files));
    done.unwrap_or_else(|| unreadable(places, files))
}

/// Parses a text and looks at what it holds; none where it cannot be read.
fn parsed<T: Send>(text: &str, look: impl Fn(&List) -> T + Sync) -> Option<T> {
    match syntax::line(text).ok()? {
        (list, depth) if depth <= SHALLOW && text.len() < 1 << 10 => Some(look(&list)),
        _ => roomy(|| Some(look(&syntax::line(text).ok()?.0)))?,
    }
}

/// Runs on a stack that holds the deepest text.
fn roomy<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, run).ok()?.join().ok()
    })
}

fn unreadable(places: &Places, files: &dyn Files) -> LineAnalysis {
    let mut walk = Walk::new(places, files);
    walk.anything("a line that cannot be read");
    LineAnalysis {
        effects: walk.effects,
        ..LineAnalysis::default()
    }
}

/// Reads what a tool runs: a line, a command by its words, or code.
pub(crate) fn inner(inner: NestedCommand, places: &Places, files: &dyn Files) -> LineAnalysis {
    if let NestedCommand::Shell { text, folders, .. } = &inner
        && let (Some(text), [folder]) = (text.known(), &**folders)
    {
        let mut places = places.clone();
        places.folder.clone_from(folder);
        return read(text, &places, files);
    }
    let done = roomy(|| Walk::new(places, files).alone_of(inner));
    done.unwrap_or_else(|| unreadable(places, files))
}

fn walked(list: &List, places: &Places, files: &dyn Files) -> LineAnalysis {
    let through = |doubted: bool| {
        let mut walk = Walk::new(places, files);
        walk.names.doubted = doubted;
        let after = walk.list(list, ShellState::new(places));
        walk.leave(after);
        walk
    };
    let mut walk = through(false);
    if walk.may_find_others() {
        // What stands behind may run before the names are looked up.
        walk = through(true);
    }
    LineAnalysis {
        plain: is_plain(list),
        ..LineAnalysis::of(walk)
    }
}

impl LineAnalysis {
    fn of(mut walk: Walk<'_>) -> Self {
        // Another name may lead to the script that was read.
        let keeps = |effect: &Effect| words::KEEPING_TEXT.contains(&effect.program());
        let writes = |effect: &&Effect| effect.kind == EffectKind::Write && !keeps(effect);
        if walk.relied && walk.effects.iter().filter(writes).count() != 1 {
            walk.anything("a script");
        }
        Self {
            effects: once(links::followed(walk.effects)),
            commands: once(walk.commands),
            plain: false,
            readable: true,
        }
    }
}

/// Each thing once, where it comes first: loops are walked more than once.
fn once<T: Eq + Hash>(mut all: Vec<T>) -> Vec<T> {
    let mut known = HashSet::with_capacity_and_hasher(all.len(), RandomState::default());
    let first: Vec<bool> = all.iter().map(|one| known.insert(one)).collect();
    drop(known);
    let mut first = first.into_iter();
    all.retain(|_| first.next().unwrap_or(true));
    all
}

/// Tells whether a name stands in a list of names between blanks.
fn lists(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|one| one == name)
}

/// Whether a line is one simple command of words that are all known as they stand.
fn is_plain(list: &List) -> bool {
    let [step] = &*list.0 else { return false };
    let Node::Simple(simple) = &step.node else {
        return false;
    };
    let known = |piece: &WordPiece| match piece {
        WordPiece::Quoted(_) | WordPiece::Ansi(_) => true,
        WordPiece::Bare(text) => !text.contains(['*', '?', '[', '{', '~']),
        _ => false,
    };
    step.redirects.is_empty()
        && !step.background
        && !step.negated
        && simple.assigned.is_empty()
        && simple.declared.is_empty()
        && !simple.words.is_empty()
        && simple.words.iter().flatten().all(known)
}

#[cfg(test)]
mod tests;
