//! Finds where quotes, substitutions and whole lines end, without a tree.
//!
//! The parser is asked only for what this scan found closed and shallow, because unclosed and deep nesting is where a parser
//! runs out of time or stack. The reader of words uses the same functions to find the ends of what it takes apart.

mod documents;

use std::cell::Cell;

use documents::Pending;

/// What cannot be read, so that the whole line is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreadable;

/// An end, or that the text cannot be read.
pub(super) type Found<T = usize> = Result<T, Unreadable>;

/// How deep substitutions, groups and quotes may be nested.
pub(super) const DEPTH: usize = 30;

/// How many `{` may stand in the words of a line: the parser looks for the end of each one.
const BRACES: usize = 1_000;

/// How often each letter may be looked at.
const LOOKS: usize = 200;

/// How often `time` may stand in a line: the parser recurses for each one.
const TIMES: usize = 100;

/// A scan over one text.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    /// How many letters may still be looked at: some constructs are tried in two ways, one inside the other.
    fuel: Cell<usize>,
    depth: usize,
    deepest: usize,
    /// How many `{` stood in words so far.
    braces: usize,
}

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the end of the text.
    End,
    /// At the `)` that closes it.
    Paren,
}

/// A construct that is open within a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Paren,
    Case,
}

/// What a scan of commands knows at its place.
#[derive(Debug)]
struct Commands {
    frames: Vec<Frame>,
    pending: Vec<Pending>,
    /// Whether the next word may be a keyword.
    start: bool,
    /// Whether a word begins here, so that `#` begins a comment.
    word: bool,
    /// Whether `in` of a `case` is still to come.
    wants_in: bool,
}

