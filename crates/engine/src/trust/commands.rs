//! The simple commands of a shell text, wherever in it they stand: in lists, pipes, branches, functions and substitutions.
//!
//! Patterns of `case`, here-documents, redirections and comments are no commands.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rable::{Node, NodeKind};

use crate::shell;

/// A longer text is not taken apart by the grammar.
const LONGEST: usize = 256 * 1024;
/// The grammar calls itself for each of these, without a limit of its own and twice over.
const MOST_SUBSTITUTIONS: usize = 150;
/// As many brackets and keywords fit on any stack, whatever their order.
const MOST_NESTED: usize = 150;
/// Room for the deepest text that the grammar accepts.
const STACK: usize = 32 * 1024 * 1024;

/// What stands for the folder of the script that is being read.
pub(super) const HERE: &str = "${@}";
/// What stands for some folder above it.
pub(super) const ABOVE: &str = "${^}";

/// What a shell text holds. Words are without their quotes; a value that only the shell knows is `${NAME}` or `${?}`.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// The simple commands.
    pub(super) all: Vec<Vec<String>>,
    /// Texts that a command reads from its standard input, with the command.
    pub(super) inputs: Vec<(Vec<String>, String)>,
    /// Files that a command reads from its standard input, with the command.
    pub(super) redirected: Vec<(Vec<String>, String)>,
    /// Commands with those that they write their output to.
    pub(super) piped: Vec<(Vec<String>, Vec<String>)>,
    /// The values that variables may have.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
    /// Whether the grammar could not read the text, so that these are its words by operators alone.
    pub(super) rough: bool,
}

impl Commands {
    /// Takes a text apart.
    pub(super) fn of(text: &str) -> Self {
        let mut commands = Self::default();
        if let Some(nodes) = grammar(text) {
            for node in &nodes {
                commands.node(node);
            }
            return commands;
        }
        commands.rough = true;
        let lines = text.lines().map(str::trim_start);
        let lines = lines.filter(|line| !line.starts_with('#'));
        commands.all = lines.flat_map(|line| shell::read(line).commands).collect();
        commands
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Command {
                assignments,
                words,
                redirects,
            } => self.command(assignments, words, redirects),
            NodeKind::Word { value, parts, .. } => self.word(value, parts),
            NodeKind::Pipeline { commands, .. } => self.pipeline(commands),
            NodeKind::List { items } => items.iter().for_each(|item| self.node(&item.command)),
            NodeKind::For {
                var, words, body, ..
            }
            | NodeKind::Select {
                var, words, body, ..
            } => {
                for word in words.iter().flatten() {
                    self.node(word);
                    self.value(var, written(word));
                }
                self.node(body);
            }
            NodeKind::Case { word, patterns, .. } => {
                self.node(word);
                let bodies = patterns.iter().filter_map(|pattern| pattern.body.as_ref());
                bodies.for_each(|body| self.node(body));
            }
            NodeKind::CondTerm { value, .. } => self.inside(value),
            other => inner(other).into_iter().for_each(|node| self.node(node)),
        }
        if let NodeKind::Subshell { redirects, .. } | NodeKind::BraceGroup { redirects, .. } =
            &node.kind
        {
            for redirect in redirects {
                self.redirect(redirect, &[]);
            }
        }
    }

    fn command(&mut self, assignments: &[Node], words: &[Node], redirects: &[Node]) {
        let texts: Vec<String> = words.iter().map(written).collect();
        for word in assignments.iter().chain(words) {
            self.node(word);
            if let Some((name, value)) = written(word).split_once('=') {
                self.value(name, value.to_owned());
            }
        }
        for redirect in redirects {
            self.redirect(redirect, &texts);
        }
        let set = assignments.iter().map(written);
        let whole: Vec<String> = set.chain(texts).collect();
        if !whole.is_empty() {
            self.all.push(whole);
        }
    }

    fn redirect(&mut self, redirect: &Node, command: &[String]) {
        match &redirect.kind {
            NodeKind::Redirect { op, target, .. } => {
                self.node(target);
                match &**op {
                    "<" => self.redirected.push((command.to_vec(), written(target))),
                    "<<<" => self.inputs.push((command.to_vec(), written(target))),
                    _ => {}
                }
            }
            NodeKind::HereDoc {
                content, quoted, ..
            } => {
                if !quoted {
                    self.inside(content);
                }
                self.inputs.push((command.to_vec(), content.clone()));
            }
            _ => {}
        }
    }

    fn pipeline(&mut self, commands: &[Node]) {
        let mut before: Vec<Vec<String>> = Vec::new();
        for command in commands {
            let first = self.all.len();
            self.node(command);
            let now = self.all.get(first..).unwrap_or_default().to_vec();
            for from in &before {
                self.piped
                    .extend(now.iter().map(|to| (from.clone(), to.clone())));
            }
            before.extend(now);
        }
    }

    fn word(&mut self, value: &str, parts: &[Node]) {
        for part in parts {
            match &part.kind {
                NodeKind::CommandSubstitution { command, .. }
                | NodeKind::ProcessSubstitution { command, .. } => self.node(command),
                NodeKind::WordLiteral { .. } | NodeKind::ParamExpansion { arg: None, .. } => {}
                _ => return self.inside(value),
            }
        }
    }

    /// Finds the substitutions of a text that the grammar leaves whole.
    fn inside(&mut self, text: &str) {
        for after in text.split("$(").skip(1) {
            let mut depth = 1_usize;
            let end = after.find(|c| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth - 1,
                    _ => depth,
                };
                depth == 0
            });
            self.add(after.get(..end.unwrap_or(after.len())).unwrap_or_default());
        }
        text.split('`')
            .skip(1)
            .step_by(2)
            .for_each(|inner| self.add(inner));
    }

    fn add(&mut self, text: &str) {
        let inner = Self::of(text);
        self.all.extend(inner.all);
        self.inputs.extend(inner.inputs);
        self.redirected.extend(inner.redirected);
        self.piped.extend(inner.piped);
    }

    fn value(&mut self, name: &str, value: String) {
        self.values
            .entry(name.to_owned())
            .or_default()
            .insert(value);
    }
}

