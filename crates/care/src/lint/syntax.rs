// no row: shell text as a grammar reads it.
//! What a shell would run of a text, comments and here-documents aside, and what of it only Bash understands.
//!
//! The grammar is that of Bash. A text that it cannot read, or that nests too deep, has nothing: no finding is a guess.

use std::collections::BTreeSet;

use anyhook_engine::shell;
use rable::{Node, NodeKind, PipeSep};

/// A longer text is not read; a hook's script is shorter.
const LONGEST: usize = 64 * 1024;
/// Deeper nesting is written by no hand, and would cost a stack.
const DEEPEST: usize = 40;
/// What the grammar needs for the longest text.
const STACK: usize = 128 * 1024 * 1024;

/// A text, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Syntax {
    pub(super) calls: Vec<Call>,
    /// What only Bash understands: its name, and the byte at which the command with it begins.
    pub(super) bash: BTreeSet<(usize, &'static str)>,
}

/// One simple command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The byte at which it begins, or the command that it is a part of.
    pub(super) at: usize,
    /// Its words without quotes; variables stay.
    pub(super) words: Vec<String>,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Syntax {
    if text.len() > LONGEST || is_deep(text) {
        return Syntax::default();
    }
    // The grammar and the tree that it makes are recursive, and a parser of another's may panic.
    let (text, thread) = (
        text.to_owned(),
        std::thread::Builder::new().stack_size(STACK),
    );
    let read = thread.spawn(move || rable::parse(&text, false).map(|nodes| taken(&text, &nodes)));
    let read = read.ok().and_then(|thread| thread.join().ok());
    read.and_then(Result::ok).unwrap_or_default()
}

fn is_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

fn taken(text: &str, nodes: &[Node]) -> Syntax {
    let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut read = Syntax::default();
    let mut open: Vec<(&Node, Option<usize>)> = nodes.iter().rev().map(|n| (n, None)).collect();
    while let Some((node, within)) = open.pop() {
        // What stands in a word is counted from there: the command that holds the word tells where it is.
        let own = bytes
            .get(node.span.start)
            .copied()
            .filter(|_| !node.span.is_empty());
        let at = within.or(own).unwrap_or_default();
        if let NodeKind::Command { words, .. } = &node.kind {
            let words: Vec<String> = words.iter().filter_map(word).collect();
            read.bash.extend(of_words(&words).map(|what| (at, what)));
            if !words.is_empty() {
                read.calls.push(Call { at, words });
            }
        }
        let is_keyword = || text.get(at..).is_some_and(|t| t.starts_with("function "));
        read.bash
            .extend(only_bash(&node.kind, is_keyword).map(|what| (at, what)));
        let inside = matches!(node.kind, NodeKind::Word { .. } | NodeKind::Redirect { .. });
        let within = within.or(inside.then_some(at));
        let below = below(&node.kind).into_iter().rev();
        open.extend(below.map(|node| (node, within.or(node.span.is_empty().then_some(at)))));
    }
    read
}

fn word(node: &Node) -> Option<String> {
    let NodeKind::Word { value, parts, .. } = &node.kind else {
        return None;
    };
    let runs = |part: &Node| {
        matches!(
            part.kind,
            NodeKind::CommandSubstitution { .. } | NodeKind::ProcessSubstitution { .. }
        )
    };
    if parts.iter().any(runs) {
        return Some(value.clone());
    }
    let mut words = shell::read(value).commands.into_iter().flatten();
    Some(words.next().unwrap_or_default())
}

/// Names what a kind of node means, where only Bash understands it.
fn only_bash(kind: &NodeKind, is_keyword: impl Fn() -> bool) -> Option<&'static str> {
    match kind {
        NodeKind::ConditionalExpr { .. } => Some("[["),
        NodeKind::ProcessSubstitution { .. } => Some("<(…)"),
        NodeKind::ArithmeticCommand { .. } | NodeKind::ForArith { .. } => Some("((…))"),
        NodeKind::Select { .. } => Some("select"),
        NodeKind::Coproc { .. } => Some("coproc"),
        NodeKind::AnsiCQuote { .. } => Some("$'…'"),
        NodeKind::ParamIndirect { .. } => Some("${!…}"),
        NodeKind::Function { .. } if is_keyword() => Some("function"),
        NodeKind::Redirect { op, .. } if op == "<<<" => Some("<<<"),
        NodeKind::Redirect { op, .. } if op.starts_with("&>") => Some("&>"),
        NodeKind::Pipeline { separators, .. } if separators.contains(&PipeSep::PipeBoth) => {
            Some("|&")
        }
        NodeKind::ParamExpansion { param, op, .. } => {
            let is_of_bash = |op: &str| matches!(op, "/" | "//" | ":" | "^" | "^^" | "," | ",,");
            (param.contains('[') || op.as_deref().is_some_and(is_of_bash)).then_some("${…}")
        }
        NodeKind::Word { value, .. } => is_array(value).then_some("an array"),
        _ => None,
    }
}

