//! Modules of Python that are of the project: a code that imports functions of theirs runs them as its programs are run.

use std::path::PathBuf;

use super::python::{is_plain, is_told};
use super::tokens::Token::{self, End, Filled, Name, Sign, Text};
use super::tokens::{Around, Findings};
use crate::effect::Kind;
use crate::places::Files;
use crate::programs::{self, words};
use crate::word::Word;

/// Where a code runs.
pub(crate) struct Place<'f> {
    /// The folders that the names of files count from.
    pub(crate) folders: &'f [PathBuf],
    /// The folders in which modules are looked for, in this order. What one of the project has is run as its programs are.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) files: &'f dyn Files,
}

impl Place<'_> {
    /// Tells whether a module of this name may stand in one of the folders, in the place of the usual one.
    pub(super) fn may_hold(&self, name: &str) -> bool {
        let ends = ["", ".py", ".pyc", ".so"].map(|end| format!("{name}{end}"));
        let is_free = |root: &PathBuf| {
            ends.iter()
                .all(|file| self.files.is_nowhere(&root.join(file)))
        };
        self.roots.is_empty() || !self.roots.iter().all(is_free)
    }

    /// Tells whether a module, written as a path, has a function or a class of this name, by itself or by one beside it.
    fn define(&self, module: &str, name: &str) -> bool {
        let Some((text, folder)) = self.text_of(module) else {
            return false;
        };
        match defines(&text, name) {
            Some(Defined::Here) => true,
            Some(Defined::Beside(other)) => {
                let other = self.text_of(&format!("{folder}{other}"));
                let found = other.and_then(|(text, _)| defines(&text, name));
                matches!(found, Some(Defined::Here))
            }
            None => false,
        }
    }

    /// The text of a module, and the folder of its package.
    fn text_of(&self, module: &str) -> Option<(String, String)> {
        let above = module
            .rsplit_once('/')
            .map_or(0, |(above, _)| above.len() + 1);
        let files = [
            (format!("{module}/__init__.py"), format!("{module}/")),
            (format!("{module}.py"), module.get(..above)?.to_owned()),
        ];
        self.roots.iter().find_map(|root| {
            let script = |file: &str| self.files.script(&root.join(file));
            let mut files = files.iter();
            files.find_map(|(file, folder)| Some((script(file)?, folder.clone())))
        })
    }
}

/// Where a function or a class of a module is.
enum Defined {
    Here,
    /// In another module of its package, by the name of that.
    Beside(String),
}

/// Tells where a module has a function or a class of this name, where that is of the project.
fn defines(text: &str, name: &str) -> Option<Defined> {
    // What stands in texts of several lines is no code.
    let outside = |text: &str, quotes: &str| text.split(quotes).step_by(2).collect::<String>();
    let text = outside(&outside(text, "\"\"\""), "'''");
    let code = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let code: Vec<&str> = code.collect();
    let is_name = |found: &str| found.trim() == name;
    let is_own = |line: &&str| {
        let heads = ["def ", "async def ", "class "];
        let rest = heads.iter().find_map(|head| line.strip_prefix(head));
        rest.is_some_and(|rest| rest.split(['(', ':']).next().is_some_and(is_name))
    };
    let brings = |part: &str| {
        let names = part
            .split_once("import ")
            .map_or("", |(_, names)| names.trim_start());
        let list = names
            .strip_prefix('(')
            .map(|inside| inside.split(')').next());
        let list = list.unwrap_or_else(|| names.lines().next());
        list.unwrap_or_default().split(',').any(is_name)
    };
    let whole = format!("\n{}", code.join("\n"));
    let is_of_others = ["\nfrom ", "\nimport "].iter().any(|head| {
        let mut parts = whole
            .split(head)
            .skip(1)
            .filter(|part| !part.starts_with('.'));
        parts.any(|part| brings(part) || part.lines().next().is_some_and(|it| it.contains(name)))
    });
    if is_of_others {
        return None;
    }
    if code.iter().any(is_own) {
        return Some(Defined::Here);
    }
    let part = whole.split("\nfrom .").skip(1).find(|part| brings(part))?;
    let module = part.split_whitespace().next()?;
    let is_plain = !module.is_empty() && module.chars().all(|it| it.is_alphanumeric() || it == '_');
    is_plain.then(|| Defined::Beside(module.to_owned()))
}

