//! Questions of rules about a command: is it this program, with these options.

use std::path::PathBuf;

use super::{
    Program, ResolvedCommand, VerbLookup, called, find, last_name, program_name, whole_words, words,
};
use crate::braces;
use crate::command::ShellCommand;
use crate::options::{OptionArity, ParsedArguments};
use crate::word::{Part, Word};

/// Whether a command is what a rule asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandMatch {
    /// It is not.
    No,
    /// It may be: some word cannot be read. It counts for a guard, and never for approving.
    May,
    /// It is.
    Yes,
}

/// What a rule says of a command: the program with its subcommands, and what else has to stand there or may not.
///
/// It is asked by meaning: `-R` is `-r` where the program's row says so, `-rf` is both, and what the program takes as an
/// abbreviation counts as the whole. A word of the rule may hold `*`. Options between the program and its subcommands are passed
/// over, with their values. What begins with `!` excludes a command in which it stands.
///
/// ```
/// use anyhook_effects::command::ShellCommand;
/// use anyhook_effects::programs::{CommandMatch, CommandPattern};
/// use anyhook_effects::word::Word;
///
/// let meets = |line: &str, program, more: &[&str]| {
///     let words = line.split(' ').map(Word::text).collect();
///     CommandPattern::of(program, more).meets(&ShellCommand::new(words, vec!["/p".into()]))
/// };
/// assert_eq!(meets("rm -Rf x", "rm", &["--recursive", "-f"]), CommandMatch::Yes);
/// assert_eq!(meets("git -C x reset --har", "git reset", &["--hard"]), CommandMatch::Yes);
/// assert_eq!(meets("git push origin", "git push", &["--force"]), CommandMatch::No);
/// assert_eq!(meets("aws --profile p ec2 delete-vpc", "aws * delete-*", &["!--dry-run"]), CommandMatch::Yes);
/// ```
#[derive(Debug)]
pub struct CommandPattern<'p> {
    words: Vec<&'p str>,
    wanted: Vec<&'p str>,
    except: Vec<&'p str>,
}

/// A command with more words is only one that may be meant.
const LONGEST: usize = 400;
/// More choices of `{a,b}` are not tried: any word may be meant.
const MOST: usize = 64;

/// Tells whether a command is this program with these subcommands, or may be.
pub fn may_be(command: &ShellCommand, program: &str) -> bool {
    CommandPattern::of(program, &[""; 0]).meets(command) >= CommandMatch::May
}

impl<'p> CommandPattern<'p> {
    /// Makes the pattern of a program with its subcommands, and of more words.
    pub fn of(program: &'p str, more: &'p [impl AsRef<str>]) -> Self {
        let more = more.iter().map(AsRef::as_ref);
        let (except, wanted): (Vec<&str>, Vec<&str>) = more.partition(|word| word.starts_with('!'));
        let except = except.iter().map(|word| word.trim_start_matches('!'));
        Self {
            words: program.split_whitespace().collect(),
            wanted,
            except: except.collect(),
        }
    }

    /// Tells whether a command is meant. What stands there without quotes and cannot be read may be anything that is asked
    /// for; in quotes it is one word.
    pub fn meets(&self, command: &ShellCommand) -> CommandMatch {
        let words = whole_words(&command.words);
        let (Some((wanted, subcommands)), Some((program, rest))) =
            (self.words.split_first(), words.split_first())
        else {
            return CommandMatch::No;
        };
        let is_program = is_program(program, wanted);
        if is_program == CommandMatch::No {
            return CommandMatch::No;
        }
        let given: Vec<Argument<'_>> = rest.iter().take(LONGEST).map(Argument::of).collect();
        let is_excepted = |word: &&str| own_options(&given).any(|given| is_option(given, word));
        if self.except.iter().any(is_excepted) {
            return CommandMatch::No;
        }
        let mut met = is_program.min(follow(&given, subcommands, &program_name(program)));
        if met == CommandMatch::No || self.wanted.is_empty() {
            return met;
        }
        let called = called(&words);
        let is_many = |given: &Argument<'_>| matches!(given, Argument::Any | Argument::Names(_));
        let mut open = given.iter().filter(|given| given.known().is_none()).count();
        let is_short =
            |given: &Argument<'_>| given.known().is_some_and(|text| text.starts_with("--"));
        let is_open = rest.len() > LONGEST || given.iter().any(|it| is_many(it) || is_short(it));
        for option in &self.wanted {
            let is_there = has(&called, option).max(stands(&called, &given, option));
            let may_be = rest.len() > LONGEST;
            let is_there = is_there.max(if may_be {
                CommandMatch::May
            } else {
                CommandMatch::No
            });
            // One word in quotes is not two that are asked for.
            if is_there == CommandMatch::May && !is_open {
                match open.checked_sub(1) {
                    Some(left) => open = left,
                    None => return CommandMatch::No,
                }
            }
            met = met.min(is_there);
        }
        met
    }
}

