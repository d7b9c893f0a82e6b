//! Patterns that select everything, as `*` does: no case can show what they leave out.

use anyhook::core::matcher::Matcher;
use regex_syntax::hir::{Hir, Look};

/// Tells whether a matcher selects every name that there is. A pattern does where it matches nothing at all, which stands in
/// every name: `.*`, but not `.+` or `^.*$`, which leave out a name that is a line break, or has one. In doubt it does not.
pub(super) fn selects(matcher: &Matcher) -> bool {
    if matcher.is_all() || !matcher.names().is_empty() {
        return matcher.is_all();
    }
    let hir = regex_syntax::parse(matcher.as_str());
    hir.is_ok_and(|hir| is_nothing_at_all(&hir))
}

/// Tells whether it matches the empty text between any two letters, or at one end of every name.
fn is_nothing_at_all(hir: &Hir) -> bool {
    let properties = hir.properties();
    let looks = properties.look_set();
    let ends = [Look::Start, Look::End]
        .iter()
        .filter(|end| looks.contains(**end));
    properties.minimum_len() == Some(0) && looks.len() <= 1 && ends.count() == looks.len()
}

#[cfg(test)]
mod tests {
    use anyhook::core::matcher::{Hit, Subject};

    use super::*;

    #[test]
    fn a_pattern_selects_everything_only_where_that_is_certain() {
        let all = [
            "*", "", ".*", "^.*", ".*$", "(.*)", ".*|Bash", "(Bash)?", ".*?",
        ];
        let others = [
            "Bash",
            "Bash|Write",
            "mcp__.*",
            ".*Bash",
            "^$",
            "^.*$",
            ".+",
            "^.+$",
            "(?s).+",
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
            for name in ["x", "Bash", "mcp__a__b", "ä b", "a\nb", "\n"] {
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
