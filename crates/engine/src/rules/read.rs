//! Reads an expression. What is no part of the language is an error with its place.

use std::ops::Range;

use anyhook_core::taxonomy::nearest;
use serde_json::Value;

use super::ast::{Expr, ExprKind, Op, Quantifier};
use super::chains::LISTS;
use super::functions::{self, Function, FunctionKind, TextArguments};
use super::lexer::{Token, words};
use super::meanings;
use super::pattern::WeightedRegex;
use super::sent;
use super::{ConditionError, syntax};
use crate::lists::{CEL_TYPES, NAMES, RESERVED};

/// The deepest nesting.
const DEEPEST: usize = 64;

/// Words that are no names of fields either.
const WORDS: &[&str] = &["false", "in", "null", "true"];

type ConditionResult<T> = Result<T, ConditionError>;

/// Reads a whole text, and finds what makes its answer always the same.
pub(super) fn expression(text: &str) -> ConditionResult<(Expr, Vec<ConditionError>)> {
    let mut reader = ConditionParser {
        text,
        words: words(text),
        at: 0,
        depth: 0,
        own: Vec::new(),
        doubts: Vec::new(),
    };
    if reader.words.is_empty() {
        return Err(ConditionError::new(
            "the expression is empty",
            0..text.len(),
        ));
    }
    let expr = reader.any()?;
    if let ExprKind::Literal(Value::Bool(false)) = expr.node {
        let doubt = ConditionError::new("this never holds", expr.at.clone());
        reader.doubts.push(doubt);
    }
    match reader.words.get(reader.at) {
        None => Ok((expr, reader.doubts)),
        Some(_) => Err(reader.unexpected()),
    }
}

struct ConditionParser<'t> {
    text: &'t str,
    words: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
    /// The names that `exists` and `all` gave, around the place that is read.
    own: Vec<String>,
    doubts: Vec<ConditionError>,
}