impl<'a> Scan<'a> {
    /// Makes a scan of a text that stands this deep in others.
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self {
            text,
            fuel: Cell::new(text.len().saturating_mul(LOOKS) + LOOKS),
            depth,
            deepest: depth,
            braces: 0,
        }
    }

    /// Returns how deep a whole line is nested, or that it is not closed, or deeper than may be.
    pub(super) fn line(mut self) -> Found {
        if self.text.contains('\0') || self.text.matches("time").count() > TIMES {
            return Err(Unreadable);
        }
        self.commands(0, Until::End)?;
        if self.fuel.get() == 0 {
            return Err(Unreadable);
        }
        Ok(self.deepest)
    }

    /// The letter at a place, as long as there is fuel.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        self.text.as_bytes().get(at).copied()
    }

    /// The place behind a backslash and the letter that it quotes.
    fn escape(&self, at: usize) -> usize {
        let letter = self.text.get(at + 1..).and_then(|rest| rest.chars().next());
        at + 1 + letter.map_or(1, char::len_utf8)
    }

    /// Counts what a parser looks for the end of.
    fn brace(&mut self, byte: u8) -> Found<()> {
        self.braces += usize::from(byte == b'{');
        if self.braces > BRACES {
            return Err(Unreadable);
        }
        Ok(())
    }

    fn enter(&mut self) -> Found<()> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > DEPTH {
            return Err(Unreadable);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The end behind a `'`, from the place behind its opening one.
    pub(super) fn single(&self, at: usize) -> Found {
        let rest = self.text.get(at..).ok_or(Unreadable)?;
        rest.find('\'').map(|end| at + end + 1).ok_or(Unreadable)
    }

    /// The end behind a quote that knows backslashes: `$'…'`, or backquotes.
    pub(super) fn escaped(&self, mut at: usize, close: u8) -> Found {
        loop {
            match self.byte(at).ok_or(Unreadable)? {
                b'\\' => at = self.escape(at),
                byte if byte == close => return Ok(at + 1),
                _ => at += 1,
            }
        }
    }

    /// The end behind `"…"`, from the place behind its opening one.
    pub(super) fn double(&mut self, mut at: usize) -> Found {
        self.enter()?;
        loop {
            at = match self.byte(at).ok_or(Unreadable)? {
                b'"' => break,
                b'\\' => self.escape(at),
                b'`' => self.escaped(at + 1, b'`')?,
                b'$' => self.dollar(at, true)?,
                byte => {
                    self.brace(byte)?;
                    at + 1
                }
            };
        }
        self.leave();
        Ok(at + 1)
    }

    /// The end behind what a `$` begins, or the place behind the `$` if it begins nothing that has an end.
    pub(super) fn dollar(&mut self, at: usize, quoted: bool) -> Found {
        match self.byte(at + 1) {
            Some(b'(') if self.byte(at + 2) == Some(b'(') => match self.arithmetic(at + 3)? {
                Some(end) => Ok(end),
                None => self.nested(at + 2),
            },
            Some(b'(') => self.nested(at + 2),
            Some(b'{') => self.parameter(at + 2, quoted),
            Some(b'[') => self.bracket(at + 2),
            Some(b'\'') if !quoted => self.escaped(at + 2, b'\''),
            _ => Ok(at + 1),
        }
    }

    /// The end behind the `)` of a list of commands.
    pub(super) fn nested(&mut self, at: usize) -> Found {
        self.commands(at, Until::Paren)
    }

    /// The end behind `))` of an arithmetic that begins behind `((`; none if it is two groups of commands.
    pub(super) fn arithmetic(&mut self, at: usize) -> Found<Option<usize>> {
        self.enter()?;
        let end = self.balanced(at, b'(', b')');
        self.leave();
        let Ok(end) = end else { return Ok(None) };
        Ok((self.byte(end) == Some(b')')).then_some(end + 1))
    }

    /// The end behind `]` of an old arithmetic or of a subscript.
    pub(super) fn bracket(&mut self, at: usize) -> Found {
        self.enter()?;
        let end = self.balanced(at, b'[', b']')?;
        self.leave();
        Ok(end)
    }

    /// The end behind the bracket that closes, where quotes and substitutions hide brackets.
    pub(super) fn balanced(&mut self, mut at: usize, open: u8, close: u8) -> Found {
        let mut depth = 0_usize;
        loop {
            let byte = self.byte(at).ok_or(Unreadable)?;
            if byte == close && depth == 0 {
                return Ok(at + 1);
            }
            at = match byte {
                b'\\' => self.escape(at),
                b'\'' => self.single(at + 1)?,
                b'"' => self.double(at + 1)?,
                b'`' => self.escaped(at + 1, b'`')?,
                b'$' => self.dollar(at, false)?,
                _ => at + 1,
            };
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
            }
        }
    }

    /// The end behind `}` of `${…}`.
    ///
    /// In double quotes a `'` is a letter, but in the pattern of `#`, `%`, `/`, `^` and `,` it quotes.
    pub(super) fn parameter(&mut self, at: usize, quoted: bool) -> Found {
        self.enter()?;
        let operator = self.operator(at)?;
        let pattern = matches!(
            self.byte(operator),
            Some(b'#' | b'%' | b'/' | b'^' | b',' | b'@' | b'~')
        );
        let mut at = operator;
        loop {
            at = match self.byte(at).ok_or(Unreadable)? {
                b'}' => break,
                b'\\' => self.escape(at),
                b'\'' if !quoted || pattern => self.single(at + 1)?,
                b'"' => self.double(at + 1)?,
                b'`' => self.escaped(at + 1, b'`')?,
                b'$' => self.dollar(at, quoted)?,
                b'<' | b'>' if self.byte(at + 1) == Some(b'(') && !quoted => self.nested(at + 2)?,
                _ => at + 1,
            };
        }
        self.leave();
        Ok(at + 1)
    }

    /// The place of the operator in `${…}`: behind the name and its subscript.
    pub(super) fn operator(&mut self, mut at: usize) -> Found {
        if matches!(self.byte(at), Some(b'#' | b'!'))
            && !matches!(
                self.byte(at + 1),
                Some(b'}' | b':' | b'-' | b'=' | b'?' | b'+')
            )
        {
            at += 1;
        }
        let named = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if self.byte(at).is_some_and(named) {
            while self.byte(at).is_some_and(named) {
                at += 1;
            }
        } else if matches!(
            self.byte(at),
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
        ) {
            at += 1;
        }
        match self.byte(at) {
            Some(b'[') => self.bracket(at + 1),
            _ => Ok(at),
        }
    }

    /// The end of a list of commands.
    fn commands(&mut self, mut at: usize, until: Until) -> Found {
        self.enter()?;
        let mut here = Commands {
            frames: Vec::new(),
            pending: Vec::new(),
            start: true,
            word: true,
            wants_in: false,
        };
        while let Some(byte) = self.byte(at) {
            if byte == b')' && here.frames.is_empty() && until == Until::Paren {
                if !here.pending.is_empty() {
                    return Err(Unreadable);
                }
                self.leave();
                return Ok(at + 1);
            }
            at = self.command(at, byte, &mut here)?;
        }
        if until == Until::Paren || !here.frames.is_empty() {
            return Err(Unreadable);
        }
        self.leave();
        Ok(at)
    }

    /// Goes over one thing in a list of commands.
    fn command(&mut self, at: usize, byte: u8, here: &mut Commands) -> Found {
        let next = self.byte(at + 1);
        match byte {
            b'\\' if next == Some(b'\n') => return Ok(at + 2),
            b' ' | b'\t' | b'\r' => {
                here.word = true;
                return Ok(at + 1);
            }
            b'\n' => {
                here.start = true;
                here.word = true;
                return self.bodies(at + 1, here);
            }
            b'#' if here.word => return Ok(self.end_of_line(at)),
            b';' | b'&' | b'|' => {
                here.start = true;
                here.word = true;
                return Ok(at + 1);
            }
            b'<' | b'>' => return self.redirection(at, byte, here),
            b'(' => return self.open(at, here),
            b')' => {
                here.start = here.frames.last() == Some(&Frame::Case);
                here.word = true;
                if !here.start && here.frames.pop().is_none() {
                    return Err(Unreadable);
                }
                return Ok(at + 1);
            }
            _ => {}
        }
        let begins = here.word;
        here.word = false;
        let plain = |byte: u8| !b" \t\r\n;&|<>()\\'\"`$".contains(&byte);
        if begins && plain(byte) {
            let mut end = at;
            while let Some(byte) = self.byte(end).filter(|byte| plain(*byte)) {
                self.brace(byte)?;
                end += 1;
            }
            let alone = !self
                .byte(end)
                .is_some_and(|byte| b"\\'\"`$".contains(&byte));
            let word = self.text.get(at..end).ok_or(Unreadable)?;
            keyword(word, alone, here);
            return Ok(end);
        }
        here.start = false;
        self.brace(byte)?;
        match byte {
            b'\\' => Ok(self.escape(at)),
            b'\'' => self.single(at + 1),
            b'"' => self.double(at + 1),
            b'`' => self.escaped(at + 1, b'`'),
            b'$' => self.dollar(at, false),
            _ => Ok(at + 1),
        }
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |end| at + end)
    }

    /// Goes over a `(`.
    fn open(&mut self, at: usize, here: &mut Commands) -> Found {
        if self.byte(at + 1) == Some(b'(')
            && here.word
            && let Some(end) = self.arithmetic(at + 2)?
        {
            here.start = false;
            return Ok(end);
        }
        if here.frames.len() + self.depth >= DEPTH {
            return Err(Unreadable);
        }
        here.frames.push(Frame::Paren);
        self.deepest = self.deepest.max(self.depth + here.frames.len());
        here.start = true;
        here.word = true;
        Ok(at + 1)
    }

    /// Goes over `<`, `>`, a process substitution, or the head of a here-document.
    fn redirection(&mut self, at: usize, byte: u8, here: &mut Commands) -> Found {
        here.word = true;
        if self.byte(at + 1) == Some(b'(') {
            here.word = false;
            here.start = false;
            return self.nested(at + 2);
        }
        let rest = self.text.get(at..).ok_or(Unreadable)?;
        if byte == b'>' || !rest.starts_with("<<") {
            return Ok(at + 1);
        }
        if rest.starts_with("<<<") {
            return Ok(at + 3);
        }
        let strip = rest.starts_with("<<-");
        let from = at + if strip { 3 } else { 2 };
        let (end, delimiter) = self.delimiter(from)?;
        here.pending.push(Pending { delimiter, strip });
        here.word = false;
        Ok(end)
    }
}

