//! The one place that knows the parser: text to a tree of our own.
//!
//! The parser says where commands, words and redirections stand. What a word holds is read from its text again (`lex`), and
//! each substitution is parsed from its own text, because a parser that takes a nested text for inert would hide a program.

mod joined;

use std::rc::Rc;

use shuck_ast::{self as ast, Span};
use shuck_parser::parser::Parser;

use super::lex::{Mode, pieces};
use super::scan::{Found, Scan, Unreadable};
use super::tree::{Assigned, Given, List, Node, Piece, Raw, Redirect, Simple, Step, Way};

/// Reads a text of commands that stands this deep in others.
pub(super) fn script(text: &str, depth: usize) -> Found<List> {
    if text.trim().is_empty() {
        return Ok(List::default());
    }
    Scan::new(text, depth).line()?;
    scanned(text, depth)
}

/// Reads a text that was looked through already.
pub(super) fn scanned(text: &str, depth: usize) -> Found<List> {
    tree(text, |body| Lower { text, depth }.list(body))
}

/// Asks the parser for a text that is closed and not too deep, and makes something of its tree.
pub(super) fn tree<T>(text: &str, make: impl FnOnce(&ast::StmtSeq) -> Found<T>) -> Found<T> {
    // The parser fills in aliases itself, so that its places are no places of the text. This reader follows them, so the
    // parser does not hear of them.
    let unheard = text.replace("expand_aliases", "expand-aliases");
    let parsed = Parser::new(&unheard).parse();
    if !parsed.is_ok() {
        return Err(Unreadable);
    }
    make(&parsed.file.body)
}

/// Turns what the parser says about a text into a tree of our own.
#[derive(Clone, Copy)]
struct Lower<'a> {
    text: &'a str,
    depth: usize,
}

/// Words that are no program unless they are quoted: the parser took a construct for a command.
pub(super) const RESERVED: &[&str] = &[
    "!", "{", "}", "time", "if", "then", "elif", "else", "fi", "case", "esac", "for", "while",
    "until", "do", "done", "select", "function", "coproc", "[[", "]]", "in",
];

