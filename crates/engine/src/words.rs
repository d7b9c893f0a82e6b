//! Reads a command line that needs no shell: words, quotes and `${NAME}`, and nothing else.
//!
//! A shell pastes text together and parses what comes out. Without one, a placeholder is always one piece of one
//! argument, whatever its value holds. [`plan`] says whether a command may go this way; when in doubt it may not, and
//! what it accepts means the same to `sh`, with every placeholder in double quotes.

use std::ffi::OsString;
use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// How a command is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// By executing the first word, which is there, with the others as arguments.
    Words(Vec<Word>),
    /// By handing the text to `/bin/sh -c`.
    Shell,
}

/// One word: its pieces become one argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
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

/// A placeholder has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing is known about `${{{name}}}`")]
#[non_exhaustive]
pub struct MissingPlaceholder {
    /// The name inside `${…}`.
    pub name: String,
}

/// Decides whether a command needs a shell.
///
/// It needs none if it is made of plain words, quoted strings, escaped characters and `${NAME}`. The caller still has
/// to see that the first word is the name of an executable file and not [a builtin](is_builtin).
///
/// ```
/// use anyhook::words::{Plan, plan};
///
/// assert!(matches!(plan("npx prettier --write ${file}"), Plan::Words(words) if words.len() == 4));
/// assert_eq!(plan("prettier ${file} || true"), Plan::Shell);
/// ```
pub fn plan(command: &str) -> Plan {
    match Reader::new(command).words() {
        Some(words) if !words.is_empty() => Plan::Words(words),
        Some(_) | None => Plan::Shell,
    }
}

/// Puts values in the place of placeholders; each word becomes exactly one argument.
pub fn fill(
    words: &[Word],
    look: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<OsString>, MissingPlaceholder> {
    words.iter().map(|word| fill_word(word, &look)).collect()
}

fn fill_word(
    word: &Word,
    look: &impl Fn(&str) -> Option<OsString>,
) -> Result<OsString, MissingPlaceholder> {
    let mut argument = OsString::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) => argument.push(text),
            Piece::Placeholder(name) => {
                let missing = || MissingPlaceholder { name: name.clone() };
                argument.push(look(name).ok_or_else(missing)?);
            }
        }
    }
    Ok(argument)
}

/// Tells whether a first word means something to `sh` that no executable file can do.
///
/// `echo`, `printf`, `test`, `[`, `true`, `false`, `pwd` and `kill` are left out: the programs of these names do the
/// same, and `echo` does it without the differences between shells.
pub fn is_builtin(word: &str) -> bool {
    BUILTINS.binary_search(&word).is_ok()
}

/// Keywords, special builtins, and builtins that act on the shell itself; of POSIX and of the usual shells. Sorted.
const BUILTINS: &[&str] = &[
    "!",
    ".",
    ":",
    "[[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "then",
    "time",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "{",
    "}",
];

/// Variables that a shell sets by itself, so that only a shell knows them.
const OF_THE_SHELL: &[&str] = &[
    "BASHPID", "EUID", "IFS", "LINENO", "OLDPWD", "OPTARG", "OPTIND", "PPID", "PS1", "PS2", "PS4",
    "PWD", "RANDOM", "SECONDS", "SHLVL", "UID",
];

/// Reads a command from left to right, and stops at the first thing that only a shell understands.
struct Reader<'a> {
    rest: Peekable<CharIndices<'a>>,
    words: Vec<Word>,
    /// The word that is being read, if one has begun.
    word: Option<Word>,
}

impl<'a> Reader<'a> {
    fn new(command: &'a str) -> Self {
        Self {
            rest: command.char_indices().peekable(),
            words: Vec::new(),
            word: None,
        }
    }

    fn words(mut self) -> Option<Vec<Word>> {
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
        let is_known = is_name(&name) && !OF_THE_SHELL.contains(&name.as_str());
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

/// Finds the placeholders that a shell would split at spaces and expand as file names: those outside of double quotes.
///
/// It reads any shell command, with command substitutions inside quotes, comments and escapes. Placeholders in places
/// where a shell does not split (assignments, `case`, here-documents) are found too: quotes harm none of the first two,
/// and a here-document has no place in a one-line command. A range covers `${…}` from the dollar sign to the brace.
pub fn unquoted_placeholders(command: &str) -> Vec<Range<usize>> {
    Scanner {
        rest: command.char_indices().peekable(),
        end: command.len(),
        inside: vec![Inside::Open],
        found: Vec::new(),
    }
    .scan()
}

/// What the scanner stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The command itself.
    Open,
    /// `$(…)` or a subshell, up to the bracket.
    Brackets,
    /// A command in backticks.
    Backticks,
    /// Double quotes.
    Quotes,
    /// `${…}` with more than a name in it, and whether it stood in quotes.
    Braces { quoted: bool },
}

struct Scanner<'a> {
    rest: Peekable<CharIndices<'a>>,
    end: usize,
    inside: Vec<Inside>,
    found: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn scan(mut self) -> Vec<Range<usize>> {
        let mut before = ' ';
        while let Some((at, letter)) = self.rest.next() {
            let quoted = self.is_quoted();
            match letter {
                '\\' => drop(self.rest.next()),
                '\'' if !quoted => self.skip_to('\''),
                '#' if !quoted && matches!(before, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(') => {
                    self.skip_to('\n')
                }
                '"' => self.toggle(Inside::Quotes),
                '`' => self.toggle(Inside::Backticks),
                '(' if !quoted => self.inside.push(Inside::Brackets),
                ')' if !quoted => self.leave(|inside| inside == Inside::Brackets),
                '}' => self.leave(|inside| matches!(inside, Inside::Braces { .. })),
                '$' => self.dollar(at, quoted),
                _ => {}
            }
            before = letter;
        }
        self.found
    }

    /// Tells whether text at this place is not split.
    fn is_quoted(&self) -> bool {
        match self.inside.last() {
            Some(Inside::Quotes) => true,
            Some(Inside::Braces { quoted }) => *quoted,
            Some(Inside::Open | Inside::Brackets | Inside::Backticks) | None => false,
        }
    }

    fn dollar(&mut self, at: usize, quoted: bool) {
        if self.rest.next_if(|(_, next)| *next == '(').is_some() {
            self.inside.push(Inside::Brackets);
            return;
        }
        if self.rest.next_if(|(_, next)| *next == '{').is_none() {
            return;
        }
        self.inside.push(Inside::Braces { quoted });
        if !quoted && is_name(&name(&mut self.rest)) {
            let end = self.closing_brace();
            self.found.push(at..end);
        }
    }

    /// The end of the `${…}` that has just been entered.
    fn closing_brace(&self) -> usize {
        let mut depth = 1_usize;
        for (at, letter) in self.rest.clone() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.end
    }

    fn toggle(&mut self, kind: Inside) {
        if self.inside.last() == Some(&kind) {
            self.inside.pop();
        } else {
            self.inside.push(kind);
        }
    }

    fn leave(&mut self, is_it: impl Fn(Inside) -> bool) {
        if self.inside.last().is_some_and(|inside| is_it(*inside)) {
            self.inside.pop();
        }
    }

    fn skip_to(&mut self, end: char) {
        self.rest.by_ref().find(|(_, letter)| *letter == end);
    }
}

#[cfg(test)]
mod tests;
