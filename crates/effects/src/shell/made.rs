//! Commands whose word is what `mktemp` made: `T=$(mktemp -d) && …`, `cd "$(mktemp -d)"`.

use super::syntax::only;
use super::tree::{
    AssignedValue, Assignment, ChainOperator, Node, Parameter, ParameterExpansion, RawWord,
    SimpleCommand, Statement, WordPiece,
};

/// The variable for a word that has no name of its own; no line can name it.
const NAMELESS: &str = "made by mktemp";

/// A step that begins with such a command, taken apart.
pub(super) struct MktempSplit {
    /// The assignment alone.
    pub(super) assignment: Statement,
    /// What is left of the step where that succeeded, and where it failed.
    pub(super) then: Statement,
    pub(super) otherwise: Option<Statement>,
}

/// Takes a step apart that begins with such a command. `is_last`: nothing runs behind the step.
pub(super) fn split(step: &Statement, is_last: bool) -> Option<MktempSplit> {
    let (first, rest) = match &step.node {
        Node::Chain(links) => links
            .split_first()
            .map(|((_, first), rest)| (first, rest))?,
        _ => (step, &[][..]),
    };
    let Node::Simple(simple) = &first.node else {
        return None;
    };
    let chain = |first: Statement, rest: &[(ChainOperator, Statement)]| {
        let links = std::iter::once((ChainOperator::First, first)).chain(rest.iter().cloned());
        Statement::of(Node::Chain(links.collect()), step.at)
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
            let is_and = rest.iter().all(|(link, _)| *link == ChainOperator::And);
            is_and.then(|| MktempSplit {
                assignment: first.clone(),
                then: chain(second.clone(), more),
                otherwise: None,
            })
        }
        (None, _, [word, folder]) if is_name(word, "cd") && is_bare(step) => {
            let of = Box::new(Parameter {
                name: NAMELESS.to_owned(),
                subscript: None,
                what: ParameterExpansion::Value,
            });
            let quoted = is_mktemp(folder)?;
            let mut left = (first.clone(), simple.clone());
            *left.1.words.last_mut()? = vec![WordPiece::Parameter { of, quoted }];
            left.0.node = Node::Simple(left.1);
            let one = Assignment {
                name: NAMELESS.to_owned(),
                subscript: None,
                value: AssignedValue::Scalar(folder.clone()),
                append: false,
            };
            let simple = SimpleCommand {
                assigned: vec![one],
                ..SimpleCommand::default()
            };
            let then = chain(left.0, rest);
            Some(MktempSplit {
                assignment: Statement::of(Node::Simple(simple), first.at),
                otherwise: Some(then.clone()),
                then,
            })
        }
        _ => None,
    }
}

fn is_bare(step: &Statement) -> bool {
    step.redirects.is_empty() && !step.background && !step.negated
}

fn is_name(word: &RawWord, name: &str) -> bool {
    matches!(&**word, [WordPiece::Bare(text)] if text == name)
}

/// Tells whether a word is what `mktemp` prints and nothing else, and whether it stands in quotes.
fn is_mktemp(raw: &RawWord) -> Option<bool> {
    let Some(WordPiece::Command { list, quoted }) = only(raw) else {
        return None;
    };
    let [step] = &*list.0 else { return None };
    let Node::Simple(simple) = &step.node else {
        return None;
    };
    let is_it = simple.words.first().is_some_and(|it| is_name(it, "mktemp"));
    (is_it && is_bare(step) && simple.assigned.is_empty()).then_some(*quoted)
}
