//! The commands of a script as they are written, for a person who reads it: nothing is expanded, followed or run.
//!
//! ```
//! use anyhook_effects::outline::{Call, Outline, read};
//!
//! let Outline { calls, bash } = read("# Run it\n[[ -n $x ]] && rm -rf \"$x/a b\"");
//! let wanted = Call { at: 24, words: ["rm", "-rf", "$x/a b"].map(str::to_owned).into() };
//! assert_eq!(calls, [wanted]);
//! assert!(bash.contains(&(9, "[[")));
//! ```

use std::collections::BTreeSet;

use shuck_ast::{self as ast, Command, CompoundCommand, Stmt, StmtSeq, Word, WordPart};

use crate::shell;

/// A text, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its simple commands, those of substitutions included.
    pub calls: Vec<Call>,
    /// What only Bash understands: the byte at which the command with it begins, and its name.
    pub bash: BTreeSet<(usize, &'static str)>,
}

/// One simple command.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    /// The byte at which it begins, or the command that it is a part of.
    pub at: usize,
    /// Its words without quotes; variables stay.
    pub words: Vec<String>,
}

/// Reads a text. One that is not closed, too long or nested too deep has nothing.
pub fn read(text: &str) -> Outline {
    let mut walk = Walk {
        text,
        outline: Outline::default(),
    };
    let done = shell::parsed(text, |list| {
        walk.list(list, None);
        walk.outline
    });
    done.unwrap_or_default()
}

struct Walk<'t> {
    text: &'t str,
    outline: Outline,
}

/// The byte of the command whose words are looked at.
type Within = Option<usize>;