impl ConditionParser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.words.get(self.at).map(|(token, _)| token)
    }

    fn place(&self) -> Range<usize> {
        let place = self.words.get(self.at).map(|(_, at)| at.clone());
        place.unwrap_or(self.text.len()..self.text.len())
    }

    /// The end of what was read last.
    fn behind(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|at| self.words.get(at));
        last.map_or(0, |(_, at)| at.end)
    }

    /// Says that the next word is not expected, and what to write instead.
    fn unexpected(&self) -> ConditionError {
        let at = self.place();
        if let Some(Token::Other(Some(what))) = self.peek() {
            return ConditionError::new(what.clone(), at);
        }
        ConditionError {
            help: (self.text.get(at.start..).and_then(syntax::only_cel))
                .map(|_| functions::language()),
            ..ConditionError::new(syntax::error(self.text, at.start), at)
        }
    }

    /// Says how a function is used instead.
    fn misused(&self, function: &Function, place: Range<usize>) -> ConditionError {
        if matches!(self.peek(), Some(Token::Other(_))) {
            return self.unexpected();
        }
        let what = format!("`{}` is not used like that", function.name);
        ConditionError::new(what, place).help(format!("write it as in `{}`", function.usage))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        if is_it {
            self.at += 1;
        }
        is_it
    }

    fn needs(&mut self, sign: &str) -> ConditionResult<()> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn any(&mut self) -> ConditionResult<Expr> {
        self.joined("||", Self::all, ExprKind::Any)
    }

    fn all(&mut self) -> ConditionResult<Expr> {
        self.joined("&&", Self::relation, ExprKind::All)
    }

    fn joined(
        &mut self,
        sign: &str,
        part: fn(&mut Self) -> ConditionResult<Expr>,
        node: fn(Vec<Expr>) -> ExprKind,
    ) -> ConditionResult<Expr> {
        let begin = self.place().start;
        let first = part(self)?;
        if !self.takes(sign) {
            return Ok(first);
        }
        let mut parts = vec![first, part(self)?];
        while self.takes(sign) {
            parts.push(part(self)?);
        }
        Ok(self.from(begin, node(parts)))
    }

    /// Makes an expression of what was read since this place.
    fn from(&self, begin: usize, node: ExprKind) -> Expr {
        Expr {
            node,
            at: begin..self.behind(),
        }
    }

    fn relation(&mut self) -> ConditionResult<Expr> {
        let begin = self.place().start;
        let mut left = self.one()?;
        for _ in 0..DEEPEST {
            let op = match self.peek() {
                Some(Token::Name(name)) if name == "in" => None,
                Some(Token::Sign("==")) => Some(Op::Is),
                Some(Token::Sign("!=")) => Some(Op::IsNot),
                Some(Token::Sign("<")) => Some(Op::Less),
                Some(Token::Sign("<=")) => Some(Op::AtMost),
                Some(Token::Sign(">")) => Some(Op::More),
                Some(Token::Sign(">=")) => Some(Op::AtLeast),
                _ => return Ok(left),
            };
            self.at += 1;
            let (mut one, mut other) = (Box::new(left), Box::new(self.one()?));
            let doubts = meanings::settle(&mut one, &mut other, &self.own);
            self.doubts.extend(doubts);
            left = self.from(
                begin,
                match op {
                    None => ExprKind::In(one, other),
                    Some(op) => ExprKind::Compare(one, op, other),
                },
            );
        }
        Err(self.too_deep())
    }

    fn too_deep(&self) -> ConditionError {
        let what = format!("the expression is nested more than {DEEPEST} deep");
        ConditionError::new(what, self.place())
    }

    /// Reads what an operator is about. A `!` binds closer than a comparison.
    fn one(&mut self) -> ConditionResult<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep());
        }
        let begin = self.place().start;
        let read = if self.takes("!") {
            let inner = Box::new(self.one()?);
            self.from(begin, ExprKind::Not(inner))
        } else {
            let first = self.first()?;
            self.rest(begin, first)?
        };
        self.depth -= 1;
        Ok(read)
    }

    /// Reads what stands at the beginning: a literal, brackets, a name, or a call.
    fn first(&mut self) -> ConditionResult<Expr> {
        let begin = self.place().start;
        if let Some(value) = self.literal()? {
            return Ok(self.from(begin, ExprKind::Literal(value)));
        }
        if self.takes("(") {
            let inner = self.any()?;
            self.needs(")")?;
            return Ok(inner);
        }
        let Some(Token::Name(name)) = self.peek() else {
            return Err(self.unexpected());
        };
        let (name, place) = (name.clone(), self.place());
        let is_call = matches!(self.words.get(self.at + 1), Some((Token::Sign("("), _)));
        if is_call && !WORDS.contains(&&*name) {
            self.at += 2;
            return self.call(&name, place);
        }
        if CEL_TYPES.contains(&&*name) {
            let what = format!("`{name}` is a word of CEL; a field of that name is `data.{name}`");
            return Err(ConditionError::new(what, place));
        }
        if RESERVED.contains(&&*name) || WORDS.contains(&&*name) {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(self.from(begin, ExprKind::Name(name)))
    }

    /// Reads what stands behind: fields, elements and calls.
    fn rest(&mut self, begin: usize, first: Expr) -> ConditionResult<Expr> {
        let mut read = first;
        for _ in 0..DEEPEST {
            let of = Box::new(read);
            let node = if self.takes("[") {
                let index = Box::new(self.any()?);
                self.needs("]")?;
                ExprKind::Index(of, index)
            } else if self.takes(".") {
                let Some(Token::Name(name)) = self.peek() else {
                    return Err(self.unexpected());
                };
                if WORDS.contains(&&**name) {
                    return Err(self.unexpected());
                }
                let (name, place) = (name.clone(), self.place());
                self.at += 1;
                if self.takes("(") {
                    self.method(of, &name, place)?
                } else {
                    ExprKind::Field(of, name)
                }
            } else {
                return Ok(*of);
            };
            read = self.from(begin, node);
            if let ExprKind::Field(of, name) = &read.node {
                self.doubts.extend(meanings::absent(of, &read, name));
            }
        }
        Err(self.too_deep())
    }

    /// Reads `name(…)` behind its bracket.
    fn call(&mut self, name: &str, place: Range<usize>) -> ConditionResult<Expr> {
        let function = known(name, &place)?;
        let node = match function.does {
            FunctionKind::About(texts, ask) => {
                ExprKind::About(function.name, ask, self.texts(function, texts)?)
            }
            FunctionKind::Recall(texts, ask) => ExprKind::Recall(ask, self.texts(function, texts)?),
            FunctionKind::Size => ExprKind::Size(Box::new(self.any()?)),
            FunctionKind::Has => {
                let field = self.one()?;
                if !matches!(field.node, ExprKind::Field(..)) {
                    return Err(self.misused(function, place));
                }
                ExprKind::Has(Box::new(field))
            }
            FunctionKind::OfText(_) | FunctionKind::Matches | FunctionKind::Each { .. } => {
                return Err(self.misused(function, place));
            }
        };
        self.needs(")")?;
        Ok(self.from(place.start, node))
    }

    /// Reads `of.name(…)` behind its bracket.
    fn method(
        &mut self,
        of: Box<Expr>,
        name: &str,
        place: Range<usize>,
    ) -> ConditionResult<ExprKind> {
        let function = known(name, &place)?;
        let node = match function.does {
            FunctionKind::OfText(test) => ExprKind::OfText(of, test, Box::new(self.any()?)),
            FunctionKind::Size => ExprKind::Size(of),
            FunctionKind::Matches => {
                let at = self.place();
                let Some(Token::Text(text)) = self.peek() else {
                    return Err(self.misused(function, place));
                };
                let pattern = spelled_out(text.clone()).join("|");
                let pattern =
                    WeightedRegex::read(&pattern).map_err(|what| ConditionError::new(what, at))?;
                self.at += 1;
                ExprKind::Matches(of, pattern)
            }
            FunctionKind::Each { settles } => {
                let Some(Token::Name(name)) = self.peek() else {
                    return Err(self.misused(function, place));
                };
                let name = name.clone();
                self.at += 1;
                self.needs(",")?;
                self.own.push(name.clone());
                let condition = Box::new(self.any()?);
                self.own.pop();
                ExprKind::Each(Quantifier {
                    list: of,
                    name,
                    condition,
                    settles,
                })
            }
            FunctionKind::About(..) | FunctionKind::Recall(..) | FunctionKind::Has => {
                return Err(self.misused(function, place));
            }
        };
        self.needs(")")?;
        Ok(node)
    }

    /// Reads the texts of a question.
    fn texts(&mut self, function: &Function, texts: TextArguments) -> ConditionResult<Vec<String>> {
        let mut read = Vec::new();
        if !matches!(texts, TextArguments::Some | TextArguments::Listed)
            && matches!(self.peek(), Some(Token::Sign(")")))
        {
            return Ok(read);
        }
        loop {
            let text = match (self.peek(), texts) {
                (Some(Token::Text(text)), TextArguments::Of(words))
                    if !words.contains(&&**text) =>
                {
                    let what = format!("`{}` knows no `{text}`", function.name);
                    return Err(ConditionError::new(what, self.place())
                        .help(one_of(text, words.iter().copied())));
                }
                (Some(Token::Text(text)), TextArguments::Listed)
                    if text
                        .strip_prefix('@')
                        .is_some_and(|kind| sent::listed().all(|listed| listed != kind)) =>
                {
                    return Err(ConditionError::new(
                        format!("there is no list `{text}`"),
                        self.place(),
                    )
                    .help(one_of(text, sent::listed())));
                }
                (Some(Token::Text(text)), TextArguments::Near(words))
                    if !words.contains(&&**text) =>
                {
                    if let Some(near) = nearest(text, words.iter().copied()) {
                        let what = format!("`{text}` is nearly `{near}`");
                        let help = format!("write `{near}`, or `{{{text}}}` if it is a branch");
                        return Err(ConditionError::new(what, self.place()).help(help));
                    }
                    text.clone()
                }
                (Some(Token::Text(text)), _) => text.clone(),
                _ => return Err(self.misused(function, self.place())),
            };
            if let Some((what, help)) = never(function.name, &text, read.is_empty()) {
                return Err(ConditionError::new(what, self.place()).help(help));
            }
            read.extend(spelled_out(text));
            self.at += 1;
            if !self.takes(",") {
                return Ok(read);
            }
        }
    }

    /// Reads a value that stands in the text itself. A list of such values is one.
    fn literal(&mut self) -> ConditionResult<Option<Value>> {
        let value = match self.peek() {
            Some(Token::Text(text)) => Value::from(text.as_str()),
            Some(Token::Int(number)) => Value::from(*number),
            Some(Token::Float(number)) => Value::from(*number),
            Some(Token::Name(word)) => match word.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return Ok(None),
            },
            Some(Token::Sign("[")) => {
                self.at += 1;
                return self.list().map(Some);
            }
            Some(Token::Sign(_) | Token::Other(_)) | None => return Ok(None),
        };
        self.at += 1;
        Ok(Some(value))
    }

    fn list(&mut self) -> ConditionResult<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep());
        }
        let mut values = Vec::new();
        loop {
            if self.takes("]") {
                self.depth -= 1;
                return Ok(Value::Array(values));
            }
            if matches!(self.peek(), Some(Token::Name(name)) if !WORDS.contains(&&**name)) {
                let what = "a list holds texts, numbers, `true`, `false` and `null`, and no fields";
                return Err(ConditionError::new(what, self.place()));
            }
            let value = self.literal()?;
            values.push(value.ok_or_else(|| self.unexpected())?);
            if !self.takes(",") {
                self.needs("]")?;
                self.depth -= 1;
                return Ok(Value::Array(values));
            }
        }
    }
}

