//! Whether a command is one that a pattern describes: `aws * delete-*`, with options in any spelling and place.

use std::borrow::Cow;

use anyhook_effects::command::Command;
use anyhook_effects::programs::{self, Matched};
use anyhook_effects::word::{Part, Word};

use super::globs::alternatives;
use crate::lists::{NEVER_TRIES, TEXT_OPTIONS};

/// A command with more words is only one that may be meant.
const LONGEST: usize = 400;

/// What a rule says of a command: the program with its subcommands, and what else has to stand there or may not.
///
/// A word of the rule may hold `*`. Options between the program and its subcommands are passed over, with their values. What
/// begins with `!` excludes a command in which it stands.
pub(super) struct Pattern<'p> {
    words: Vec<&'p str>,
    wanted: Vec<&'p str>,
    except: Vec<&'p str>,
}

impl<'p> Pattern<'p> {
    pub(super) fn of(program: &'p str, more: &'p [impl AsRef<str>]) -> Self {
        let (except, wanted): (Vec<&str>, Vec<&str>) = more
            .iter()
            .map(AsRef::as_ref)
            .partition(|word| word.starts_with('!'));
        Self {
            words: program.split_whitespace().collect(),
            wanted,
            except: except
                .iter()
                .map(|word| word.trim_start_matches('!'))
                .collect(),
        }
    }

    /// Tells whether only this reading understands the rule: it has a pattern or an exception in it.
    pub(super) fn is_open(&self) -> bool {
        let has_star = |word: &&str| word.contains(['*', '{']);
        !self.except.is_empty() || self.words.iter().chain(&self.wanted).any(has_star)
    }

    /// Tells whether a command only describes or tries what it would do. What runs another command may pass the option on.
    pub(super) fn is_free(command: &Command) -> bool {
        const CONTAINERS: &[&str] = &["docker", "k", "kubectl", "nerdctl", "oc", "podman"];
        const RUN: &[&str] = &["attach", "debug", "exec", "run"];
        // These pass it over, and do all the same.
        const DEAF: &[&str] = &["systemctl", "yarn", "yarnpkg"];
        // Many programs pass an option over that they do not know.
        const OF_SOME: &[(&str, &[&str])] = &[
            ("--check", &["ansible", "ansible-playbook"]),
            ("--dryrun", &["aws"]),
            ("--what-if", &["az"]),
        ];
        let Some((first, rest)) = command.words.split_first() else {
            return false;
        };
        let Some(program) = first.known() else {
            return false;
        };
        let program = program.rsplit('/').next().unwrap_or(&program);
        let runs = |word: &Word| word.known().is_none_or(|word| RUN.contains(&&*word));
        if NEVER_TRIES.contains(&program)
            || CONTAINERS.contains(&program) && rest.iter().take(2).any(runs)
        {
            return false;
        }
        let given: Vec<Given<'_>> = rest.iter().map(Given::of).collect();
        // Elsewhere these are names: of a thing, and of its version.
        let begins = |text: &str| given.first().is_some_and(|word| word.known() == Some(text));
        let ends = |text: &str| given.last().is_some_and(|word| word.known() == Some(text));
        let tries = |name: &str| match name {
            "--help" | "-help" => true,
            "--dry-run" => !DEAF.contains(&program),
            other => OF_SOME
                .iter()
                .any(|(option, programs)| *option == other && programs.contains(&program)),
        };
        begins("help")
            || ends("--version")
            || ends("help") && program == "aws"
            || own_options(&given).any(|given| {
                let (name, value) = given.split_once('=').unwrap_or((given, ""));
                tries(name) && !matches!(value, "none" | "false")
            })
    }

    /// Tells whether a command is meant. What stands there without quotes and cannot be read may be anything that is asked
    /// for; in quotes it is one word, and no option.
    pub(super) fn meets(&self, command: &Command) -> Matched {
        let (Some((wanted, subcommands)), Some((program, rest))) =
            (self.words.split_first(), command.words.split_first())
        else {
            return Matched::No;
        };
        let given: Vec<Given<'_>> = rest.iter().take(LONGEST).map(Given::of).collect();
        let known = || given.iter().filter_map(Given::known);
        let is_excepted = |word: &&str| own_options(&given).any(|given| is_option(given, word));
        if self.except.iter().any(is_excepted) {
            return Matched::No;
        }
        let is_program = match program.known() {
            None => Matched::May,
            Some(name) => sure(is_word(name.rsplit('/').next().unwrap_or(&name), wanted)),
        };
        let is_open = rest.len() > LONGEST || given.iter().any(|given| matches!(given, Given::Any));
        let options = self.wanted.iter().map(|wanted| {
            let is_there =
                known().any(|given| is_option(given, wanted)) && !is_value(command, wanted);
            match (is_there, is_open) {
                (true, _) => Matched::Yes,
                (false, true) => Matched::May,
                (false, false) => Matched::No,
            }
        });
        options.fold(is_program.min(follow(&given, subcommands)), Ord::min)
    }
}

/// A word of a command.
enum Given<'w> {
    Known(Cow<'w, str>),
    /// One word of which only the beginning can be read.
    One(&'w str),
    /// Any number of words.
    Any,
}

impl<'w> Given<'w> {
    fn of(word: &'w Word) -> Self {
        match word.known() {
            Some(known) => Self::Known(known),
            None if word.parts.contains(&Part::Split) && word.head().is_empty() => Self::Any,
            None => Self::One(word.head()),
        }
    }

    fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::One(_) | Self::Any => None,
        }
    }
}

