//! Patterns that select everything, as `*` does: no case can show what they leave out.

use std::slice;

use anyhook::core::matcher::Matcher;
use regex_syntax::hir::{Dot, Hir, HirKind, Look};

/// Tells whether a matcher selects every name that there is. A pattern does where it can match nothing at all, wherever it
/// stands, or is any line, as `^.*$` and `.+`: no name is empty or has two lines. In doubt it does not.
pub(super) fn selects(matcher: &Matcher) -> bool {
    if matcher.is_all() || !matcher.names().is_empty() {
        return matcher.is_all();
    }
    let hir = regex_syntax::parse(matcher.as_str());
    hir.is_ok_and(|hir| is_nothing_at_all(&hir) || is_any_line(&hir))
}

/// Tells whether it matches the empty text between any two letters.
fn is_nothing_at_all(hir: &Hir) -> bool {
    let properties = hir.properties();
    properties.minimum_len() == Some(0) && properties.look_set().is_empty()
}

/// Tells whether it is `.*` or `.+`, with or without its anchors.
fn is_any_line(hir: &Hir) -> bool {
    let mut parts = match hir.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => slice::from_ref(hir),
    };
    let is = |part: &Hir, look: Look| *part.kind() == HirKind::Look(look);
    if let [first, rest @ ..] = parts
        && is(first, Look::Start)
    {
        parts = rest;
    }
    if let [rest @ .., last] = parts
        && is(last, Look::End)
    {
        parts = rest;
    }
    matches!(parts, [only] if is_dots(only))
}

fn is_dots(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Capture(capture) => is_dots(&capture.sub),
        HirKind::Repetition(dots) => {
            let each = [Dot::AnyChar, Dot::AnyCharExceptLF].map(Hir::dot);
            dots.min <= 1 && dots.max.is_none() && each.contains(&dots.sub)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use anyhook::core::matcher::{Hit, Subject};

    use super::*;

    #[test]
    fn a_pattern_selects_everything_only_where_that_is_certain() {
        let all = [
            "*", "", ".*", "^.*$", ".+", "^.+$", "^.*", ".*$", "(.*)", "^(.+)$", ".*|Bash",
            "(Bash)?", ".*?", "(?s).+",
        ];
        let others = [
            "Bash",
            "Bash|Write",
            "mcp__.*",
            ".*Bash",
            "^$",
            "..+",
            ".",
            r"\w+",
            "^.*$|x",
            "[^x]*$.",
            ".{2,}",
            "^.?$",
            r"\b.*",
            "(?i)bash.*",
        ];
        let is_all = |text: &str| selects(&Matcher::parse(text).unwrap());
        for text in all {
            assert!(is_all(text), "{text}");
            let matcher = Matcher::parse(text).unwrap();
            for name in ["x", "Bash", "mcp__a__b", "ä b"] {
                let (also, canonical) = (&[][..], None);
                let subject = Subject {
                    name,
                    also,
                    canonical,
                };
                assert_eq!(matcher.selects(Some(&subject)), Hit::Name, "{text}");
            }
        }
        for text in others {
            assert!(!is_all(text), "{text}");
        }
    }
}