fn known(name: &str, place: &Range<usize>) -> ConditionResult<&'static Function> {
    functions::named(name).ok_or_else(|| {
        ConditionError::new(format!("there is no function `{name}`"), place.clone())
            .help(functions::instead_of(name))
    })
}

/// Returns what a text stands for: `@name` for the texts of that list, `!@name` for each of them behind a `!`.
fn spelled_out(text: String) -> Vec<String> {
    let (not, name) = match text.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => ("", &*text),
    };
    let name = name.strip_prefix('@').unwrap_or_default();
    match NAMES.iter().find(|(list, _)| *list == name) {
        Some((_, texts)) => texts.iter().map(|text| format!("{not}{text}")).collect(),
        None => vec![text],
    }
}

/// Tells whether a text is the name of a list that is not there.
fn is_unknown_list(text: &str) -> bool {
    let name = text.trim_start_matches('!').strip_prefix('@');
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    name.is_some_and(|name| is_name(name) && NAMES.iter().all(|(list, _)| *list != name))
}

/// Names the word that was meant, or all that there are.
fn one_of<'w>(text: &str, words: impl Iterator<Item = &'w str> + Clone) -> String {
    let mut all = words.clone();
    let begun = all.find(|word| text.len() > 2 && word.starts_with(text));
    match nearest(text, words.clone()).or(begun) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is `{}`", words.collect::<Vec<_>>().join("`, `")),
    }
}

