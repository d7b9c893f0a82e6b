//! Commands whose word is what `mktemp` made: `T=$(mktemp -d) && …`, `cd "$(mktemp -d)"`.

use super::syntax::only;
use super::tree::{
    AssignedValue, Assignment, Link, Node, Parameter, Piece, Raw, Simple, Step, What,
};

/// The variable for a word that has no name of its own; no line can name it.
const NAMELESS: &str = "made by mktemp";

/// A step that begins with such a command, taken apart.
pub(super) struct Made {
    /// The assignment alone.
    pub(super) assignment: Step,
    /// What is left of the step where that succeeded, and where it failed.
    pub(super) then: Step,
    pub(super) otherwise: Option<Step>,
}

/// Takes a step apart that begins with such a command. `is_last`: nothing runs behind the step.
pub(super) fn split(step: &Step, is_last: bool) -> Option<Made> {
    let (first, rest) = match &step.node {
        Node::Chain(links) => links
            .split_first()
            .map(|((_, first), rest)| (first, rest))?,
        _ => (step, &[][..]),
    };
    let Node::Simple(simple) = &first.node else {
        return None;
    };
    let chain = |first: Step, rest: &[(Link, Step)]| {
        let links = std::iter::once((Link::First, first)).chain(rest.iter().cloned());
        Step::of(Node::Chain(links.collect()), step.at)
    };
    let one = match &*simple.assigned {
        [one] => Some(one).filter(|one| one.subscript.is_none() && !one.append),
        _ => None,
    };
    match (one, rest, &*simple.words) {
        (Some(one), [(_, second), more @ ..], []) if !is_last && is_bare(first) => {
            let AssignedValue::Scalar(value) = &one.value else {
                return None;
            };
            is_mktemp(value)?;
            let is_and = rest.iter().all(|(link, _)| *link == Link::And);
            is_and.then(|| Made {
                assignment: first.clone(),
                then: chain(second.clone(), more),
                otherwise: None,
            })
        }
        (None, _, [word, folder]) if is_name(word, "cd") && is_bare(step) => {
            let of = Box::new(Parameter {
                name: NAMELESS.to_owned(),
                subscript: None,
                what: What::Value,
            });
            let quoted = is_mktemp(folder)?;
            let mut left = (first.clone(), simple.clone());
            *left.1.words.last_mut()? = vec![Piece::Parameter { of, quoted }];
            left.0.node = Node::Simple(left.1);
            let one = Assignment {
                name: NAMELESS.to_owned(),
                subscript: None,
                value: AssignedValue::Scalar(folder.clone()),
                append: false,
            };
            let simple = Simple {
                assigned: vec![one],
                ..Simple::default()
            };
            let then = chain(left.0, rest);
            Some(Made {
                assignment: Step::of(Node::Simple(simple), first.at),
                otherwise: Some(then.clone()),
                then,
            })
        }
        _ => None,
    }
}

fn is_bare(step: &Step) -> bool {
    step.redirects.is_empty() && !step.background && !step.negated
}

fn is_name(word: &Raw, name: &str) -> bool {
    matches!(&**word, [Piece::Bare(text)] if text == name)
}

/// Tells whether a word is what `mktemp` prints and nothing else, and whether it stands in quotes.
fn is_mktemp(raw: &Raw) -> Option<bool> {
    let Some(Piece::Command { list, quoted }) = only(raw) else {
        return None;
    };
    let [step] = &*list.0 else { return None };
    let Node::Simple(simple) = &step.node else {
        return None;
    };
    let is_it = simple.words.first().is_some_and(|it| is_name(it, "mktemp"));
    (is_it && is_bare(step) && simple.assigned.is_empty()).then_some(*quoted)
}
