//! The whole of CEL, by the `cel` crate.
//!
//! The crate has two parsers. The older one knows the place of every word, and needs a millisecond before it has read its
//! first one: most of the time of an event whose rules need it. So the newer one reads what is carried out, and the older one
//! is asked for the place of what is wrong. A fuzz target holds them to the same language.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use cel::common::ast::{EntryExpr, Expr, IdedExpr, SourceInfo};
use cel::extractors::Arguments;
use cel::parser::{ParseErrors, PrattParser};
use cel::{Context, Env, Value as Cel};

use super::ast::Function;
use super::facts::Owned;
use super::{Decided, Facts, WhenError, syntax};

/// A program of the general language.
pub(super) struct Program {
    expression: IdedExpr,
    length: usize,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}

const ABOUT: &[&str] = &["touches", "stays_in", "runs", "only_runs", "on_branch"];

/// What the language brings with it, and what its extensions add.
const STANDARD_FUNCTIONS: &str = "\
    all bool bytes contains double duration dyn endsWith exists exists_one existsOne filter getDate getDayOfMonth \
    getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has hasValue int map \
    matches max min none of optFlatMap optMap optional optional.none optional.of optional.ofNonZeroValue or orValue \
    size startsWith string timestamp type uint value \
    charAt distinct flatten format indexOf join lastIndexOf lowerAscii quote range replace reverse slice sort split \
    strings.quote substring trim upperAscii";

impl Program {
    pub(super) fn read(text: &str) -> Result<Self, WhenError> {
        let whole = 0..text.len();
        // A parser of another's is held to our promise not to panic.
        let read = catch_unwind(AssertUnwindSafe(|| parsed(text)));
        match read {
            Ok(Ok(expression)) => Ok(Self {
                expression,
                length: text.len(),
            }),
            Ok(Err(errors)) => {
                let told = placed(text).and_then(Result::err).unwrap_or(errors);
                Err(told.errors.first().map_or_else(
                    || WhenError::new("this is no expression", whole),
                    |error| unreadable(text, &error.msg, place(text, error.pos)),
                ))
            }
            Err(_) => Err(WhenError::new("this expression cannot be read", whole)),
        }
    }

    /// Returns the fields that it asks about and nobody knows, without the names that it gives itself.
    pub(super) fn strange_names(
        &self,
        text: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<(String, Range<usize>)> {
        self.strange(text, |names| {
            names.found.retain(|(name, _)| !is_known(name));
            std::mem::take(&mut names.found)
        })
    }

    /// Returns the functions that it calls and nobody has.
    pub(super) fn unknown_functions(&self, text: &str) -> Vec<(String, Range<usize>)> {
        // Operators are functions with names that nobody could write.
        let is_word = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic());
        let ours = || super::FUNCTIONS.iter().map(|(name, _)| *name);
        let known = |name: &str| {
            ours()
                .chain(STANDARD_FUNCTIONS.split(' '))
                .any(|own| own == name)
        };
        self.strange(text, |names| {
            names
                .calls
                .retain(|(name, _)| is_word(name) && !known(name));
            std::mem::take(&mut names.calls)
        })
    }

