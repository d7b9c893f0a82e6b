//! Which files the commands of a manifest run, as far as that can be told from the words of the command.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use anyhook_core::manifest::{Command, Place};
use anyhook_effects::shell::visit;
use anyhook_engine::files::read_up_to;
use anyhook_engine::words::{self, ArgumentTemplate, Piece};
use anyhook_wires::native_files::VariableContent;

use super::linted::{self, LintTarget};

/// A longer file is no script that was written for a hook.
const LONGEST: u64 = 512 * 1024;

/// What scripts are written in, and what runs them.
const LANGUAGES: &str = include_str!("languages.txt");

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// A shell.
    Shell,
    /// A language with a program of its own, such as Python.
    Script,
    /// Anything else, or nothing that we know.
    Other,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptState {
    /// It is not there.
    Missing,
    /// It is there, without permission to execute it.
    Plain,
    /// It may be executed.
    Executable,
}

/// A file that a hook runs.
#[derive(Debug)]
pub(super) struct Script {
    /// The place of the hook.
    pub(super) of: Place,
    /// The word that names it, as it was written.
    pub(super) word: String,
    /// Where it is.
    pub(super) path: PathBuf,
    /// The program that runs it; nothing where it is executed itself.
    pub(super) by: Option<String>,
    /// Whether the word starts from the folder in which the agent happens to be.
    pub(super) relative: bool,
    /// Whether the word starts from the person's home.
    pub(super) of_home: bool,
    pub(super) state: ScriptState,
    /// Its text, if it is text.
    pub(super) text: Option<String>,
    pub(super) language: Language,
}

/// Finds every script that the commands of a manifest run.
pub(super) fn all(linted: &LintTarget<'_>) -> Vec<Script> {
    let commands = linted.commands();
    let scripts = commands.flat_map(|(site, command)| {
        let calls = calls(command).into_iter();
        calls.filter_map(move |call| one(linted, &site.entry.at, command, &call))
    });
    scripts.collect()
}

/// Tells whether a shell reads the line of a command.
pub(super) fn is_for_a_shell(linted: &LintTarget<'_>, command: &Command) -> bool {
    // Our own way of running plain words is not that of the host that a native file belongs to.
    let by_words = linted.format.is_none() && words::plan(&command.command).is_some();
    command.args.is_none() && !by_words
}

/// Returns the programs that a command runs, each with its arguments; words keep their `${NAME}`.
pub(super) fn calls(command: &Command) -> Vec<Vec<String>> {
    if let Some(args) = &command.args {
        let all = std::iter::once(&command.command).chain(args);
        return vec![all.cloned().collect()];
    }
    if let Some(words) = words::plan(&command.command) {
        return vec![words.iter().map(written).collect()];
    }
    let calls = visit::programs(&command.command).into_iter();
    calls.map(programs_aside).collect()
}

fn written(word: &ArgumentTemplate) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Placeholder(name) => format!("${{{name}}}"),
    });
    pieces.collect()
}

/// Drops programs that run another one, and the variables that they set for it.
fn programs_aside(mut call: Vec<String>) -> Vec<String> {
    const BEFORE: &[&str] = &["exec", "command", "env"];
    let is_before = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        BEFORE.contains(&word) || name.is_some_and(is_name)
    };
    let before = call.iter().take_while(|word| is_before(word)).count();
    call.drain(..before);
    // `command -v jq` asks for a program, and `env -i` goes on with options of its own.
    if call.first().is_some_and(|word| word.starts_with('-')) {
        return Vec::new();
    }
    call
}

fn one(linted: &LintTarget<'_>, of: &Place, command: &Command, call: &[String]) -> Option<Script> {
    let (program, rest) = call.split_first()?;
    let known = interpreter(program);
    let by_runner = behind_runner(program, rest);
    let word = match (by_runner, known) {
        (Some(word), _) => word,
        // `node -e "…"` and `bash -c "…"` run no file, and `-m` names a module.
        (None, Some(_)) => rest.first().filter(|word| !word.starts_with('-'))?,
        (None, None) => program,
    };
    let known = by_runner.map(|word| of_ending(Path::new(word))).or(known);
    let home = at_home(linted, word);
    let of_home = home.is_some();
    let filled = home.unwrap_or_else(|| filled(linted, word));
    let path = Path::new(&filled);
    let is_path = filled.contains('/') || known.is_some() && path.extension().is_some();
    if !is_path || filled.contains(['$', '*', '?', '`', '~', '\0']) {
        return None;
    }
    let relative = path.is_relative() && filled == *word;
    // Where the file does not stand where its agent looks, it is not known what its paths start from.
    let is_filled = filled != *word && !of_home && linted::by_schema(linted.text).is_some();
    if (relative || is_filled) && linted.misplaced {
        return None;
    }
    let path = match &command.cwd {
        _ if !relative => plain(path),
        Some(cwd) if Path::new(cwd).is_relative() => plain(&linted.root.join(cwd).join(path)),
        Some(cwd) => plain(&Path::new(&self::filled(linted, cwd)).join(path)),
        None => plain(&linted.root.join(path)),
    };
    let (state, text) = look(&path);
    let shebang = text.as_deref().and_then(interpreter_of);
    let language = known.or_else(|| interpreter(&shebang?));
    let language = language.unwrap_or_else(|| of_ending(&path));
    Some(Script {
        of: of.clone(),
        word: word.clone(),
        path,
        by: known.map(|_| program.clone()),
        relative,
        of_home,
        state,
        text,
        language,
    })
}

