//! The effects of programs: one row per program, and the reader of rows.
//!
//! A row says how the options of a program are written and what is done with their values and with its operands. The
//! letters of [`Program`] stand for effects; what they cannot say is in the function of the row.

mod archives;
mod asked;
mod call;
mod data;
mod each;
mod files;
mod forges;
mod git;
mod git_verbs;
mod interpreters;
mod net;
mod operands;
mod packages;
mod processes;
mod text;

use std::borrow::Cow;

use crate::command::{NestedCommand, ProgramEffects, ShellCommand};
use crate::effect::{Effect, EffectKind};
use crate::options::{OptionSpec, OptionTable, ParsedArguments};
use crate::places::Places;
use crate::word::{Part, Word};

pub(crate) use asked::unlisted_verb;
pub use asked::{
    CommandMatch, CommandPattern, files_of_git, folders_of_git, may_be, only_tries, read,
};
use call::Call;
pub(crate) use data::{quoted as sql_files, reaches as sql_reaches};
pub(crate) use git::is_one_of;
pub use git_verbs::{may_switch_branch, switches_to};
pub(crate) use processes::is_input;
#[cfg(test)]
pub(crate) use tests::{line_of, runs_of};

/// What is known about a program: a row of `programs/programs.txt`, whose head says what the letters mean.
#[derive(Debug)]
pub struct Program {
    /// Its names, each whole: `git push`.
    pub names: &'static [&'static str],
    /// Its options.
    pub options: OptionTable,
    /// Its operands.
    pub operands: OperandRules,
    /// What it does in any case, or on a condition.
    pub does: &'static [Deed],
    /// What letters cannot say.
    pub function: Option<fn(&mut Call<'_>)>,
}

/// Something that a program does whatever its operands are.
#[derive(Debug)]
pub struct Deed {
    /// Its letters.
    pub letters: &'static str,
    /// What it falls on; nothing for anything.
    pub text: &'static str,
    /// Whether it only may happen.
    pub perhaps: bool,
    /// The condition, as the head of the table says; nothing for none.
    pub when: &'static str,
}

/// What happens to the operands of a program: letters for each.
#[derive(Debug, Clone, Copy)]
pub struct OperandRules {
    /// Those in front.
    pub first: &'static [&'static str],
    /// All that neither the first nor the last ones are.
    pub each: Option<&'static str>,
    /// Those at the end.
    pub last: &'static [&'static str],
}

mod table {
    use super::{Deed, OperandRules, Program};
    use crate::options::{OptionArity, OptionSpec, OptionTable};

    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

/// Lists of words that functions of rows look into.
pub(crate) mod words {
    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

impl Program {
    /// Returns the first name.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    fn has_verbs(&self) -> bool {
        self.operands.first == ["v"]
    }
}

/// Returns every row.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    table::PROGRAMS.iter()
}

/// Returns the row of a program, or of a verb: `rm`, `git push`, `npm i`.
pub fn find(name: &str) -> Option<&'static Program> {
    let at = table::NAMES
        .binary_search_by_key(&name, |(name, _)| name)
        .ok()?;
    table::PROGRAMS.get(table::NAMES.get(at)?.1)
}

/// A command with its row, or the rows of its verbs.
pub(crate) struct ResolvedCommand {
    /// The names of the program and its verbs, as the command has them: `git push`.
    pub(crate) name: String,
    /// The row of the innermost verb that is known; `None` if even the program is not.
    pub(crate) row: Option<&'static Program>,
    /// The rows around it, the program's own first.
    pub(crate) outer: Vec<&'static Program>,
    /// The options of the program in front of its verb.
    pub(crate) above: ParsedArguments,
    /// The words of the innermost row.
    pub(crate) reading: ParsedArguments,
    /// Whether the verb is missing or cannot be read.
    pub(crate) verb: VerbLookup,
}

/// How much of a program's verb is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerbLookup {
    /// It has a row, or the program has no verbs.
    Known,
    /// It has no row.
    Unlisted,
    /// It cannot be read.
    Unreadable,
    /// There is none.
    Missing,
}

impl ResolvedCommand {
    /// Returns the option of this name, if a row lists it.
    fn listed(&self, name: &str) -> Option<&'static OptionSpec> {
        let mut rows = self.row.iter().chain(self.outer.last());
        rows.find_map(|row| row.options.named(name))
    }
}

