//! Patterns that select everything, as `*` does: no case can show what they leave out.

use anyhook::core::matcher::{Hit, Matcher, Subject};

/// Names that have little in common: what selects all of them selects everything.
const NAMES: [&str; 5] = ["", "x", "Bash", "mcp__a__b", "ä b\n"];

/// Tells whether a matcher selects everything.
pub(super) fn selects(matcher: &Matcher) -> bool {
    let is_selected = |name: &str| {
        let (also, canonical) = (&[][..], None);
        let subject = Subject {
            name,
            also,
            canonical,
        };
        matcher.selects(Some(&subject)) != Hit::No
    };
    NAMES.into_iter().all(is_selected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_selects_everything_where_it_selects_names_without_anything_in_common() {
        let is_all = |text: &str| selects(&Matcher::parse(text).unwrap());
        for text in [
            "*", "", ".*", "^.*", ".*$", "(.*)", ".*|Bash", "(Bash)?", ".*?",
        ] {
            assert!(is_all(text), "{text}");
        }
        for text in [
            "Bash",
            "Bash|Write",
            "mcp__.*",
            ".*Bash",
            "^$",
            "^.*$",
            ".+",
            ".",
            r"\w+",
        ] {
            assert!(!is_all(text), "{text}");
        }
    }
}