/// Returns the words that are options of the command itself, or operands of it: not what stands behind `--`, and no text that
/// another option takes, such as the message of a commit.
fn own_options<'g>(given: &'g [Given<'_>]) -> impl Iterator<Item = &'g str> {
    let words = given.iter().map(|given| given.known().unwrap_or_default());
    let own = words.take_while(|word| *word != "--");
    let mut is_text = false;
    own.filter(move |word| {
        let was_text = is_text;
        let is_letter = word.len() == 2 && word.starts_with('-');
        is_text = is_letter || TEXT_OPTIONS.contains(word);
        !was_text
    })
}

fn sure(is_it: bool) -> Matched {
    if is_it { Matched::Yes } else { Matched::No }
}

/// Tells whether subcommands stand at the beginning of these words, with options and their values between them.
fn follow(given: &[Given<'_>], wanted: &[&str]) -> Matched {
    let Some((first, then)) = wanted.split_first() else {
        return Matched::Yes;
    };
    let mut is_value = false;
    let mut best = Matched::No;
    for (at, word) in given.iter().enumerate() {
        let rest = given.get(at + 1..).unwrap_or_default();
        let Some(word) = word.known() else {
            let Some(Given::One(head)) = given.get(at) else {
                return Matched::May;
            };
            let may_be = first.starts_with(head) || first.contains(['*', '{']);
            if may_be {
                best = best.max(follow(rest, then).min(Matched::May));
            }
            if !head.starts_with('-') && !is_value && !head.is_empty() {
                return best;
            }
            is_value = head.starts_with('-');
            continue;
        };
        let is_option = word.len() > 1 && word.starts_with('-');
        if !is_option && is_word(word, first) {
            best = best.max(follow(rest, then));
        }
        // A word that is no option and no value of one is another subcommand.
        if best == Matched::Yes || !is_option && !is_value {
            return best;
        }
        is_value = is_option && !word.contains('=');
    }
    best
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
        let all = alternatives(wanted);
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

/// Tells whether the table of programs knows that a letter is no option here, but part of the value of another one: `-XPOST`.
fn is_value(command: &Command, wanted: &str) -> bool {
    let is_letter = wanted.len() == 2 && wanted.starts_with('-') && wanted != "--";
    let name = command
        .words
        .first()
        .and_then(Word::known)
        .unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let letter = wanted.trim_start_matches('-');
    let row = programs::find(name).filter(|_| is_letter);
    let lists = row.is_some_and(|row| {
        let mut options = row.options.options.iter();
        options.any(|option| option.names.contains(&letter))
    });
    lists && programs::is_called(command, &[name], &[wanted]) == Matched::No
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

#[cfg(test)]
mod tests {
    use anyhook_effects::places::{NoFiles, Places};
    use anyhook_effects::shell;

    use super::*;

    fn meets(line: &str, program: &str, more: &[&str]) -> Matched {
        let pattern = Pattern::of(program, more);
        let done = shell::read(line, &Places::default(), &NoFiles);
        let all = done.commands.iter().map(|command| pattern.meets(command));
        all.max().unwrap_or(Matched::No)
    }

    #[test]
    fn a_pattern_finds_a_subcommand_behind_options_with_values_and_nothing_else() {
        for line in [
            "aws ec2 delete-vpc --vpc-id x",
            "aws --profile prod ec2 delete-vpc",
            "aws --region=eu ec2 --debug delete-vpc",
            "sudo /usr/bin/aws ec2 delete-vpc",
            "true && AWS_PROFILE=x aws ec2 delete-vpc | cat",
        ] {
            assert_eq!(meets(line, "aws * delete-*", &[]), Matched::Yes, "{line}");
        }
        for line in [
            "aws ec2 describe-vpcs",
            "aws s3 ls s3://b/x delete-it",
            "echo aws ec2 delete-vpc",
            "awslogs ec2 delete-vpc",
        ] {
            assert_eq!(meets(line, "aws * delete-*", &[]), Matched::No, "{line}");
        }
        assert_eq!(
            meets("aws \"$S\" delete-vpc", "aws * delete-*", &[]),
            Matched::May
        );
    }

    #[test]
    fn an_option_is_found_in_any_spelling_and_an_exception_frees_its_own_command_alone() {
        let down = |line| meets(line, "docker compose down", &["-v"]);
        assert_eq!(down("docker compose -f a.yml down -v"), Matched::Yes);
        assert_eq!(down("docker compose down -tv"), Matched::Yes);
        assert_eq!(down("docker compose down"), Matched::No);
        let delete = |line| meets(line, "kubectl delete", &["!--dry-run", "!--help"]);
        assert_eq!(delete("kubectl -n prod delete pod x"), Matched::Yes);
        assert_eq!(delete("kubectl delete pod x --dry-run=client"), Matched::No);
        let both = "kubectl delete pod x --dry-run=client; kubectl delete pod x";
        assert_eq!(delete(both), Matched::Yes);
        assert_eq!(delete("kubectl delete $X"), Matched::Yes);
        assert_eq!(delete("kubectl delete pod x -- --dry-run"), Matched::Yes);
        let amend = |line| meets(line, "git commit", &["--amend", "!--dry-run"]);
        assert_eq!(amend("git commit --amend -m --dry-run"), Matched::Yes);
        assert_eq!(amend("git commit --amend --dry-run"), Matched::No);
        assert_eq!(
            meets("redis-cli FLUSHALL", "redis-cli flushall", &[]),
            Matched::Yes
        );
        assert_eq!(meets("git branch -d x", "git branch", &["-D"]), Matched::No);
    }
}