/// Tells whether a command only describes or tries what it would do. What runs another command may pass the option on.
pub fn only_tries(command: &ShellCommand) -> bool {
    let Some((first, rest)) = command.words.split_first() else {
        return false;
    };
    let Some(program) = first.known() else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let runs = |word: &Word| {
        let word = word.known();
        word.is_none_or(|word| words::RUN_IN_CONTAINERS.contains(&word))
    };
    if words::NEVER_TRIES.contains(&program)
        || words::CONTAINERS.contains(&program) && rest.iter().take(2).any(runs)
    {
        return false;
    }
    let given: Vec<Argument<'_>> = rest.iter().map(Argument::of).collect();
    // Elsewhere these are names: of a thing, and of its version.
    let begins = |text: &str| given.first().is_some_and(|word| word.known() == Some(text));
    let ends = |text: &str| given.last().is_some_and(|word| word.known() == Some(text));
    let tries = |name: &str| match name {
        "--help" | "-help" => true,
        "--dry-run" => !words::DEAF_TO_DRY_RUN.contains(&program),
        // Many programs pass an option over that they do not know.
        other => words::TRYING.contains(&&*format!("{program} {other}")),
    };
    begins("help")
        || ends("--version")
        || ends("help") && program == "aws"
        || own_options(&given).any(|given| {
            let (name, value) = given.split_once('=').unwrap_or((given, ""));
            tries(name) && !matches!(value, "none" | "false")
        })
}

/// A word of a command.
enum Argument<'w> {
    Known(&'w str),
    /// A number, or nothing.
    Number,
    /// The number of a process, or the id of a container, that a program told.
    Id,
    /// One word of which only the beginning can be read.
    One(&'w str),
    /// Names of files that begin so.
    Names(&'w str),
    /// Any number of words.
    Any,
}

impl<'w> Argument<'w> {
    /// What programs print that tell numbers of processes, and ids of containers.
    const IDS: &'static [&'static str] = &["[0-9]*", "[0-9a-f]*"];

    fn of(word: &'w Word) -> Self {
        match word.known() {
            Some(known) => Self::Known(known),
            None if *word == Word::of("<->") => Self::Number,
            None if Self::IDS.iter().any(|ids| *word == Word::name("", *ids)) => Self::Id,
            None if word.parts.contains(&Part::Split) && word.head().is_empty() => Self::Any,
            None if is_pattern(word) => Self::Names(word.head()),
            None => Self::One(word.head()),
        }
    }

    fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Number | Self::Id | Self::One(_) | Self::Names(_) | Self::Any => None,
        }
    }
}

/// Tells whether a word is a pattern of names of files, of which all is known.
fn is_pattern(word: &Word) -> bool {
    let is_known = |part: &Part| !matches!(part, Part::Unknown | Part::Split);
    word.parts.iter().all(is_known)
}

