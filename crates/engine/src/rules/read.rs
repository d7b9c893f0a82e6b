//! Reading the common forms. What is none of them is left to the general language; what no language could mean is an
//! error with its place.

use std::ops::Range;

use serde_json::Value;

use super::WhenError;
use super::ast::{Expr, Function, Method, Node, Op, Term};
use super::lexer::{Token, words};

/// The deepest nesting.
const DEEPEST: usize = 64;

/// Words that are no names: of the language, and reserved by it.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "namespace",
    "package",
    "return",
    "var",
    "void",
    "while",
];

/// Words that are no names of fields either.
const WORDS: &[&str] = &["false", "in", "null", "true"];

/// Names of types, which are values of the general language.
const TYPES: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "dyn",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];

/// Why a text is none of the common forms.
pub(super) enum Trouble {
    /// Nothing could be meant by it.
    Wrong(WhenError),
    /// Perhaps the general language knows it; without that it is this error.
    #[cfg_attr(
        feature = "cel",
        expect(dead_code, reason = "without the general language it is the answer")
    )]
    Other(WhenError),
}

/// Reads a whole text.
pub(super) fn expression(text: &str) -> Result<Expr, Trouble> {
    let mut reader = Reader {
        words: words(text),
        at: 0,
        depth: 0,
        end: text.len(),
    };
    if reader.words.is_empty() {
        return Err(Trouble::Wrong(WhenError::new(
            "the expression is empty",
            0..text.len(),
        )));
    }
    let expr = reader.any()?;
    match reader.words.get(reader.at) {
        None => Ok(expr),
        Some(_) => Err(reader.other()),
    }
}