/// Reads a text by the grammar of Bash; nothing where that cannot read it, or might not end.
fn grammar(text: &str) -> Option<Vec<Node>> {
    let opens = ["$(", "${", "<(", ">(", "`"];
    let substitutions: usize = opens.iter().map(|open| text.matches(open).count()).sum();
    if text.len() > LONGEST || substitutions > MOST_SUBSTITUTIONS {
        return None;
    }
    // A parser of another's is held to our promise not to panic.
    let read = |text: &str| {
        catch_unwind(AssertUnwindSafe(|| rable::parse(text, false)))
            .ok()?
            .ok()
    };
    let is_keyword =
        |word: &&str| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select");
    let keywords = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(is_keyword)
        .count();
    if text.matches(['(', '{']).count() + keywords <= MOST_NESTED {
        return read(text);
    }
    std::thread::scope(|scope| {
        let roomy = std::thread::Builder::new().stack_size(STACK);
        roomy.spawn_scoped(scope, || read(text)).ok()?.join().ok()?
    })
}

/// Returns what stands in a compound command, its tests included.
fn inner(kind: &NodeKind) -> Vec<&Node> {
    match kind {
        NodeKind::If {
            condition,
            then_body,
            else_body,
            ..
        } => {
            let mut all: Vec<&Node> = vec![condition, then_body];
            all.extend(else_body.as_deref());
            all
        }
        NodeKind::While {
            condition, body, ..
        }
        | NodeKind::Until {
            condition, body, ..
        } => {
            vec![condition, body]
        }
        NodeKind::BinaryTest { left, right, .. }
        | NodeKind::CondAnd { left, right }
        | NodeKind::CondOr { left, right } => vec![left, right],
        NodeKind::ForArith { body: node, .. }
        | NodeKind::Function { body: node, .. }
        | NodeKind::Subshell { body: node, .. }
        | NodeKind::BraceGroup { body: node, .. }
        | NodeKind::Coproc { command: node, .. }
        | NodeKind::CommandSubstitution { command: node, .. }
        | NodeKind::ProcessSubstitution { command: node, .. }
        | NodeKind::ConditionalExpr { body: node, .. }
        | NodeKind::UnaryTest { operand: node, .. }
        | NodeKind::CondNot { operand: node }
        | NodeKind::CondParen { inner: node }
        | NodeKind::Negation { pipeline: node }
        | NodeKind::Time { pipeline: node, .. } => vec![node],
        NodeKind::Array { elements } => elements.iter().collect(),
        _ => Vec::new(),
    }
}

/// Writes a word without its quotes.
fn written(word: &Node) -> String {
    let NodeKind::Word { parts, .. } = &word.kind else {
        return "${?}".to_owned();
    };
    let (mut text, mut quote) = (String::new(), None);
    for part in parts {
        match &part.kind {
            NodeKind::WordLiteral { value } => unquoted(value, &mut quote, &mut text),
            kind if let Some(folder) = of_itself(kind) => text.push_str(folder),
            NodeKind::ParamExpansion { param, op, .. }
                if !op
                    .as_deref()
                    .is_some_and(|op| op.starts_with(['%', '#', '/'])) =>
            {
                text.extend(["${", param, "}"]);
            }
            NodeKind::AnsiCQuote { decoded, .. } => text.push_str(decoded),
            NodeKind::LocaleString { inner, .. } => text.push_str(inner),
            NodeKind::BraceExpansion { content } => text.push_str(content),
            _ => text.push_str("${?}"),
        }
    }
    text
}

/// Returns what stands for a value that is the folder of the script that is being read, or one above, as scripts write that.
fn of_itself(kind: &NodeKind) -> Option<&'static str> {
    match kind {
        NodeKind::ParamExpansion { param, op, .. } => {
            let is_it = op.is_some() && (param == "0" || param.starts_with("BASH_SOURCE"));
            is_it.then_some(HERE)
        }
        NodeKind::CommandSubstitution { command, .. } => {
            let text = command.to_string();
            let names = ["$0", "${0", "BASH_SOURCE"];
            let is_it = names.iter().any(|name| text.contains(name));
            let folder = if text.contains("..") { ABOVE } else { HERE };
            is_it.then_some(folder)
        }
        _ => None,
    }
}

fn unquoted(part: &str, quote: &mut Option<char>, into: &mut String) {
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        match (*quote, letter) {
            (Some(open), _) if open == letter => *quote = None,
            (None, '\'' | '"') => *quote = Some(letter),
            (None | Some('"'), '\\') => into.extend(letters.next().filter(|next| *next != '\n')),
            _ => into.push(letter),
        }
    }
}
