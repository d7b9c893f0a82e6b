//! The tree of an expression, each part with its place.

use std::ops::Range;

use serde_json::Value;

use super::functions::{CallPredicate, SessionQuery, TextPredicate};
use super::pattern::WeightedRegex;

/// An expression and its place.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) node: ExprKind,
    pub(super) at: Range<usize>,
}

#[derive(Debug)]
pub(super) enum ExprKind {
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
    OfText(Box<Expr>, TextPredicate, Box<Expr>),
    Matches(Box<Expr>, WeightedRegex),
    /// A question about the whole call, by its name, and its texts.
    About(&'static str, CallPredicate, Vec<String>),
    /// A question about the session.
    Recall(SessionQuery, Vec<String>),
    Each(Quantifier),
}

/// `list.exists(name, condition)`, or `all`.
#[derive(Debug)]
pub(super) struct Quantifier {
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
            ExprKind::Name(name) if !own.contains(&name.as_str()) => {
                names.push((name.clone(), self.at.clone()));
            }
            ExprKind::Name(_)
            | ExprKind::Literal(_)
            | ExprKind::About(..)
            | ExprKind::Recall(..) => {}
            ExprKind::Any(parts) | ExprKind::All(parts) => {
                for part in parts {
                    part.add_names(own, names);
                }
            }
            ExprKind::Compare(one, _, other)
            | ExprKind::In(one, other)
            | ExprKind::Index(one, other)
            | ExprKind::OfText(one, _, other) => {
                one.add_names(own, names);
                other.add_names(own, names);
            }
            ExprKind::Not(inner)
            | ExprKind::Field(inner, _)
            | ExprKind::Has(inner)
            | ExprKind::Size(inner)
            | ExprKind::Matches(inner, _) => inner.add_names(own, names),
            ExprKind::Each(each) => {
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
            ExprKind::Any(parts) | ExprKind::All(parts) => parts.iter().any(Self::asks_unread),
            ExprKind::About(name, ..) => *name == "unread",
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
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Field(of, name) => Some(format!("{}.{name}", of.path()?)),
            ExprKind::Index(of, index) => match &index.node {
                ExprKind::Literal(Value::String(name)) => Some(format!("{}.{name}", of.path()?)),
                ExprKind::Literal(number) => Some(format!("{}[{number}]", of.path()?)),
                _ => Some(format!("{}[…]", of.path()?)),
            },
            ExprKind::Size(of) => Some(format!("size({})", of.path()?)),
            _ => None,
        }
    }
}
