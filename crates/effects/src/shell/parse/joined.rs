//! Commands joined by `&&`, `||` and `|`.

use shuck_ast as ast;

use super::super::lex::{Mode, pieces};
use super::super::scan::{Found, Unreadable};
use super::super::tree::{Link, Node, Redirect, Step};
use super::Lower;

impl Lower<'_> {
    /// A step that stands as it is on the left of an operator, so that a chain can be laid flat.
    fn inner(step: &ast::Stmt) -> Option<&ast::BinaryCommand> {
        match &step.command {
            ast::Command::Binary(binary) if step.redirects.is_empty() && !step.negated => {
                Some(binary)
            }
            _ => None,
        }
    }

    pub(super) fn chain(self, binary: &ast::BinaryCommand) -> Found<Node> {
        let mut steps = Vec::new();
        let mut binary = binary;
        loop {
            let link = match binary.op {
                ast::BinaryOp::And => Link::And,
                _ => Link::Or,
            };
            steps.push((link, self.step(&binary.right)?));
            match Self::inner(&binary.left) {
                Some(left) if matches!(left.op, ast::BinaryOp::And | ast::BinaryOp::Or) => {
                    binary = left;
                }
                _ => break,
            }
        }
        steps.push((Link::First, self.step(&binary.left)?));
        steps.reverse();
        Ok(Node::Chain(steps))
    }

    pub(super) fn pipe(self, binary: &ast::BinaryCommand) -> Found<Node> {
        let mut steps = Vec::new();
        let mut binary = binary;
        let mut with_errors = false;
        let mut add = |mut step: Step, to_next: bool| {
            // `|&` is `2>&1 |`.
            step.redirects.extend(to_next.then(Redirect::of_errors));
            steps.push(step);
        };
        loop {
            add(self.behind_pipe(&binary.right)?, with_errors);
            with_errors = binary.op == ast::BinaryOp::PipeAll;
            match Self::inner(&binary.left) {
                Some(left) if matches!(left.op, ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll) => {
                    binary = left;
                }
                _ => break,
            }
        }
        add(self.step(&binary.left)?, with_errors);
        steps.reverse();
        Ok(Node::Pipe(steps))
    }

    /// Behind a pipe `time` is a program, and no word of the shell.
    fn behind_pipe(self, step: &ast::Stmt) -> Found<Step> {
        let ast::Command::Compound(ast::CompoundCommand::Time(it)) = &step.command else {
            return self.step(step);
        };
        let mut timed = self.step(it.command.as_deref().ok_or(Unreadable)?)?;
        let Node::Simple(simple) = &mut timed.node else {
            return Err(Unreadable);
        };
        if !simple.assigned.is_empty() || !simple.declared.is_empty() {
            return Err(Unreadable);
        }
        let own = ["time"].into_iter().chain(it.posix_format.then_some("-p"));
        let own = own.map(|word| pieces(word, Mode::Bare, self.depth));
        simple.words.splice(0..0, own.collect::<Found<Vec<_>>>()?);
        for redirect in &step.redirects {
            timed.redirects.push(self.redirect(redirect)?);
        }
        Ok(timed)
    }
}
