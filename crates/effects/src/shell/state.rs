//! The state of a shell at one point of the line: folders, variables, functions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::tree::Statement;
use crate::places::Places;
use crate::programs::words;
use crate::word::{Part, Word};

/// The most folders that a line may be in at once; above, the folder is unknown.
const FOLDERS: usize = 8;

/// What is known about a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VariableValue {
    /// A text, of which parts may be unknown.
    Text(Word),
    /// An array.
    List(Vec<Word>),
    /// Names of files, each in a line: each word stands for many.
    Names(Vec<Word>),
    Unknown,
    Unset,
}

/// A variable that the line assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellVariable {
    pub(super) value: VariableValue,
    pub(super) exported: bool,
    /// Whether it is one that no later command of the line changes, as far as bash is concerned.
    fixed: bool,
}

impl ShellVariable {
    fn is_number(&self) -> bool {
        let is_number = |part: &Part| match part {
            Part::Text(text) => text.chars().all(|letter| letter.is_ascii_digit()),
            part => matches!(part, Part::Of(_)),
        };
        matches!(&self.value, VariableValue::Text(word) if !word.parts.is_empty() && word.parts.iter().all(is_number))
    }
}

/// The folders a shell may be in; none if that cannot be known.
pub(super) type ShellFolders = Rc<Vec<PathBuf>>;

/// What a shell knows at one place. Each command hands it on, so that a copy of it is cheap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ShellState {
    /// The folders it may be in; none if that cannot be known.
    pub(super) folders: ShellFolders,
    /// `$OLDPWD`, in the same way.
    pub(super) previous: ShellFolders,
    pub(super) variables: Rc<BTreeMap<String, ShellVariable>>,
    /// Functions of the line; none where it may be another one, or missing.
    pub(super) functions: Rc<BTreeMap<String, Option<Rc<Statement>>>>,
    /// The positional parameters, `$0` first; none if they cannot be known.
    pub(super) arguments: Option<Rc<Vec<Word>>>,
    /// Whether functions are handed to other shells (`export -f`).
    pub(super) shares_functions: bool,
    /// Whether `PATH` names a folder whose programs may be others than their names say.
    pub(super) strangers: bool,
    /// A folder of programs of the project that the line put in front of `PATH`.
    pub(super) bin: Option<Rc<PathBuf>>,
    /// The folder of programs of an environment of Python that the line activated.
    pub(super) activated: Option<Rc<PathBuf>>,
    /// The branch of git that the line surely checked out, and the folder in which it did.
    pub(super) branch: Option<Rc<(PathBuf, String)>>,
    /// Whether the shell may leave braces and `$'…'` as they are: `sh` is not everywhere a bash.
    pub(super) is_simple: bool,
}

impl ShellState {
    /// The state of a shell that starts.
    pub(super) fn new(places: &Places) -> Self {
        Self {
            folders: vec![places.folder.clone()].into(),
            ..Self::default()
        }
    }

    /// The state of another shell that this one starts: it sees what is exported.
    pub(super) fn child(&self, folders: Vec<PathBuf>, arguments: Vec<Word>) -> Self {
        let mut variables = (*self.variables).clone();
        for variable in variables.values_mut() {
            if !variable.exported {
                variable.value = VariableValue::Unknown;
            }
        }
        let mut child = Self {
            folders: folders.into(),
            previous: ShellFolders::default(),
            variables: Rc::new(variables),
            functions: if self.shares_functions {
                Rc::clone(&self.functions)
            } else {
                Rc::default()
            },
            arguments: Some(Rc::new(arguments)),
            ..self.clone()
        };
        // The environment may hold them, and some shells take them from there.
        for name in words::NUMBERS {
            if !child.variables.contains_key(*name) {
                child.set(name, VariableValue::Unknown);
            }
        }
        child
    }