struct Reader {
    words: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
    end: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.words.get(self.at).map(|(token, _)| token)
    }

    fn place(&self) -> Range<usize> {
        let place = self.words.get(self.at).map(|(_, at)| at.clone());
        place.unwrap_or(self.end..self.end)
    }

    /// The end of what was read last.
    fn behind(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|at| self.words.get(at));
        last.map_or(0, |(_, at)| at.end)
    }

    fn other(&self) -> Trouble {
        let what = match self.peek() {
            None => "the expression ends too early".to_owned(),
            Some(_) => "this is none of the forms that `when` knows".to_owned(),
        };
        Trouble::Other(WhenError::new(what, self.place()))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        if is_it {
            self.at += 1;
        }
        is_it
    }

    fn needs(&mut self, sign: &str) -> Result<(), Trouble> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.other())
        }
    }

    fn any(&mut self) -> Result<Expr, Trouble> {
        self.joined("||", Self::all, Node::Any)
    }

    fn all(&mut self) -> Result<Expr, Trouble> {
        self.joined("&&", Self::one, Node::All)
    }

    fn joined(
        &mut self,
        sign: &str,
        part: fn(&mut Self) -> Result<Expr, Trouble>,
        node: fn(Vec<Expr>) -> Node,
    ) -> Result<Expr, Trouble> {
        let begin = self.place().start;
        let first = part(self)?;
        let mut parts = vec![first];
        while self.takes(sign) {
            parts.push(part(self)?);
        }
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return Ok(only);
        }
        Ok(Expr {
            node: node(parts),
            at: begin..self.behind(),
        })
    }

    fn one(&mut self) -> Result<Expr, Trouble> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let what = format!("the expression is nested more than {DEEPEST} deep");
            return Err(Trouble::Wrong(WhenError::new(what, self.place())));
        }
        let begin = self.place().start;
        let read = if self.takes("!") {
            Node::Not(Box::new(self.negated()?))
        } else if self.takes("(") {
            let inner = self.any()?;
            self.needs(")")?;
            self.depth -= 1;
            return Ok(inner);
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(Expr {
            node: read,
            at: begin..self.behind(),
        })
    }

    /// Reads what a `!` is about: it binds closer than a comparison, so `!a == b` is none of these forms.
    fn negated(&mut self) -> Result<Expr, Trouble> {
        if matches!(self.peek(), Some(Token::Sign("!" | "("))) {
            return self.one();
        }
        let begin = self.place().start;
        let node = match self.operand()? {
            Operand::Node(node) => node,
            Operand::Term(term) => Node::Truth(term),
        };
        Ok(Expr {
            node,
            at: begin..self.behind(),
        })
    }

    fn comparison(&mut self) -> Result<Node, Trouble> {
        let left = match self.operand()? {
            Operand::Node(node) => return Ok(node),
            Operand::Term(term) => term,
        };
        if matches!(self.peek(), Some(Token::Name(name)) if name == "in") {
            self.at += 1;
            return Ok(Node::In(left, self.list()?));
        }
        let Some(Token::Sign(sign)) = self.peek() else {
            return Ok(Node::Truth(left));
        };
        let op = match *sign {
            "==" => Op::Is,
            "!=" => Op::IsNot,
            "<" => Op::Less,
            "<=" => Op::AtMost,
            ">" => Op::More,
            ">=" => Op::AtLeast,
            _ => return Ok(Node::Truth(left)),
        };
        self.at += 1;
        match self.operand()? {
            Operand::Term(right) => Ok(Node::Compare(left, op, right)),
            Operand::Node(_) => Err(self.other()),
        }
    }

    /// Reads what stands on one side: a literal, a field, or a call.
    fn operand(&mut self) -> Result<Operand, Trouble> {
        if let Some(value) = self.literal() {
            return Ok(Operand::Term(Term::Literal(value)));
        }
        let at = self.place();
        let Some(Token::Name(name)) = self.peek() else {
            return Err(self.other());
        };
        if [RESERVED, WORDS, TYPES]
            .iter()
            .any(|words| words.contains(&&**name))
        {
            return Err(self.other());
        }
        let name = name.clone();
        self.at += 1;
        if self.takes("(") {
            return self.call(&name);
        }
        self.path(name, at)
    }

    /// Reads what stands behind a first name: fields, and a method at the end.
    fn path(&mut self, name: String, at: Range<usize>) -> Result<Operand, Trouble> {
        let mut path = vec![name];
        loop {
            if self.takes("[") {
                let Some(Token::Text(key)) = self.peek() else {
                    return Err(self.other());
                };
                path.push(key.clone());
                self.at += 1;
                self.needs("]")?;
            } else if self.takes(".") {
                let Some(Token::Name(name)) = self.peek() else {
                    return Err(self.other());
                };
                if WORDS.contains(&&**name) {
                    return Err(self.other());
                }
                let name = name.clone();
                self.at += 1;
                if self.takes("(") {
                    return self.method(&name, Term::Field(path, at));
                }
                path.push(name);
            } else {
                return Ok(Operand::Term(Term::Field(path, at)));
            }
        }
    }

    fn method(&mut self, name: &str, term: Term) -> Result<Operand, Trouble> {
        let method = match name {
            "contains" => Method::Contains,
            "startsWith" => Method::StartsWith,
            "endsWith" => Method::EndsWith,
            "glob" => Method::Glob,
            _ => return Err(self.other()),
        };
        let Some(Token::Text(text)) = self.peek() else {
            return Err(self.other());
        };
        let text = text.clone();
        self.at += 1;
        self.needs(")")?;
        Ok(Operand::Node(Node::Text(term, method, text)))
    }

    fn call(&mut self, name: &str) -> Result<Operand, Trouble> {
        if let Some(function) = Function::named(name) {
            let at = self.place();
            let words = self.texts()?;
            if words.is_empty() {
                let what = format!("`{name}` needs at least one text");
                return Err(Trouble::Wrong(WhenError::new(what, at)));
            }
            return Ok(Operand::Node(Node::About(function, words)));
        }
        let at = self.place();
        let Operand::Term(Term::Field(path, _)) = self.operand()? else {
            return Err(self.other());
        };
        // `has(a['b'])` asks about no field.
        let last = self.at.checked_sub(1).and_then(|at| self.words.get(at));
        let is_field = matches!(last, Some((Token::Name(_), _)));
        self.needs(")")?;
        match name {
            "has" if path.len() > 1 && is_field => Ok(Operand::Node(Node::Has(path))),
            "size" => Ok(Operand::Term(Term::Size(path, at))),
            _ => Err(self.other()),
        }
    }

    /// Reads texts up to the closing bracket.
    fn texts(&mut self) -> Result<Vec<String>, Trouble> {
        let mut texts = Vec::new();
        if self.takes(")") {
            return Ok(texts);
        }
        loop {
            let Some(Token::Text(text)) = self.peek() else {
                return Err(self.other());
            };
            texts.push(text.clone());
            self.at += 1;
            if !self.takes(",") {
                self.needs(")")?;
                return Ok(texts);
            }
        }
    }

    fn list(&mut self) -> Result<Vec<Value>, Trouble> {
        self.needs("[")?;
        let mut values = Vec::new();
        loop {
            if self.takes("]") {
                return Ok(values);
            }
            let Some(value) = self.literal() else {
                return Err(self.other());
            };
            values.push(value);
            if !self.takes(",") {
                self.needs("]")?;
                return Ok(values);
            }
        }
    }

    fn literal(&mut self) -> Option<Value> {
        let value = match self.peek()? {
            Token::Text(text) => Value::from(text.as_str()),
            Token::Int(number) => Value::from(*number),
            Token::Float(number) => Value::from(*number),
            Token::Name(word) => match word.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return None,
            },
            Token::Sign(_) | Token::Other => return None,
        };
        self.at += 1;
        Some(value)
    }
}

enum Operand {
    Term(Term),
    Node(Node),
}