/// The words of a command in their usual form: `git-push` is `git push`, and `cargo +nightly` names a toolchain, by which what the
/// verb does stays the same.
fn whole_words(words: &[Word]) -> Cow<'_, [Word]> {
    let mut words = Cow::Borrowed(words);
    let name = words.first().map(program_name).unwrap_or_default();
    if let (None, Some(verb)) = (find(&name), name.strip_prefix("git-")) {
        let whole = [Word::text("git"), Word::text(verb)];
        words.to_mut().splice(..1, whole);
    }
    let is_toolchain = |word: &Word| word.head().starts_with('+');
    if name == "cargo" && words.get(1).is_some_and(is_toolchain) {
        words.to_mut().remove(1);
    }
    words
}

/// Finds the row of a command, through its verbs.
pub(crate) fn called(words: &[Word]) -> ResolvedCommand {
    let mut words = whole_words(words);
    let name = words.first().map(program_name).unwrap_or_default();
    let mut called = ResolvedCommand {
        row: find(&name),
        name,
        outer: Vec::new(),
        above: ParsedArguments::default(),
        reading: ParsedArguments::default(),
        verb: VerbLookup::Known,
    };
    if called.row.is_none() {
        called.reading = OptionTable::default().read(&words, 1);
    }
    let mut skip = 1;
    while let Some(row) = called.row {
        called.reading = row.options.read(&words, skip);
        if !row.has_verbs() {
            break;
        }
        let Some(verb) = called.reading.operands.first().cloned() else {
            called.verb = VerbLookup::Missing;
            break;
        };
        let Some(text) = verb.word.known() else {
            called.verb = VerbLookup::Unreadable;
            break;
        };
        let whole = format!("{} {text}", row.name());
        let Some(inner) = find(&whole) else {
            called.verb = VerbLookup::Unlisted;
            break;
        };
        if row.options.stops {
            let reading = std::mem::take(&mut called.reading);
            called.above.given.extend(reading.given);
            called.above.unlisted.extend(reading.unlisted);
            called.above.unreadable |= reading.unreadable;
            skip = verb.at + 1;
        } else {
            words.to_mut().remove(verb.at);
        }
        called.name = format!("{} {text}", called.name);
        called.row = Some(inner);
        called.outer.push(row);
    }
    called
}

/// Says what a command does. Its first word is known.
pub fn act(command: &ShellCommand, places: &Places) -> ProgramEffects {
    let Some(first) = command.words.first() else {
        return ProgramEffects::default();
    };
    let mut acts = acts(command, first, places);
    if acts.shape.is_none() {
        acts.shape = each::narrowed(command);
    }
    if initialises(command, places) {
        acts.prints = Some(":\n".to_owned());
    }
    acts
}

/// Tells whether the text that a command prints sets up the shell that evaluates it, by its bare name, with words that name no
/// file and set nothing: what it prints is the person's, and counts as nothing. A variable may name a folder of theirs.
fn initialises(command: &ShellCommand, places: &Places) -> bool {
    let line = Word::all_known(&command.words);
    let line = line.unwrap_or_default().join(" ");
    let begins = |known: &&str| {
        let rest = line.strip_prefix(known);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(' ') && !rest.contains(['/', '=', '.'])
        })
    };
    // A `PATH` that finds other programs stops the line by itself.
    let is_of_person = |(name, value): &(String, Word)| {
        name == "PATH" || value.head().starts_with('/') && !places.are_near(value, &[])
    };
    command.assigned.iter().all(is_of_person) && words::INITIALISERS.iter().any(begins)
}

fn acts(command: &ShellCommand, first: &Word, places: &Places) -> ProgramEffects {
    let called = called(&command.words);
    let is_own = is_own(first);
    if called.row.is_none() || is_own {
        let mut acts = script(command, first, called.name.clone());
        // A command that a rule confined names our program in full, wherever it was installed.
        // So do the starters of build tools that stand in a project.
        let name = program_name(first);
        let is_named = matches!(&*name, "anyhook" | "anyhook-run" | "gradlew" | "mvnw");
        if called.row.is_some() && (is_named || called_by_bin(first)) {
            let mut of_name = of_row(called, command, places);
            of_name.effects.remove(0);
            acts.add(of_name);
        }
        return acts;
    }
    of_row(called, command, places)
}

