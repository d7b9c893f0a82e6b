//! Takes a word apart into its pieces.

use super::parse;
use super::scan::{Found, Scan, Unreadable};
use super::tree::{Parameter, Piece, Raw, What};

/// How text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word outside of quotes.
    Bare,
    /// Inside `"…"`.
    Double,
    /// The body of a here-document.
    Document,
    /// An arithmetic expression: as in double quotes, but `"` is dropped.
    Number,
    /// A pattern or regular expression, where brackets, bars and blanks stand for themselves.
    Pattern,
    /// The operand of `${v:-…}` outside of quotes, where blanks stand for themselves.
    Operand,
}

impl Mode {
    fn quoted(self) -> bool {
        matches!(self, Self::Double | Self::Document | Self::Number)
    }
}

/// A reader of one word.
struct Lexer<'a> {
    text: &'a str,
    mode: Mode,
    depth: usize,
    at: usize,
    pieces: Raw,
}

/// Takes a text apart that stands this deep in others.
pub(super) fn pieces(text: &str, mode: Mode, depth: usize) -> Found<Raw> {
    if depth > super::scan::DEPTH {
        return Err(Unreadable);
    }
    let mut lexer = Lexer {
        text,
        mode,
        depth,
        at: 0,
        pieces: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.piece()?;
    }
    Ok(lexer.pieces)
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> Found<&'a str> {
        self.text.get(self.at..).ok_or(Unreadable)
    }

    fn slice(&self, from: usize, to: usize) -> Found<&'a str> {
        self.text.get(from..to).ok_or(Unreadable)
    }

    fn scan(&self) -> Scan<'a> {
        Scan::new(self.text, self.depth)
    }

    fn piece(&mut self) -> Found<()> {
        let rest = self.rest()?;
        let letter = rest.chars().next().ok_or(Unreadable)?;
        let next = rest.chars().nth(1);
        match letter {
            '\\' => self.backslash(next),
            '\'' if !self.mode.quoted() => {
                let end = self.scan().single(self.at + 1)?;
                let text = self.slice(self.at + 1, end - 1)?.to_owned();
                self.add(Piece::Quoted(text), end);
                Ok(())
            }
            '"' if self.mode == Mode::Number => {
                self.at += 1;
                Ok(())
            }
            '"' if !self.mode.quoted() => self.double(self.at + 1),
            '`' => self.backquotes(),
            '$' => self.dollar(next),
            '<' | '>' if next == Some('(') && !self.mode.quoted() && self.mode != Mode::Pattern => {
                let end = self.scan().nested(self.at + 2)?;
                let list = parse::script(self.slice(self.at + 2, end - 1)?, self.depth + 1)?;
                let input = letter == '<';
                self.add(Piece::Process { list, input }, end);
                Ok(())
            }
            '@' | '!' | '?' | '*' | '+' if next == Some('(') && self.mode == Mode::Bare => {
                let end = self.scan().balanced(self.at + 2, b'(', b')')?;
                let pattern = self.slice(self.at, end)?;
                if pattern.contains(['$', '`', '\'', '"', '\\', '/']) {
                    return Err(Unreadable);
                }
                self.add(Piece::Pattern(pattern.to_owned()), end);
                Ok(())
            }
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | ' ' | '\t' | '\n' | '\r'
                if self.mode == Mode::Bare =>
            {
                Err(Unreadable)
            }
            letter => {
                self.letter(letter, self.mode.quoted());
                Ok(())
            }
        }
    }

    /// Adds a piece and goes to its end.
    fn add(&mut self, piece: Piece, end: usize) {
        self.pieces.push(piece);
        self.at = end;
    }

    /// Adds one letter of text.
    fn letter(&mut self, letter: char, quoted: bool) {
        self.at += letter.len_utf8();
        match (self.pieces.last_mut(), quoted) {
            (Some(Piece::Quoted(text)), true) | (Some(Piece::Bare(text)), false) => {
                text.push(letter);
            }
            (_, true) => self.pieces.push(Piece::Quoted(letter.into())),
            (_, false) => self.pieces.push(Piece::Bare(letter.into())),
        }
    }

    fn backslash(&mut self, next: Option<char>) -> Found<()> {
        let special = match (self.mode, next) {
            (_, Some('\n')) if self.mode == Mode::Document => return Err(Unreadable),
            (_, Some('\n')) => {
                self.at += 2;
                return Ok(());
            }
            (_, None) => false,
            (Mode::Bare | Mode::Pattern | Mode::Operand, Some(_)) => true,
            (Mode::Document, Some(letter)) => matches!(letter, '$' | '`' | '\\'),
            (Mode::Double | Mode::Number, Some(letter)) => {
                matches!(letter, '$' | '`' | '\\' | '"')
            }
        };
        match (special, next) {
            (true, Some(letter)) => {
                self.at += 1;
                self.letter(letter, true);
            }
            _ => self.letter('\\', true),
        }
        Ok(())
    }

    /// `"…"`, from the place behind the quote.
    fn double(&mut self, from: usize) -> Found<()> {
        let end = self.scan().double(from)?;
        let inner = pieces(self.slice(from, end - 1)?, Mode::Double, self.depth + 1)?;
        // Even `""` makes a word, and keeps its neighbours from being read as one bare text.
        self.pieces.push(Piece::Quoted(String::new()));
        self.pieces.extend(inner);
        self.at = end;
        Ok(())
    }

    fn backquotes(&mut self) -> Found<()> {
        let end = self.scan().escaped(self.at + 1, b'`')?;
        let text = self.slice(self.at + 1, end - 1)?;
        let quoted = self.mode.quoted();
        let mut inner = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let drops = |next: &char| {
                matches!(next, '$' | '`' | '\\') || (*next == '"' && self.mode == Mode::Double)
            };
            match (letter, letters.peek()) {
                ('\\', Some(next)) if drops(next) => inner.extend(letters.next()),
                _ => inner.push(letter),
            }
        }
        let list = parse::script(&inner, self.depth + 1)?;
        self.add(Piece::Command { list, quoted }, end);
        Ok(())
    }

    fn dollar(&mut self, next: Option<char>) -> Found<()> {
        let quoted = self.mode.quoted();
        match next {
            Some('(') => self.parenthesis(quoted),
            Some('[') => {
                let end = self.scan().bracket(self.at + 2)?;
                let text = self.slice(self.at + 2, end - 1)?;
                let text = pieces(text, Mode::Number, self.depth + 1)?;
                self.add(Piece::Arithmetic { text, quoted }, end);
                Ok(())
            }
            Some('{') => {
                let end = self.scan().parameter(self.at + 2, quoted)?;
                let text = self.slice(self.at + 2, end - 1)?;
                let of = Box::new(braced(text, self.mode, self.depth + 1)?);
                self.add(Piece::Parameter { of, quoted }, end);
                Ok(())
            }
            Some('\'') if !quoted => {
                let end = self.scan().escaped(self.at + 2, b'\'')?;
                let text = super::ansi::decode(self.slice(self.at + 2, end - 1)?)?;
                self.add(Piece::Ansi(text), end);
                Ok(())
            }
            Some('"') if !quoted => self.double(self.at + 2),
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                let name: String = self
                    .rest()?
                    .chars()
                    .skip(1)
                    .take_while(|letter| is_name(*letter))
                    .collect();
                let end = self.at + 1 + name.len();
                self.parameter(name, quoted, end);
                Ok(())
            }
            Some(letter) if letter.is_ascii_digit() || "@*#?-$!".contains(letter) => {
                self.parameter(letter.to_string(), quoted, self.at + 2);
                Ok(())
            }
            _ => {
                self.letter('$', quoted);
                Ok(())
            }
        }
    }

    fn parameter(&mut self, name: String, quoted: bool, end: usize) {
        let of = Box::new(Parameter {
            name,
            subscript: None,
            what: What::Value,
        });
        self.add(Piece::Parameter { of, quoted }, end);
    }

    /// `$((…))` or `$(…)`.
    fn parenthesis(&mut self, quoted: bool) -> Found<()> {
        let mut scan = self.scan();
        if scan.byte(self.at + 2) == Some(b'(')
            && let Some(end) = scan.arithmetic(self.at + 3)?
        {
            let text = self.slice(self.at + 3, end - 2)?;
            let text = pieces(text, Mode::Number, self.depth + 1)?;
            self.add(Piece::Arithmetic { text, quoted }, end);
            return Ok(());
        }
        let end = self.scan().nested(self.at + 2)?;
        let list = parse::script(self.slice(self.at + 2, end - 1)?, self.depth + 1)?;
        self.add(Piece::Command { list, quoted }, end);
        Ok(())
    }
}

