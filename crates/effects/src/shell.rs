//! The one reader of shell lines: from a text to commands and effects, in the order in which bash runs them.

mod ansi;
mod braces;
mod builtins;
mod evaluate;
mod expand;
mod fields;
mod folders;
mod follow;
mod lex;
mod loops;
mod parse;
mod pattern;
mod scan;
mod simple;
mod state;
mod tree;
mod variables;
mod walk;

use crate::command::{Command, Inner};
use crate::effect::Effect;
use crate::places::{Files, Places};
use scan::{Scan, Unreadable};
use state::State;
use tree::{List, Node, Piece};
use walk::Walk;

/// The longest line that is read, in bytes. A longer one is unknown.
pub const LONGEST: usize = 64 << 10;
/// How deep a line may be nested before it is read on a stack of its own.
const SHALLOW: usize = 6;
/// The size of that stack.
const STACK: usize = 8 << 20;

/// What a line does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Every effect, in order.
    pub effects: Vec<Effect>,
    /// Every simple command, in order, those inside wrappers, substitutions and scripts included.
    pub commands: Vec<Command>,
    /// Whether the line is one plain command: no substitution, pattern, redirection, pipe, list, or assignment.
    pub plain: bool,
    /// Whether the line could be read. If not, it has an unknown effect of every kind, and no command.
    pub readable: bool,
}

/// Reads a line.
pub fn read(line: &str, places: &Places, files: &dyn Files) -> Done {
    let nothing = || {
        let mut walk = Walk::new(places, files);
        walk.anything("a line that cannot be read");
        Done {
            effects: walk.effects,
            ..Done::default()
        }
    };
    if line.len() > LONGEST {
        return nothing();
    }
    let Ok(depth) = Scan::new(line, 0).line() else {
        return nothing();
    };
    if depth <= SHALLOW && line.len() < 1 << 10 {
        return walked(line, places, files).unwrap_or_else(|_| nothing());
    }
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let reader = thread.spawn_scoped(scope, || walked(line, places, files));
        reader.ok().and_then(|reader| reader.join().ok())
    });
    match done {
        Some(Ok(done)) => done,
        Some(Err(Unreadable)) | None => nothing(),
    }
}

/// Reads what a tool runs: a line, a command by its words, or code.
pub(crate) fn inner(inner: Inner, places: &Places, files: &dyn Files) -> Done {
    if let Inner::Shell { text, folders, .. } = &inner
        && let (Some(text), [folder]) = (text.known(), &**folders)
    {
        let mut places = places.clone();
        places.folder.clone_from(folder);
        return read(&text, &places, files);
    }
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let reader = thread.spawn_scoped(scope, || Walk::new(places, files).alone_of(inner));
        reader.ok().and_then(|reader| reader.join().ok())
    });
    done.unwrap_or_else(|| Done {
        effects: Effect::anything("a command that cannot be read"),
        ..Done::default()
    })
}

fn walked(line: &str, places: &Places, files: &dyn Files) -> Result<Done, Unreadable> {
    let list = parse::script(line, 0)?;
    let mut walk = Walk::new(places, files);
    let after = walk.list(&list, State::new(places));
    walk.leave(after);
    let mut done = Done {
        effects: Vec::with_capacity(walk.effects.len()),
        commands: Vec::with_capacity(walk.commands.len()),
        plain: is_plain(&list),
        readable: true,
    };
    // Loops are walked more than once.
    for effect in walk.effects {
        if !done.effects.contains(&effect) {
            done.effects.push(effect);
        }
    }
    for command in walk.commands {
        if !done.commands.contains(&command) {
            done.commands.push(command);
        }
    }
    Ok(done)
}

/// Whether a line is one simple command of words that are all known as they stand.
fn is_plain(list: &List) -> bool {
    let [step] = &*list.0 else { return false };
    let Node::Simple(simple) = &step.node else {
        return false;
    };
    let known = |piece: &Piece| match piece {
        Piece::Quoted(_) => true,
        Piece::Bare(text) => !text.contains(['*', '?', '[', '{', '~']),
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