fn of_row(called: ResolvedCommand, command: &ShellCommand, places: &Places) -> ProgramEffects {
    let Some(row) = called.row else {
        return ProgramEffects::default();
    };
    let second = command.words.get(2).and_then(Word::known);
    let is_help = second == Some("--help") && command.assigned.is_empty();
    let shows_help = is_help && called.name.starts_with("git ");
    let mut call = Call::new(command, places, row, called);
    // Git hands it to the reader of manuals.
    if !shows_help {
        call.play();
    }
    call.finish()
}

/// A program that has no row: a script that can be read, or opaque.
fn script(command: &ShellCommand, first: &Word, name: String) -> ProgramEffects {
    let own = call::program(command, true);
    let mut acts = ProgramEffects {
        effects: vec![Effect::new(EffectKind::Exec, own, command.certainty, name)],
        ..ProgramEffects::default()
    };
    let is_path = first.parts.len() != 1 || first.head().contains('/');
    if is_path {
        acts.runs.push(NestedCommand::File {
            file: first.clone(),
            shell: false,
            arguments: command.words.get(1..).unwrap_or_default().to_vec(),
            folders: command.folders.clone(),
        });
    }
    acts
}

impl ProgramEffects {
    /// Adds what else happens.
    pub(crate) fn add(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.runs.extend(other.runs);
        self.prints = self.prints.take().or(other.prints);
    }

    /// Notes an effect, once: of two that differ in certainty the surer.
    pub(crate) fn note(&mut self, effect: Effect) {
        let same = |known: &&mut Effect| known.kind == effect.kind && known.object == effect.object;
        match self.effects.iter_mut().find(same) {
            Some(known) => known.certainty = known.certainty.max(effect.certainty),
            None => self.effects.push(effect),
        }
    }
}

/// Tells whether a program is named by a path that is none of the system's: anything may stand there.
fn is_own(word: &Word) -> bool {
    let text = word.head();
    match text.rsplit_once('/') {
        _ if word.parts.len() != 1 => true,
        Some((folder, _)) => {
            !words::SYSTEM.contains(&folder) && package(without_version(text)).is_none()
        }
        None => false,
    }
}

/// Tells whether a program stands in a folder for programs, so that its name says what it is.
fn called_by_bin(word: &Word) -> bool {
    let Some(Part::Text(text)) = word.parts.last() else {
        return false;
    };
    let folder = text.rsplit('/').nth(1).unwrap_or_default();
    ["bin", "sbin", ".bin", "git-core", "Scripts"].contains(&folder)
}

/// Returns the name by which a program is listed: without folders, `.exe` and a version.
pub fn program_name(word: &Word) -> String {
    let last = match word.parts.last() {
        Some(Part::Text(text)) => text.as_str(),
        _ => return String::new(),
    };
    // A place of packages may stand in front: `nixpkgs#kubectl`.
    let whole = without_version(last);
    let name = whole.rsplit(['/', '\\', '#']).next().unwrap_or(whole);
    let name = package(whole).or_else(|| package(name)).unwrap_or(name);
    if find(name).is_some() {
        return name.to_owned();
    }
    // Systems that do not tell capitals from small letters run `RM` as `rm`.
    let lower = name.to_lowercase();
    let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = [lower, bare]
        .into_iter()
        // Of one letter no name is left that means anything: `c1` is no compiler.
        .find(|name| (name.len() > 1 || *name == lower) && find(name).is_some());
    known.unwrap_or(name).to_owned()
}

/// Returns a name of a package without its version: `prisma` of `prisma@latest`.
fn without_version(name: &str) -> &str {
    let at = name.rfind('@').filter(|at| *at > 0);
    at.and_then(|at| name.get(..at)).unwrap_or(name)
}

/// Returns the program that a package of another name brings.
fn package(name: &str) -> Option<&'static str> {
    let mut rows = words::PACKAGES.iter();
    Some(rows.find(|(package, _)| *package == name)?.1)
}

/// Returns the last name of a program as it is called: `python3.12` of `/usr/bin/python3.12`.
pub(crate) fn last_name(word: &Word) -> String {
    match word.parts.last() {
        Some(Part::Text(text)) => text.rsplit('/').next().unwrap_or(text).to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