    /// Returns what is picked of the names in it, with their places where there are any: only then they are looked up.
    fn strange(
        &self,
        text: &str,
        pick: impl Fn(&mut Names<'_>) -> Vec<(String, Range<usize>)>,
    ) -> Vec<(String, Range<usize>)> {
        let found = pick(&mut Names::of_all(&self.expression, None, self.length));
        let placed = (!found.is_empty()).then(|| placed(text)).flatten();
        match placed {
            Some(Ok(program)) => {
                let info = Some(program.source_info());
                pick(&mut Names::of_all(program.expression(), info, self.length))
            }
            Some(Err(_)) | None => found,
        }
    }

    pub(super) fn decide(&self, facts: &Facts<'_>) -> Result<Decided, String> {
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(facts)));
        match answer.unwrap_or_else(|_| Err("the expression could not be answered".to_owned()))? {
            Cel::Bool(holds) => Ok(Decided {
                holds,
                clause: 0..self.length,
            }),
            other => Err(format!(
                "the expression is {}, and neither true nor false",
                kind(&other)
            )),
        }
    }

    fn answer(&self, facts: &Facts<'_>) -> Result<Cel, String> {
        // The names of the standard library are the same for every rule of this process.
        static STANDARD: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));
        let mut context = Context::with_env(Arc::clone(&STANDARD));
        let names = Names::of_all(&self.expression, None, self.length).found;
        let mut names: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            if let Some(value) = facts.field(std::slice::from_ref(&name)) {
                let value = cel::to_value(&*value)
                    .map_err(|error| format!("`{name}` cannot be asked about: {error}"))?;
                context.add_variable_from_value(name, value);
            }
        }
        let owned = Arc::new(facts.owned());
        for name in ABOUT {
            let Some(function) = Function::named(name) else {
                continue;
            };
            let facts = Arc::clone(&owned);
            let about = move |Arguments(words): Arguments| -> Result<bool, cel::ExecutionError> {
                let texts: Option<Vec<String>> = words.iter().map(text).collect();
                let texts = texts.ok_or_else(|| {
                    cel::ExecutionError::function_error("", "its arguments are texts")
                })?;
                Ok(facts.with(|facts| function.answer(&texts, facts)))
            };
            context
                .add_function(name, about)
                .map_err(|error| format!("{error:?}"))?;
        }
        let facts = owned;
        let glob =
            move |cel::extractors::This(path): cel::extractors::This<Arc<String>>,
                  pattern: Arc<String>|
                  -> bool { facts.with(|facts| facts.path_matches(&path, &pattern)) };
        context
            .add_function("glob", glob)
            .map_err(|error| format!("{error:?}"))?;
        context
            .resolve(&self.expression)
            .map_err(|error| wrong(&error))
    }
}

/// Says what went wrong. The library shows whole values, which may hold secrets; here they go by their kinds.
fn wrong(error: &cel::ExecutionError) -> String {
    use cel::ExecutionError as E;
    match error {
        E::UnsupportedTargetType { target } => format!("{} cannot be used like that", kind(target)),
        E::NotSupportedAsMethod { method, target } => format!("{} has no `{method}`", kind(target)),
        E::UnsupportedKeyType(key) => format!("{} is no key", kind(key)),
        E::ValuesNotComparable(left, right) => {
            format!("{} and {} cannot be compared", kind(left), kind(right))
        }
        E::UnsupportedBinaryOperator(op, left, right) => {
            format!(
                "`{op}` cannot be done with {} and {}",
                kind(left),
                kind(right)
            )
        }
        E::Overflow(op, ..) => format!("the result of `{op}` is too large"),
        E::UnsupportedIndex(index, of) => format!("{} is no index of {}", kind(index), kind(of)),
        E::DivisionByZero(_) | E::RemainderByZero(_) => "it divides by zero".to_owned(),
        E::IndexOutOfBounds(_) => "the list is not that long".to_owned(),
        E::DuplicateKey(_) => "a map names a key twice".to_owned(),
        E::UnexpectedType { want, .. } => format!("{} is wanted, and it is none", wanted(want)),
        other => fragment(&other.to_string()),
    }
}

/// Reads a text as it is carried out. The newer parser lets a text in quotes go over several lines, which CEL does not.
fn parsed(text: &str) -> Result<IdedExpr, ParseErrors> {
    if text.contains(['\n', '\r']) {
        return cel::Program::compile(text).map(|program| program.expression().clone());
    }
    PrattParser::new().parse(text)
}

/// Reads a text with the parser that knows places; nothing where that panics.
fn placed(text: &str) -> Option<Result<cel::Program, ParseErrors>> {
    catch_unwind(AssertUnwindSafe(|| cel::Program::compile(text))).ok()
}

/// Walks through an expression for the names in it.
struct Names<'p> {
    /// The places, where they are known.
    info: Option<&'p SourceInfo>,
    length: usize,
    /// The names that surrounding macros gave.
    own: Vec<&'p str>,
    found: Vec<(String, Range<usize>)>,
    calls: Vec<(String, Range<usize>)>,
}

