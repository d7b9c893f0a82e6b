//! One reader of options for all programs: the row of a program in `programs/programs.txt` lists its options.
//!
//! ```text
//!   "+ f,force n:# o,output:w i,in-place?!w r,R,recursive!D"
//!    │ │            │          │              └─ a flag: operands are trees that are deleted
//!    │ │            │          └─ a value only joined to it; operands are written
//!    │ │            └─ a value, the next word or joined: a file that is written
//!    │ └─ a flag that does nothing
//!    └─ options end at the first operand;  `-`: long options have one dash, and short ones are never joined
//! ```

use crate::effect::Certainty;
use crate::word::{Part, Word};

/// The options of a program, as its row lists them; behind a verb those of its program too. Of two with one name the earlier
/// counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct OptionTable {
    /// Whether options end at the first operand.
    pub stops: bool,
    /// Whether long options have one dash, and short ones are never joined.
    pub single: bool,
    /// The options.
    pub options: &'static [OptionSpec],
}

/// An option of a program.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its names: those of one letter are short, the others are long.
    pub names: &'static [&'static str],
    /// Whether it takes a value.
    pub value: OptionArity,
    /// What is done with its value: letters of the table of programs.
    pub of_value: &'static str,
    /// What else it does: letters of the table of programs.
    pub of_flag: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionArity {
    /// None.
    Nothing,
    /// One that is joined to it or is the next word.
    Value,
    /// None, or one that is joined to it.
    Joined,
    /// None, or a number that is joined to it; behind it other letters follow.
    Number,
}

/// An option that a command has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedOption {
    /// Its row.
    pub option: &'static OptionSpec,
    /// Its value, if it has one.
    pub value: Option<Word>,
    /// Whether it is surely there: an ambiguous abbreviation or an unreadable word may be another one, or none.
    pub sure: bool,
}

/// An operand of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// The word.
    pub word: Word,
    /// Which word of the command it is; the program is word 0.
    pub at: usize,
}

/// The words of a command behind its name, told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedArguments {
    /// Its options, in order; those that an unreadable word may be stand there unsure, without a value.
    pub given: Vec<ParsedOption>,
    /// Options that the row does not list, as they are written without a value: `-x` or `--xyz`.
    pub unlisted: Vec<String>,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Whether some word may be an option and cannot be read.
    pub unreadable: bool,
}

impl OptionTable {
    /// Returns the option with exactly this name.
    pub fn named(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.is(name))
    }

    /// Returns the options that a long name may be: one if it is whole or a unique beginning.
    pub fn long(&self, name: &str) -> Vec<&'static OptionSpec> {
        if name.len() > 1
            && let Some(option) = self.named(name)
        {
            return vec![option];
        }
        if self.single {
            return self.named(name).into_iter().collect();
        }
        let begins = |known: &str| known.len() > 1 && known.starts_with(name);
        let options = self.options.iter();
        let found =
            options.filter(|option| !name.is_empty() && option.names.iter().any(|own| begins(own)));
        found.collect()
    }

    fn short(&self, letter: char) -> Option<&'static OptionSpec> {
        let mut text = [0; 4];
        self.named(letter.encode_utf8(&mut text))
    }

    /// Tells options and operands of a command apart; `skip` words at the beginning are neither.
    pub fn read(&self, words: &[Word], skip: usize) -> ParsedArguments {
        let mut reading = ParsedArguments::default();
        let mut words = words.iter().enumerate().skip(skip);
        let mut ended = false;
        while let Some((at, word)) = words.next() {
            let head = word.head();
            if ended || (!head.starts_with('-') && !may_be_option(word)) {
                reading.operand(word, at);
                ended |= self.stops;
                continue;
            }
            if may_be_option(word) {
                self.maybe("", &mut reading);
                reading.operand(word, at);
                ended |= self.stops;
                continue;
            }
            let mut taken = Vec::new();
            let mut next = || {
                let next = words.next();
                taken.extend(next);
                next.map(|(_, word)| word.clone())
            };
            match word.known() {
                Some("--") => ended = true,
                Some("-") => reading.operand(word, at),
                _ if head.starts_with("--") => {
                    self.read_long(word, 2, &mut reading, &mut next);
                }
                // `zip -TT COMMAND`
                Some(text) if self.named(text).is_some() => {
                    self.read_long(word, 0, &mut reading, &mut next);
                }
                _ if self.single => self.read_long(word, 1, &mut reading, &mut next),
                _ => self.read_short(word, &mut reading, &mut next),
            }
            // A value that may be several words has operands and options behind its first one.
            for (at, value) in taken.into_iter().filter(|(_, value)| value.spreads()) {
                let head = value.head();
                if value.splits() || head.is_empty() || head.starts_with('-') {
                    self.maybe("", &mut reading);
                }
                reading.operand(value, at);
            }
        }
        reading
    }

    fn read_long(
        &self,
        word: &Word,
        dashes: usize,
        reading: &mut ParsedArguments,
        next: &mut dyn FnMut() -> Option<Word>,
    ) {
        let head = word.head();
        let body = head.get(dashes..).unwrap_or_default();
        let (name, value) = match body.split_once('=') {
            Some((name, _)) => (name, Some(word.without(dashes + name.len() + 1))),
            None if word.known().is_some() => (body, None),
            None => {
                self.maybe(body, reading);
                return;
            }
        };
        let found = self.long(name);
        let sure = found.len() == 1;
        if found.is_empty() {
            reading.unlisted.push(format!("--{name}"));
            let taken_back = name.strip_prefix("no-").or_else(|| name.strip_prefix("no"));
            let options = taken_back.map(|name| match self.named(name) {
                Some(option) => vec![option],
                None => self.long(name),
            });
            let options: Vec<&OptionSpec> = options.into_iter().flatten().collect();
            // The last one counts: what stood in front of it may not.
            for given in &mut reading.given {
                given.sure &= !options.contains(&given.option);
            }
        }
        let takes = found
            .iter()
            .any(|option| option.value == OptionArity::Value);
        let mut value = value.or_else(|| takes.then(&mut *next).flatten());
        if found.iter().any(|option| option.of_value.contains('2')) {
            value = next();
        }
        for option in found {
            let value = value.clone();
            reading.given.push(ParsedOption {
                option,
                value,
                sure,
            });
        }
    }

    fn read_short(
        &self,
        word: &Word,
        reading: &mut ParsedArguments,
        next: &mut dyn FnMut() -> Option<Word>,
    ) {
        let mut passed = 1;
        let mut is_number = false;
        for letter in word.head().chars().skip(1) {
            passed += letter.len_utf8();
            if is_number && letter.is_ascii_digit() {
                continue;
            }
            is_number = false;
            let Some(option) = self.short(letter) else {
                reading.unlisted.push(format!("-{letter}"));
                continue;
            };
            let rest = Some(word.without(passed)).filter(|rest| !rest.parts.is_empty());
            let value = match option.value {
                OptionArity::Nothing | OptionArity::Number => {
                    is_number = option.value == OptionArity::Number;
                    reading.give(option, None);
                    continue;
                }
                OptionArity::Value => rest.or_else(&mut *next),
                OptionArity::Joined => rest,
            };
            reading.give(option, value);
            return;
        }
        if word.parts.len() > 1 {
            self.maybe("", reading);
        }
    }

    /// Notes each option that an unreadable word may be, which begins like this.
    fn maybe(&self, begin: &str, reading: &mut ParsedArguments) {
        reading.unreadable = true;
        let begins = |option: &&OptionSpec| option.names.iter().any(|name| name.starts_with(begin));
        for option in self.options.iter().filter(begins) {
            reading.given.push(ParsedOption {
                option,
                value: None,
                sure: false,
            });
        }
    }
}