pub(super) fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Reads what stands in `${…}`.
fn braced(text: &str, mode: Mode, depth: usize) -> Found<Parameter> {
    let operator = Scan::new(text, depth).operator(0)?;
    let (head, tail) = text.split_at_checked(operator).ok_or(Unreadable)?;
    let (name, subscript) = match head.split_once('[') {
        Some((name, subscript)) => {
            let subscript = subscript.strip_suffix(']').ok_or(Unreadable)?;
            (name, Some(pieces(subscript, Mode::Number, depth)?))
        }
        None => (head, None),
    };
    let special = |name: &str| matches!(name, "#" | "!" | "@" | "*" | "?" | "-" | "$");
    let (prefix, name) = match name.strip_prefix(['#', '!']) {
        Some(rest) if !rest.is_empty() => name.split_at_checked(1).unwrap_or_default(),
        _ => ("", name),
    };
    if !special(name) && (name.is_empty() || !name.chars().all(is_name)) {
        return Err(Unreadable);
    }
    let what = match prefix {
        "#" if tail.is_empty() => What::Length,
        "" => operation(tail, mode, depth)?,
        "!" if matches!(tail, "*" | "@") || all(subscript.as_ref()) => What::Other {
            evaluated: Vec::new(),
            runs: false,
        },
        "!" => What::Other {
            evaluated: operands(tail, mode, depth)?,
            runs: true,
        },
        _ => return Err(Unreadable),
    };
    Ok(Parameter {
        name: name.to_owned(),
        subscript,
        what,
    })
}