impl<'p> Names<'p> {
    fn of_all(expression: &'p IdedExpr, info: Option<&'p SourceInfo>, length: usize) -> Self {
        let mut names = Self {
            info,
            length,
            own: Vec::new(),
            found: Vec::new(),
            calls: Vec::new(),
        };
        names.of(expression);
        names
    }

    fn of(&mut self, ided: &'p IdedExpr) {
        match &ided.expr {
            Expr::Ident(name) if !self.own.contains(&name.as_str()) => {
                self.found.push((name.clone(), self.place(ided)));
            }
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select(select) => self.of(&select.operand),
            Expr::Call(call) => {
                self.calls.push((call.func_name.clone(), self.place(ided)));
                let target = call.target.as_deref();
                target
                    .into_iter()
                    .chain(&call.args)
                    .for_each(|part| self.of(part));
            }
            Expr::List(list) => list.elements.iter().for_each(|part| self.of(part)),
            Expr::Map(map) => self.entries(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Struct(made) => self.entries(made.entries.iter().map(|entry| &entry.expr)),
            Expr::Comprehension(each) => {
                self.of(&each.iter_range);
                self.of(&each.accu_init);
                let before = self.own.len();
                self.own.extend([&*each.iter_var, &*each.accu_var]);
                self.own.extend(each.iter_var2.as_deref());
                for part in [&each.loop_cond, &each.loop_step, &each.result] {
                    self.of(part);
                }
                self.own.truncate(before);
            }
        }
    }

    fn place(&self, ided: &IdedExpr) -> Range<usize> {
        let at = self.info.and_then(|info| info.offset_for(ided.id));
        at.map_or(0..self.length, |(start, end)| start as usize..end as usize)
    }

    fn entries(&mut self, entries: impl Iterator<Item = &'p EntryExpr>) {
        for entry in entries {
            match entry {
                EntryExpr::MapEntry(entry) => {
                    self.of(&entry.key);
                    self.of(&entry.value);
                }
                EntryExpr::StructField(field) => self.of(&field.value),
            }
        }
    }
}

fn text(value: &Cel) -> Option<String> {
    match value {
        Cel::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Says what a value is; not which one, for it may be a secret, and a map has no order.
fn kind(value: &Cel) -> &'static str {
    match value {
        Cel::String(_) => "a text",
        Cel::Int(_) | Cel::UInt(_) | Cel::Float(_) => "a number",
        Cel::List(_) => "a list",
        Cel::Map(_) => "a map",
        Cel::Null => "null",
        _ => "something else",
    }
}

/// Names what is wanted; the library says it by a type of its own.
fn wanted(of: &str) -> &'static str {
    let kinds = [
        ("String", "a text"),
        ("bool", "true or false"),
        ("64", "a number"),
        ("List", "a list"),
        ("Map", "a map"),
    ];
    let found = kinds.iter().find(|(part, _)| of.contains(part));
    found.map_or("another kind of value", |(_, kind)| kind)
}

/// Says what is wrong with the writing. A parser tells it in names of its grammar, which mean nothing to an author.
fn unreadable(text: &str, told: &str, at: Range<usize>) -> WhenError {
    let what = if told.to_ascii_lowercase().starts_with("syntax error") {
        syntax::error(text, at.start)
    } else {
        fragment(told)
    };
    WhenError::new(what, at)
}

/// Makes a fragment of a sentence: lowercase, one line, no period, nothing that a terminal would obey.
fn fragment(text: &str) -> String {
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    let mut letters = line.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let all = first.into_iter().chain(letters);
    all.map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

fn place(text: &str, (line, column): (isize, isize)) -> Range<usize> {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    // Columns begin at 1.
    let column = usize::try_from(column - 1).unwrap_or(0);
    let before: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let at = text.floor_char_boundary((before + column).min(text.len()));
    at..text.len()
}

impl Owned {
    /// Asks about the event that was copied.
    fn with<T>(&self, ask: impl FnOnce(&Facts<'_>) -> T) -> T {
        ask(&Facts::new(
            &self.event,
            &self.project,
            self.home.as_deref(),
        ))
    }
}