fn is_array(word: &str) -> bool {
    let name = word.split_once("=(").map(|(name, _)| name);
    let is_name = |name: &str| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.is_some_and(is_name)
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

/// The nodes right below one, in the order of the text.
fn below(kind: &NodeKind) -> Vec<&Node> {
    match kind {
        NodeKind::Word { parts, .. } => parts.iter().collect(),
        NodeKind::Command {
            assignments,
            words,
            redirects,
        } => assignments.iter().chain(words).chain(redirects).collect(),
        NodeKind::Pipeline { commands, .. } => commands.iter().collect(),
        NodeKind::List { items } => items.iter().map(|item| &item.command).collect(),
        NodeKind::Subshell { body, redirects }
        | NodeKind::BraceGroup { body, redirects }
        | NodeKind::ForArith {
            body, redirects, ..
        } => [&**body].into_iter().chain(redirects).collect(),
        NodeKind::Function { body: one, .. }
        | NodeKind::Coproc { command: one, .. }
        | NodeKind::CommandSubstitution { command: one, .. }
        | NodeKind::ProcessSubstitution { command: one, .. }
        | NodeKind::Negation { pipeline: one }
        | NodeKind::Time { pipeline: one, .. }
        | NodeKind::Redirect { target: one, .. } => vec![&**one],
        _ => below_of_loops_and_choices(kind),
    }
}

fn below_of_loops_and_choices(kind: &NodeKind) -> Vec<&Node> {
    match kind {
        NodeKind::If {
            condition,
            then_body,
            else_body,
            redirects,
        } => {
            let parts = [Some(condition), Some(then_body), else_body.as_ref()];
            let parts = parts.into_iter().flatten().map(|part| &**part);
            parts.chain(redirects).collect()
        }
        NodeKind::While {
            condition,
            body,
            redirects,
        }
        | NodeKind::Until {
            condition,
            body,
            redirects,
        } => [&**condition, body].into_iter().chain(redirects).collect(),
        NodeKind::For {
            words,
            body,
            redirects,
            ..
        }
        | NodeKind::Select {
            words,
            body,
            redirects,
            ..
        } => {
            let words = words.iter().flatten();
            words.chain([&**body]).chain(redirects).collect()
        }
        NodeKind::Case {
            word,
            patterns,
            redirects,
        } => {
            let bodies = patterns.iter().filter_map(|pattern| pattern.body.as_ref());
            let all = [&**word].into_iter();
            all.chain(bodies).chain(redirects).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<String> {
        let calls = read(text).calls.into_iter();
        calls.map(|call| call.words.join(" ")).collect()
    }

    fn bash(text: &str) -> Vec<&'static str> {
        read(text).bash.into_iter().map(|(_, what)| what).collect()
    }

    #[test]
    fn comments_and_here_documents_are_no_commands_and_assignments_are_no_words() {
        for (text, wanted) in [
            ("# Prevent it\nls -l # Auto-run", vec!["ls -l"]),
            ("cat > d.md <<'EOF'\nrm -rf x\nEOF\nls", vec!["cat", "ls"]),
            (
                "a=1 b=$(jq -r .x) run \"$a b\"",
                vec!["jq -r .x", "run $a b"],
            ),
            ("if a; then b; else c; fi", vec!["a", "b", "c"]),
            ("for f in *; do cp $f 'x y'; done", vec!["cp $f x y"]),
            ("case $x in a) b;; esac", vec!["b"]),
            ("f() { g; }\n! h | i && (j)", vec!["g", "h", "i", "j"]),
            ("if", vec![]),
        ] {
            let mut found = calls(text);
            found.sort_unstable();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn what_only_bash_understands_is_found_and_what_every_shell_does_is_not() {
        for (text, wanted) in [
            ("[[ $a =~ b ]] && echo x", "[["),
            ("cat <<< \"$x\"", "<<<"),
            ("diff <(ls) b", "<(…)"),
            ("a=(1 2)", "an array"),
            ("local b=(1)", "an array"),
            ("echo ${a[0]}", "${…}"),
            ("echo \"${a//x/y}\"", "${…}"),
            ("set -euo pipefail", "pipefail"),
            ("function f { ls; }", "function"),
            ("if ((a > 1)); then ls; fi", "((…))"),
            ("ls &> log", "&>"),
            ("[ a == b ]", "=="),
            ("source x", "source"),
        ] {
            assert_eq!(bash(text), [wanted], "{text}");
        }
        for text in [
            "[ \"$a\" = b ] && echo '[[ x ]]' # [[ y ]]",
            "cat <<'EOF'\n[[ a ]]\nEOF",
            "f() { ls; }; echo ${a:-b} ${a%.*} ${#a} $((1 + 2)) \"$(ls)\" 2>&1",
            "bash -c '[[ a ]]'",
            "set -eu; . ./x; [ -n \"$functions\" ]",
            "jq '.a == \"x\"'",
        ] {
            assert_eq!(bash(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_hostile_text_costs_neither_the_stack_nor_an_answer() {
        for piece in ["(", "$(", "a;", "{ ", "`", "a|", "if "] {
            let text = piece.repeat(LONGEST / piece.len());
            let _ = read(&text);
        }
    }

    #[test]
    fn a_place_is_that_of_the_command_and_counts_bytes() {
        let text = "é=ü\necho 'ö'; [[ a ]]\nx=$(cat <(g))\n";
        let found: Vec<&str> = read(text)
            .bash
            .into_iter()
            .map(|(at, _)| text.get(at..).unwrap().lines().next().unwrap())
            .collect();
        assert_eq!(found, ["[[ a ]]", "x=$(cat <(g))"]);
    }
}
