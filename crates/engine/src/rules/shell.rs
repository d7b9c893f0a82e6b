//! Questions about a command line.
//!
//! [`runs`] is for refusing: a command too many is refused once more. [`only_runs`] is for approving: what is not plainly
//! one command is none.

use crate::shell::{self, Clear};

/// A longer line is not taken apart: every refusal about it holds, and no approval.
const LONGEST: usize = 256 * 1024;

/// Everything in a line that could be a path.
pub(super) fn words(line: &str) -> Vec<String> {
    let read = shell::read(line).commands.into_iter().flatten();
    let spelled = shell::spellings(line);
    let emptied = std::iter::once(&spelled.emptied);
    let runs = spelled
        .kept
        .iter()
        .chain(emptied)
        .flat_map(|text| shell::runs(text));
    let mut words: Vec<String> = read.chain(runs.map(str::to_owned)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Tells whether some command of a line has these words: the first names the program, with the words of its verb, the
/// others are options or arguments that must be there too, in any order. `-rf` is also `-fr` and `-r -f`.
pub(super) fn runs(line: &str, wanted: &[String]) -> bool {
    if line.len() > LONGEST {
        return true;
    }
    let Some((program, others)) = wanted.split_first() else {
        return false;
    };
    let verb: Vec<&str> = program.split_whitespace().collect();
    let spelled = shell::spellings(line);
    let emptied = std::iter::once(&spelled.emptied);
    let rough = spelled
        .kept
        .iter()
        .chain(emptied)
        .flat_map(|text| shell::rough(text));
    let mut commands = shell::read(line).commands.into_iter().chain(rough);
    commands.any(|command| has(&command, &verb, others))
}

fn has(command: &[String], verb: &[&str], others: &[String]) -> bool {
    let Some((program, rest)) = verb.split_first() else {
        return false;
    };
    // `sudo rm`, `env rm`, `xargs rm`: the program may stand anywhere.
    let starts = command
        .iter()
        .enumerate()
        .filter(|(_, word)| base(word) == *program);
    starts.into_iter().any(|(at, _)| {
        let after = command.get(at + 1..).unwrap_or_default();
        let mut words = after.iter();
        let is_verb = rest.iter().all(|verb| words.any(|word| word == verb));
        is_verb && others.iter().all(|other| is_there(after, other))
    })
}

fn is_there(words: &[String], wanted: &str) -> bool {
    let letters = |word: &str| -> Option<String> {
        let letters = word
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-') && !rest.is_empty())?;
        Some(letters.to_owned())
    };
    match letters(wanted) {
        Some(wanted) => {
            let given: String = words.iter().filter_map(|word| letters(word)).collect();
            wanted.chars().all(|letter| given.contains(letter))
        }
        None => words.iter().any(|word| {
            let value = word.strip_prefix(wanted);
            value.is_some_and(|rest| {
                rest.is_empty() || (wanted.starts_with("--") && rest.starts_with('='))
            })
        }),
    }
}

/// Tells whether a line is one plain command that begins with the words of one of these.
pub(super) fn only_runs(line: &str, beginnings: &[String]) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let read = shell::read(line);
    let (Clear::Yes, [command]) = (read.clear, &*read.commands) else {
        return false;
    };
    // A line break ends a command even where nothing follows it; who hides one means something by it.
    !line.trim().contains(['\n', '\r', '&', '|', ';'])
        && beginnings.iter().any(|beginning| {
            let mut words = beginning.split_whitespace().peekable();
            words.peek().is_some()
                && words
                    .zip(command.iter().map(Some).chain(std::iter::repeat(None)))
                    .all(|(word, given)| given.is_some_and(|given| given == word))
        })
}

fn base(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}