impl Walk<'_> {
    fn bash(&mut self, at: usize, what: &'static str) {
        self.outline.bash.insert((at, what));
    }

    fn list(&mut self, list: &StmtSeq, within: Within) {
        for step in &list.stmts {
            self.step(step, within);
        }
    }

    fn step(&mut self, step: &Stmt, within: Within) {
        let at = within.unwrap_or_else(|| step.span.start.offset());
        match &step.command {
            Command::Simple(simple) => {
                self.assigned(&simple.assignments, at);
                self.call(std::iter::once(&simple.name).chain(&simple.args), at);
            }
            Command::Builtin(builtin) => self.builtin(builtin, at),
            Command::Decl(declared) => self.declared(declared, at),
            Command::Binary(binary) => {
                if binary.op == ast::BinaryOp::PipeAll {
                    self.bash(at, "|&");
                }
                self.step(&binary.left, within);
                self.step(&binary.right, within);
            }
            Command::Compound(compound) => self.compound(compound, (at, within)),
            Command::Function(function) => {
                if function.uses_function_keyword() {
                    self.bash(at, "function");
                }
                self.step(&function.body, within);
            }
            Command::AnonymousFunction(_) => {}
        }
        for redirect in &step.redirects {
            match redirect.kind {
                ast::RedirectKind::HereString => self.bash(at, "<<<"),
                ast::RedirectKind::OutputBoth => self.bash(at, "&>"),
                _ => {}
            }
            if let ast::RedirectTarget::Word(word) = &redirect.target {
                self.word(word, at);
            }
        }
    }

    /// Notes a simple command of these words.
    fn call<'w>(&mut self, words: impl Iterator<Item = &'w Word>, at: usize) {
        let mut call = Vec::new();
        for word in words.filter(|word| !word.parts.is_empty()) {
            self.word(word, at);
            let span = word.span;
            let text = self.text.get(span.start.offset()..span.end.offset());
            let text = text.unwrap_or_default();
            call.push(if word.parts.iter().any(runs) {
                text.to_owned()
            } else {
                unquoted(text)
            });
        }
        // Assignments alone have a name without letters.
        if call.first().is_some_and(|name| !name.is_empty()) {
            self.outline
                .bash
                .extend(of_words(&call).map(|what| (at, what)));
            self.outline.calls.push(Call { at, words: call });
        }
    }

    fn builtin(&mut self, builtin: &ast::BuiltinCommand, at: usize) {
        let (name, assigned) = match builtin {
            ast::BuiltinCommand::Break(it) => ("break", &it.assignments),
            ast::BuiltinCommand::Continue(it) => ("continue", &it.assignments),
            ast::BuiltinCommand::Return(it) => ("return", &it.assignments),
            ast::BuiltinCommand::Exit(it) => ("exit", &it.assignments),
        };
        self.assigned(assigned, at);
        let words = vec![name.to_owned()];
        self.outline.calls.push(Call { at, words });
    }

    fn declared(&mut self, declared: &ast::DeclClause, at: usize) {
        self.assigned(&declared.assignments, at);
        let span = declared.variant_span;
        let name = self.text.get(span.start.offset()..span.end.offset());
        let words = vec![name.unwrap_or_default().to_owned()];
        for operand in &declared.operands {
            match operand {
                ast::DeclOperand::Flag(word) | ast::DeclOperand::Dynamic(word) => {
                    self.word(word, at);
                }
                ast::DeclOperand::Name(_) => {}
                ast::DeclOperand::Assignment(one) => self.assigned(std::slice::from_ref(one), at),
            }
        }
        self.outline
            .bash
            .extend(of_words(&words).map(|what| (at, what)));
        self.outline.calls.push(Call { at, words });
    }

    fn assigned(&mut self, assigned: &[ast::Assignment], at: usize) {
        for one in assigned {
            match &one.value {
                ast::AssignmentValue::Scalar(word) => self.word(word, at),
                ast::AssignmentValue::Compound(array) => {
                    self.bash(at, "an array");
                    for element in &array.elements {
                        self.word(&element.value().word, at);
                    }
                }
            }
        }
    }

    fn branches(&mut self, it: &ast::IfCommand, within: Within) {
        self.list(&it.condition, within);
        self.list(&it.then_branch, within);
        for (condition, body) in &it.elif_branches {
            self.list(condition, within);
            self.list(body, within);
        }
        if let Some(body) = &it.else_branch {
            self.list(body, within);
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, (at, within): (usize, Within)) {
        use CompoundCommand as Compound;
        match compound {
            Compound::If(it) => self.branches(it, within),
            Compound::For(it) => {
                for word in it.words.iter().flatten() {
                    self.word(word, at);
                }
                self.list(&it.body, within);
            }
            Compound::Select(it) => {
                self.bash(at, "select");
                for word in &it.words {
                    self.word(word, at);
                }
                self.list(&it.body, within);
            }
            Compound::ArithmeticFor(it) => {
                self.bash(at, "((…))");
                self.list(&it.body, within);
            }
            Compound::While(it) => {
                self.list(&it.condition, within);
                self.list(&it.body, within);
            }
            Compound::Until(it) => {
                self.list(&it.condition, within);
                self.list(&it.body, within);
            }
            Compound::Case(it) => {
                self.word(&it.word, at);
                for arm in &it.cases {
                    self.list(&arm.body, within);
                }
            }
            Compound::Subshell(body) | Compound::BraceGroup(body) => self.list(body, within),
            Compound::Arithmetic(_) => self.bash(at, "((…))"),
            Compound::Time(it) => {
                if let Some(step) = &it.command {
                    self.step(step, within);
                }
            }
            Compound::Conditional(it) => {
                self.bash(at, "[[");
                self.tested(&it.expression, at);
            }
            Compound::Coproc(it) => {
                self.bash(at, "coproc");
                self.step(&it.body, within);
            }
            Compound::Repeat(_) | Compound::Foreach(_) | Compound::Always(_) => {}
        }
    }

    fn tested(&mut self, test: &ast::ConditionalExpr, at: usize) {
        match test {
            ast::ConditionalExpr::Binary(it) => {
                self.tested(&it.left, at);
                self.tested(&it.right, at);
            }
            ast::ConditionalExpr::Unary(it) => self.tested(&it.expr, at),
            ast::ConditionalExpr::Parenthesized(it) => self.tested(&it.expr, at),
            ast::ConditionalExpr::Word(word) | ast::ConditionalExpr::Regex(word) => {
                self.word(word, at);
            }
            ast::ConditionalExpr::Pattern(_) | ast::ConditionalExpr::VarRef(_) => {}
        }
    }

    fn word(&mut self, word: &Word, at: usize) {
        for part in &word.parts {
            self.part(&part.kind, at);
        }
    }

    fn part(&mut self, part: &WordPart, at: usize) {
        match part {
            WordPart::SingleQuoted { dollar: true, .. } => self.bash(at, "$'…'"),
            WordPart::DoubleQuoted { parts, .. } => {
                for part in parts {
                    self.part(&part.kind, at);
                }
            }
            WordPart::CommandSubstitution { body, .. } => self.list(body, Some(at)),
            WordPart::ProcessSubstitution { body, .. } => {
                self.bash(at, "<(…)");
                self.list(body, Some(at));
            }
            WordPart::Parameter(parameter) => self.parameter(parameter, at),
            WordPart::ParameterExpansion {
                operator,
                operand_word_ast,
                ..
            } => {
                self.operation(operator, at);
                if let Some(word) = operand_word_ast {
                    self.word(word, at);
                }
            }
            WordPart::ArrayAccess(_)
            | WordPart::ArrayLength(_)
            | WordPart::Substring { .. }
            | WordPart::ArraySlice { .. }
            | WordPart::Transformation { .. } => self.bash(at, "${…}"),
            WordPart::ArrayIndices(_)
            | WordPart::IndirectExpansion { .. }
            | WordPart::PrefixMatch { .. } => self.bash(at, "${!…}"),
            WordPart::Literal(_)
            | WordPart::ZshQualifiedGlob(_)
            | WordPart::SingleQuoted { .. }
            | WordPart::Variable(_)
            | WordPart::ArithmeticExpansion { .. }
            | WordPart::Length(_) => {}
        }
    }

    fn parameter(&mut self, parameter: &ast::ParameterExpansion, at: usize) {
        use ast::BourneParameterExpansion as Bourne;
        let Some(bourne) = parameter.bourne() else {
            return;
        };
        match bourne {
            Bourne::Access { reference } | Bourne::Length { reference } => {
                if reference.subscript.is_some() {
                    self.bash(at, "${…}");
                }
            }
            Bourne::Operation { operator, .. } => self.operation(operator, at),
            Bourne::Slice { .. } | Bourne::Transformation { .. } => self.bash(at, "${…}"),
            Bourne::Indices { .. } | Bourne::Indirect { .. } | Bourne::PrefixMatch { .. } => {
                self.bash(at, "${!…}");
            }
        }
        if let Some(word) = bourne.operand_word_ast() {
            self.word(word, at);
        }
    }

    fn operation(&mut self, operator: &ast::ParameterOp, at: usize) {
        use ast::ParameterOp as Op;
        if matches!(
            operator,
            Op::ReplaceFirst { .. }
                | Op::ReplaceAll { .. }
                | Op::UpperFirst
                | Op::UpperAll
                | Op::LowerFirst
                | Op::LowerAll
        ) {
            self.bash(at, "${…}");
        }
    }
}

