//! A command line as a shell reads it, as far as that can be told from its text.
//!
//! ```
//! use anyhook_engine::shell::{Clear, read};
//!
//! let line = read("git add . && git commit -m 'one two'");
//! assert_eq!(line.commands, [vec!["git", "add", "."], vec!["git", "commit", "-m", "one two"]]);
//! assert_eq!((line.clear, read("rm $X").clear), (Clear::Yes, Clear::No));
//! ```

pub mod patterns;

use std::collections::BTreeSet;

/// A command line, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The words of each simple command, without their quotes.
    pub commands: Vec<Vec<String>>,
    /// Whether that is all there is to it.
    pub clear: Clear,
}

/// Whether a line does what its words say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Clear {
    /// Simple commands and pipes between them, and nothing else.
    #[default]
    Yes,
    /// It also redirects, substitutes, groups, comments, or does not end.
    No,
}

/// Takes a line apart. What is not simple makes the whole line unclear; its words are still there to be looked at.
pub fn read(text: &str) -> Line {
    let mut reader = Reader::default();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (reader.quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => reader.quote = None,
            (Some('\''), other) => reader.push(other),
            (_, '\\') => match letters.next() {
                Some('\n') => {}
                Some(next) => reader.push(next),
                None => reader.line.clear = Clear::No,
            },
            (_, '$' | '`' | '\0') => {
                reader.line.clear = Clear::No;
                reader.push(letter);
            }
            (None, '\'' | '"') => {
                reader.quote = Some(letter);
                reader.word.get_or_insert_default();
            }
            (None, ' ' | '\t') => reader.end_word(),
            (None, '\n' | ';' | '|' | '&') => reader.end_command(),
            (None, '>' | '<' | '(' | ')') => {
                if letter != '>' || !skip_harmless(&mut letters) {
                    reader.line.clear = Clear::No;
                }
                reader.end_word();
            }
            // What a comment hides from the shell must not hide from us what stands in the next line.
            (None, '#') if reader.word.is_none() => reader.line.clear = Clear::No,
            (_, other) => reader.push(other),
        }
    }
    if reader.quote.is_some() {
        reader.line.clear = Clear::No;
    }
    reader.end_command();
    reader.line
}

#[derive(Default)]
struct Reader {
    line: Line,
    command: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
}

impl Reader {
    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        self.command.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.command.is_empty() {
            self.line.commands.push(std::mem::take(&mut self.command));
        }
    }
}

/// `2>&1` and `>/dev/null` change no file.
fn skip_harmless(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut ahead = letters.clone();
    let mut target = String::new();
    while ahead.next_if_eq(&' ').is_some() {}
    while let Some(letter) = ahead.next_if(|c| !c.is_whitespace() && !";|<>()".contains(*c)) {
        target.push(letter);
    }
    let is_harmless = matches!(&*target, "&1" | "&2" | "/dev/null");
    if is_harmless {
        *letters = ahead;
    }
    is_harmless
}

/// Everything in a text that may be a path, without regard to what is quoted.
pub fn runs(text: &str) -> BTreeSet<&str> {
    let is_between = |c: char| c.is_whitespace() || "'\"\\<>|&;(),=:#!".contains(c);
    let runs = text.split(is_between).filter(|run| !run.is_empty());
    let mut all: BTreeSet<&str> = runs.collect();
    let options = all.iter().filter(|run| run.starts_with(['-', '@', '+']));
    let attached: Vec<&str> = options
        .flat_map(|run| [run.get(1..), run.get(2..)])
        .flatten()
        .collect();
    all.extend(attached);
    all
}
