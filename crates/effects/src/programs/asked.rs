//! Questions of rules about a command: is it this program, with these options.

use std::path::PathBuf;

use super::{Called, called, find, program_name, words};
use crate::command::Command;
use crate::options::Takes;
use crate::word::Word;

/// Whether a command is what a rule asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matched {
    /// It is not.
    No,
    /// It may be: some word cannot be read. It counts for a guard, and never for approving.
    May,
    /// It is.
    Yes,
}

/// Tells whether a command is a program with these words of its verb and all of these options, by meaning: `-R` is `-r`
/// where the program's row says so, `-rf` is both, and what the program takes as an abbreviation counts as the whole.
///
/// ```
/// use anyhook_effects::command::{Command, Input};
/// use anyhook_effects::effect::Certainty;
/// use anyhook_effects::programs::{Matched, is_called};
/// use anyhook_effects::word::Word;
///
/// let command = |line: &str| Command {
///     words: line.split(' ').map(Word::text).collect(),
///     assigned: Vec::new(),
///     input: Input::Inherited,
///     folders: vec!["/p".into()],
///     certainty: Certainty::Exact,
/// };
/// assert_eq!(is_called(&command("rm -Rf x"), &["rm"], &["--recursive", "-f"]), Matched::Yes);
/// assert_eq!(is_called(&command("git -C x reset --har"), &["git", "reset"], &["--hard"]), Matched::Yes);
/// assert_eq!(is_called(&command("git push origin"), &["git", "push"], &["--force"]), Matched::No);
/// ```
pub fn is_called(command: &Command, program: &[&str], options: &[&str]) -> Matched {
    let Some((asked, verbs)) = program.split_first() else {
        return Matched::No;
    };
    let Some(first) = command.words.first() else {
        return Matched::No;
    };
    if first.known().is_none()
        && !matches!(first.parts.last(), Some(crate::word::Part::Text(text)) if text.contains('/'))
    {
        return Matched::May;
    }
    let asked = program_name(&Word::text(*asked));
    let name = program_name(first);
    // Another program, whatever its words are: they are read of none but this one.
    if name.split(' ').next() != Some(&*asked) && !name.starts_with("git-") {
        return Matched::No;
    }
    let called = called(&command.words);
    let mut names = called.name.split(' ');
    if names.next() != Some(&*asked) {
        return Matched::No;
    }
    let known: Vec<&str> = names.collect();
    let rows: Vec<&str> = called.outer.iter().map(|row| row.name()).collect();
    let mut matched = Matched::Yes;
    let mut taken = 0;
    for (at, verb) in verbs.iter().enumerate() {
        let found = if let Some(known) = known.get(at) {
            same_verb(rows.get(at).copied().unwrap_or_default(), known, verb)
        } else {
            let word = called
                .reading
                .operands
                .get(taken)
                .map(|operand| &operand.word);
            taken += 1;
            word_is(word, verb, called.reading.unreadable)
        };
        matched = matched.min(found);
    }
    for option in options {
        matched = matched.min(has(&called, option));
    }
    matched
}

/// Returns the words of a command of git by which it may show a file. Git tells from the disk which of them is a commit, so
/// each of them may be a file.
///
/// ```
/// use anyhook_effects::command::{Command, Input};
/// use anyhook_effects::effect::Certainty;
/// use anyhook_effects::programs::files_of_git;
/// use anyhook_effects::word::Word;
///
/// let files = |line: &str| {
///     files_of_git(&Command {
///         words: line.split(' ').map(Word::text).collect(),
///         assigned: Vec::new(),
///         input: Input::Inherited,
///         folders: vec!["/p".into()],
///         certainty: Certainty::Exact,
///     })
/// };
/// assert_eq!(files("git log -p --oneline -- .env"), [Word::text(".env")]);
/// assert_eq!(files("git log --oneline -5"), []);
/// ```
pub fn files_of_git(command: &Command) -> Vec<Word> {
    let called = called(&command.words);
    let verb = called.name.strip_prefix("git ").unwrap_or_default();
    if !words::SHOWN_BY_GIT.contains(&verb) {
        return Vec::new();
    }
    let operands = called.reading.operands.iter();
    let files = operands.map(|operand| operand.word.clone());
    // `-L 1,9:FILE` shows lines of a file.
    files.chain(called.reading.values("L").cloned()).collect()
}

