//! The common forms of an expression, and how they are answered.
//!
//! `&&` and `||` are those of CEL: an operand that decides does so whatever the other comes to, also an error.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use super::{Decided, Facts};

/// An expression and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Any(Vec<Expr>),
    All(Vec<Expr>),
    Not(Box<Expr>),
    Compare(Term, Op, Term),
    In(Term, Vec<Value>),
    /// `field.contains('text')` and its like.
    Text(Term, Method, String),
    /// A function about the whole call.
    About(Function, Vec<String>),
    Has(Vec<String>),
    /// A field that is true or false, or one of these words.
    Truth(Term),
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    /// A field, and the place of its first name.
    Field(Vec<String>, Range<usize>),
    Literal(Value),
    Size(Vec<String>, Range<usize>),
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Contains,
    StartsWith,
    EndsWith,
    Glob,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Touches,
    StaysIn,
    Runs,
    OnlyRuns,
    OnBranch,
}

impl Expr {
    /// Tells whether it holds, and which part decided.
    pub(super) fn decide(&self, facts: &Facts<'_>) -> Result<Decided, String> {
        let decided = |holds| Decided {
            holds,
            clause: self.at.clone(),
        };
        match &self.node {
            Node::Any(parts) => Self::first(parts, true, facts, &self.at),
            Node::All(parts) => Self::first(parts, false, facts, &self.at),
            Node::Not(inner) => {
                let inner = inner.decide(facts)?;
                Ok(Decided {
                    holds: !inner.holds,
                    ..inner
                })
            }
            Node::Compare(left, op, right) => {
                let (left, right) = (left.value(facts)?, right.value(facts)?);
                compare(&left, *op, &right).map(decided)
            }
            Node::In(term, words) => {
                let value = term.value(facts)?;
                Ok(decided(words.iter().any(|word| equal(&value, word))))
            }
            Node::Text(term, method, text) => term.says(*method, text, facts).map(decided),
            Node::About(function, words) => Ok(decided(function.answer(words, facts))),
            // As in CEL, what is there and null is there: whoever asks about it next is told so, and refuses.
            Node::Has(path) => Ok(decided(facts.field(path).is_some())),
            Node::Truth(term) => match &*term.value(facts)? {
                Value::Bool(holds) => Ok(decided(*holds)),
                other => Err(format!(
                    "{} is {other}, and neither true nor false",
                    term.name()
                )),
            },
        }
    }

    /// The first part that settles it; without one, an error of any part, else the opposite.
    fn first(
        parts: &[Self],
        settles: bool,
        facts: &Facts<'_>,
        at: &Range<usize>,
    ) -> Result<Decided, String> {
        let mut error = None;
        for part in parts {
            match part.decide(facts) {
                Ok(decided) if decided.holds == settles => return Ok(decided),
                Ok(_) => {}
                Err(wrong) => error = error.or(Some(wrong)),
            }
        }
        match error {
            Some(wrong) => Err(wrong),
            None => Ok(Decided {
                holds: !settles,
                clause: at.clone(),
            }),
        }
    }

    /// Returns the first name of every field that it asks about, with its place.
    pub(super) fn names(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        self.add_names(&mut names);
        names
    }

    fn add_names(&self, names: &mut Vec<(String, Range<usize>)>) {
        let mut add = |term: &Term| {
            if let Term::Field(path, at) | Term::Size(path, at) = term
                && let Some(first) = path.first()
            {
                names.push((first.clone(), at.clone()));
            }
        };
        match &self.node {
            Node::Compare(left, _, right) => {
                add(left);
                add(right);
            }
            Node::In(term, _) | Node::Text(term, ..) | Node::Truth(term) => add(term),
            Node::Has(path) => {
                names.extend(path.first().map(|first| (first.clone(), self.at.clone())));
            }
            Node::About(..) => {}
            Node::Not(inner) => inner.add_names(names),
            Node::Any(parts) | Node::All(parts) => {
                for part in parts {
                    part.add_names(names);
                }
            }
        }
    }
}

impl Term {
    fn name(&self) -> String {
        match self {
            Self::Field(path, _) => format!("`{}`", path.join(".")),
            Self::Size(path, _) => format!("the size of `{}`", path.join(".")),
            Self::Literal(value) => value.to_string(),
        }
    }

    fn value<'v>(&'v self, facts: &'v Facts<'_>) -> Result<Cow<'v, Value>, String> {
        let field = |path: &[String]| {
            facts
                .field(path)
                .ok_or_else(|| format!("the event has no {}", self.name()))
        };
        match self {
            Self::Literal(value) => Ok(Cow::Borrowed(value)),
            Self::Field(path, _) => field(path),
            Self::Size(path, _) => {
                let size = match &*field(path)? {
                    Value::String(text) => text.chars().count(),
                    Value::Array(items) => items.len(),
                    Value::Object(fields) => fields.len(),
                    other => {
                        return Err(format!(
                            "`{}` is {other}, which has no size",
                            path.join(".")
                        ));
                    }
                };
                Ok(Cow::Owned(size.into()))
            }
        }
    }

    fn says(&self, method: Method, text: &str, facts: &Facts<'_>) -> Result<bool, String> {
        let value = self.value(facts)?;
        match (&*value, method) {
            (Value::String(value), Method::Contains) => Ok(value.contains(text)),
            (Value::String(value), Method::StartsWith) => Ok(value.starts_with(text)),
            (Value::String(value), Method::EndsWith) => Ok(value.ends_with(text)),
            (Value::String(value), Method::Glob) => Ok(facts.path_matches(value, text)),
            (other, _) => Err(format!("{} is {other}, and no text", self.name())),
        }
    }
}

impl Function {
    pub(super) fn answer(self, words: &[String], facts: &Facts<'_>) -> bool {
        match self {
            Self::Touches => facts.touches(words),
            Self::StaysIn => facts.stays_in(words),
            Self::Runs => facts.runs(words),
            Self::OnlyRuns => facts.only_runs(words),
            Self::OnBranch => facts.on_branch(words),
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "touches" => Some(Self::Touches),
            "stays_in" => Some(Self::StaysIn),
            "runs" => Some(Self::Runs),
            "only_runs" => Some(Self::OnlyRuns),
            "on_branch" => Some(Self::OnBranch),
            _ => None,
        }
    }
}

fn compare(left: &Value, op: Op, right: &Value) -> Result<bool, String> {
    let ordering =
        || order(left, right).ok_or_else(|| format!("{left} and {right} cannot be compared"));
    match op {
        Op::Is => Ok(equal(left, right)),
        Op::IsNot => Ok(!equal(left, right)),
        Op::Less => Ok(ordering()? == Ordering::Less),
        Op::AtMost => Ok(ordering()? != Ordering::Greater),
        Op::More => Ok(ordering()? == Ordering::Greater),
        Op::AtLeast => Ok(ordering()? != Ordering::Less),
    }
}

/// Numbers are equal by their value, as in CEL.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => order(left, right) == Some(Ordering::Equal),
        _ => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
        },
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
