//! The words of a text, as a shell splits it, each with its place.

use std::ops::Range;

/// A word, with the place of each of its bytes in the text.
#[derive(Debug, Default)]
pub(super) struct ArgumentWord {
    pub(super) text: String,
    pub(super) at: Vec<usize>,
    /// Whether it has single quotes: then a `$` is a letter.
    pub(super) is_literal: bool,
}

/// One command, and what it reads.
#[derive(Debug, Default)]
pub(super) struct ParsedCommand {
    pub(super) words: Vec<ArgumentWord>,
    pub(super) inputs: Vec<Range<usize>>,
    /// Whether it reads what the command before it prints.
    pub(super) is_piped: bool,
}

/// What the next word is.
#[derive(Debug, Default, Clone, Copy)]
enum WordRole {
    /// One of the command.
    #[default]
    Own,
    /// The file of a redirection.
    File,
    /// The input.
    Input,
}

impl ArgumentWord {
    /// Returns where the text stands from one of its bytes on; nothing for a variable, which is no secret itself.
    pub(super) fn from(&self, byte: usize) -> Option<Range<usize>> {
        let value = self.text.get(byte..).filter(|value| !value.is_empty())?;
        let name = value.strip_prefix('$').filter(|_| !self.is_literal);
        let is_variable = name.is_some_and(|name| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.starts_with(['{', '(']) || (!name.is_empty() && name.chars().all(is_name))
        });
        if is_variable || value.starts_with("[REDACTED:") {
            return None;
        }
        Some(*self.at.get(byte)?..self.at.last()? + 1)
    }

    /// Returns where what follows a text in it stands; all of it where no text is asked for.
    pub(super) fn behind(&self, byte: usize, mark: &str) -> Option<Range<usize>> {
        let at = self.text.get(byte..)?.find(mark)?;
        self.from(byte + at + mark.len())
    }

    pub(super) fn is_option(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    /// Returns the name of the program that it may be.
    pub(super) fn program(&self) -> &str {
        let name = self.text.rsplit(['/', '\\']).next().unwrap_or_default();
        name.strip_suffix(".exe").unwrap_or(name)
    }
}

/// Splits a text as a shell does.
pub(super) struct ShellLexer<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    before: Vec<ParsedCommand>,
    command: ParsedCommand,
    next: WordRole,
    /// The ends of texts whose lines follow this one.
    waiting: Vec<String>,
    /// Texts in quotes that may hold commands.
    quoted: Vec<Range<usize>>,
}

impl<'t> ShellLexer<'t> {
    pub(super) fn new(text: &'t str, part: Range<usize>) -> Self {
        Self {
            text,
            at: part.start,
            end: part.end,
            before: Vec::new(),
            command: ParsedCommand::default(),
            next: WordRole::Own,
            waiting: Vec::new(),
            quoted: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        let byte = self.text.as_bytes().get(self.at).copied();
        byte.filter(|_| self.at < self.end)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    /// Reads all commands, and the texts in quotes that may hold more.
    pub(super) fn commands(mut self) -> (Vec<ParsedCommand>, Vec<Range<usize>>) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.rest().starts_with("\\\n") => self.at += 2,
                b'\n' => {
                    self.at += 1;
                    for end in std::mem::take(&mut self.waiting) {
                        let lines = self.lines(&end);
                        self.command.inputs.push(lines);
                    }
                    self.begin();
                }
                b'|' => {
                    let or = self.rest().starts_with("||");
                    self.at += if or || self.rest().starts_with("|&") {
                        2
                    } else {
                        1
                    };
                    self.begin();
                    self.command.is_piped = !or;
                }
                b';' | b'&' | b'(' | b')' | b'`' => {
                    self.at += 1;
                    self.begin();
                }
                b'<' | b'>' => {
                    let is_number = |word: &mut ArgumentWord| {
                        word.at.last().is_some_and(|last| last + 1 == self.at)
                            && word.text.bytes().all(|byte| byte.is_ascii_digit())
                    };
                    // The number of a stream is no operand.
                    self.command.words.pop_if(is_number);
                    self.redirect();
                }
                _ => {
                    let word = self.word();
                    match std::mem::take(&mut self.next) {
                        WordRole::Own => self.command.words.extend(word),
                        WordRole::File => {}
                        WordRole::Input => {
                            let input = word.and_then(|word| word.from(0));
                            self.command.inputs.extend(input);
                        }
                    }
                }
            }
        }
        self.before.push(self.command);
        (self.before, self.quoted)
    }

    /// Begins another command.
    fn begin(&mut self) {
        self.before.push(std::mem::take(&mut self.command));
        self.next = WordRole::Own;
    }

    fn redirect(&mut self) {
        let rest = self.rest();
        let signs = rest.len() - rest.trim_start_matches(['<', '>', '&', '-']).len();
        let sign = rest.get(..signs).unwrap_or_default();
        self.at += signs;
        match sign {
            "<<<" => self.next = WordRole::Input,
            "<<" | "<<-" => {
                while matches!(self.peek(), Some(b' ' | b'\t')) {
                    self.at += 1;
                }
                let end = self.word();
                self.waiting.extend(end.map(|end| end.text));
            }
            // `<(…)` is a command, and `2>&1` and `>&-` have no file.
            _ if self.peek() == Some(b'(') => self.begin(),
            _ => self.next = WordRole::File,
        }
    }

    /// Takes the lines up to one that is an end.
    fn lines(&mut self, end: &str) -> Range<usize> {
        let start = self.at;
        let mut last = start;
        for line in self.rest().split_inclusive('\n') {
            let is_end = line.trim() == end;
            self.at += line.len();
            if is_end {
                break;
            }
            last = self.at;
        }
        let lines = self.text.get(start..last).unwrap_or_default();
        start..start + lines.trim_end().len()
    }

    fn word(&mut self) -> Option<ArgumentWord> {
        let mut bytes = Vec::new();
        let mut word = ArgumentWord::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b'|' | b';' | b'&' | b'(' | b')' | b'<' | b'>'
                | b'`' => break,
                b'\'' | b'"' => {
                    let Some(length) = self.quote(byte) else {
                        // It ends nowhere: a letter of a sentence.
                        self.at += 1;
                        continue;
                    };
                    word.is_literal |= byte == b'\'';
                    let inside = self.at + 1..self.at + 1 + length;
                    let text = self.text.get(inside.clone()).unwrap_or_default();
                    if text.contains(' ') {
                        self.quoted.push(inside.clone());
                    }
                    for (at, inner) in inside.clone().zip(text.bytes()) {
                        bytes.push(inner);
                        word.at.push(at);
                    }
                    self.at = inside.end + 1;
                }
                b'\\' => {
                    self.at += 1;
                    if let Some(byte) = self.peek() {
                        bytes.push(byte);
                        word.at.push(self.at);
                    }
                    self.at += 1;
                }
                byte => {
                    bytes.push(byte);
                    word.at.push(self.at);
                    self.at += 1;
                }
            }
        }
        word.text = String::from_utf8_lossy(&bytes).into_owned();
        // A letter that is torn is none that a word could be found by.
        (word.text.len() == word.at.len()).then_some(word)
    }

    /// Returns how long the text in quotes is that begins here.
    fn quote(&self, quote: u8) -> Option<usize> {
        let inside = self.rest().as_bytes().get(1..)?;
        let mut is_escaped = false;
        inside.iter().position(|byte| {
            let ends = *byte == quote && !is_escaped;
            is_escaped = quote == b'"' && *byte == b'\\' && !is_escaped;
            ends
        })
    }
}
