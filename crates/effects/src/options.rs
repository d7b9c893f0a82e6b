//! One reader of options for all programs: the row of a program lists its options as data.
//!
//! ```text
//!   "+ f,force n:# o,output:w i,in-place?!w r,R,recursive!D"
//!    │ │            │          │              └─ a flag: operands are trees that are deleted
//!    │ │            │          └─ a value only joined to it; operands are written
//!    │ │            └─ a value, the next word or joined: a file that is written
//!    │ └─ a flag that does nothing
//!    └─ options end at the first operand;  `-`: long options have one dash;  `~`: no joined short options
//! ```

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::fast::FixedState;

use crate::word::{Part, Word};

/// The options of a program, as its row lists them.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Whether options end at the first operand.
    pub stops: bool,
    /// Whether long options have one dash, and short ones are never joined.
    pub single: bool,
    /// The options.
    pub options: Vec<Listed>,
}

/// Reads one list, or returns what it was read as before: a list is text of this program, so there are only so many.
fn of_spec(spec: &'static str) -> Arc<Listing> {
    static READ: RwLock<Known> = RwLock::new(Known::with_hasher(FixedState::with_seed(0)));
    let key = (spec.as_ptr().addr(), spec.len());
    let known = READ.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(listing) = known.get(&key) {
        return Arc::clone(listing);
    }
    drop(known);
    let mut listing = Listing::default();
    for token in spec.split_whitespace() {
        match token {
            "+" => listing.stops = true,
            "-" => listing.single = true,
            token => listing.options.push(Listed::of(token)),
        }
    }
    let listing = Arc::new(listing);
    let mut known = READ.write().unwrap_or_else(PoisonError::into_inner);
    known.insert(key, Arc::clone(&listing));
    listing
}

/// Lists that were read, by where their text stands.
type Known = HashMap<(usize, usize), Arc<Listing>, FixedState>;

/// An option of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Its names with commas between them: those of one letter are short, the others are long.
    pub names: &'static str,
    /// Whether it takes a value.
    pub value: Takes,
    /// What is done with its value: letters of the table of programs.
    pub of_value: &'static str,
    /// What else it does: letters of the table of programs.
    pub of_flag: &'static str,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// One that is joined to it or is the next word.
    Value,
    /// None, or one that is joined to it.
    Joined,
}

/// An option that a command has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its row.
    pub option: Listed,
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
pub struct Reading {
    /// Its options, in order; those that an unreadable word may be stand there unsure, without a value.
    pub given: Vec<Given>,
    /// Options that the row does not list, as they are written without a value: `-x` or `--xyz`.
    pub unlisted: Vec<String>,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Whether some word may be an option and cannot be read.
    pub unreadable: bool,
}