/// Notes what a plain word means where keywords are read.
fn keyword(word: &str, alone: bool, here: &mut Commands) {
    if here.wants_in && alone && word == "in" {
        here.wants_in = false;
        here.start = true;
        return;
    }
    if !here.start || !alone {
        here.start = false;
        return;
    }
    here.start = match word {
        "case" => {
            here.frames.push(Frame::Case);
            here.wants_in = true;
            false
        }
        "esac" => {
            if here.frames.last() == Some(&Frame::Case) {
                here.frames.pop();
            }
            false
        }
        "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "{" | "}" | "!" | "time"
        | "done" | "fi" | "coproc" => true,
        _ => false,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_substitution_ends_where_bash_ends_it() {
        for (text, inner) in [
            ("$(c2)x", "c2"),
            ("$(case x in x) c2;; esac)x", "case x in x) c2;; esac"),
            ("$(case x in (x) c2;; esac)x", "case x in (x) c2;; esac"),
            ("$(c2 <<'E'\nd1 ) d2\nE\n)x", "c2 <<'E'\nd1 ) d2\nE\n"),
            ("$(c2 # it's )\n)x", "c2 # it's )\n"),
            ("$(c2 \")\" ')' \\) )x", "c2 \")\" ')' \\) "),
            ("$((c1); c2)x", "(c1); c2"),
            ("$(echo case)x", "echo case"),
            ("$(f \"$(g \")\")\")x", "f \"$(g \")\")\""),
        ] {
            let end = Scan::new(text, 0).dollar(0, false).unwrap();
            assert_eq!(text.get(2..end - 1), Some(inner));
        }
    }

    #[test]
    fn what_is_not_closed_or_too_deep_is_unreadable() {
        let deep = |open: &str| format!("echo {}", open.repeat(10_000));
        for text in [
            "echo 'x",
            "echo \"x",
            "echo $(x",
            "echo ${x",
            "(x",
            "x)",
            "case x in",
        ] {
            assert_eq!(Scan::new(text, 0).line(), Err(Unreadable), "{text}");
        }
        for open in [
            "$(", "(", "${a:-", "\"$(", "@(a|", "<(", "$((", "time ", "\"${a:-",
        ] {
            assert_eq!(Scan::new(&deep(open), 0).line(), Err(Unreadable), "{open}");
        }
    }

    #[test]
    fn everyday_lines_are_closed() {
        for text in [
            "git commit -m \"$(cat <<'EOF'\nit's (done\nEOF\n)\"",
            "for f in *; do echo \"${f%.txt}\"; done # it's",
            "case $x in a) b;; *) c;; esac",
            "[[ $x =~ ^(a|b)$ ]] && echo $((1<<2))",
            "((i<<2)); a=(1 2); f() { :; }",
            "cat <<A <<B\n'\nA\n\"\nB\necho x",
        ] {
            assert!(Scan::new(text, 0).line().is_ok(), "{text}");
        }
    }
}