impl<'a> Lower<'a> {
    fn slice(self, span: Span) -> Found<&'a str> {
        let (from, to) = (span.start.offset(), span.end.offset());
        self.text.get(from..to).ok_or(Unreadable)
    }

    fn raw(self, span: Span, mode: Mode) -> Found<Raw> {
        pieces(self.slice(span)?, mode, self.depth)
    }

    fn word(self, word: &ast::Word) -> Found<Raw> {
        self.raw(word.span, Mode::Bare)
    }

    fn words<'w>(self, words: impl IntoIterator<Item = &'w ast::Word>) -> Found<Vec<Raw>> {
        words.into_iter().map(|word| self.word(word)).collect()
    }

    fn list(self, body: &ast::StmtSeq) -> Found<List> {
        let steps = body.stmts.iter().map(|step| self.step(step));
        steps.collect::<Found<_>>().map(List)
    }

    fn step(self, step: &ast::Stmt) -> Found<Step> {
        let mut redirects = Vec::new();
        for redirect in &step.redirects {
            redirects.push(self.redirect(redirect)?);
        }
        Ok(Step {
            node: self.node(&step.command)?,
            redirects,
            background: matches!(step.terminator, Some(ast::StmtTerminator::Background(_))),
            negated: step.negated,
        })
    }

    fn node(self, command: &ast::Command) -> Found<Node> {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Builtin(builtin) => self.builtin(builtin),
            ast::Command::Decl(declared) => self.declared(declared),
            ast::Command::Binary(binary) => match binary.op {
                ast::BinaryOp::And | ast::BinaryOp::Or => self.chain(binary),
                ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll => self.pipe(binary),
            },
            ast::Command::Compound(compound) => self.compound(compound),
            ast::Command::Function(function) => {
                let mut names = function.header.static_names();
                let (Some(name), None) = (names.next(), names.next()) else {
                    return Err(Unreadable);
                };
                Ok(Node::Function {
                    name: name.to_string(),
                    body: Rc::new(self.step(&function.body)?),
                })
            }
            ast::Command::AnonymousFunction(_) => Err(Unreadable),
        }
    }

    fn simple(self, simple: &ast::SimpleCommand) -> Found<Node> {
        let name = self.slice(simple.name.span)?;
        if RESERVED.contains(&name.trim()) {
            return Err(Unreadable);
        }
        // Assignments alone have a name without letters.
        let mut words = Vec::new();
        let empty = |part: &ast::WordPartNode| matches!(&part.kind, ast::WordPart::Literal(text) if text.is_empty());
        if !simple.name.parts.iter().all(empty) {
            words.push(self.word(&simple.name)?);
        } else if !simple.args.is_empty() {
            return Err(Unreadable);
        }
        words.extend(self.words(&simple.args)?);
        Ok(Node::Simple(Simple {
            assigned: self.assignments(&simple.assignments)?,
            words,
            declared: Vec::new(),
        }))
    }

    fn builtin(self, builtin: &ast::BuiltinCommand) -> Found<Node> {
        let (name, first, more, assigned) = match builtin {
            ast::BuiltinCommand::Break(it) => ("break", &it.depth, &it.extra_args, &it.assignments),
            ast::BuiltinCommand::Continue(it) => {
                ("continue", &it.depth, &it.extra_args, &it.assignments)
            }
            ast::BuiltinCommand::Return(it) => {
                ("return", &it.code, &it.extra_args, &it.assignments)
            }
            ast::BuiltinCommand::Exit(it) => ("exit", &it.code, &it.extra_args, &it.assignments),
        };
        let mut words = pieces(name, Mode::Bare, self.depth).map(|name| vec![name])?;
        words.extend(self.words(first.iter().chain(more))?);
        Ok(Node::Simple(Simple {
            assigned: self.assignments(assigned)?,
            words,
            declared: Vec::new(),
        }))
    }

    fn declared(self, clause: &ast::DeclClause) -> Found<Node> {
        let mut words = vec![self.raw(clause.variant_span, Mode::Bare)?];
        let mut declared = Vec::new();
        for operand in &clause.operands {
            match operand {
                ast::DeclOperand::Flag(word) | ast::DeclOperand::Dynamic(word) => {
                    words.push(self.word(word)?);
                }
                ast::DeclOperand::Name(name) => words.push(self.raw(name.span, Mode::Bare)?),
                ast::DeclOperand::Assignment(assignment) => {
                    declared.push(self.assignment(assignment)?);
                }
            }
        }
        Ok(Node::Simple(Simple {
            assigned: self.assignments(&clause.assignments)?,
            words,
            declared,
        }))
    }

    fn assignments(self, assignments: &[ast::Assignment]) -> Found<Vec<Assigned>> {
        let each = assignments.iter();
        each.map(|assignment| self.assignment(assignment)).collect()
    }

    fn assignment(self, assignment: &ast::Assignment) -> Found<Assigned> {
        let whole = self.slice(assignment.span)?;
        let name = assignment.target.name.to_string();
        let rest = whole.strip_prefix(&*name).ok_or(Unreadable)?;
        let (subscript, rest) = match rest.strip_prefix('[') {
            None => (None, rest),
            Some(inside) => {
                let end = Scan::new(inside, self.depth).bracket(0)?;
                let (text, rest) = inside.split_at_checked(end).ok_or(Unreadable)?;
                let text = text.strip_suffix(']').ok_or(Unreadable)?;
                (Some(pieces(text, Mode::Number, self.depth)?), rest)
            }
        };
        let append = rest.starts_with("+=");
        let value = rest.strip_prefix("+=").or_else(|| rest.strip_prefix('='));
        let value = value.ok_or(Unreadable)?;
        let value = match &assignment.value {
            ast::AssignmentValue::Scalar(_) => {
                Given::Scalar(pieces(value, Mode::Bare, self.depth)?)
            }
            ast::AssignmentValue::Compound(array) => self.array(array, value)?,
        };
        Ok(Assigned {
            name,
            subscript,
            value,
            append,
        })
    }

    fn array(self, array: &ast::ArrayExpr, text: &str) -> Found<Given> {
        let inside = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        let inside = inside.ok_or(Unreadable)?;
        if array.elements.is_empty() && !inside.trim().is_empty() {
            return Err(Unreadable);
        }
        let (mut keys, mut words) = (Vec::new(), Vec::new());
        for element in &array.elements {
            words.push(self.word(&element.value().word)?);
            match element {
                ast::ArrayElem::Sequential(_) => {}
                ast::ArrayElem::Keyed { key, .. } | ast::ArrayElem::KeyedAppend { key, .. } => {
                    keys.push(self.raw(key.span(), Mode::Number)?);
                }
            }
        }
        Ok(Given::Array { keys, words })
    }

    fn redirect(self, redirect: &ast::Redirect) -> Found<Redirect> {
        let way = match redirect.kind {
            ast::RedirectKind::Output | ast::RedirectKind::Clobber => Way::Write,
            ast::RedirectKind::Append => Way::Append,
            ast::RedirectKind::Input => Way::Read,
            ast::RedirectKind::ReadWrite => Way::ReadWrite,
            ast::RedirectKind::HereDoc | ast::RedirectKind::HereDocStrip => Way::Document,
            ast::RedirectKind::HereString => Way::Text,
            ast::RedirectKind::DupOutput => Way::CopyOut,
            ast::RedirectKind::DupInput => Way::CopyIn,
            ast::RedirectKind::OutputBoth => Way::Both,
        };
        let target = match &redirect.target {
            // `2>&1` and `3<&0`, also the second half of `&>>`: the parser makes the word up.
            ast::RedirectTarget::Word(word)
                if word.span.start.offset() == word.span.end.offset() =>
            {
                let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
                let number = word.try_static_text("");
                let number = number.filter(|text| &**text == "-" || is_number(text));
                let (Way::CopyOut | Way::CopyIn, Some(number)) = (way, number) else {
                    return Err(Unreadable);
                };
                vec![Piece::Bare(number.into_owned())]
            }
            ast::RedirectTarget::Word(word) => self.word(word)?,
            ast::RedirectTarget::Heredoc(document) => self.document(document)?,
        };
        // `{v}>x` opens a descriptor of its own.
        let descriptor = match &redirect.fd_var {
            Some(_) => Some(10),
            None => redirect.fd,
        };
        Ok(Redirect {
            descriptor,
            kind: way,
            target,
        })
    }

    fn document(self, document: &ast::Heredoc) -> Found<Raw> {
        let body = self.slice(document.body.span)?;
        let lines = body.split_inclusive('\n');
        let body = if document.delimiter.strip_tabs {
            lines.map(|line| line.trim_start_matches('\t')).collect()
        } else {
            body.to_owned()
        };
        if document.delimiter.expands_body {
            pieces(&body, Mode::Document, self.depth + 1)
        } else {
            Ok(vec![Piece::Quoted(body)])
        }
    }

    fn compound(self, compound: &ast::CompoundCommand) -> Found<Node> {
        use ast::CompoundCommand as Compound;
        Ok(match compound {
            Compound::If(it) => self.branches(it)?,
            Compound::For(it) => self.each(it)?,
            Compound::Select(it) => Node::For {
                name: it.variable.to_string(),
                words: Some(self.words(&it.words)?),
                body: self.list(&it.body)?,
                select: true,
            },
            Compound::ArithmeticFor(it) => {
                let spans = [it.init_span, it.condition_span, it.step_span];
                let text = spans.into_iter().flatten();
                Node::Count {
                    text: text
                        .map(|span| self.raw(span, Mode::Number))
                        .collect::<Found<_>>()?,
                    body: self.list(&it.body)?,
                }
            }
            Compound::While(it) => Node::While {
                condition: self.list(&it.condition)?,
                body: self.list(&it.body)?,
                until: false,
            },
            Compound::Until(it) => Node::While {
                condition: self.list(&it.condition)?,
                body: self.list(&it.body)?,
                until: true,
            },
            Compound::Case(it) => self.case(it)?,
            Compound::Subshell(body) => Node::Subshell(self.list(body)?),
            Compound::BraceGroup(body) => Node::Group(self.list(body)?),
            Compound::Arithmetic(it) => self.arithmetic(it)?,
            Compound::Time(it) => {
                let step = it.command.iter().map(|step| self.step(step));
                Node::Group(List(step.collect::<Found<_>>()?))
            }
            Compound::Conditional(it) => {
                let mut test = Tested::default();
                self.test(&it.expression, Role::Word, &mut test)?;
                let [words, numbers, names] = [test.words, test.numbers, test.names];
                Node::Test {
                    words,
                    numbers,
                    names,
                }
            }
            Compound::Coproc(it) => Node::Coproc(Box::new(self.step(&it.body)?)),
            Compound::Repeat(_) | Compound::Foreach(_) | Compound::Always(_) => {
                return Err(Unreadable);
            }
        })
    }

    /// The parser takes two groups of commands for one arithmetic where the text ends with `))`, and then counts one letter too
    /// many. The shell looks for the end of the inner bracket.
    fn arithmetic(self, it: &ast::ArithmeticCommand) -> Found<Node> {
        let (from, closed) = (it.span.start.offset(), it.right_paren_span.start.offset());
        let text = self.text.get(from..).ok_or(Unreadable)?;
        let mut scan = Scan::new(text, self.depth);
        let is_at =
            |end: usize, there: usize| (from + end == there).then_some(()).ok_or(Unreadable);
        if let Some(end) = scan.arithmetic(2)? {
            is_at(end, closed + 2)?;
            let text = it.expr_span.map(|span| self.raw(span, Mode::Number));
            return Ok(Node::Arithmetic(text.transpose()?.unwrap_or_default()));
        }
        let end = scan.nested(1)?;
        is_at(end, closed + 1)?;
        let inside = text.get(1..end - 1).ok_or(Unreadable)?;
        Ok(Node::Subshell(script(inside, self.depth + 1)?))
    }

    fn branches(self, it: &ast::IfCommand) -> Found<Node> {
        let mut arms = vec![(self.list(&it.condition)?, self.list(&it.then_branch)?)];
        for (condition, body) in &it.elif_branches {
            arms.push((self.list(condition)?, self.list(body)?));
        }
        let otherwise = it.else_branch.as_ref().map(|body| self.list(body));
        Ok(Node::If {
            arms,
            otherwise: otherwise.transpose()?,
        })
    }

    fn each(self, it: &ast::ForCommand) -> Found<Node> {
        let [target] = &*it.targets else {
            return Err(Unreadable);
        };
        let name = target.name.as_ref().ok_or(Unreadable)?;
        let words = it.words.as_ref().map(|words| self.words(words));
        Ok(Node::For {
            name: name.to_string(),
            words: words.transpose()?,
            body: self.list(&it.body)?,
            select: false,
        })
    }

    fn case(self, it: &ast::CaseCommand) -> Found<Node> {
        let mut arms = Vec::new();
        for arm in &it.cases {
            let patterns = arm.patterns.iter();
            let patterns = patterns.map(|pattern| self.raw(pattern.span, Mode::Pattern));
            arms.push((patterns.collect::<Found<_>>()?, self.list(&arm.body)?));
        }
        Ok(Node::Case {
            word: self.word(&it.word)?,
            arms,
        })
    }

    /// Collects the words of a `[[ … ]]`.
    fn test(self, test: &ast::ConditionalExpr, role: Role, into: &mut Tested) -> Found<()> {
        use ast::ConditionalBinaryOp as Two;
        use ast::ConditionalExpr as Test;
        use ast::ConditionalUnaryOp as One;
        match test {
            Test::Binary(it) => {
                let role = match it.op {
                    Two::ArithmeticEq
                    | Two::ArithmeticNe
                    | Two::ArithmeticLe
                    | Two::ArithmeticGe
                    | Two::ArithmeticLt
                    | Two::ArithmeticGt => Role::Number,
                    _ => Role::Word,
                };
                self.test(&it.left, role, into)?;
                self.test(&it.right, role, into)
            }
            Test::Unary(it) => {
                let role = match it.op {
                    One::VariableSet | One::ReferenceVariable => Role::Name,
                    _ => Role::Word,
                };
                self.test(&it.expr, role, into)
            }
            Test::Parenthesized(it) => self.test(&it.expr, role, into),
            Test::Word(_) | Test::Regex(_) | Test::Pattern(_) | Test::VarRef(_) => {
                let raw = self.raw(test.span(), Mode::Pattern)?;
                match role {
                    Role::Word => into.words.push(raw),
                    Role::Number => into.numbers.push(raw),
                    Role::Name => into.names.push(raw),
                }
                Ok(())
            }
        }
    }
}

/// What a word of a `[[ … ]]` is.
#[derive(Debug, Clone, Copy)]
enum Role {
    Word,
    Number,
    Name,
}

/// The words of a `[[ … ]]`, by what they are.
#[derive(Debug, Default)]
struct Tested {
    words: Vec<Raw>,
    numbers: Vec<Raw>,
    names: Vec<Raw>,
}
