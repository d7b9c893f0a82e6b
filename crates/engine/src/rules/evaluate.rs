//! Evaluates an expression about one event, in a bounded number of steps.
//!
//! `&&`, `||`, `exists` and `all` are those of CEL: a part that decides does so whatever the others come to, also an error.
//! Only the end of the steps decides nothing and is always an error.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use super::ast::{Expr, ExprKind, Op, Quantifier};
use super::{ConditionEvaluation, Facts, STEPS};

/// A long text costs one step for each so many bytes.
const BYTES: usize = 1024;

/// One evaluation.
pub(super) struct Evaluator<'f, 'e> {
    facts: &'f Facts<'e>,
    left: Cell<usize>,
}

/// The names that surrounding `exists` and `all` gave, the innermost first.
#[derive(Clone, Copy)]
struct NameScope<'v> {
    name: &'v str,
    value: &'v Value,
    outer: Option<&'v Self>,
}

type NameBindings<'v> = Option<&'v NameScope<'v>>;

type EvalResult<T> = Result<T, String>;

impl<'f, 'e> Evaluator<'f, 'e> {
    /// Begins an evaluation about this event.
    pub(super) fn new(facts: &'f Facts<'e>) -> Self {
        Self {
            facts,
            left: Cell::new(STEPS),
        }
    }

    /// Tells whether an expression holds, and which part decided.
    pub(super) fn decide(&self, expr: &Expr) -> EvalResult<ConditionEvaluation> {
        self.decide_in(expr, None)
    }