/// Returns the folders whose repository a command of git is about; none if it cannot be told.
pub fn folders_of_git(command: &Command) -> Vec<PathBuf> {
    let called = called(&command.words);
    let above = if called.outer.is_empty() {
        called.reading
    } else {
        called.above
    };
    if above.unreadable || above.may_have("git-dir") || above.may_have("work-tree") {
        return Vec::new();
    }
    let Some(moves) = above
        .values("C")
        .map(Word::known)
        .collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    let lead = |folder: &PathBuf| moves.iter().fold(folder.clone(), |at, to| at.join(&**to));
    command.folders.iter().map(lead).collect()
}

/// Whether a word is the one that is asked for; where the words are open, another one may be it.
fn word_is(word: Option<&Word>, asked: &str, is_open: bool) -> Matched {
    match word.map(Word::known) {
        Some(Some(text)) if text == asked => Matched::Yes,
        Some(None) => Matched::May,
        _ if is_open => Matched::May,
        _ => Matched::No,
    }
}

/// `npm i` is `npm install`.
fn same_verb(program: &str, known: &str, asked: &str) -> Matched {
    let row = |verb: &str| find(&format!("{program} {verb}"));
    let is_in = |list: &str, verb: &str| list.split(' ').any(|one| one == verb);
    let both = |list: &&str| is_in(list, known) && is_in(list, asked);
    let is_one_row = match (row(known), row(asked)) {
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        _ => false,
    };
    if known == asked || (is_one_row && words::SYNONYMS.iter().any(both)) {
        Matched::Yes
    } else {
        Matched::No
    }
}

/// Tells whether all that an asked option stands for is given.
fn has(called: &Called, asked: &str) -> Matched {
    let name = asked.split_once('=').map_or(asked, |(name, _)| name);
    let is_single = called.row.is_some_and(|row| row.options.single);
    if name.starts_with("--") || is_single && name.starts_with('-') && name.len() > 2 {
        return one(called, name.trim_start_matches('-'), asked);
    }
    let Some(letters) = name.strip_prefix('-') else {
        // A word that is no option is an operand.
        let operands = called.reading.operands.iter();
        let is_open = called.reading.unreadable;
        let same = operands.map(|operand| word_is(Some(&operand.word), asked, is_open));
        return same.max().unwrap_or(Matched::No);
    };
    let value = asked.get(name.len()..).unwrap_or_default();
    let each = letters
        .chars()
        .map(|letter| one(called, &letter.to_string(), &format!("-{letter}{value}")));
    each.min().unwrap_or(Matched::No)
}

/// Tells whether one option is given, with its value if one is asked for.
fn one(called: &Called, name: &str, asked: &str) -> Matched {
    let (dashed, value) = match asked.split_once('=') {
        Some((dashed, value)) => (dashed, Some(value)),
        None => (asked, None),
    };
    let mut rows = called.row.iter().chain(called.outer.last());
    let Some(option) = rows.find_map(|row| row.options.named(name)) else {
        let is_asked = |given: &String| {
            given == dashed
                || (given.len() > 3 && dashed.starts_with(&**given) && given.starts_with("--"))
        };
        let mut unlisted = called.reading.unlisted.iter().chain(&called.above.unlisted);
        return match (unlisted.any(is_asked), called.reading.unreadable) {
            (true, _) => Matched::Yes,
            (false, true) => Matched::May,
            (false, false) => Matched::No,
        };
    };
    let given = called.reading.given.iter().chain(&called.above.given);
    let given = given.filter(|given| given.option == option);
    let each = given.map(|given| match (value, &given.value) {
        _ if !given.sure => Matched::May,
        (None, _) => Matched::Yes,
        (Some(asked), Some(given)) => match given.known() {
            Some(text) if text == asked => Matched::Yes,
            Some(_) => Matched::No,
            None => Matched::May,
        },
        (Some(_), None) if given.option.value == Takes::Nothing => Matched::No,
        (Some(_), None) => Matched::May,
    });
    each.max().unwrap_or(Matched::No)
}