/// Says why no call can ever be what a text asks for, and what to write: a guard that never holds is none.
fn never(function: &str, text: &str, is_first: bool) -> Option<(String, String)> {
    let count = |sign: char| text.matches(sign).count();
    let is_open = count('{') != count('}') || count('[') != count(']');
    let mut words = text.split_whitespace().skip(1);
    Some(match function {
        _ if text.trim().is_empty() => (
            "an empty text stands for nothing".to_owned(),
            "leave it out, or write what is meant".to_owned(),
        ),
        "touches" | "reads" | "writes" | "deletes" | "empties" | "stays_in"
            if is_open && !text.contains('\\') =>
        {
            (
                format!("a bracket of `{text}` does not end"),
                "write `{a,b}` or `[ab]`, or a backslash in front of it".to_owned(),
            )
        }
        "touches" | "reads" | "writes" | "deletes" | "empties" | "stays_in" | "connects"
            if is_unknown_list(text) =>
        {
            let name = text.trim_start_matches(['!', '@']);
            (
                format!("there is no list `@{name}`"),
                format!(
                    "{}; a file of that name is `./@{name}`",
                    one_of(name, NAMES.iter().map(|(list, _)| *list)).trim_end_matches('?')
                ),
            )
        }
        "runs" if is_first && words.any(|word| word.starts_with('-')) => (
            format!("an option stands among the words of `{text}`"),
            "write it as a text of its own: runs('git push', '--force')".to_owned(),
        ),
        "only_runs" if text.starts_with('@') && LISTS.iter().all(|(name, _)| *name != text) => (
            format!("there is no list `{text}`"),
            one_of(text, LISTS.iter().map(|(name, _)| *name)),
        ),
        "connects" if text.contains("://") => (
            format!("`{text}` is a URL, and a machine is asked for"),
            "write its name: connects('example.com')".to_owned(),
        ),
        _ => return None,
    })
}
