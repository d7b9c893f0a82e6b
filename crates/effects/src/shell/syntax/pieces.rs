//! Words and what they are made of: quotes, variables, substitutions.

use super::super::tree::{List, Parameter, ParameterExpansion, RawWord, WordPiece};
use super::{Parse, ParseFailure, Parser, ends_word, name_length};

/// How text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LexMode {
    /// A word outside of quotes.
    Bare,
    /// Inside `"…"`.
    Double,
    /// The body of a here-document.
    Document,
    /// An arithmetic expression.
    Number,
    /// A regular expression, or the operand of `${v:-…}` outside of quotes: blanks and operators stand for themselves.
    Operand,
}

impl LexMode {
    fn is_quoted(self) -> bool {
        matches!(self, Self::Double | Self::Document | Self::Number)
    }
}

/// Adds one letter of text to a word.
fn letter(raw: &mut RawWord, letter: char, is_quoted: bool) {
    match (raw.last_mut(), is_quoted) {
        (Some(WordPiece::Quoted(text)), true) | (Some(WordPiece::Bare(text)), false) => {
            text.push(letter);
        }
        (_, true) => raw.push(WordPiece::Quoted(letter.into())),
        (_, false) => raw.push(WordPiece::Bare(letter.into())),
    }
}

impl Parser<'_> {
    fn next(&self) -> Parse<char> {
        self.rest().chars().next().ok_or(ParseFailure)
    }

    /// Reads the next word, if one stands here.
    pub(super) fn word(&mut self) -> Parse<Option<RawWord>> {
        let begin = self.at;
        let mut raw = RawWord::new();
        while let Ok(next) = self.next() {
            let is_process = self.rest().starts_with("<(") || self.rest().starts_with(">(");
            if ends_word(next) && !is_process {
                break;
            }
            self.piece(LexMode::Bare, &mut raw)?;
        }
        Ok((self.at > begin).then_some(raw))
    }

    /// Reads a regular expression of `[[`: blanks and operators in its brackets stand for themselves.
    pub(super) fn regex(&mut self) -> Parse<RawWord> {
        let mut raw = RawWord::new();
        let mut open = 0_usize;
        loop {
            match self.next()? {
                ' ' | '\t' | '\n' | ')' if open == 0 => return Ok(raw),
                '&' if open == 0 => return Err(ParseFailure),
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            self.piece(LexMode::Operand, &mut raw)?;
        }
    }

    /// Reads all that is left as one word.
    pub(super) fn up_to_end(&mut self, mode: LexMode) -> Parse<RawWord> {
        let mut raw = RawWord::new();
        while self.at < self.text.len() {
            self.piece(mode, &mut raw)?;
        }
        Ok(raw)
    }

    /// Reads arithmetic up to the bracket that closes it, which is not passed.
    pub(super) fn number(&mut self, open: u8, close: u8) -> Parse<RawWord> {
        let mut raw = RawWord::new();
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(ParseFailure)? {
                b'\'' => return Err(ParseFailure),
                byte if byte == close && depth == 0 => return Ok(raw),
                byte if byte == close => depth -= 1,
                byte if byte == open => depth += 1,
                _ => {}
            }
            self.piece(LexMode::Number, &mut raw)?;
        }
    }

    /// Reads arithmetic behind `((` with its end; none, and nothing passed, if it is two groups of commands.
    pub(super) fn arithmetic(&mut self) -> Parse<Option<RawWord>> {
        self.enter()?;
        let begin = self.at;
        let text = self.number(b'(', b')')?;
        self.depth -= 1;
        if self.eat("))") {
            return Ok(Some(text));
        }
        self.at = begin;
        Ok(None)
    }

    /// Reads one piece of a word, or one letter.
    fn piece(&mut self, mode: LexMode, raw: &mut RawWord) -> Parse<()> {
        self.spend()?;
        let next = self.next()?;
        let is_quoted = mode.is_quoted();
        let opens = self.rest().as_bytes().get(1) == Some(&b'(');
        match next {
            '\\' => return self.backslash(mode, raw),
            '\'' if !is_quoted => return self.single(raw),
            '"' if mode != LexMode::Document => return self.double(raw),
            '`' => return self.backquotes(mode, raw),
            '$' => return self.dollar(mode, raw),
            '<' | '>' if opens && !is_quoted => {
                self.at += 2;
                let (list, input) = (self.nested()?, next == '<');
                raw.push(WordPiece::Process { list, input });
                return Ok(());
            }
            // An extended pattern such as `!(a|b)`.
            '@' | '!' | '?' | '*' | '+' if opens && mode == LexMode::Bare => {
                return Err(ParseFailure);
            }
            '\r' if mode == LexMode::Bare => return Err(ParseFailure),
            _ => {}
        }
        self.at += next.len_utf8();
        letter(raw, next, is_quoted);
        Ok(())
    }

    fn backslash(&mut self, mode: LexMode, raw: &mut RawWord) -> Parse<()> {
        self.at += 1;
        let next = self.rest().chars().next();
        let is_special = match (mode, next) {
            (LexMode::Document, Some('\n')) => return Err(ParseFailure),
            (_, Some('\n')) => {
                self.at += 1;
                return Ok(());
            }
            (_, None) => false,
            (LexMode::Bare | LexMode::Operand, Some(_)) => true,
            (LexMode::Document, Some(next)) => matches!(next, '$' | '`' | '\\'),
            (LexMode::Double | LexMode::Number, Some(next)) => {
                matches!(next, '$' | '`' | '\\' | '"')
            }
        };
        match (is_special, next) {
            (true, Some(next)) => {
                self.at += next.len_utf8();
                letter(raw, next, true);
            }
            _ => letter(raw, '\\', true),
        }
        Ok(())
    }

    /// Passes the text up to a letter, and the letter.
    fn up_to(&mut self, close: char) -> Parse<&str> {
        let rest = self.rest();
        let end = rest.find(close).ok_or(ParseFailure)?;
        self.at += end + close.len_utf8();
        rest.get(..end).ok_or(ParseFailure)
    }

    fn single(&mut self, raw: &mut RawWord) -> Parse<()> {
        self.at += 1;
        let text = self.up_to('\'')?.to_owned();
        raw.push(WordPiece::Quoted(text));
        Ok(())
    }

    /// Reads `"…"`.
    fn double(&mut self, raw: &mut RawWord) -> Parse<()> {
        self.enter()?;
        self.at += 1;
        // Even `""` makes a word, and keeps its neighbours from being read as one bare text.
        raw.push(WordPiece::Quoted(String::new()));
        while !self.eat("\"") {
            self.piece(LexMode::Double, raw)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads the commands of a substitution, from the place behind its `(`.
    fn nested(&mut self) -> Parse<List> {
        let outer = std::mem::take(&mut self.pending);
        let begin = self.at;
        let list = self.list()?;
        let text = self.text.get(begin..self.at).unwrap_or_default();
        // Where a line ends in there, shells differ in which here-document begins.
        let is_mixed = !outer.is_empty() && text.contains('\n');
        if is_mixed || !self.pending.is_empty() || !self.eat(")") {
            return Err(ParseFailure);
        }
        self.pending = outer;
        Ok(list)
    }

    fn backquotes(&mut self, mode: LexMode, raw: &mut RawWord) -> Parse<()> {
        self.at += 1;
        let quoted = mode.is_quoted();
        let mut text = String::new();
        loop {
            let next = self.next()?;
            self.at += next.len_utf8();
            match next {
                '`' => break,
                '\\' => {
                    let escaped = self.next()?;
                    self.at += escaped.len_utf8();
                    let drops = matches!(escaped, '$' | '`' | '\\')
                        || (escaped == '"' && mode == LexMode::Double);
                    text.extend((!drops).then_some('\\'));
                    text.push(escaped);
                }
                next => text.push(next),
            }
        }
        let mut inner = self.inner(&text);
        let list = inner.whole()?;
        self.resume(&inner);
        raw.push(WordPiece::Command { list, quoted });
        Ok(())
    }

    /// Reads what begins with `$`.
    fn dollar(&mut self, mode: LexMode, raw: &mut RawWord) -> Parse<()> {
        let quoted = mode.is_quoted();
        self.at += 1;
        match self.rest().chars().next() {
            Some('(') => return self.substitution(quoted, raw),
            Some('{') => return self.braced(mode, raw),
            Some('\'') if !quoted => return self.ansi(raw),
            Some('"') if !quoted => return self.double(raw),
            // The old form of arithmetic; a name that goes on in the next line.
            Some('[') => return Err(ParseFailure),
            Some('\\') if self.rest().starts_with("\\\n") => return Err(ParseFailure),
            _ => {}
        }
        let length = match self.next() {
            Ok(next) if next.is_ascii_digit() || "@*#?-$!".contains(next) => 1,
            _ => name_length(self.rest()),
        };
        let name = self.rest().get(..length).unwrap_or_default().to_owned();
        self.at += length;
        if name.is_empty() {
            letter(raw, '$', quoted);
            return Ok(());
        }
        if self.rest().starts_with("\\\n") {
            return Err(ParseFailure);
        }
        let of = Box::new(Parameter {
            name,
            subscript: None,
            what: ParameterExpansion::Value,
        });
        raw.push(WordPiece::Parameter { of, quoted });
        Ok(())
    }

    /// Reads `$((…))` or `$(…)`, from its first bracket.
    fn substitution(&mut self, quoted: bool, raw: &mut RawWord) -> Parse<()> {
        if self.eat("((") {
            if let Some(text) = self.arithmetic()? {
                raw.push(WordPiece::Arithmetic { text, quoted });
                return Ok(());
            }
            self.at -= 2;
        }
        self.at += 1;
        let list = self.nested()?;
        raw.push(WordPiece::Command { list, quoted });
        Ok(())
    }

    /// Reads `${…}`, from its brace.
    fn braced(&mut self, mode: LexMode, raw: &mut RawWord) -> Parse<()> {
        self.enter()?;
        self.at += 1;
        let behind = self.rest().get(1..).unwrap_or_default();
        let is_prefix = !behind.starts_with(['}', ':', '-', '=', '?', '+']);
        let counts = is_prefix && self.eat("#");
        let is_indirect = is_prefix && !counts && self.eat("!");
        let rest = self.rest();
        let length = match self.next()? {
            '@' | '*' | '#' | '?' | '-' | '$' | '!' => 1,
            '0'..='9' => rest.bytes().take_while(u8::is_ascii_digit).count(),
            _ => name_length(rest),
        };
        let name = rest.get(..length).filter(|name| !name.is_empty());
        let name = name.ok_or(ParseFailure)?.to_owned();
        self.at += length;
        let subscript = self.key()?;
        let is_list = self.rest().starts_with("*}")
            || self.rest().starts_with("@}")
            || is_whole(subscript.as_ref());
        let what = if counts {
            ParameterExpansion::Length
        } else if is_indirect {
            let evaluated = vec![self.operand(mode, LexMode::Operand)?];
            ParameterExpansion::Other {
                evaluated,
                runs: !is_list,
            }
        } else {
            self.operation(mode)?
        };
        if !self.eat("}") {
            return Err(ParseFailure);
        }
        self.depth -= 1;
        let of = Box::new(Parameter {
            name,
            subscript,
            what,
        });
        let quoted = mode.is_quoted();
        raw.push(WordPiece::Parameter { of, quoted });
        Ok(())
    }

    /// Reads what stands behind the name in `${…}`, up to its end.
    fn operation(&mut self, mode: LexMode) -> Parse<ParameterExpansion> {
        let colon = self.eat(":");
        let next = self.next()?;
        match next {
            '}' if !colon => return Ok(ParameterExpansion::Value),
            '-' | '=' | '?' | '+' => {
                self.at += 1;
                let inner = if mode.is_quoted() {
                    LexMode::Double
                } else {
                    LexMode::Operand
                };
                return Ok(ParameterExpansion::Default {
                    letter: next,
                    colon,
                    operand: self.operand(mode, inner)?,
                });
            }
            '%' | '#' if !colon => {
                self.at += 1;
                let longest = self.eat(if next == '%' { "%" } else { "#" });
                return Ok(ParameterExpansion::Cut {
                    suffix: next == '%',
                    longest,
                    pattern: self.operand(mode, LexMode::Operand)?,
                });
            }
            '/' | '^' | ',' | '~' | '@' if !colon => {}
            _ if colon => {}
            _ => return Err(ParseFailure),
        }
        let begin = self.at;
        let mut evaluated = vec![self.operand(mode, LexMode::Operand)?];
        let text = self.text.get(begin..self.at).unwrap_or_default();
        // In quotes a `'` quotes or not, as the operator decides: it is read in both ways.
        if mode.is_quoted() && text.contains('\'') {
            if text.contains('}') {
                return Err(ParseFailure);
            }
            let mut inner = self.inner(text);
            evaluated.push(inner.up_to_end(LexMode::Double)?);
            self.resume(&inner);
        }
        // An offset is an arithmetic expression.
        let is_plain = |letter: char| "0123456789 :-()".contains(letter);
        let runs = match next {
            _ if colon => !text.chars().all(is_plain),
            '@' => text.contains(['P', 'A', 'K', 'k']),
            _ => false,
        };
        Ok(ParameterExpansion::Other { evaluated, runs })
    }

    /// Reads up to the `}` that ends `${…}`, which stands in a text of this mode.
    fn operand(&mut self, outer: LexMode, mode: LexMode) -> Parse<RawWord> {
        let mut raw = RawWord::new();
        loop {
            match self.next()? {
                '}' => return Ok(raw),
                // Quotes in there are letters or not, as the rest of the text decides.
                '"' | '\'' if outer == LexMode::Document => return Err(ParseFailure),
                '\\' if self.eat("\\}") => letter(&mut raw, '}', true),
                _ => self.piece(mode, &mut raw)?,
            }
        }
    }

    /// Reads `$'…'`, from its quote: known if its escapes are the usual ones.
    fn ansi(&mut self, raw: &mut RawWord) -> Parse<()> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let next = self.next()?;
            self.at += next.len_utf8();
            match next {
                '\'' => break,
                '\\' => {
                    let escaped = self.next()?;
                    self.at += escaped.len_utf8();
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        '\\' | '\'' | '"' | '?' => escaped,
                        _ => return Err(ParseFailure),
                    });
                }
                next => text.push(next),
            }
        }
        raw.push(WordPiece::Ansi(text));
        Ok(())
    }
}

/// Tells whether a subscript names all of an array.
pub(in crate::shell) fn is_whole(subscript: Option<&RawWord>) -> bool {
    matches!(subscript.map(Vec::as_slice), Some([WordPiece::Quoted(all)]) if all == "@" || all == "*")
}