/// Returns the words that are options of the command itself, or operands of it: not what stands behind `--`, and no text that
/// another option takes, such as the message of a commit.
fn own_options<'g>(given: &'g [Argument<'_>]) -> impl Iterator<Item = &'g str> {
    let words = given.iter().map(|given| given.known().unwrap_or_default());
    let own = words.take_while(|word| *word != "--");
    let mut is_text = false;
    own.filter(move |word| {
        let was_text = is_text;
        let is_letter = word.len() == 2 && word.starts_with('-');
        is_text = is_letter || words::TEXT_OPTIONS.contains(word);
        !was_text
    })
}

/// Tells whether a program is the one that is asked for, by its name.
fn is_program(program: &Word, wanted: &str) -> CommandMatch {
    let is_named = |part: &Part| matches!(part, Part::Text(text) if text.contains('/'));
    if program.known().is_none() && !program.parts.last().is_some_and(is_named) {
        return CommandMatch::May;
    }
    let name = program_name(program);
    let is_it = is_word(&last_name(program), wanted)
        || is_word(&name, wanted)
        || name == program_name(&Word::text(wanted));
    sure(is_it && !name.is_empty())
}

fn sure(is_it: bool) -> CommandMatch {
    if is_it {
        CommandMatch::Yes
    } else {
        CommandMatch::No
    }
}

/// Tells whether subcommands stand at the beginning of these words, with options and their values between them. `above` is the
/// program, with the subcommands before.
fn follow(given: &[Argument<'_>], wanted: &[&str], above: &str) -> CommandMatch {
    let Some((first, then)) = wanted.split_first() else {
        return CommandMatch::Yes;
    };
    let mut is_value = false;
    let mut best = CommandMatch::No;
    for (at, word) in given.iter().enumerate() {
        let rest = given.get(at + 1..).unwrap_or_default();
        let behind = || follow(rest, then, &format!("{above} {first}"));
        let word = match word {
            Argument::Any => return CommandMatch::May,
            Argument::Number if may_be_number(first) => {
                best = best.max(behind().min(CommandMatch::May));
                continue;
            }
            Argument::Id if *first == "*" => {
                best = best.max(behind());
                continue;
            }
            Argument::Number | Argument::Id => continue,
            Argument::One(head) | Argument::Names(head) => {
                let begins = first.split(['*', '{']).next().unwrap_or_default();
                let may_be = match word {
                    // An option: `-j$(nproc)`.
                    _ if head.starts_with('-') && head.len() > 1 => *first == "*",
                    // A name that begins with a mark is one of this folder.
                    Argument::Names("") => !begins.starts_with('/'),
                    Argument::Names(_) => begins.starts_with(head) || head.starts_with(begins),
                    _ => first.starts_with(head) || begins.len() < first.len(),
                };
                if may_be {
                    best = best.max(behind().min(CommandMatch::May));
                }
                if !head.starts_with('-') && !is_value && !head.is_empty() {
                    return best;
                }
                is_value = head.starts_with('-');
                continue;
            }
            Argument::Known(word) => word,
        };
        let is_option = word.len() > 1 && word.starts_with('-');
        if !is_option && (is_word(word, first) || is_synonym(above, word, first)) {
            best = best.max(behind());
        }
        // A word that is no option and no value of one is another subcommand.
        if best == CommandMatch::Yes || !is_option && !is_value {
            return best;
        }
        is_value = is_option && !word.contains('=');
    }
    best
}

/// Tells whether a number may be the word that is asked for, or one of these.
fn may_be_number(wanted: &str) -> bool {
    let is_number = |one: &str| {
        one.chars()
            .all(|letter| letter.is_ascii_digit() || letter == '*')
    };
    wanted.trim_matches(['{', '}']).split(',').any(is_number)
}

/// `npm i` is `npm install`.
fn is_synonym(program: &str, known: &str, asked: &str) -> bool {
    let program = find(program).map(Program::name).unwrap_or_default();
    let row = |verb: &str| find(&format!("{program} {verb}"));
    let is_in = |list: &str, verb: &str| list.split(' ').any(|one| one == verb);
    let both = |list: &&str| is_in(list, known) && is_in(list, asked);
    words::SYNONYMS.iter().any(both)
        && row(known)
            .zip(row(asked))
            .is_some_and(|(one, other)| std::ptr::eq(one, other))
}

/// Tells whether a word is the one that is asked for; case counts only where the rule has capitals.
fn is_word(given: &str, wanted: &str) -> bool {
    let has_capitals = wanted.contains(|c: char| c.is_uppercase());
    if has_capitals {
        is_text(given, wanted)
    } else {
        is_text(&given.to_lowercase(), wanted)
    }
}

/// Tells whether a text is one of those that a pattern stands for: `*` is any letters, `{a,b}` one of these.
fn is_text(given: &str, wanted: &str) -> bool {
    if wanted.contains('{') {
        let all = braces::expand(wanted, MOST, |one| Some(one.to_owned()));
        return all.is_none_or(|all| all.iter().any(|one| is_star(given, one)));
    }
    is_star(given, wanted)
}

fn is_star(given: &str, wanted: &str) -> bool {
    let Some((first, rest)) = wanted.split_once('*') else {
        return given == wanted;
    };
    let Some(mut given) = given.strip_prefix(first) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return given.ends_with(part);
        }
        match given.find(part).and_then(|at| given.get(at + part.len()..)) {
            Some(behind) => given = behind,
            None => return false,
        }
    }
    true
}

/// Tells whether an option that is asked for, or an operand, stands among the words as it is written. Where the table of programs
/// knows a letter, it tells which of them is an option, and which a part of a value: `-XPOST`.
fn stands(called: &ResolvedCommand, given: &[Argument<'_>], wanted: &str) -> CommandMatch {
    let name = wanted.split_once('=').map_or(wanted, |(name, _)| name);
    let is_listed = called.listed(name.trim_start_matches('-')).is_some();
    let is_dashed = name.starts_with('-');
    let is_short = is_dashed && wanted.len() == 2;
    let is_beginning = |text: &str| {
        !is_listed && text.starts_with("--") && text.len() > 3 && wanted.starts_with(text)
    };
    let one = |word: &Argument<'_>| match word {
        Argument::Known(text) => {
            sure(!(is_short && is_listed) && is_option(text, wanted) || is_beginning(text))
        }
        // Of a pattern, what is known of the word has to meet it: else any file of a glob would be every address.
        Argument::One(head) | Argument::Names(head)
            if !is_dashed && (wanted.starts_with(head) || is_text(head, wanted)) =>
        {
            CommandMatch::May
        }
        Argument::Number if may_be_number(wanted) => CommandMatch::May,
        Argument::Number | Argument::Id | Argument::One(_) | Argument::Names(_) => CommandMatch::No,
        Argument::Any => CommandMatch::May,
    };
    given.iter().map(one).max().unwrap_or(CommandMatch::No)
}

