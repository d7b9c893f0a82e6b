//! The grammar of a shell: from a text to a tree, in one pass. What it does not know is an error, and the text is unknown.

mod compound;
mod pieces;
mod redirects;

use pieces::LexMode;
pub(super) use pieces::is_whole;
use redirects::PendingHeredoc;

use super::lists;
use super::tree::{
    AssignedValue, Assignment, ChainOperator, List, Node, RawWord, Redirect, SimpleCommand,
    Statement, WordPiece,
};

/// What cannot be read, so that the whole text is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParseFailure;

/// Something that was read, or that the text cannot be read.
pub(super) type Parse<T> = Result<T, ParseFailure>;

/// How deep commands, substitutions and quotes may be nested.
const DEPTH: usize = 30;
/// How often each letter may be looked at: some constructs are tried in two ways, one inside the other.
const LOOKS: usize = 100;

/// Words that are no program where a command begins, unless they are quoted.
const RESERVED: &str = "! { } if then elif else fi case esac for while until do done select \
    function coproc [[ ]] in";
/// Those of them that end a list of commands.
const CLOSING: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];
/// Commands whose operands may be assignments.
const DECLARING: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// A reader of one text.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    deepest: usize,
    /// How many letters may still be looked at.
    fuel: usize,
    pending: Vec<PendingHeredoc>,
}

/// Reads a text of commands; returns how deep it is nested too.
pub(super) fn line(text: &str) -> Parse<(List, usize)> {
    let mut parser = Parser::new(text, 0);
    let list = parser.whole()?;
    Ok((list, parser.deepest))
}

/// Reads a text of commands that stands this deep in others.
pub(super) fn script(text: &str, depth: usize) -> Parse<List> {
    Parser::new(text, depth).whole()
}

/// Reads a text as arithmetic.
pub(super) fn number(text: &str) -> Parse<RawWord> {
    Parser::new(text, 0).up_to_end(LexMode::Number)
}

/// Tells whether a letter may stand in the name of a variable.
pub(super) fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The length of the name of a variable with which a text begins.
fn name_length(text: &str) -> usize {
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return 0;
    }
    text.find(|letter| !is_name(letter)).unwrap_or(text.len())
}

/// The text of a word that is one bare text.
pub(super) fn bare(raw: &RawWord) -> Option<&str> {
    match &**raw {
        [WordPiece::Bare(text)] => Some(text),
        _ => None,
    }
}

