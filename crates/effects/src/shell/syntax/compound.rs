//! Compound commands: groups, branches, loops, `case`, `[[`, arithmetic and functions.

use std::rc::Rc;

use super::super::tree::{List, Node, RawWord};
use super::{Parse, ParseFailure, Parser, bare, ends_case, name_length};

/// Words that begin a compound command.
const BEGINNING: &[&str] = &[
    "{", "if", "while", "until", "for", "case", "[[", "function", "select", "coproc",
];
/// Operators of `[[` that compare numbers.
const COMPARING: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Parser<'_> {
    /// Reads a compound command, if one stands here.
    pub(super) fn compound(&mut self) -> Parse<Option<Node>> {
        if self.eat("((") {
            if let Some(text) = self.arithmetic()? {
                return Ok(Some(Node::Arithmetic(text)));
            }
            self.at -= 2;
        }
        if self.eat("(") {
            let list = self.list()?;
            let node = Node::Subshell(list);
            return self.eat(")").then_some(Some(node)).ok_or(ParseFailure);
        }
        let Some(word) = BEGINNING.iter().find(|word| self.keyword(word)) else {
            return Ok(None);
        };
        let node = match *word {
            "{" => Node::Group(self.list_to("}")?),
            "if" => self.branches()?,
            "while" | "until" => Node::While {
                condition: self.list()?,
                body: self.body()?,
                until: *word == "until",
            },
            "for" => self.for_loop()?,
            "case" => self.case()?,
            "[[" => self.test()?,
            "function" => {
                self.blanks();
                let word = self.word()?.ok_or(ParseFailure)?;
                self.blanks();
                self.function(bare(&word).unwrap_or_default())?
            }
            _ => return Err(ParseFailure),
        };
        Ok(Some(node))
    }

    fn list_to(&mut self, word: &str) -> Parse<List> {
        let list = self.list()?;
        self.expect(word)?;
        Ok(list)
    }

    /// Reads the body of a function, from the place behind its name.
    pub(super) fn function(&mut self, name: &str) -> Parse<Node> {
        if self.eat("(") {
            self.blanks();
            if !self.eat(")") {
                return Err(ParseFailure);
            }
        }
        if name.is_empty() {
            return Err(ParseFailure);
        }
        self.newlines()?;
        Ok(Node::Function {
            name: name.to_owned(),
            body: Rc::new(self.command()?),
        })
    }

    fn branches(&mut self) -> Parse<Node> {
        let mut arms = Vec::new();
        loop {
            let condition = self.list_to("then")?;
            arms.push((condition, self.list()?));
            self.newlines()?;
            if self.keyword("elif") {
                continue;
            }
            let mut otherwise = None;
            if self.keyword("else") {
                otherwise = Some(self.list()?);
            }
            self.expect("fi")?;
            return Ok(Node::If { arms, otherwise });
        }
    }

    fn body(&mut self) -> Parse<List> {
        self.expect("do")?;
        self.list_to("done")
    }

    fn for_loop(&mut self) -> Parse<Node> {
        self.blanks();
        if self.eat("((") {
            let text = self.arithmetic()?.ok_or(ParseFailure)?;
            self.blanks();
            self.eat(";");
            let body = self.body()?;
            return Ok(Node::Count { text, body });
        }
        let name = self.rest().get(..name_length(self.rest()));
        let name = name.filter(|name| !name.is_empty()).ok_or(ParseFailure)?;
        self.at += name.len();
        let name = name.to_owned();
        self.newlines()?;
        let mut words = None;
        if self.keyword("in") {
            let all = words.insert(Vec::new());
            self.blanks();
            while let Some(word) = self.word()? {
                all.push(word);
                self.blanks();
            }
        }
        if self.rest().starts_with(';') && !ends_case(self.rest()) {
            self.at += 1;
        }
        let body = self.body()?;
        Ok(Node::For { name, words, body })
    }

    fn case(&mut self) -> Parse<Node> {
        self.blanks();
        let word = self.word()?.ok_or(ParseFailure)?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.keyword("esac") {
                return Ok(Node::Case { word, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or(ParseFailure)?);
                self.blanks();
                if self.eat(")") {
                    break;
                }
                if !self.eat("|") {
                    return Err(ParseFailure);
                }
            }
            arms.push((patterns, self.list()?));
            let is_ended = [";;&", ";;", ";&"].iter().any(|end| self.eat(end));
            if !is_ended && !self.is_at("esac") {
                return Err(ParseFailure);
            }
        }
    }

    /// Reads the words up to `]]`. An empty word stands for an operator between them.
    fn test(&mut self) -> Parse<Node> {
        let mut words: Vec<RawWord> = Vec::new();
        loop {
            self.newlines()?;
            if self.keyword("]]") {
                return Ok(tested(&words));
            }
            let is_process = self.rest().starts_with("<(") || self.rest().starts_with(">(");
            let last = words.last().and_then(bare);
            if last == Some("=~") {
                let word = self.regex()?;
                words.push(word);
            } else if !is_process
                && ["&&", "||", "(", ")", "<", ">"]
                    .iter()
                    .any(|it| self.eat(it))
            {
                words.push(RawWord::new());
            } else {
                words.push(self.word()?.ok_or(ParseFailure)?);
            }
        }
    }
}

/// Divides the words of a `[[` into those that are arithmetic, those that are names, and the others.
fn tested(all: &[RawWord]) -> Node {
    let is = |word: Option<&RawWord>, wanted: &[&str]| {
        word.and_then(bare)
            .is_some_and(|text| wanted.contains(&text))
    };
    let (mut words, mut numbers, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (at, word) in all.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        if is(before, COMPARING) || is(all.get(at + 1), COMPARING) {
            numbers.push(word.clone());
        } else if is(before, &["-v", "-R"]) {
            names.push(word.clone());
        } else {
            words.push(word.clone());
        }
    }
    Node::Test {
        words,
        numbers,
        names,
    }
}