impl Listing {
    /// Reads the lists of rows, the first one first: of two options with one name the earlier counts.
    pub fn of(specs: &[&'static str]) -> Self {
        Self::listed(specs, true)
    }

    /// Reads the lists of rows as far as these words need it: where none can be an option, which options there are is of no
    /// account.
    pub(crate) fn for_words(specs: &[&'static str], words: &[Word], skip: usize) -> Self {
        let can_be = |word: &Word| word.head().starts_with('-') || may_be_option(word);
        Self::listed(specs, words.iter().skip(skip).any(can_be))
    }

    fn listed(specs: &[&'static str], with_options: bool) -> Self {
        let mut listing = Self::default();
        for (at, spec) in specs.iter().enumerate() {
            let read = of_spec(spec);
            if at == 0 {
                listing.stops = read.stops;
                listing.single = read.single;
            }
            if with_options {
                listing.options.extend_from_slice(&read.options);
            }
        }
        listing
    }

    /// Returns the option with exactly this name.
    pub fn named(&self, name: &str) -> Option<Listed> {
        let has = |option: &&Listed| option.names().any(|known| known == name);
        self.options.iter().find(has).copied()
    }

    /// Returns the options that a long name may be: one if it is whole or a unique beginning.
    pub fn long(&self, name: &str) -> Vec<Listed> {
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
        let found = options.filter(|option| !name.is_empty() && option.names().any(begins));
        found.copied().collect()
    }

    fn short(&self, letter: char) -> Option<Listed> {
        let mut text = [0; 4];
        self.named(letter.encode_utf8(&mut text))
    }

    /// Tells options and operands of a command apart; `skip` words at the beginning are neither.
    pub fn read(&self, words: &[Word], skip: usize) -> Reading {
        let mut reading = Reading::default();
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
            let mut taken = None;
            let mut next = || {
                taken = words.next();
                taken.map(|(_, word)| word.clone())
            };
            match word.known().as_deref() {
                Some("--") => ended = true,
                Some("-") => reading.operand(word, at),
                _ if head.starts_with("--") => {
                    self.read_long(word, 2, &mut reading, &mut next);
                }
                _ if self.single => self.read_long(word, 1, &mut reading, &mut next),
                _ => self.read_short(word, &mut reading, &mut next),
            }
            // A value that may be several words has operands and options behind its first one.
            if let Some((at, value)) = taken
                && value.parts.contains(&Part::Split)
            {
                self.maybe("", &mut reading);
                reading.operand(value, at);
            }
        }
        reading
    }

    fn read_long(
        &self,
        word: &Word,
        dashes: usize,
        reading: &mut Reading,
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
            let options: Vec<Listed> = options.into_iter().flatten().collect();
            // The last one counts: what stood in front of it may not.
            for given in &mut reading.given {
                given.sure &= !options.contains(&given.option);
            }
        }
        let takes = found.iter().any(|option| option.value == Takes::Value);
        let value = value.or_else(|| takes.then(&mut *next).flatten());
        for option in found {
            let value = value.clone();
            reading.given.push(Given {
                option,
                value,
                sure,
            });
        }
    }

    fn read_short(
        &self,
        word: &Word,
        reading: &mut Reading,
        next: &mut dyn FnMut() -> Option<Word>,
    ) {
        let mut passed = 1;
        for letter in word.head().chars().skip(1) {
            passed += letter.len_utf8();
            let Some(option) = self.short(letter) else {
                reading.unlisted.push(format!("-{letter}"));
                continue;
            };
            let rest = Some(word.without(passed)).filter(|rest| !rest.parts.is_empty());
            let value = match option.value {
                Takes::Nothing => {
                    reading.give(option, None);
                    continue;
                }
                Takes::Value => rest.or_else(&mut *next),
                Takes::Joined => rest,
            };
            reading.give(option, value);
            return;
        }
        if word.parts.len() > 1 {
            self.maybe("", reading);
        }
    }

    /// Notes each option that an unreadable word may be, which begins like this.
    fn maybe(&self, begin: &str, reading: &mut Reading) {
        reading.unreadable = true;
        let begins = |option: &&Listed| option.names().any(|name| name.starts_with(begin));
        for option in self.options.iter().filter(begins) {
            reading.given.push(Given {
                option: *option,
                value: None,
                sure: false,
            });
        }
    }
}

impl Listed {
    fn of(token: &'static str) -> Self {
        let end = token.find([':', '?', '!']).unwrap_or(token.len());
        let (names, rest) = token.split_at_checked(end).unwrap_or((token, ""));
        let (of_value, of_flag) = rest.split_once('!').unwrap_or((rest, ""));
        let value = match of_value.chars().next() {
            Some(':') => Takes::Value,
            Some('?') => Takes::Joined,
            _ => Takes::Nothing,
        };
        Self {
            names,
            value,
            of_value: of_value.get(1..).unwrap_or_default(),
            of_flag,
        }
    }

    /// Returns its names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names.split(',')
    }

    /// Tells whether the option has this name.
    pub fn is(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Returns the option as a person writes it.
    pub fn written(&self) -> String {
        let name = self.names().next().unwrap_or_default();
        let dashes = if name.len() == 1 { "-" } else { "--" };
        format!("{dashes}{name}")
    }
}

impl Reading {
    fn operand(&mut self, word: &Word, at: usize) {
        let word = word.clone();
        self.operands.push(Operand { word, at });
    }

    fn give(&mut self, option: Listed, value: Option<Word>) {
        self.given.push(Given {
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
    pub fn text(&self, at: usize) -> Option<String> {
        let word = &self.operands.get(at)?.word;
        word.known().map(std::borrow::Cow::into_owned)
    }
}

/// Tells whether a word that does not begin with known text may be an option.
fn may_be_option(word: &Word) -> bool {
    matches!(
        word.parts.first(),
        Some(Part::Unknown | Part::Split | Part::Glob(_))
    )
}
