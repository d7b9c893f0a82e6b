//! Names of cases: which names are allowed, and which of them a pattern selects.

use regex_lite::Regex;

/// Tells whether a name is one: `[a-z0-9-]`, 1 to 64 characters.
pub(crate) fn is_name(name: &str) -> bool {
    let is_letter = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

/// Tells whether a pattern means a text: `*` is any text, everything else itself.
pub(crate) fn is_meant(pattern: &str, text: &str) -> bool {
    let parts: Vec<String> = pattern.split('*').map(regex_lite::escape).collect();
    let pattern = Regex::new(&format!("(?s)^{}$", parts.join(".*")));
    pattern.is_ok_and(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_in_small_letters() {
        let long = "a".repeat(65);
        let names = ["a", "01-x", "", "Up", "a_b", "a b", &long].map(is_name);
        assert_eq!(names, [true, true, false, false, false, false, false]);
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let meant = [
            ("deny", "deny"),
            ("deny", "deny-2"),
            ("*deny*", "rm-denied-now"),
            ("rm-*-now", "rm-denied-now"),
            ("*-then", "rm-denied-now"),
            ("a*b*c", "abc"),
            ("*", ""),
            ("a[x=1]", "a[x=1]"),
            ("ab*b", "ab"),
        ];
        let meant = meant.map(|(pattern, text)| is_meant(pattern, text));
        assert_eq!(
            meant,
            [true, false, false, true, false, true, true, true, false]
        );
    }
}
