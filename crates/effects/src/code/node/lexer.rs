//! JavaScript taken apart into its tokens, where that can be done in one way only.

use crate::code::tokens;
use crate::code::tokens::CodeToken::{self, End, Filled, Name, Number, Sign, Text};
use crate::programs::words;

/// The deepest that brackets and texts stand in each other.
const DEEPEST: usize = 64;

/// Takes a code apart; none where it is read in more than one way.
pub(super) fn tokens(text: &str) -> Option<Vec<CodeToken<'_>>> {
    // Comments of pages, and ends of lines that look like blanks, are read in another way here.
    let odd = ["<!--", "-->", "\r", "\u{2028}", "\u{2029}"];
    if odd.iter().any(|odd| text.contains(odd)) {
        return None;
    }
    let mut lexer = CodeLexer {
        rest: text,
        tokens: Vec::new(),
        open: Vec::new(),
        was_condition: false,
    };
    lexer.code(false)?;
    Some(lexer.tokens)
}

/// Takes a code apart.
struct CodeLexer<'t> {
    rest: &'t str,
    tokens: Vec<CodeToken<'t>>,
    /// The brackets that are open, and for each whether it holds a condition, behind which no value stands.
    open: Vec<(char, bool)>,
    /// Whether the bracket that was closed last held one.
    was_condition: bool,
}

impl<'t> CodeLexer<'t> {
    /// Takes all of it, or up to the bracket that ends what a text fills in; none where it is read in more than one way.
    fn code(&mut self, is_filling: bool) -> Option<()> {
        let depth = self.open.len();
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '}' if is_filling && self.open.len() == depth => return Some(()),
                ' ' | '\t' => self.skip(1),
                '\n' => self.sign(End),
                '\'' | '"' => self.string(letter)?,
                '`' => self.template()?,
                '/' => self.slash()?,
                '(' | '[' | '{' => {
                    let conditions = ["if", "while", "for", "await", "with"];
                    let is = matches!(self.last(), Some(Name(name)) if conditions.contains(&name));
                    self.open.push((letter, is));
                    if self.open.len() > DEEPEST {
                        return None;
                    }
                    self.sign(Sign(letter));
                }
                ')' | ']' | '}' => {
                    self.was_condition = self.open.pop()?.1;
                    self.sign(Sign(letter));
                }
                _ if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') => {
                    let is_word = |letter: char| {
                        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$')
                    };
                    let end = self.rest.find(|letter| !is_word(letter));
                    let word = self.taken(end.unwrap_or(self.rest.len()))?;
                    let is_number = letter.is_ascii_digit();
                    self.tokens
                        .push(if is_number { Number(word) } else { Name(word) });
                }
                _ if letter.is_ascii_punctuation() && !matches!(letter, '\\' | '#' | '@') => {
                    self.sign(Sign(letter));
                }
                _ => return None,
            }
        }
        (!is_filling && self.open.is_empty()).then_some(())
    }

    /// The last token that ends no line.
    fn last(&self) -> Option<CodeToken<'t>> {
        self.last_two().0
    }

    /// That one, and the one before it.
    fn last_two(&self) -> (Option<CodeToken<'t>>, Option<CodeToken<'t>>) {
        let mut tokens = self.tokens.iter().rev().filter(|token| **token != End);
        (tokens.next().copied(), tokens.next().copied())
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn taken(&mut self, count: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn sign(&mut self, token: CodeToken<'t>) {
        self.tokens.push(token);
        self.skip(1);
    }

    /// Takes what stands up to this letter, without it; a backslash takes the meaning of the next one.
    fn up_to(&mut self, end: char) -> Option<&'t str> {
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                _ if letter == end => {
                    let taken = self.taken(at);
                    self.skip(1);
                    return taken;
                }
                '\\' => drop(letters.next()?),
                '\n' => return None,
                _ => {}
            }
        }
        None
    }

    fn string(&mut self, quote: char) -> Option<()> {
        self.skip(1);
        let inside = self.up_to(quote)?;
        self.tokens.push(Text(tokens::plain(inside)));
        Some(())
    }

    fn template(&mut self) -> Option<()> {
        // Behind a value it is a call of it.
        const BEFORE: [&str; 5] = ["return", "case", "throw", "in", "typeof"];
        let is_word = matches!(self.last_two(), (Some(Name(name)), before)
            if BEFORE.contains(&name) && before != Some(Sign('.')));
        if !is_word && self.last() != Some(Sign('+')) && !self.wants_value() {
            return None;
        }
        self.skip(1);
        loop {
            let mut letters = self.rest.char_indices();
            let (at, letter) = loop {
                match letters.next()? {
                    (_, '\\') => drop(letters.next()?),
                    (at, '$') if self.rest.get(at + 1..)?.starts_with('{') => break (at, '$'),
                    (at, '`') => break (at, '`'),
                    _ => {}
                }
            };
            self.skip(at);
            if letter == '`' {
                self.sign(Text(None));
                return Some(());
            }
            self.skip(2);
            // What is filled in stands deeper.
            if self.open.len() >= DEEPEST {
                return None;
            }
            self.open.push(('$', false));
            self.tokens.push(Filled);
            self.code(true)?;
            self.open.pop();
            self.sign(Filled);
        }
    }

    /// Tells whether a value has to follow, whatever stood before.
    fn wants_value(&self) -> bool {
        match self.last_two() {
            (Some(Sign('>')), before) => before == Some(Sign('=')),
            (None | Some(Sign('(' | ',' | '=' | ':' | '[' | '&' | '|' | '?' | '{' | ';')), _) => {
                true
            }
            _ => false,
        }
    }

    /// Takes a pattern. In a set of letters a slash ends nothing.
    fn pattern(&mut self) -> Option<()> {
        let mut letters = self.rest.char_indices().skip(1);
        let mut is_set = false;
        loop {
            match letters.next()? {
                (_, '\\') => drop(letters.next().filter(|(_, letter)| *letter != '\n')?),
                (_, '\n') => return None,
                (_, '[') => is_set = true,
                (_, ']') => is_set = false,
                (at, '/') if !is_set => {
                    self.skip(at + 1);
                    self.tokens.push(Text(None));
                    return Some(());
                }
                _ => {}
            }
        }
    }

    /// Takes a comment, a pattern, or the sign of a division.
    fn slash(&mut self) -> Option<()> {
        if self.rest.starts_with("//") {
            self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            return Some(());
        }
        if self.rest.starts_with("/*") {
            let comment = self.taken(self.rest.find("*/")? + 2)?;
            // It ends the line too.
            self.tokens.extend(comment.contains('\n').then_some(End));
            return Some(());
        }
        let is_line_end = self.tokens.last() == Some(&End);
        match self.last() {
            _ if self.wants_value() => self.pattern(),
            // Behind the end of a line it may begin a pattern.
            _ if is_line_end => None,
            Some(Sign(')')) if self.was_condition => None,
            Some(Name(name)) if words::NODE_KEYWORDS.contains(&name) => None,
            Some(Sign(')' | ']') | Number(_) | Name(_)) => {
                self.sign(Sign('/'));
                Some(())
            }
            _ => None,
        }
    }
}
