//! The tree of an expression, each part with its place.

use std::ops::Range;

use serde_json::Value;

use super::functions::{About, OfText, Recall};
use super::pattern::Pattern;

/// An expression and its place.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) at: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Node {
    Any(Vec<Expr>),
    All(Vec<Expr>),
    Not(Box<Expr>),
    Compare(Box<Expr>, Op, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    Literal(Value),
    /// A field of the event, or the name that a surrounding `exists` or `all` gave.
    Name(String),
    Field(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Has(Box<Expr>),
    Size(Box<Expr>),
    OfText(Box<Expr>, OfText, Box<Expr>),
    Matches(Box<Expr>, Pattern),
    /// A question about the whole call, by its name, and its texts.
    About(&'static str, About, Vec<String>),
    /// A question about the session.
    Recall(Recall, Vec<String>),
    Each(Each),
}

/// `list.exists(name, condition)`, or `all`.
#[derive(Debug)]
pub(super) struct Each {
    pub(super) list: Box<Expr>,
    pub(super) name: String,
    pub(super) condition: Box<Expr>,
    /// The answer of one element that settles it.
    pub(super) settles: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Is,
    IsNot,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Expr {
    /// Returns the name of every field that it asks about, with its place.
    pub(super) fn names(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        self.add_names(&mut Vec::new(), &mut names);
        names
    }

    /// Adds the names that no surrounding `exists` or `all` gave.
    fn add_names<'e>(&'e self, own: &mut Vec<&'e str>, names: &mut Vec<(String, Range<usize>)>) {
        match &self.node {
            Node::Name(name) if !own.contains(&name.as_str()) => {
                names.push((name.clone(), self.at.clone()));
            }
            Node::Name(_) | Node::Literal(_) | Node::About(..) | Node::Recall(..) => {}
            Node::Any(parts) | Node::All(parts) => {
                for part in parts {
                    part.add_names(own, names);
                }
            }
            Node::Compare(one, _, other)
            | Node::In(one, other)
            | Node::Index(one, other)
            | Node::OfText(one, _, other) => {
                one.add_names(own, names);
                other.add_names(own, names);
            }
            Node::Not(inner)
            | Node::Field(inner, _)
            | Node::Has(inner)
            | Node::Size(inner)
            | Node::Matches(inner, _) => inner.add_names(own, names),
            Node::Each(each) => {
                each.list.add_names(own, names);
                own.push(&each.name);
                each.condition.add_names(own, names);
                own.pop();
            }
        }
    }

    /// Tells whether a part of it, which no `!` stands before, asks about code that cannot be read.
    pub(super) fn asks_unread(&self) -> bool {
        match &self.node {
            Node::Any(parts) | Node::All(parts) => parts.iter().any(Self::asks_unread),
            Node::About(name, ..) => *name == "unread",
            _ => false,
        }
    }

    /// Writes what it stands for, for a message: a path of fields, or what kind of value.
    pub(super) fn shown(&self) -> String {
        match self.path() {
            Some(path) => format!("`{path}`"),
            None => "a value".to_owned(),
        }
    }

    /// Writes a path of fields.
    pub(super) fn path(&self) -> Option<String> {
        match &self.node {
            Node::Name(name) => Some(name.clone()),
            Node::Field(of, name) => Some(format!("{}.{name}", of.path()?)),
            Node::Index(of, index) => match &index.node {
                Node::Literal(Value::String(name)) => Some(format!("{}.{name}", of.path()?)),
                Node::Literal(number) => Some(format!("{}[{number}]", of.path()?)),
                _ => Some(format!("{}[…]", of.path()?)),
            },
            Node::Size(of) => Some(format!("size({})", of.path()?)),
            _ => None,
        }
    }
}
