//! Modules of Python that are of the project: a code that imports functions of theirs runs them as its programs are run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::python::{is_plain, is_told};
use super::tokens::CodeToken::{self, End, Filled, Name, Sign, Text};
use super::tokens::{Findings, TokenCursor};
use crate::effect::EffectKind;
use crate::places::Files;
use crate::programs::{self, words};
use crate::tools::words_of;
use crate::word::Word;

/// What functions of the project are called in a code, and their own names.
pub(super) type Functions<'t> = BTreeMap<&'t str, &'t str>;

/// Where a code runs.
pub(crate) struct CodeEnvironment<'f> {
    /// The folders that the names of files count from.
    pub(crate) folders: &'f [PathBuf],
    /// The folders in which modules are looked for, in this order. What one of the project has is run as its programs are.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) files: &'f dyn Files,
}

impl CodeEnvironment<'_> {
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
            Some(DefinitionSite::Here) => true,
            Some(DefinitionSite::Beside(other)) => {
                let other = self.text_of(&format!("{folder}{other}"));
                let found = other.and_then(|(text, _)| defines(&text, name));
                matches!(found, Some(DefinitionSite::Here))
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
enum DefinitionSite {
    Here,
    /// In another module of its package, by the name of that.
    Beside(String),
}

/// Tells where a module has a function or a class of this name, where that is of the project.
fn defines(text: &str, name: &str) -> Option<DefinitionSite> {
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
        return Some(DefinitionSite::Here);
    }
    let part = whole.split("\nfrom .").skip(1).find(|part| brings(part))?;
    let module = part.split_whitespace().next()?;
    let is_plain = !module.is_empty() && module.chars().all(|it| it.is_alphanumeric() || it == '_');
    is_plain.then(|| DefinitionSite::Beside(module.to_owned()))
}

/// Takes out what imports functions and classes of the project, and returns those, where anything does.
pub(super) fn of_project<'t>(
    tokens: &mut Vec<CodeToken<'t>>,
    place: &CodeEnvironment<'_>,
) -> Option<Functions<'t>> {
    let statements: Vec<&[CodeToken<'t>]> = tokens.split(|token| *token == End).collect();
    let mut own = Functions::new();
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
fn names_of_project<'t>(
    statement: &[CodeToken<'t>],
    place: &CodeEnvironment<'_>,
) -> Option<Functions<'t>> {
    let at = statement
        .iter()
        .position(|token| *token == Name("import"))?;
    let [Name("from"), module @ ..] = statement.get(..at)? else {
        return None;
    };
    let part = |token: &CodeToken<'_>| match token {
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
    let given = |import: &[CodeToken<'t>]| match import {
        [Name(name)] | [Name(name), Name("as"), Name(_)] => {
            let Some(Name(called)) = import.last() else {
                return None;
            };
            let is_free =
                !["os", "print"].contains(called) && !words::PYTHON_UNSAFE.contains(called);
            let is_it = is_free && is_plain(called) && place.define(&module, name);
            is_it.then_some((*called, *name))
        }
        _ => None,
    };
    let names = statement.get(at + 1..)?;
    names
        .split(|token| *token == Sign(','))
        .map(given)
        .collect()
}

/// Tells whether a name, of one function or of several, says by one of its words what is done.
fn says(names: &[&str], list: &[&str]) -> bool {
    let mut words = names.iter().flat_map(|name| words_of(name));
    words.any(|word| list.contains(&&*word))
}

