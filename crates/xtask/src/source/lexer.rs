//! What is code, what is a comment, what is a string.

use super::Token;

/// The words of the code, without comments and strings.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let code = Lexer::read(text).code;
    let mut tokens: Vec<Token> = Vec::new();
    let mut in_word = false;
    let mut line = 1;
    for c in code.chars() {
        match tokens.last_mut() {
            Some(last) if in_word && is_word(c) => last.text.push(c),
            _ if !c.is_whitespace() => tokens.push(Token {
                text: c.into(),
                line,
            }),
            _ => {}
        }
        in_word = is_word(c);
        line += usize::from(c == '\n');
    }
    tokens
}

/// The text with comments and code, each string replaced by spaces.
pub(crate) fn without_strings(text: &str) -> String {
    Lexer::read(text).prose
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Text,
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    /// Code only: comments and strings are spaces.
    code: String,
    /// Code and comments: strings are spaces.
    prose: String,
}

impl Lexer {
    fn read(text: &str) -> Self {
        let mut lexer = Self {
            chars: text.chars().collect(),
            at: 0,
            code: String::new(),
            prose: String::new(),
        };
        while let Some(c) = lexer.peek(0) {
            match (c, lexer.peek(1)) {
                ('/', Some('/')) => lexer.line_comment(),
                ('/', Some('*')) => lexer.block_comment(),
                ('"', _) => lexer.quoted('"'),
                ('\'', _) => lexer.apostrophe(),
                _ if is_word(c) => lexer.word(),
                _ => lexer.take(Kind::Code, 1),
            }
        }
        lexer
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self, kind: Kind, count: usize) {
        for _ in 0..count {
            let Some(c) = self.peek(0) else { return };
            let blank = if c == '\n' { '\n' } else { ' ' };
            self.code.push(if kind == Kind::Code { c } else { blank });
            self.prose.push(if kind == Kind::Text { blank } else { c });
            self.at += 1;
        }
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.take(Kind::Comment, 1);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => {
                    self.take(Kind::Comment, 1);
                    continue;
                }
            }
            self.take(Kind::Comment, 2);
            if depth == 0 {
                return;
            }
        }
    }

    fn quoted(&mut self, end: char) {
        self.take(Kind::Text, 1);
        while let Some(c) = self.peek(0) {
            self.take(Kind::Text, if c == '\\' { 2 } else { 1 });
            if c == end {
                return;
            }
        }
    }

    /// A character has its closing quote one character later, or begins with a backslash; all else is a lifetime.
    fn apostrophe(&mut self) {
        if self.peek(1) == Some('\\') || self.peek(2) == Some('\'') {
            self.quoted('\'');
        } else {
            self.take(Kind::Code, 1);
        }
    }

    fn word(&mut self) {
        let rest = self.chars.iter().skip(self.at);
        let word: String = rest.take_while(|c| is_word(**c)).collect();
        let length = word.chars().count();
        let hashes = self
            .chars
            .iter()
            .skip(self.at + length)
            .take_while(|c| **c == '#')
            .count();
        let is_raw = matches!(word.as_str(), "r" | "br" | "cr");
        if is_raw && self.peek(length + hashes) == Some('"') {
            self.take(Kind::Text, length + hashes + 1);
            self.raw(hashes);
        } else {
            self.take(Kind::Code, length);
        }
    }

    fn raw(&mut self, hashes: usize) {
        while let Some(c) = self.peek(0) {
            let closes = c == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            self.take(Kind::Text, if closes { hashes + 1 } else { 1 });
            if closes {
                return;
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
