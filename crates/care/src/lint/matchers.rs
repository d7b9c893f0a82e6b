//! A matcher that selects nothing, or not what it seems to name.

use anyhook_core::manifest::Group;
use anyhook_core::taxonomy::nearest;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::native_files::{FORMATS, MatcherSyntax, NativeFormat};
use anyhook_wires::{host, tools};

use super::Note;
use super::linted::{LintTarget, event_of};

pub(super) fn find(linted: &LintTarget<'_>) -> Vec<Note> {
    let groups = linted.manifest.groups.iter();
    let notes = groups.filter_map(|group| {
        let text = group.matcher_text.as_deref()?;
        let subject = group.spec.and_then(|spec| spec.subject);
        let (message, help) = if subject == Some("tool_name") {
            of_tools(group, text).or_else(|| of_host(linted, text))?
        } else {
            of_words(linted, group, text)?
        };
        Some(Note::new(linted.matcher_at(group), message).help(help))
    });
    notes.collect()
}

/// Finds an event under the name that one agent has for some of its calls, where it stands for all of them.
pub(super) fn widened(linted: &LintTarget<'_>) -> Vec<Note> {
    let groups = linted.manifest.groups.iter();
    let all = groups.filter(|group| linted.format.is_none() && group.matcher.is_all());
    let notes = all.filter_map(|group| {
        let spec = group
            .spec
            .filter(|spec| spec.subject == Some("tool_name"))?;
        let is_its = |row: &anyhook_wires::HostRow| row.name == &*group.event;
        let mut callers = HOSTS.iter().filter(|host| host.rows().iter().any(is_its));
        let (Some(host), None) = (callers.next(), callers.next()) else {
            return None;
        };
        let same = host.rows().iter().filter(|row| row.event == spec.name);
        let (event, name) = (&group.event, spec.universal.unwrap_or(spec.name));
        let message = format!("`{event}` is `{name}` here, and that is about every tool");
        let help = "a `matcher` names the tools that are meant";
        (same.count() > 1).then(|| Note::new(group.at.clone(), message).help(help))
    });
    notes.collect()
}

/// Tells whether a matcher is a list of names.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "_- ,|".contains(c))
}

/// The names in a matcher.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(['|', ',']).map(str::trim)
}

/// Looks at a matcher of an event whose subject is one of a few words.
fn of_words(linted: &LintTarget<'_>, group: &Group, text: &str) -> Option<(String, String)> {
    let words = words(linted, group);
    if words.is_empty() || group.matcher.is_all() {
        return None;
    }
    let slip = names(text)
        .filter(|_| is_plain(text))
        .find_map(|name| nearest(name, words.iter().copied()).filter(|near| *near != name));
    let help = match slip {
        Some(near) => format!("did you mean `{near}`?"),
        None if words.iter().any(|word| group.matcher.takes(word, &[])) => return None,
        None => format!("it is about one of `{}`", words.join("`, `")),
    };
    let event = event_of(group);
    Some((
        format!("`{event}` is about none of what the matcher `{text}` names"),
        help,
    ))
}

/// The words that an event is about, at the host of the file; in a universal one, at any host.
fn words(linted: &LintTarget<'_>, group: &Group) -> Vec<&'static str> {
    let is_read = |format: &&&NativeFormat| linted.format.is_none_or(|own| own.host == format.host);
    let is_it = |format: &NativeFormat, native: &str| {
        let row = host(format.host).and_then(|host| host.row(native));
        row.is_some_and(|row| Some(row.event) == group.spec.map(|spec| spec.name))
    };
    let rows = FORMATS.iter().filter(is_read).flat_map(|format| {
        let rows = format.words.iter();
        rows.filter(|(native, _)| is_it(format, native))
    });
    let mut words: Vec<&str> = rows.flat_map(|(_, words)| words.iter().copied()).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Looks for a name that only other hosts have, in the file of one that minds the case.
fn of_host(linted: &LintTarget<'_>, text: &str) -> Option<(String, String)> {
    let minds = |format: &&NativeFormat| matches!(format.matching, MatcherSyntax::Names(_));
    let format = linted.format.filter(minds)?;
    let rows = host(format.host)?.facts().tools.rows;
    let renamed = |name: &str| rows.iter().any(|row| row.is == name);
    let canonical = tools::all().filter(|name| tools::canonical(name) == *name && !renamed(name));
    let own: Vec<&str> = canonical.chain(rows.iter().map(|row| row.name)).collect();
    let (name, near) = names(text).find_map(|name| {
        let near = own.iter().find(|own| own.eq_ignore_ascii_case(name))?;
        let is_named = names(text).any(|other| other == *near);
        (!is_named && !own.contains(&name)).then_some((name, near))
    })?;
    let message = format!("`{}` has no tool `{name}`, and minds the case", format.host);
    Some((message, format!("did you mean `{near}`?")))
}

/// Looks at a matcher of tools, in the names that any host has for them.
fn of_tools(group: &Group, text: &str) -> Option<(String, String)> {
    // What Cursor's shell events look at is a command, and no name.
    if group.entries.iter().any(|entry| entry.only.is_some()) {
        return None;
    }
    if let Some((name, near)) = misspelled(text) {
        let message = format!("no agent has a tool `{name}`");
        return Some((message, format!("did you mean `{near}`?")));
    }
    let is_foreign = text.to_lowercase().contains("mcp");
    if group.matcher.is_all() || is_foreign || known().any(|tool| group.matcher.takes(tool, &[])) {
        return None;
    }
    // Nothing is selected, so that a short name or one far from any is worth a guess too.
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let shows = "`anyhook list hosts` shows what each agent calls its tools";
    let help = match nearest(text, known()).filter(|_| is_name) {
        Some(near) => format!("did you mean `{near}`? {shows}"),
        None => format!("{shows}; names are case-sensitive"),
    };
    Some((
        "the matcher selects no tool that any agent has".to_owned(),
        help,
    ))
}

/// Finds a name in a list that is nearly a tool's.
fn misspelled(text: &str) -> Option<(&str, &'static str)> {
    let is_judged = |name: &&str| name.len() > 3 && !name.starts_with("mcp__");
    let mut unknown = names(text).filter(is_judged).filter(|_| is_plain(text));
    unknown.find_map(|name| {
        let is_known = known().any(|tool| tool == name);
        let near = nearest(name, known()).filter(|near| !is_known && is_slip(name, near))?;
        Some((name, near))
    })
}

/// Tells whether a word is another one with letters swapped, in another case, or with one letter more or less: a name of
/// a tool that we do not know is no slip.
fn is_slip(word: &str, known: &str) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let same = |(one, other): &(u8, u8)| one == other;
    let start = word.bytes().zip(known.bytes()).take_while(same).count();
    let ends = word.bytes().rev().zip(known.bytes().rev());
    let end = ends.take_while(same).count();
    let shorter = word.len().min(known.len());
    let one_more = word.len().abs_diff(known.len()) == 1 && start + end >= shorter;
    letters(word) == letters(known) || one_more
}

/// Every name that any host has for a tool.
fn known() -> impl Iterator<Item = &'static str> {
    let own = HOSTS.iter().flat_map(|host| host.facts().tools.rows);
    tools::all().chain(own.flat_map(|row| [row.name, row.is]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_no_tool_of_a_server_is_one() {
        assert_eq!(misspelled("Edit|Wirte"), Some(("Wirte", "Write")));
        for text in ["mcp__Writes", "Bash|mcp__Reads", "Deploy", "Write|Edit"] {
            assert_eq!(misspelled(text), None, "{text}");
        }
    }
}