impl OptionSpec {
    /// Tells whether the option has this name.
    pub fn is(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Tells whether the option has one of these names, which have blanks between them.
    pub fn is_one_of(&self, names: &str) -> bool {
        names.split(' ').any(|name| self.is(name))
    }

    /// Returns the option as a person writes it.
    pub fn written(&self) -> String {
        let name = self.names.first().copied().unwrap_or_default();
        let dashes = if name.len() == 1 { "-" } else { "--" };
        format!("{dashes}{name}")
    }
}

impl ParsedOption {
    /// How sure it is that it is there.
    pub fn certainty(&self) -> Certainty {
        if self.sure {
            Certainty::Exact
        } else {
            Certainty::Unknown
        }
    }
}

impl ParsedArguments {
    fn operand(&mut self, word: &Word, at: usize) {
        let word = word.clone();
        self.operands.push(Operand { word, at });
    }

    fn give(&mut self, option: &'static OptionSpec, value: Option<Word>) {
        self.given.push(ParsedOption {
            option,
            value,
            sure: true,
        });
    }

    /// Tells whether an option is surely given.
    pub fn has(&self, name: &str) -> bool {
        self.given
            .iter()
            .any(|given| given.sure && given.option.is(name))
    }

    /// Tells whether an option is given or may be.
    pub fn may_have(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.option.is(name))
    }

    /// Returns the values of an option, in order.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Word> {
        let given = self.given.iter().filter(move |given| given.option.is(name));
        given.filter_map(|given| given.value.as_ref())
    }

    /// Returns the known text of an operand.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.operands.get(at)?.word.known()
    }
}

/// Tells whether a word that does not begin with known text may be an option. A set of letters and digits is no dash, and a
/// number and the name of a commit begin with none; but there may be none of these.
fn may_be_option(word: &Word) -> bool {
    match &*word.parts {
        [Part::Glob(glob), ..] => {
            let set = glob.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            set.is_none_or(|(set, _)| set.is_empty() || !is_of_ranges(set.as_bytes()))
        }
        [Part::Of("<->" | "*" | "**/*")] => false,
        [Part::Of("<->" | "*" | "**/*"), Part::Text(text), ..] => text.starts_with('-'),
        parts => matches!(
            parts.first(),
            Some(Part::Of(_) | Part::Unknown | Part::Split)
        ),
    }
}

/// Tells whether a set has letters, digits and ranges of these alone.
fn is_of_ranges(set: &[u8]) -> bool {
    match set {
        [] => true,
        [from, b'-', to, rest @ ..] if from.is_ascii_alphanumeric() => {
            to.is_ascii_alphanumeric() && is_of_ranges(rest)
        }
        [one, rest @ ..] => one.is_ascii_alphanumeric() && is_of_ranges(rest),
    }
}
