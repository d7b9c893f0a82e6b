//! Reads a command line that needs no shell: words, quotes and `${NAME}`, and nothing else.
//!
//! A shell pastes text together and parses what comes out. Without one, a placeholder is always one piece of one
//! argument, whatever its value holds. [`plan`] says whether a command may go this way; when in doubt it may not, and
//! what it accepts means the same to `sh`, with every placeholder in double quotes.
//!
//! ```
//! use anyhook_engine::words::{Piece, ArgumentTemplate, fill, is_builtin, plan, unquoted_placeholders};
//!
//! let words = plan("prettier --write '${file}' ${file}").unwrap();
//! let text = |text: &str| ArgumentTemplate { pieces: vec![Piece::Text(text.into())] };
//! assert_eq!(words[..3], [text("prettier"), text("--write"), text("${file}")]);
//!
//! // A value is one argument, whatever it holds.
//! assert_eq!(fill(&words, |_| "a b; rm -rf ~".as_ref())[3], "a b; rm -rf ~");
//!
//! assert!(is_builtin("cd") && !is_builtin("prettier"));
//! assert_eq!(unquoted_placeholders("cat \"${file}\" ${file} | wc"), [14..21]);
//! ```

mod unquoted;

use std::ffi::{OsStr, OsString};
use std::iter::Peekable;
use std::str::CharIndices;

use crate::lists::BUILTINS;

pub use unquoted::unquoted_placeholders;

/// One word: its pieces become one argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentTemplate {
    /// The pieces from left to right; of the word `""` there are none.
    pub pieces: Vec<Piece>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text that stands for itself; quotes and escapes are resolved.
    Text(String),
    /// The name inside `${…}`.
    Placeholder(String),
}

/// Returns the words of a command that needs no shell; nothing for one that does.
///
/// It needs none if it is made of plain words, quoted strings, escaped characters and `${NAME}`. The caller still has
/// to see that the first word is the name of an executable file and not [a builtin](is_builtin).
///
/// ```
/// use anyhook_engine::words::plan;
///
/// assert_eq!(plan("npx prettier --write ${file}").map(|words| words.len()), Some(4));
/// assert_eq!(plan("prettier ${file} || true"), None);
/// ```
pub fn plan(command: &str) -> Option<Vec<ArgumentTemplate>> {
    let words = WordReader::new(command).words();
    words.filter(|words| !words.is_empty())
}

/// Puts values in the place of placeholders; each word becomes exactly one argument.
pub fn fill<'v>(words: &[ArgumentTemplate], look: impl Fn(&str) -> &'v OsStr) -> Vec<OsString> {
    let value = |piece: &Piece| match piece {
        Piece::Text(text) => OsString::from(text),
        Piece::Placeholder(name) => look(name).to_owned(),
    };
    let word = |word: &ArgumentTemplate| word.pieces.iter().map(value).collect();
    words.iter().map(word).collect()
}

/// Tells whether a first word means something to `sh` that no executable file can do.
///
/// `echo`, `printf`, `test`, `[`, `true`, `false`, `pwd` and `kill` are left out: the programs of these names do the
/// same, and `echo` does it without the differences between shells.
pub fn is_builtin(word: &str) -> bool {
    BUILTINS.contains(&word)
}

/// Variables that a shell sets by itself, so that only a shell knows them.
const OF_THE_SHELL: &str = "\
    BASHPID EUID IFS LINENO OLDPWD OPTARG OPTIND PPID PS1 PS2 PS4 PWD RANDOM SECONDS SHLVL UID";

/// Reads a command from left to right, and stops at the first thing that only a shell understands.
struct WordReader<'a> {
    rest: Peekable<CharIndices<'a>>,
    words: Vec<ArgumentTemplate>,
    /// The word that is being read, if one has begun.
    word: Option<ArgumentTemplate>,
}

impl<'a> WordReader<'a> {
    fn new(command: &'a str) -> Self {
        Self {
            rest: command.char_indices().peekable(),
            words: Vec::new(),
            word: None,
        }
    }

    fn words(mut self) -> Option<Vec<ArgumentTemplate>> {
        while let Some((_, letter)) = self.rest.next() {
            match letter {
                ' ' | '\t' => self.words.extend(self.word.take()),
                '\'' => self.single()?,
                '"' => self.double()?,
                '\\' => {
                    let (_, escaped) = self
                        .rest
                        .next()
                        .filter(|(_, letter)| !letter.is_control())?;
                    self.text(escaped);
                }
                '$' => self.placeholder()?,
                letter if self.is_plain(letter) => self.text(letter),
                _ => return None,
            }
        }
        self.words.extend(self.word.take());
        Some(self.words)
    }

    /// Tells whether a character outside of quotes stands for itself here.
    fn is_plain(&self, letter: char) -> bool {
        match letter {
            // A comment begins only where a word does.
            '#' => self.word.is_some(),
            // The first word may be an assignment.
            '=' => !self.words.is_empty(),
            // `~` counts after `:` and `=` too, and braces mean something to some shells: no need to know which.
            '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | ']' | '{' | '}'
            | '~' | '!' => false,
            letter => !letter.is_control(),
        }
    }

    fn single(&mut self) -> Option<()> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next()?.1 {
                '\'' => return Some(()),
                '\0' => return None,
                letter => self.text(letter),
            }
        }
    }

    fn double(&mut self) -> Option<()> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next()?.1 {
                '"' => return Some(()),
                '$' => self.placeholder()?,
                '\\' => {
                    let (_, escaped) = self.rest.next()?;
                    // A backslash before anything else stays; who writes that is better understood by a shell.
                    matches!(escaped, '"' | '\\' | '$' | '`').then(|| self.text(escaped))?;
                }
                '`' | '\0' => return None,
                letter => self.text(letter),
            }
        }
    }

    /// Reads `{NAME}` behind a dollar sign.
    fn placeholder(&mut self) -> Option<()> {
        self.rest.next_if(|(_, letter)| *letter == '{')?;
        let name = name(&mut self.rest);
        let is_known = is_name(&name) && OF_THE_SHELL.split(' ').all(|own| own != name);
        self.rest
            .next_if(|(_, letter)| *letter == '}' && is_known)?;
        self.word
            .get_or_insert_default()
            .pieces
            .push(Piece::Placeholder(name));
        Some(())
    }

    fn text(&mut self, letter: char) {
        let pieces = &mut self.word.get_or_insert_default().pieces;
        if let Some(Piece::Text(text)) = pieces.last_mut() {
            text.push(letter);
        } else {
            pieces.push(Piece::Text(letter.to_string()));
        }
    }
}

fn name(rest: &mut Peekable<CharIndices<'_>>) -> String {
    std::iter::from_fn(|| rest.next_if(|(_, letter)| is_of_name(*letter)))
        .map(|(_, letter)| letter)
        .collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.chars().all(is_of_name)
}

#[cfg(test)]
mod tests;
