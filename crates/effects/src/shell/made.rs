//! Commands whose word is what `mktemp` made: `T=$(mktemp -d) && …`, `cd "$(mktemp -d)"`, `export T=$(mktemp)`.

use super::tree::{Assigned, Given, Link, List, Node, Parameter, Piece, Raw, Simple, Step, What};

/// The variable for a word that has no name of its own; no line can name it.
const NAMELESS: &str = "made by mktemp";

/// A step that begins with such a command, taken apart.
pub(super) struct Made {
    /// The assignment alone.
    pub(super) assignment: Step,
    /// What is left of the step where that succeeded, and where it failed.
    pub(super) then: Option<Step>,
    pub(super) otherwise: Option<Step>,
}

/// Takes a step apart that begins with such a command. `is_last`: nothing runs behind the step.
pub(super) fn split(step: &Step, is_last: bool) -> Option<Made> {
    if !is_bare(step) {
        return None;
    }
    let links = match &step.node {
        Node::Chain(links) => links.as_slice(),
        _ => &[],
    };
    let first = links.first().map_or(step, |(_, first)| first);
    let Node::Simple(simple) = &first.node else {
        return None;
    };
    let rest = links.get(1..).unwrap_or_default();
    let chain = |first: Step| {
        let mut links = vec![(Link::First, first)];
        links.extend_from_slice(rest);
        Step::of(Node::Chain(links), step.at)
    };
    let assign = |name: &str, raw: &Raw| {
        let one = Assigned {
            name: name.to_owned(),
            subscript: None,
            value: Given::Scalar(raw.clone()),
            append: false,
        };
        let simple = Simple {
            assigned: vec![one],
            ..Simple::default()
        };
        Step::of(Node::Simple(simple), first.at)
    };
    let Simple {
        assigned,
        words,
        declared,
    } = simple;
    match (&**assigned, &**words, &**declared) {
        ([one], [], []) if !is_last && is_bare(first) && !rest.is_empty() => {
            let name = plain(one).filter(|_| rest.iter().all(|(link, _)| *link == Link::And))?;
            let mut then = rest.to_vec();
            then.first_mut()?.0 = Link::First;
            Some(Made {
                assignment: assign(name, value(one)?),
                then: Some(Step::of(Node::Chain(then), step.at)),
                otherwise: None,
            })
        }
        ([], [word], [one]) if is_name(word, "export") => {
            let name = plain(one)?;
            let mut left = simple.clone();
            left.declared.clear();
            left.words.push(vec![Piece::Bare(name.to_owned())]);
            Some(made(assign(name, value(one)?), chain(with(first, left))))
        }
        ([], [word, folder], []) if is_name(word, "cd") => {
            let quoted = is_mktemp(folder)?;
            let mut left = simple.clone();
            let of = Box::new(Parameter {
                name: NAMELESS.to_owned(),
                subscript: None,
                what: What::Value,
            });
            *left.words.last_mut()? = vec![Piece::Parameter { of, quoted }];
            Some(made(assign(NAMELESS, folder), chain(with(first, left))))
        }
        _ => None,
    }
}

fn made(assignment: Step, left: Step) -> Made {
    Made {
        assignment,
        then: Some(left.clone()),
        otherwise: Some(left),
    }
}

fn with(step: &Step, simple: Simple) -> Step {
    Step {
        node: Node::Simple(simple),
        ..step.clone()
    }
}

fn is_bare(step: &Step) -> bool {
    step.redirects.is_empty() && !step.background && !step.negated
}

fn is_name(word: &Raw, name: &str) -> bool {
    matches!(&**word, [Piece::Bare(text)] if text == name)
}

/// The name of a variable that gets what `mktemp` prints.
fn plain(one: &Assigned) -> Option<&str> {
    let is_plain = one.subscript.is_none() && !one.append;
    is_mktemp(value(one)?)
        .filter(|_| is_plain)
        .map(|_| &*one.name)
}

fn value(one: &Assigned) -> Option<&Raw> {
    match &one.value {
        Given::Scalar(raw) => Some(raw),
        Given::Array(_) => None,
    }
}

/// Tells whether a word is what `mktemp` prints and nothing else, and whether it stands in quotes.
fn is_mktemp(raw: &Raw) -> Option<bool> {
    let is_empty = |piece: &&Piece| matches!(piece, Piece::Quoted(text) if text.is_empty());
    let mut pieces = raw.iter().filter(|piece| !is_empty(piece));
    let (Some(Piece::Command { list, quoted }), None) = (pieces.next(), pieces.next()) else {
        return None;
    };
    let List(steps) = list;
    let [step] = &**steps else { return None };
    match &step.node {
        Node::Simple(simple) if is_bare(step) && simple.assigned.is_empty() => {
            let is_it = simple.words.first().is_some_and(|it| is_name(it, "mktemp"));
            is_it.then_some(*quoted)
        }
        _ => None,
    }
}