    /// The branch that the line checked out where the shell is.
    pub(super) fn branch_here(&self) -> Option<String> {
        let mut variables = self.variables.iter();
        if variables.any(|(name, it)| it.exported && name.starts_with("GIT_")) {
            return None;
        }
        let (folder, branch) = self.branch.as_deref()?;
        (self.folders.as_slice() == [folder.clone()]).then(|| branch.clone())
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: VariableValue) {
        let before = self.variables.get(name);
        let exported = before.is_some_and(|it| it.exported);
        let fixed = before.is_some_and(|it| it.fixed);
        let variable = ShellVariable {
            // Whether the value before stays is for other shells to say.
            value: if fixed { VariableValue::Unknown } else { value },
            exported,
            fixed,
        };
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), variable);
    }

    /// Forgets the value of each variable that the line set, and the positional parameters.
    pub(super) fn forget_values(&mut self) {
        for variable in Rc::make_mut(&mut self.variables).values_mut() {
            variable.value = VariableValue::Unknown;
        }
        self.arguments = None;
    }

    /// Makes a variable one that does not change any more.
    pub(super) fn fix(&mut self, name: &str) {
        if let Some(variable) = Rc::make_mut(&mut self.variables).get_mut(name) {
            variable.fixed = true;
        }
    }

    /// Makes a variable one that programs see.
    pub(super) fn export(&mut self, name: &str) {
        if let Some(variable) = Rc::make_mut(&mut self.variables).get_mut(name) {
            variable.exported = true;
        }
    }

    /// Looks up a variable: of the line, of the shell, of the environment.
    pub(super) fn value(&self, name: &str, places: &Places) -> VariableValue {
        if let Some(variable) = self.variables.get(name) {
            return variable.value.clone();
        }
        match name {
            "HOME" => match &places.home {
                Some(home) => VariableValue::Text(Word::text(home.to_string_lossy())),
                None => VariableValue::Unknown,
            },
            "PWD" => only(&self.folders),
            "OLDPWD" => only(&self.previous),
            "IFS" => VariableValue::Text(Word::text(" \t\n")),
            "#" | "?" | "$" | "!" => VariableValue::Text(Word::of("<->")),
            _ if words::NUMBERS.contains(&name) => VariableValue::Text(Word::of("<->")),
            _ => match places.variables.get(name) {
                Some(text) => VariableValue::Text(Word::text(text)),
                // No address begins like an option.
                None if words::ADDRESSES.iter().any(|end| name.ends_with(end)) => {
                    VariableValue::Text(Word {
                        parts: vec![Part::Text(String::new()), Part::Unknown],
                    })
                }
                None => VariableValue::Unknown,
            },
        }
    }

    /// The state where either may hold.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.folders = either(self.folders, &other.folders);
        self.previous = either(self.previous, &other.previous);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            join(
                Rc::make_mut(&mut self.variables),
                &other.variables,
                |variable, other| ShellVariable {
                    value: match other {
                        Some(other) if variable.is_number() && other.is_number() => {
                            VariableValue::Text(Word::of("**"))
                        }
                        _ => VariableValue::Unknown,
                    },
                    exported: variable.exported,
                    fixed: variable.fixed,
                },
            );
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            join(
                Rc::make_mut(&mut self.functions),
                &other.functions,
                |_, _| None,
            );
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        self.shares_functions |= other.shares_functions;
        self.strangers |= other.strangers || self.bin != other.bin;
        if self.activated.is_none() {
            self.activated.clone_from(&other.activated);
        }
        if self.branch != other.branch {
            self.branch = None;
        }
        self.is_simple |= other.is_simple;
        self
    }
}

/// The text of the only folder.
fn only(folders: &[PathBuf]) -> VariableValue {
    match folders {
        [folder] => VariableValue::Text(Word::text(folder.to_string_lossy())),
        _ => VariableValue::Text(Word::unknown()),
    }
}

/// Both lists of folders as one; unknown if one of them is.
fn either(mut folders: ShellFolders, others: &ShellFolders) -> ShellFolders {
    if Rc::ptr_eq(&folders, others) {
        return folders;
    }
    if folders.is_empty() || others.is_empty() {
        return ShellFolders::default();
    }
    for other in others.iter() {
        if !folders.contains(other) {
            Rc::make_mut(&mut folders).push(other.clone());
        }
    }
    if folders.len() > FOLDERS {
        return ShellFolders::default();
    }
    folders
}

/// Joins two tables, where an entry differs or stands in one of them only.
fn join<T: Clone + PartialEq>(
    table: &mut BTreeMap<String, T>,
    other: &BTreeMap<String, T>,
    both: impl Fn(&T, Option<&T>) -> T,
) {
    for (name, value) in table.iter_mut() {
        let theirs = other.get(name);
        if theirs != Some(value) {
            *value = both(value, theirs);
        }
    }
    for (name, value) in other {
        if !table.contains_key(name) {
            table.insert(name.clone(), both(value, None));
        }
    }
}

/// Where something jumps: out of a loop, a function, a shell.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    pub(super) breaks: Vec<ShellState>,
    pub(super) returns: Vec<ShellState>,
    pub(super) exits: Vec<ShellState>,
    /// The states in which the last fork ended, each with its own name, and how many steps were taken up to there.
    pub(super) forked: (usize, Vec<ShellState>),
    /// What `trap … EXIT` left to do.
    pub(super) traps: Vec<String>,
    /// What `local` has to give back.
    pub(super) locals: Vec<(String, VariableValue)>,
}

/// The states behind a command: where it succeeded, and where it failed; none where it never does.
#[derive(Debug, Clone)]
pub(super) struct ExitStates {
    pub(super) ok: Option<ShellState>,
    pub(super) fail: Option<ShellState>,
}

impl ExitStates {
    pub(super) fn of(ok: Option<ShellState>, fail: Option<ShellState>) -> Self {
        Self { ok, fail }
    }

    /// The command may succeed or fail, and changed nothing else.
    pub(super) fn both(state: ShellState) -> Self {
        Self {
            ok: Some(state.clone()),
            fail: Some(state),
        }
    }

    /// Adds that nothing of it may have run, from this state.
    pub(super) fn or_unopened(mut self, before: Option<ShellState>) -> Self {
        self.fail = or(self.fail, before);
        self
    }

    /// Nothing runs behind it.
    pub(super) fn never() -> Self {
        Self {
            ok: None,
            fail: None,
        }
    }

    /// The state behind it, however it ended.
    pub(super) fn any(self) -> Option<ShellState> {
        or(self.ok, self.fail)
    }

    pub(super) fn swapped(self) -> Self {
        Self {
            ok: self.fail,
            fail: self.ok,
        }
    }
}

/// The state where either may hold.
pub(super) fn or(one: Option<ShellState>, other: Option<ShellState>) -> Option<ShellState> {
    match (one, other) {
        (Some(one), Some(other)) if one == other => Some(one),
        (Some(one), Some(other)) => Some(one.or(&other)),
        (one, other) => one.or(other),
    }
}