/// Takes out what imports functions and classes of the project, and returns their names, where anything does.
pub(super) fn of_project<'t>(
    tokens: &mut Vec<Token<'t>>,
    place: &Place<'_>,
) -> Option<Vec<&'t str>> {
    let statements: Vec<&[Token<'t>]> = tokens.split(|token| *token == End).collect();
    let mut own = Vec::new();
    let mut others = Vec::new();
    for statement in statements {
        match names_of_project(statement, place) {
            Some(names) => own.extend(names),
            None => others.push(statement),
        }
    }
    *tokens = others.join(&End);
    (!own.is_empty()).then_some(own)
}

/// `from src.app import parse, main as run`, where that module has both.
fn names_of_project<'t>(statement: &[Token<'t>], place: &Place<'_>) -> Option<Vec<&'t str>> {
    let at = statement
        .iter()
        .position(|token| *token == Name("import"))?;
    let [Name("from"), module @ ..] = statement.get(..at)? else {
        return None;
    };
    let part = |token: &Token<'_>| match token {
        Name(name) => Some((*name).to_owned()),
        Sign('.') => Some("/".to_owned()),
        _ => None,
    };
    let module: String = module.iter().map(part).collect::<Option<_>>()?;
    // Those are there already when a code begins.
    let top = module.split('/').next().unwrap_or_default();
    if top.is_empty() || top.starts_with('_') || words::PYTHON_BUILT_IN.contains(&top) {
        return None;
    }
    let given = |import: &[Token<'t>]| match import {
        [Name(name)] | [Name(name), Name("as"), Name(_)] => {
            let Some(Name(called)) = import.last() else {
                return None;
            };
            let is_free =
                !["os", "print"].contains(called) && !words::PYTHON_UNSAFE.contains(called);
            (is_free && is_plain(called) && place.define(&module, name)).then_some(*called)
        }
        _ => None,
    };
    let names = statement.get(at + 1..)?;
    names
        .split(|token| *token == Sign(','))
        .map(given)
        .collect()
}

/// Tells whether a text is a line of words for a program or a database, or may be the first word of one.
fn is_line(text: &str, is_first: bool) -> bool {
    let is_program = |name: &str| {
        let name = programs::program_name(&Word::text(name));
        !name.is_empty() && programs::find(&name).is_some()
    };
    let mut parts = text.split([';', '&', '|', '(', ')', '{']);
    let runs = parts.any(|part| part.split_whitespace().next().is_some_and(is_program));
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_statement = words::PYTHON_STATEMENTS.contains(&&*first.to_lowercase());
    let has_more = first.len() < text.trim().len();
    has_more && (runs || is_statement) || is_first && is_program(text)
}

/// Reads a code that calls functions of the project: what they are given stands there as it is, and each text of it may be a
/// file that they read. None where a text may be put together, or is a line of words for a program.
pub(super) fn given_to(own: &[&str], tokens: &[Token<'_>], found: &mut Findings) -> Option<()> {
    let mut open: Vec<&str> = Vec::new();
    for at in 0..tokens.len() {
        let code = Around::new(tokens, at);
        let is_printed = open.last() == Some(&"print");
        match code.token() {
            Name(name) if code.before(1) == Sign('.') => {
                (words::PYTHON_PLAIN_MEMBERS.contains(&name) || is_told(name)).then_some(())?;
            }
            Name("import") => {
                matches!(code.behind(1), Name("json" | "sys" | "pprint")).then_some(())?;
            }
            Name("from" | "def" | "class" | "lambda" | "with" | "global")
            | Sign('+' | '%' | '*' | '/' | '|' | '&' | '^' | '~' | '@') => return None,
            Name("print") if code.behind(1) != Sign('(') => return None,
            Name(name) if code.behind(1) == Sign('(') => {
                let is_plain = words::PYTHON_PLAIN_CALLS.contains(&name) || own.contains(&name);
                is_plain.then_some(())?;
            }
            Sign('(') => open.push(match code.before(1) {
                Name(name) => name,
                _ => "",
            }),
            Sign('[') => open.push("["),
            Sign('{') => open.push(""),
            Sign(')' | ']' | '}') => drop(open.pop()),
            Sign(':') if open.last() == Some(&"[") => return None,
            Text(_) if matches!(code.before(1), Text(_)) => return None,
            Text(Some(_)) if code.behind(1) == Sign('[') => return None,
            Text(Some(text)) => {
                let is_first = code.behind(1) == Sign(',') || open.last() == Some(&"[");
                (is_printed || !is_line(text, is_first)).then_some(())?;
                if !is_printed && !text.is_empty() {
                    found.files.push((Kind::Read, text.to_owned()));
                }
            }
            Text(None) | Filled if !is_printed => return None,
            _ => {}
        }
    }
    Some(())
}
