//! The alternatives of a pattern: `mcp__x__(create|delete)` selects two kinds of names, and a test has to show both.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Alternation, Ast, Span};
use regex_syntax::hir::{Class, Hir, HirKind};

/// A pattern grows no longer than this when a name is spelled after it.
const LONGEST: usize = 256;

/// One alternative of a pattern, at whatever depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    /// How it is written.
    pub(super) text: String,
    /// The whole pattern with this alternative alone.
    pub(super) alone: String,
    /// The whole pattern without it.
    pub(super) rest: String,
}

/// Returns the alternatives of a pattern, in the order in which they stand in it.
pub(super) fn of(pattern: &str) -> Vec<Alternative> {
    let Ok(ast) = Parser::new().parse(pattern) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    gather(&ast, pattern, &mut all);
    all
}

fn gather(ast: &Ast, pattern: &str, into: &mut Vec<Alternative>) {
    match ast {
        Ast::Alternation(alternation) => {
            into.extend(taken_apart(alternation, pattern).unwrap_or_default());
            let parts = alternation.asts.iter();
            parts.for_each(|part| gather(part, pattern, into));
        }
        Ast::Concat(concat) => concat
            .asts
            .iter()
            .for_each(|part| gather(part, pattern, into)),
        Ast::Group(group) => gather(&group.ast, pattern, into),
        Ast::Repetition(repetition) => gather(&repetition.ast, pattern, into),
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => {}
    }
}

/// Takes an alternation apart; nothing where flags in one alternative hold for the next ones too.
fn taken_apart(alternation: &Alternation, pattern: &str) -> Option<Vec<Alternative>> {
    if alternation.asts.iter().any(sets_flags) {
        return None;
    }
    let cut = |span: &Span| pattern.get(span.start.offset..span.end.offset);
    let before = pattern.get(..alternation.span.start.offset)?;
    let after = pattern.get(alternation.span.end.offset..)?;
    let texts: Option<Vec<&str>> = alternation.asts.iter().map(|ast| cut(ast.span())).collect();
    let texts = texts?;
    let whole = |inner: &str| format!("{before}{inner}{after}");
    let one = |at: usize, text: &str| {
        let others = texts.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&str> = others.map(|(_, text)| *text).collect();
        Alternative {
            text: text.to_owned(),
            alone: whole(text),
            rest: whole(&others.join("|")),
        }
    };
    Some((0..).zip(&texts).map(|(at, text)| one(at, text)).collect())
}

/// Tells whether an alternative sets flags that hold behind it.
fn sets_flags(ast: &Ast) -> bool {
    let is_flags = |ast: &Ast| matches!(ast, Ast::Flags(_));
    match ast {
        Ast::Concat(concat) => concat.asts.iter().any(is_flags),
        other => is_flags(other),
    }
}

/// Spells a text that a pattern matches, as short as one that a person would think of: `mcp__x` of `^mcp__.*`.
pub(super) fn spelled(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    spell(&hir, &mut text);
    (text.len() < LONGEST).then_some(text)
}

fn spell(hir: &Hir, text: &mut String) {
    if text.len() >= LONGEST {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(letter(class)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repetition.min.max(1).min(most) {
                let before = text.len();
                spell(&repetition.sub, text);
                if text.len() == before {
                    break;
                }
            }
        }
        HirKind::Capture(capture) => spell(&capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| spell(part, text)),
        HirKind::Alternation(parts) => parts.iter().take(1).for_each(|part| spell(part, text)),
    }
}

/// A letter of a class: an `x`, where it has one.
fn letter(class: &Class) -> Option<char> {
    match class {
        Class::Unicode(class) => {
            let ranges = class.ranges();
            let has_x = ranges
                .iter()
                .any(|range| (range.start()..=range.end()).contains(&'x'));
            has_x
                .then_some('x')
                .or_else(|| Some(ranges.first()?.start()))
        }
        Class::Bytes(class) => Some(char::from(class.ranges().first()?.start())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alternative_is_found_at_whatever_depth() {
        let found = |pattern: &str| {
            let all = of(pattern).into_iter();
            all.map(|one| [one.text, one.alone, one.rest])
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("^(mcp__a__(x|y)|Bash)$"),
            [
                ["mcp__a__(x|y)", "^(mcp__a__(x|y))$", "^(Bash)$"],
                ["Bash", "^(Bash)$", "^(mcp__a__(x|y))$"],
                ["x", "^(mcp__a__(x)|Bash)$", "^(mcp__a__(y)|Bash)$"],
                ["y", "^(mcp__a__(y)|Bash)$", "^(mcp__a__(x)|Bash)$"],
            ]
        );
        assert_eq!(
            found("(?:a|(?i:b))c"),
            [
                ["a", "(?:a)c", "(?:(?i:b))c"],
                ["(?i:b)", "(?:(?i:b))c", "(?:a)c"]
            ]
        );
        for pattern in [r"a\|b", "[a|b]", "mcp__.*", "(?i)a|b", "a|(?i)b", "("] {
            assert_eq!(found(pattern), [[""; 3]; 0], "{pattern}");
        }
    }

    #[test]
    fn a_name_is_spelled_after_a_pattern() {
        let spelled = [
            ("^mcp__.*$", "mcp__x"),
            (r"mcp__\w+__(create|delete)", "mcp__x__create"),
            ("[^_]+_[0-9]{2}", "x_00"),
            ("colou?r", "colour"),
        ];
        for (pattern, name) in spelled {
            assert_eq!(super::spelled(pattern).as_deref(), Some(name), "{pattern}");
            assert!(regex_lite::Regex::new(pattern).unwrap().is_match(name));
        }
        assert_eq!(super::spelled("x{200}y{200}"), None);
    }
}