/// Tells whether a part of a word runs commands.
fn runs(part: &ast::WordPartNode) -> bool {
    match &part.kind {
        WordPart::CommandSubstitution { .. } | WordPart::ProcessSubstitution { .. } => true,
        WordPart::DoubleQuoted { parts, .. } => parts.iter().any(runs),
        _ => false,
    }
}

/// Writes a word without its quotes.
fn unquoted(word: &str) -> String {
    let (mut text, mut quote) = (String::new(), None);
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None | Some('"'), '\\') => text.extend(letters.next().filter(|next| *next != '\n')),
            (_, letter) => text.push(letter),
        }
    }
    text
}

/// Names what the words of a command mean, where only Bash understands them.
fn of_words(words: &[String]) -> Option<&'static str> {
    const PROGRAMS: &[&str] = &[
        "declare",
        "typeset",
        "shopt",
        "mapfile",
        "readarray",
        "source",
    ];
    let (program, rest) = words.split_first()?;
    let has = |wanted: &str| rest.iter().any(|word| word == wanted);
    match program.as_str() {
        "set" => has("pipefail").then_some("pipefail"),
        "[" | "test" => has("==").then_some("=="),
        program => PROGRAMS.iter().copied().find(|known| *known == program),
    }
}

#[cfg(test)]
mod tests;