    fn spend(&self, steps: usize) -> EvalResult<()> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(format!(
                "it takes more than {STEPS} steps for this event; ask for less, or write the check as a command"
            )),
        }
    }

    fn decide_in<'v>(
        &'v self,
        expr: &'v Expr,
        names: NameBindings<'v>,
    ) -> EvalResult<ConditionEvaluation> {
        let decided = |holds| ConditionEvaluation {
            holds,
            clause: expr.at.clone(),
        };
        match &expr.node {
            ExprKind::Any(parts) => self.first(parts, true, &expr.at, names),
            ExprKind::All(parts) => self.first(parts, false, &expr.at, names),
            ExprKind::Not(inner) => {
                let inner = self.decide_in(inner, names)?;
                Ok(ConditionEvaluation {
                    holds: !inner.holds,
                    ..inner
                })
            }
            _ => match &*self.value(expr, names)? {
                Value::Bool(holds) => Ok(decided(*holds)),
                other => Err(format!(
                    "{} is {}, and neither true nor false",
                    expr.shown(),
                    kind(other)
                )),
            },
        }
    }

    /// The first part that settles it; without one, an error of any part, else the opposite.
    fn first<'v>(
        &'v self,
        parts: &'v [Expr],
        settles: bool,
        at: &Range<usize>,
        names: NameBindings<'v>,
    ) -> EvalResult<ConditionEvaluation> {
        let decide = |part: &'v Expr| self.decide_in(part, names);
        let settled = self.settled(parts, settles, decide)?;
        Ok(settled.unwrap_or_else(|| ConditionEvaluation {
            holds: !settles,
            clause: at.clone(),
        }))
    }

    /// The first of these that settles it; nothing without one, and without an error of any.
    fn settled<T>(
        &self,
        all: impl IntoIterator<Item = T>,
        settles: bool,
        decide: impl Fn(T) -> EvalResult<ConditionEvaluation>,
    ) -> EvalResult<Option<ConditionEvaluation>> {
        let mut error = None;
        for one in all {
            self.spend(1)?;
            match decide(one) {
                Ok(decided) if decided.holds == settles => return Ok(Some(decided)),
                Ok(_) => {}
                Err(wrong) => error = error.or(Some(wrong)),
            }
        }
        error.map_or(Ok(None), Err)
    }

    fn value<'v>(&'v self, expr: &'v Expr, names: NameBindings<'v>) -> EvalResult<Cow<'v, Value>> {
        self.spend(1)?;
        let holds = match &expr.node {
            ExprKind::Literal(value) => return Ok(Cow::Borrowed(value)),
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                let found = self.find(expr, names)?;
                return found.ok_or_else(|| missing(expr));
            }
            ExprKind::Size(of) => return self.size(of, names).map(Cow::Owned),
            ExprKind::Any(_) | ExprKind::All(_) | ExprKind::Not(_) => {
                self.decide_in(expr, names)?.holds
            }
            ExprKind::Compare(left, op, right) => {
                let (left, right) = (self.value(left, names)?, self.value(right, names)?);
                self.compare(&left, *op, &right)?
            }
            ExprKind::In(one, all) => {
                let (one, all) = (self.value(one, names)?, self.value(all, names)?);
                self.is_in(&one, &all)?
            }
            // As in CEL, what is there and null is there: the next question about it is an error, and blocks.
            ExprKind::Has(field) => self.find(field, names)?.is_some(),
            ExprKind::OfText(text, of, other) => {
                let (first, second) = (self.value(text, names)?, self.value(other, names)?);
                let (first, second) = (words(text, &first)?, words(other, &second)?);
                self.spend(of.steps + (first.len() + second.len()) / BYTES)?;
                (of.ask)(self.facts, first, second)
            }
            ExprKind::Matches(text, pattern) => {
                let value = self.value(text, names)?;
                let text = words(text, &value)?;
                self.spend(pattern.steps(text.len()))?;
                pattern.matches(text)
            }
            ExprKind::About(_, ask, arguments) => {
                self.spend(self.facts.steps())?;
                let missed = self.facts.walks.missed();
                let holds = ask(self.facts, arguments);
                if !holds && self.facts.walks.missed() > missed {
                    return Err("it needs a look at the disk".to_owned());
                }
                holds
            }
            ExprKind::Recall(ask, arguments) => return ask(self.facts, arguments).map(Cow::Owned),
            ExprKind::Each(each) => self.each(each, names)?,
        };
        Ok(Cow::Owned(Value::Bool(holds)))
    }

    /// Finds a field; nothing where a part of its path is not there.
    fn find<'v>(
        &'v self,
        expr: &'v Expr,
        names: NameBindings<'v>,
    ) -> EvalResult<Option<Cow<'v, Value>>> {
        self.spend(1)?;
        match &expr.node {
            ExprKind::Name(name) => Ok(match named(name, names) {
                Some(value) => Some(Cow::Borrowed(value)),
                None => self.facts.name(name),
            }),
            ExprKind::Field(of, name) => Ok(self.find(of, names)?.and_then(|of| member(of, name))),
            ExprKind::Index(of, index) => {
                let (of, index) = (self.find(of, names)?, self.value(index, names)?);
                of.map_or(Ok(None), |of| element(of, &index))
            }
            _ => self.value(expr, names).map(Some),
        }
    }

    fn size<'v>(&'v self, of: &'v Expr, names: NameBindings<'v>) -> EvalResult<Value> {
        let value = self.value(of, names)?;
        let size = match &*value {
            Value::String(text) => {
                self.spend(text.len() / BYTES)?;
                text.chars().count()
            }
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            other => {
                return Err(format!(
                    "{} is {}, which has no size",
                    of.shown(),
                    kind(other)
                ));
            }
        };
        Ok(size.into())
    }

    fn each<'v>(&'v self, each: &'v Quantifier, names: NameBindings<'v>) -> EvalResult<bool> {
        let list = self.value(&each.list, names)?;
        match &*list {
            Value::Array(items) => self.any_of(items.iter().map(Cow::Borrowed), each, names),
            // As in CEL, those of an object are its names.
            Value::Object(fields) => {
                let keys = fields
                    .keys()
                    .map(|key| Cow::Owned(Value::from(key.as_str())));
                self.any_of(keys, each, names)
            }
            other => Err(format!(
                "{} is {}, and no list",
                each.list.shown(),
                kind(other)
            )),
        }
    }

    fn any_of<'v>(
        &self,
        items: impl Iterator<Item = Cow<'v, Value>>,
        each: &Quantifier,
        outer: NameBindings<'_>,
    ) -> EvalResult<bool> {
        let decide = |item: Cow<'_, Value>| {
            let scope = NameScope {
                name: &each.name,
                value: &item,
                outer,
            };
            self.decide_in(&each.condition, Some(&scope))
        };
        let settled = self.settled(items, each.settles, decide)?;
        Ok(settled.is_some() == each.settles)
    }

    fn is_in(&self, one: &Value, all: &Value) -> EvalResult<bool> {
        match all {
            Value::Array(items) => {
                for item in items {
                    if self.equal(one, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Object(fields) => Ok(one.as_str().is_some_and(|name| fields.contains_key(name))),
            other => Err(format!("`in` needs a list, and this is {}", kind(other))),
        }
    }

    fn compare(&self, left: &Value, op: Op, right: &Value) -> EvalResult<bool> {
        let ordering = || {
            order(left, right)
                .ok_or_else(|| format!("{} and {} cannot be compared", kind(left), kind(right)))
        };
        match op {
            Op::Is => self.equal(left, right),
            Op::IsNot => self.equal(left, right).map(|is| !is),
            Op::Less => Ok(ordering()? == Ordering::Less),
            Op::AtMost => Ok(ordering()? != Ordering::Greater),
            Op::More => Ok(ordering()? == Ordering::Greater),
            Op::AtLeast => Ok(ordering()? != Ordering::Less),
        }
    }

    /// Numbers are equal by their value, as in CEL, and values of two kinds are not equal.
    fn equal(&self, left: &Value, right: &Value) -> EvalResult<bool> {
        self.spend(1)?;
        match (left, right) {
            (Value::Number(_), Value::Number(_)) => Ok(order(left, right) == Some(Ordering::Equal)),
            (Value::String(left), Value::String(right)) => {
                self.spend(left.len().min(right.len()) / BYTES)?;
                Ok(left == right)
            }
            (Value::Array(left), Value::Array(right)) => {
                let pairs = left.iter().zip(right).map(Some);
                Ok(left.len() == right.len() && self.are_equal(pairs)?)
            }
            (Value::Object(left), Value::Object(right)) => {
                let pairs = left
                    .iter()
                    .map(|(name, value)| Some((value, right.get(name)?)));
                Ok(left.len() == right.len() && self.are_equal(pairs)?)
            }
            _ => Ok(left == right),
        }
    }

    /// Tells whether all pairs are equal; a value without its like is none.
    fn are_equal<'v>(
        &self,
        pairs: impl Iterator<Item = Option<(&'v Value, &'v Value)>>,
    ) -> EvalResult<bool> {
        for pair in pairs {
            let Some((left, right)) = pair else {
                return Ok(false);
            };
            if !self.equal(left, right)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn named<'v>(name: &str, mut names: NameBindings<'v>) -> Option<&'v Value> {
    while let Some(scope) = names {
        if scope.name == name {
            return Some(scope.value);
        }
        names = scope.outer;
    }
    None
}

fn member<'v>(of: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match of {
        Cow::Borrowed(of) => of.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(of) => of.as_object()?.get(name).cloned().map(Cow::Owned),
    }
}

/// Returns what is in a list by its number, or in an object by its name.
fn element<'v>(of: Cow<'v, Value>, index: &Value) -> EvalResult<Option<Cow<'v, Value>>> {
    match (of, index) {
        (of, Value::String(name)) => Ok(member(of, name)),
        (Cow::Borrowed(Value::Array(items)), Value::Number(number)) => {
            let at = number.as_u64().and_then(|at| usize::try_from(at).ok());
            Ok(at.and_then(|at| items.get(at)).map(Cow::Borrowed))
        }
        (of, index) => Err(format!("{} is no index of {}", kind(index), kind(&of))),
    }
}

fn missing(expr: &Expr) -> String {
    match expr.path() {
        Some(path) => format!("the event has no `{path}`"),
        None => "the list or object does not have this element".to_owned(),
    }
}

fn words<'v>(expr: &Expr, value: &'v Value) -> EvalResult<&'v str> {
    let text = value.as_str();
    text.ok_or_else(|| format!("{} is {}, and no text", expr.shown(), kind(value)))
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

/// Says what a value is; not which one, for it may be a secret.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
