//! What a condition implies about the subject of its event: a matcher behind which it lets in nothing more may be wider, and
//! no run could tell.

use anyhook::core::matcher::{Hit, Matcher};

use super::make;

/// Tells whether a condition holds for nothing but names that a matcher selects. It is certain of the plain form alone:
/// `field == 'name'` or `field in ['name', …]` comes first, and whatever follows behind `&&` can only take away.
pub(super) fn is_narrower(condition: &str, field: &str, matcher: &Matcher) -> bool {
    // Either of them could let in more, wherever it stands; in a text it would not, which is not worth reading a language.
    if condition.contains("||") || condition.contains('?') {
        return false;
    }
    let first = condition.split("&&").next().unwrap_or_default();
    let Some(test) = first.trim().strip_prefix(field) else {
        return false;
    };
    let Some(names) = names(test.trim()) else {
        return false;
    };
    let is_selected = |name: &&str| matcher.selects(Some(&make::subject(name))) != Hit::No;
    names.iter().all(is_selected)
}

/// The names that a subject has to be one of.
fn names(test: &str) -> Option<Vec<&str>> {
    if let Some(name) = test.strip_prefix("==") {
        return Some(vec![text(name)?]);
    }
    let list = test.strip_prefix("in")?.trim_start();
    let list = list.strip_prefix('[')?.strip_suffix(']')?;
    list.split(',').map(text).collect()
}

/// What stands in quotes, where that is a name and nothing else.
fn text(quoted: &str) -> Option<&str> {
    let quoted = quoted.trim();
    let inner = |quote: char| quoted.strip_prefix(quote)?.strip_suffix(quote);
    let name = inner('\'').or_else(|| inner('"'))?;
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-';
    (!name.is_empty() && name.bytes().all(is_plain)).then_some(name)
}

/// The texts in quotes of a condition: names that it is about, or their beginnings.
pub(super) fn texts(condition: &str) -> impl Iterator<Item = &str> {
    let parts = condition.split(['\'', '"']);
    parts.skip(1).step_by(2).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_narrower_only_where_it_names_what_the_matcher_selects() {
        let matcher = Matcher::parse("Bash|Read").unwrap();
        let narrower = [
            "tool_name == 'Bash'",
            "tool_name==\"Read\" && runs('rm')",
            "tool_name in ['Bash', 'Read'] && true",
        ];
        let others = [
            "tool_name == 'Write'",
            "tool_name in ['Bash', 'Write']",
            "tool_name != 'Bash'",
            "tool_name == 'Bash' || true",
            "tool_name == 'Bash' ? false : true",
            "tool_name == 'Bash' == false",
            "!(tool_name == 'Bash')",
            "tool_name.startsWith('Bash')",
            "host == 'claude-code'",
            "tool_names == 'Bash'",
            "tool_name in tool_input.names",
            "true && tool_name == 'Bash'",
            "tool_name == 'Bash",
            "",
        ];
        let is_one = |text: &str| is_narrower(text, "tool_name", &matcher);
        assert_eq!(narrower.map(is_one), [true; 3]);
        assert_eq!(others.map(is_one), [false; 14]);
    }
}