/// Tells whether a word is this option, alone, with a value behind `=`, or among several letters; or is this operand.
fn is_option(given: &str, wanted: &str) -> bool {
    let name = given.split_once('=').map_or(given, |(name, _)| name);
    let is_letter = wanted.len() == 2 && wanted.starts_with('-');
    let letter = wanted.get(1..).unwrap_or_default();
    let letters = given
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'));
    is_text(given, wanted)
        || (name != given && name.starts_with("--") && is_text(name, wanted))
        || (is_letter && letters.is_some_and(|all| all.contains(letter) && all.len() <= 6))
}

/// Tells whether all that an option which is asked for stands for is given, by the table of programs.
fn has(called: &ResolvedCommand, asked: &str) -> CommandMatch {
    let name = asked.split_once('=').map_or(asked, |(name, _)| name);
    let is_single = called.row.is_some_and(|row| row.options.single);
    if name.starts_with("--") || is_single && name.starts_with('-') && name.len() > 2 {
        return one(called, name.trim_start_matches('-'), asked);
    }
    let Some(letters) = name.strip_prefix('-') else {
        return CommandMatch::No;
    };
    let value = asked.get(name.len()..).unwrap_or_default();
    let each = letters
        .chars()
        .map(|letter| one(called, &letter.to_string(), &format!("-{letter}{value}")));
    each.min().unwrap_or(CommandMatch::No)
}

/// Tells whether one option is given, with its value if one is asked for.
fn one(called: &ResolvedCommand, name: &str, asked: &str) -> CommandMatch {
    let value = asked.split_once('=').map(|(_, value)| value);
    let Some(option) = called.listed(name) else {
        let mut unlisted = called.reading.unlisted.iter().chain(&called.above.unlisted);
        let is_open = called.reading.unreadable;
        let found = sure(unlisted.any(|given| given == asked));
        return found.max(if is_open {
            CommandMatch::May
        } else {
            CommandMatch::No
        });
    };
    let given = called.reading.given.iter().chain(&called.above.given);
    let given = given.filter(|given| given.option == option);
    let each = given.map(|given| match (value, &given.value) {
        _ if !given.sure => CommandMatch::May,
        (None, _) => CommandMatch::Yes,
        (Some(asked), Some(given)) => given
            .known()
            .map_or(CommandMatch::May, |text| sure(text == asked)),
        (Some(_), None) if given.option.value == OptionArity::Nothing => CommandMatch::No,
        (Some(_), None) => CommandMatch::May,
    });
    each.max().unwrap_or(CommandMatch::No)
}

/// Returns the program of a command with its verbs, and its other words as its row tells them apart.
pub fn read(command: &ShellCommand) -> (String, ParsedArguments) {
    let called = called(&command.words);
    (called.name, called.reading)
}

/// Returns the words of a command of git by which it may show a file. Git tells from the disk which of them is a commit, so
/// each of them may be a file.
///
/// ```
/// use anyhook_effects::command::{ShellCommand, Input};
/// use anyhook_effects::effect::Certainty;
/// use anyhook_effects::programs::files_of_git;
/// use anyhook_effects::word::Word;
///
/// let files = |line: &str| {
///     let words = line.split(' ').map(Word::text).collect();
///     files_of_git(&ShellCommand::new(words, vec!["/p".into()]))
/// };
/// assert_eq!(files("git log -p --oneline -- .env"), [Word::text(".env")]);
/// assert_eq!(files("git log --oneline -5"), []);
/// ```
pub fn files_of_git(command: &ShellCommand) -> Vec<Word> {
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
pub fn folders_of_git(command: &ShellCommand) -> Vec<PathBuf> {
    let called = called(&command.words);
    let above = match &*called.outer {
        [] => called.reading,
        _ => called.above,
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

/// Returns the words of a command of git from its verb on, where no row lists that.
pub(crate) fn unlisted_verb(command: &ShellCommand) -> Option<Vec<Word>> {
    let called = called(&command.words);
    let at = called.reading.operands.first()?.at;
    let is_it = called.name == "git" && called.verb == VerbLookup::Unlisted;
    let words = whole_words(&command.words);
    is_it.then(|| words.get(at..).unwrap_or_default().to_vec())
}