/// Whether a subscript names all of an array.
pub(super) fn all(subscript: Option<&Raw>) -> bool {
    matches!(subscript.map(Vec::as_slice), Some([Piece::Quoted(all)]) if all == "@" || all == "*")
}

/// Reads what stands behind the name in `${…}`.
fn operation(tail: &str, mode: Mode, depth: usize) -> Found<What> {
    let colon = tail.starts_with(':');
    let behind = tail.strip_prefix(':').unwrap_or(tail);
    let mut letters = behind.chars();
    let letter = letters.next();
    match letter {
        None if !colon => Ok(What::Value),
        Some(letter @ ('-' | '=' | '?' | '+')) => Ok(What::Default {
            letter,
            colon,
            operand: operand(letters.as_str(), mode, depth)?,
        }),
        Some(letter @ ('%' | '#')) if !colon => {
            let rest = letters.as_str();
            let longest = rest.starts_with(letter);
            let rest = rest.strip_prefix(letter).unwrap_or(rest);
            Ok(What::Cut {
                suffix: letter == '%',
                longest,
                pattern: pieces(rest, Mode::Pattern, depth)?,
            })
        }
        Some('@') if !colon => Ok(What::Other {
            evaluated: Vec::new(),
            runs: letters.as_str().contains(['P', 'A', 'K', 'k']),
        }),
        Some(_) if colon || matches!(letter, Some('/' | '^' | ',' | '~')) => Ok(What::Other {
            evaluated: operands(behind, mode, depth)?,
            // An offset is an arithmetic expression.
            runs: colon
                && !behind
                    .chars()
                    .all(|letter| "0123456789 :-()".contains(letter)),
        }),
        _ => Err(Unreadable),
    }
}

/// Reads the operand of `${v:-…}`.
fn operand(text: &str, mode: Mode, depth: usize) -> Found<Raw> {
    match mode {
        // Quotes in there are letters or not, as the rest of the line decides.
        Mode::Document if text.contains(['"', '\'']) => Err(Unreadable),
        Mode::Double if text.contains('"') => {
            // Double quotes inside of double quotes only group.
            let mut all = Raw::new();
            let mut rest = text;
            while let Some((before, behind)) = rest.split_once('"') {
                if before.contains(['$', '`', '\\']) {
                    return Err(Unreadable);
                }
                all.push(Piece::Quoted(before.to_owned()));
                rest = behind;
                let end = Scan::new(rest, depth).double(0)?;
                let (inner, behind) = rest.split_at_checked(end).ok_or(Unreadable)?;
                let inner = inner.strip_suffix('"').ok_or(Unreadable)?;
                all.extend(pieces(inner, Mode::Double, depth)?);
                rest = behind;
            }
            all.extend(pieces(rest, Mode::Double, depth)?);
            Ok(all)
        }
        Mode::Double | Mode::Document | Mode::Number => pieces(text, Mode::Double, depth),
        Mode::Bare | Mode::Pattern | Mode::Operand => pieces(text, Mode::Operand, depth),
    }
}

/// Reads operands whose form does not matter, for what they evaluate.
///
/// Each reading is taken: with quotes as quotes, and with quotes as letters.
fn operands(text: &str, mode: Mode, depth: usize) -> Found<Vec<Raw>> {
    let mut all = vec![pieces(text, Mode::Pattern, depth)?];
    if mode.quoted() && text.contains('\'') {
        all.push(pieces(text, Mode::Double, depth)?);
    }
    Ok(all)
}