/// Tells whether a text is a line of words for a program or a database, or may be the first word of one.
fn is_line(text: &str, is_first: bool, runs: bool) -> bool {
    let is_program = |name: &str| {
        let name = programs::program_name(&Word::text(name));
        !name.is_empty() && programs::find(&name).is_some()
    };
    let is_before = |word: &&str| word.contains('=') || words::BEFORE_A_LINE.contains(word);
    let begins = |part: &str| {
        let behind = part.rsplit("*/").next().unwrap_or_default();
        let mut words = behind.split_whitespace().skip_while(is_before);
        let first = words.next().unwrap_or_default();
        is_program(first) || words::PYTHON_STATEMENTS.contains(&&*first.to_lowercase())
    };
    // `db.users.drop()`
    let removes = |part: &str| {
        let member = part.rsplit_once('.').map_or("", |(_, member)| member);
        !member.contains(' ') && says(&[member], words::TOOL_DELETES)
    };
    let called = text.rsplit_once('(').map_or("", |(called, _)| called);
    let text = text.trim();
    let first = text.split(char::is_whitespace).next().unwrap_or_default();
    let has_more = first.len() < text.len();
    let mut parts = text.split([';', '&', '|', '(', ')', '{']);
    let is_emptying = text.trim_start_matches([':', ' ']).starts_with('>');
    let is_script = first.starts_with("./") || runs && first.contains('/');
    has_more && (is_emptying || is_script || parts.any(begins))
        || (is_first || runs) && begins(text)
        || called.split('(').any(removes)
}

/// Tells whether a name, in any spelling, says that it holds a secret: `STRIPE_SECRET_KEY`, `dbPassword`.
pub(super) fn says_secret(name: &str) -> bool {
    let name = words_of(name).join("_");
    words::SECRET_NAMES.iter().any(|end| name.ends_with(end))
}

/// Tells whether a variable of the environment may be printed: it is one by its name, and holds no secret by it.
pub(super) fn is_plain_variable(name: &str) -> bool {
    let is_letter =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    name.chars().all(is_letter) && !words::SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// Tells whether a module, by its path or its name, holds the settings of a program.
pub(super) fn is_of_settings(module: &str) -> bool {
    let name = module.rsplit('/').next().unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default();
    words::SETTINGS.contains(&&*name.to_lowercase())
}

/// Tells whether a text is the name of a variable that holds a secret or the address of a database.
fn is_secret(text: &str) -> bool {
    let is_capital =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.chars().all(is_capital)
        && (says_secret(text) || words::SECRET_ENDS.iter().any(|end| text.ends_with(end)))
}

/// Reads a code that calls functions of the project: what they are given stands there as it is, and each text of it may be a
/// file that they read or change. None where a text may be put together, or is a line of words for a program, and where settings
/// are asked for.
pub(super) fn given_to(
    own: &Functions<'_>,
    tokens: &[CodeToken<'_>],
    found: &mut Findings,
) -> Option<()> {
    let mut open: Vec<&str> = Vec::new();
    for at in 0..tokens.len() {
        let code = TokenCursor::new(tokens, at);
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
                let is_plain = own.get(name).map_or_else(
                    || words::PYTHON_PLAIN_CALLS.contains(&name),
                    |own| code.behind(2) != Sign(')') || !says(&[own], words::TELLS_SETTINGS),
                );
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
            Text(Some(text)) if !is_printed && !text.is_empty() => {
                // Outside of a call any of them may get it.
                let function = open.iter().rev().find_map(|name| own.get(name));
                let all = || own.values().copied().collect();
                let names: Vec<&str> = function.map_or_else(all, |name| vec![*name]);
                let is_first = code.behind(1) == Sign(',') || open.last() == Some(&"[");
                text_given(text, is_first, &names, found)?;
            }
            Text(None) | Filled if !is_printed => return None,
            _ => {}
        }
    }
    Some(())
}

/// Notes a text that one of these functions gets: it may be a file that they read or change.
pub(super) fn text_given(
    text: &str,
    is_first: bool,
    names: &[&str],
    found: &mut Findings,
) -> Option<()> {
    let runs = says(names, words::TOOL_RUNS);
    (!is_line(text, is_first, runs) && !is_secret(text)).then_some(())?;
    let only_reads = says(names, words::TOOL_READS) && !says(names, words::TOOL_WRITES);
    found.files.push((EffectKind::Read, text.to_owned()));
    if text.contains(['.', '/']) && !only_reads {
        found.given.push((EffectKind::Write, text.to_owned()));
    }
    if says(names, words::TOOL_DELETES) {
        found.given.push((EffectKind::Delete, text.to_owned()));
    }
    Some(())
}
