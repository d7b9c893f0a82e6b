//! The meaning of a matcher for each host, and how to write the same for another one.

use anyhook_core::matcher::Matcher;

use crate::native_files::{MatcherSyntax, NativeFormat};
use crate::tools;

/// What a matcher means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MatcherMeaning {
    /// Everything.
    All,
    /// These names, whole.
    Names(Vec<String>),
    /// A pattern that matches somewhere in the name.
    Somewhere(String),
}

impl MatcherMeaning {
    /// Each of these names once: two of a host's tools may be one here.
    pub(super) fn of_names(names: impl Iterator<Item = String>) -> Self {
        let mut distinct = Vec::new();
        for name in names {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        Self::Names(distinct)
    }
}

/// How a universal file is read.
pub(super) const UNIVERSAL: MatcherSyntax = MatcherSyntax::Names("- ,");

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn names(text: &str, between: &[char]) -> Option<Vec<String>> {
    let names: Vec<String> = text
        .split(between)
        .map(|name| name.trim().to_owned())
        .collect();
    let is_plain = |name: &String| !name.is_empty() && name.chars().all(is_name);
    names.iter().all(is_plain).then_some(names)
}

/// Takes brackets away that stand around the whole: what is left must be a pattern by itself, which `a)|(b` is not.
fn inside<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let inner = text.strip_prefix(before)?.strip_suffix(after)?;
    Matcher::unanchored(inner).is_ok().then_some(inner)
}

/// Reads a matcher as a host does.
pub(super) fn read(matching: MatcherSyntax, text: Option<&str>) -> MatcherMeaning {
    let text = match text.map(str::trim) {
        None | Some("" | "*" | "**") => return MatcherMeaning::All,
        Some(text) => text,
    };
    let somewhere = || MatcherMeaning::Somewhere(text.to_owned());
    let exact = |text: &str| names(text, &['|']).map(MatcherMeaning::Names);
    let whole = |text: &str| {
        exact(text).unwrap_or_else(|| MatcherMeaning::Somewhere(format!("^(?:{text})$")))
    };
    match matching {
        MatcherSyntax::Nothing => MatcherMeaning::All,
        MatcherSyntax::Names(marks) => {
            let is_list =
                |c: char| c.is_ascii_alphanumeric() || "_|".contains(c) || marks.contains(c);
            if text.chars().all(is_list) {
                return names(text, &['|', ',']).map_or_else(somewhere, MatcherMeaning::Names);
            }
            match (inside(text, "^(?:", ")$"), inside(text, "(?:", ")")) {
                (Some(text), _) => whole(text),
                (None, Some(pattern)) => MatcherMeaning::Somewhere(pattern.to_owned()),
                (None, None) => somewhere(),
            }
        }
        MatcherSyntax::Pattern => {
            if let Some(text) = inside(text, "^(?:", ")$") {
                return whole(text);
            }
            let list = inside(text, "^(", ")$").and_then(exact);
            let bare = inside(text, "(?:", ")").unwrap_or(text);
            list.unwrap_or_else(|| MatcherMeaning::Somewhere(bare.to_owned()))
        }
        MatcherSyntax::Whole => match inside(text, ".*(?:", ").*") {
            Some(pattern) => MatcherMeaning::Somewhere(pattern.to_owned()),
            None => whole(text),
        },
    }
}

/// Tells whether an event of a host without matchers is about something that a matcher selects.
pub(super) fn fits(format: &NativeFormat, native: &str, matcher: &Matcher) -> bool {
    let form = format.events.iter().find(|form| form.native == native);
    let Some(tools) = form.and_then(|form| form.tools) else {
        return true;
    };
    let selects = |name: &str| matcher.takes(name, tools::also(name));
    match names(tools, &['|']) {
        Some(names) => names.iter().any(|name| selects(name)),
        // Tools of servers have any name: only a list of others leaves them out.
        None => names(matcher.as_str(), &['|', ',']).is_none_or(|names| {
            let mut names = names.iter();
            names.any(|name| name.starts_with("mcp__"))
        }),
    }
}

/// Says a meaning as a host does; nothing is everything.
pub(super) fn write(matching: MatcherSyntax, meaning: &MatcherMeaning) -> Option<String> {
    let text = match (meaning, matching) {
        (MatcherMeaning::All, _) | (_, MatcherSyntax::Nothing) => return None,
        (MatcherMeaning::Names(names), MatcherSyntax::Whole) => names.join("|"),
        (MatcherMeaning::Names(names), MatcherSyntax::Names(marks))
            if !names.concat().contains('-') || marks.contains('-') =>
        {
            names.join("|")
        }
        (MatcherMeaning::Names(names), MatcherSyntax::Names(_) | MatcherSyntax::Pattern) => {
            format!("^(?:{})$", names.join("|"))
        }
        (MatcherMeaning::Somewhere(pattern), MatcherSyntax::Pattern) => pattern.clone(),
        (MatcherMeaning::Somewhere(pattern), MatcherSyntax::Names(_)) => {
            let is_list = pattern.chars().all(|c| is_name(c) || " ,|".contains(c));
            if is_list {
                format!("(?:{pattern})")
            } else {
                pattern.clone()
            }
        }
        (MatcherMeaning::Somewhere(pattern), MatcherSyntax::Whole) => {
            match inside(pattern, "^(?:", ")$") {
                Some(whole) => whole.to_owned(),
                None => format!(".*(?:{pattern}).*"),
            }
        }
    };
    Some(text)
}