/// Returns the script that a runner such as `uv run` is given; what it runs otherwise is a program of its own.
fn behind_runner<'w>(program: &str, arguments: &'w [String]) -> Option<&'w String> {
    let is_behind = |word: &String| rows("behind", program).any(|behind| behind == word);
    let at = arguments.iter().position(is_behind)?;
    let mut files = arguments.get(at + 1..)?.iter();
    files.find(|word| of_ending(Path::new(word)) != Language::Other && !word.starts_with('-'))
}

/// Finds the rows of a kind about a name.
fn rows(kind: &str, name: &str) -> impl Iterator<Item = &'static str> {
    let head = format!("{kind} {name} ");
    let rows = LANGUAGES.lines();
    rows.filter_map(move |row| row.strip_prefix(&*head))
}

fn language(kind: &str, name: &str) -> Option<Language> {
    let word = rows(kind, name).next()?;
    Some(match word {
        "shell" => Language::Shell,
        "script" => Language::Script,
        _ => Language::Other,
    })
}

/// Tells by the ending of a file what it is written in.
pub(super) fn of_ending(file: &Path) -> Language {
    let ending = file.extension().and_then(|ending| ending.to_str());
    let known = ending.and_then(|ending| language("ending", ending));
    known.unwrap_or(Language::Other)
}

/// Puts the person's home in the place of `~` and `$HOME` at the beginning of a word; nothing where it stands on neither.
fn at_home(linted: &LintTarget<'_>, word: &str) -> Option<String> {
    let home = linted.how.home.as_ref()?.to_string_lossy();
    let mut starts = ["~/", "$HOME/", "${HOME}/"].iter();
    let below = starts.find_map(|start| word.strip_prefix(start))?;
    Some(format!("{home}/{below}"))
}

fn interpreter(program: &str) -> Option<Language> {
    language("program", program.rsplit('/').next()?)
}

/// Returns the program that the first line of a script names, `env` aside.
pub(super) fn interpreter_of(text: &str) -> Option<String> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if first.rsplit('/').next() != Some("env") {
        return Some(first.to_owned());
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
    named.map(str::to_owned)
}

/// Puts the folders that we know in the place of their variables; other variables stay.
fn filled(linted: &LintTarget<'_>, word: &str) -> String {
    let mut filled = word.to_owned();
    let root = linted.root.to_string_lossy();
    let is_root = |variable: &VariableContent| {
        matches!(
            variable,
            VariableContent::Project | VariableContent::Package
        )
    };
    let native = linted.format.map_or(&[][..], |format| format.variables);
    let native = native.iter().filter(|(_, variable)| is_root(variable));
    // A project's own file knows no package: there that variable is not set.
    let ours = ["PACKAGE_ROOT", "PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];
    for name in ours.into_iter().chain(native.map(|(name, _)| *name)) {
        filled = filled.replace(&format!("${{{name}}}"), &root);
        filled = replaced(&filled, &format!("${name}"), &root);
    }
    filled
}

/// Replaces `$NAME`, and leaves `$NAMESAKE`.
fn replaced(text: &str, name: &str, value: &str) -> String {
    let mut parts = text.split(name);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        all.push_str(if goes_on { name } else { value });
        all.push_str(part);
    }
    all
}

/// Writes a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            other => plain.push(other),
        }
    }
    plain
}

fn look(path: &Path) -> (ScriptState, Option<String>) {
    let Ok(meta) = fs::metadata(path) else {
        return (ScriptState::Missing, None);
    };
    if !meta.is_file() {
        return (ScriptState::Executable, None);
    }
    let state = if meta.permissions().mode() & 0o111 == 0 {
        ScriptState::Plain
    } else {
        ScriptState::Executable
    };
    let bytes = read_up_to(path, LONGEST).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    (state, text.filter(|text| !text.contains('\0')))
}