/// The one piece that is all of a word, in quotes or not.
pub(super) fn only(raw: &[WordPiece]) -> Option<&WordPiece> {
    let is_quote = |piece: &&WordPiece| matches!(piece, WordPiece::Quoted(text) if text.is_empty());
    let mut pieces = raw.iter().filter(|piece| !is_quote(piece));
    pieces.next().filter(|_| pieces.next().is_none())
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth,
            deepest: depth,
            fuel: text.len().saturating_mul(LOOKS) + LOOKS,
            pending: Vec::new(),
        }
    }

    /// Reads all of the text as commands.
    fn whole(&mut self) -> Parse<List> {
        if self.text.contains('\0') {
            return Err(ParseFailure);
        }
        let list = self.list()?;
        self.documents()?;
        if self.at < self.text.len() {
            return Err(ParseFailure);
        }
        Ok(list)
    }

    /// A reader of another text, which stands in this one.
    fn inner<'b>(&self, text: &'b str) -> Parser<'b> {
        Parser {
            fuel: self.fuel,
            ..Parser::new(text, self.depth)
        }
    }

    /// Goes on behind the text of another reader.
    fn resume(&mut self, inner: &Parser<'_>) {
        self.fuel = inner.fuel;
        self.deepest = self.deepest.max(inner.deepest);
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes a text, if it stands here.
    fn eat(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    fn spend(&mut self) -> Parse<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(ParseFailure)?;
        Ok(())
    }

    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > DEPTH {
            return Err(ParseFailure);
        }
        self.spend()
    }

    /// Passes blanks, comments and the ends of lines that go on.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.eat("\\\n") => {}
                Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// Passes blanks and ends of lines.
    fn newlines(&mut self) -> Parse<()> {
        self.blanks();
        while self.eat("\n") {
            self.documents()?;
            self.blanks();
        }
        Ok(())
    }

    /// Tells whether a word of the grammar stands here.
    fn is_at(&self, word: &str) -> bool {
        let rest = self.rest().strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(ends_word))
    }

    /// Passes a word of the grammar, if it stands here.
    fn keyword(&mut self, word: &str) -> bool {
        let is_here = self.is_at(word);
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    fn expect(&mut self, word: &str) -> Parse<()> {
        self.newlines()?;
        self.keyword(word).then_some(()).ok_or(ParseFailure)
    }

    /// Reads commands up to what ends a list.
    fn list(&mut self) -> Parse<List> {
        let mut steps = Vec::new();
        loop {
            self.newlines()?;
            let rest = self.rest();
            let ends = rest.is_empty() || rest.starts_with(')') || ends_case(rest);
            if ends || CLOSING.iter().any(|word| self.is_at(word)) {
                return Ok(List(steps));
            }
            let mut step = self.chain()?;
            self.blanks();
            let rest = self.rest();
            if rest.starts_with('&') {
                self.at += 1;
                step.background = true;
            } else if rest.starts_with(';') && !ends_case(rest) {
                self.at += 1;
            } else if !(rest.is_empty() || rest.starts_with(['\n', ')', ';'])) {
                return Err(ParseFailure);
            }
            steps.push(step);
        }
    }

    /// Reads pipelines with `&&` and `||` between them.
    fn chain(&mut self) -> Parse<Statement> {
        let first = self.pipe()?;
        let at = first.at;
        let mut steps = vec![(ChainOperator::First, first)];
        loop {
            self.blanks();
            let link = if self.eat("&&") {
                ChainOperator::And
            } else if self.eat("||") {
                ChainOperator::Or
            } else {
                break;
            };
            self.newlines()?;
            steps.push((link, self.pipe()?));
        }
        match (steps.pop(), steps.is_empty()) {
            (Some((_, only)), true) => Ok(only),
            (last, _) => {
                steps.extend(last);
                Ok(Statement::of(Node::Chain(steps), at))
            }
        }
    }

    fn pipe(&mut self) -> Parse<Statement> {
        self.blanks();
        let at = self.at;
        let (mut is_negated, mut is_timed) = (false, false);
        loop {
            self.spend()?;
            if self.keyword("!") {
                is_negated = !is_negated;
            } else if self.keyword("time") {
                is_timed = true;
                self.blanks();
                self.keyword("-p");
            } else {
                break;
            }
            self.blanks();
        }
        let is_empty = self.rest().is_empty() || self.rest().starts_with(['\n', ';', '&', ')']);
        let mut step = if (is_negated || is_timed) && is_empty {
            Statement::of(Node::Group(List::default()), at)
        } else {
            self.piped(at)?
        };
        if is_timed {
            step = Statement::of(Node::Group(List(vec![step])), at);
        }
        step.negated = is_negated;
        Ok(step)
    }

    /// Reads commands with `|` between them.
    fn piped(&mut self, at: usize) -> Parse<Statement> {
        let mut steps = vec![self.command()?];
        loop {
            self.blanks();
            if self.rest().starts_with("||") {
                break;
            }
            if self.eat("|&") {
                // `|&` is `2>&1 |`.
                let last = steps.last_mut().ok_or(ParseFailure)?;
                last.redirects.push(Redirect::of_errors());
            } else if !self.eat("|") {
                break;
            }
            self.newlines()?;
            steps.push(self.command()?);
        }
        match (steps.pop(), steps.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => {
                steps.extend(last);
                Ok(Statement::of(Node::Pipe(steps), at))
            }
        }
    }

    fn command(&mut self) -> Parse<Statement> {
        self.enter()?;
        let at = self.at;
        let mut step = match self.compound()? {
            Some(node) => Statement::of(node, at),
            None => self.simple(at)?,
        };
        loop {
            self.blanks();
            let Some(redirect) = self.redirect()? else {
                break;
            };
            step.redirects.push(redirect);
        }
        self.depth -= 1;
        Ok(step)
    }

    /// Reads assignments, words and redirections, or the definition of a function.
    fn simple(&mut self, at: usize) -> Parse<Statement> {
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let name = simple.words.first().map(bare);
            let declares = name.flatten().is_some_and(|name| DECLARING.contains(&name));
            if (name.is_none() || declares)
                && let Some(assigned) = self.assignment()?
            {
                let list = if declares {
                    &mut simple.declared
                } else {
                    &mut simple.assigned
                };
                list.push(assigned);
                continue;
            }
            let Some(word) = self.word()? else { break };
            if name.is_none() {
                let name = bare(&word).unwrap_or_default();
                if lists(RESERVED, name) {
                    return Err(ParseFailure);
                }
                self.blanks();
                if self.peek() == Some(b'(') {
                    let is_alone = simple.assigned.is_empty() && redirects.is_empty();
                    let name = Some(name).filter(|_| is_alone).ok_or(ParseFailure)?;
                    return Ok(Statement::of(self.function(name)?, at));
                }
            }
            simple.words.push(word);
        }
        if simple == SimpleCommand::default() && redirects.is_empty() {
            return Err(ParseFailure);
        }
        let mut step = Statement::of(Node::Simple(simple), at);
        step.redirects = redirects;
        Ok(step)
    }

    /// Reads `name=value`, `name[index]+=value` or `name=(…)`, if one stands here.
    fn assignment(&mut self) -> Parse<Option<Assignment>> {
        let begin = self.at;
        let name = self.rest().get(..name_length(self.rest()));
        let name = name.unwrap_or_default().to_owned();
        self.at += name.len();
        if name.is_empty() || !self.rest().starts_with(['=', '+', '[']) {
            self.at = begin;
            return Ok(None);
        }
        let subscript = self.key()?;
        let append = self.eat("+=");
        if !append && !self.eat("=") {
            self.at = begin;
            return Ok(None);
        }
        let value = if self.peek() == Some(b'(') {
            self.array()?
        } else {
            AssignedValue::Scalar(self.word()?.unwrap_or_default())
        };
        Ok(Some(Assignment {
            name,
            subscript,
            value,
            append,
        }))
    }

    /// Reads `[…]`, if it stands here.
    fn key(&mut self) -> Parse<Option<RawWord>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let key = self.number(b'[', b']')?;
        self.at += 1;
        Ok(Some(key))
    }

    fn array(&mut self) -> Parse<AssignedValue> {
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.eat(")") {
                return Ok(AssignedValue::Array(words));
            }
            // `[subscript]=value` is evaluated in a way of its own.
            if self.peek() == Some(b'[') {
                return Err(ParseFailure);
            }
            words.push(self.word()?.ok_or(ParseFailure)?);
        }
    }
}

/// Tells whether a text begins with what ends an arm of `case`.
fn ends_case(text: &str) -> bool {
    text.starts_with(";;") || text.starts_with(";&")
}

/// Tells whether a letter outside of quotes ends a word.
fn ends_word(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
    )
}

#[cfg(test)]
mod tests;
